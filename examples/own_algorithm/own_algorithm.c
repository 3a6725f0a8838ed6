/* A user-defined algorithm: written, proven, drawn and simulated by liballfold-core only. */
#define ALLFOLD_VERBS
#include <allfold_core.h>

static bool is_broken; /* then a rank sends up what it has itself, and not the sum */

/* Up the ranks goes the sum over those below, and back down comes the result. */
static void build(struct allfold_builder *s, const struct allfold_problem *problem,
                  const struct allfold_parameters *parameters)
{
    const int p = problem->group.size, r = problem->group.index;
    const size_t n = problem->count;
    const struct allfold_span mine = span(ALLFOLD_IN, 0, n), sum = span(ALLFOLD_OUT, 0, n);
    const struct allfold_span below = scratch(s, n);
    (void)parameters;
    if (r > 0) {
        recv_from(s, r - 1, below);
        reduce(s, sum, below, mine);
    }
    if (r + 1 < p) {
        send_to(s, r + 1, r == 0 || is_broken ? mine : sum);
        recv_from(s, r + 1, sum);
    }
    if (r > 0)
        send_to(s, r - 1, sum);
    if (p == 1)
        copy(s, sum, mine);
}

static struct allfold_claim claim(const struct allfold_problem *problem,
                                  const struct allfold_parameters *parameters)
{
    const size_t others = (size_t)problem->group.size - 1, n = problem->count;
    const size_t most = others > 1 ? 2 * n : others * n;
    (void)parameters;
    return (struct allfold_claim){
        .rounds = 2 * others, .sent = most, .reduced = others > 0 ? n : 0, .divisor = 1};
}

static const struct allfold_algorithm mine = {.name = "there_and_back",
                                              .collective = ALLFOLD_ALLREDUCE,
                                              .consistent = true,
                                              .build = build,
                                              .claim = claim};

static void show_failure(void *context, const struct allfold_case *of,
                         const struct allfold_blame *blame)
{
    (void)context, (void)of;
    printf("%s:\n  %s\n", blame->where, blame->text);
}

/* For each p = 2..64, with many lengths, in place and not, in many orders of the messages. */
static bool is_proven(void)
{
    const struct allfold_sweep sweep = {
        .algorithm = &mine, .p_first = 2, .p_last = 64, .on_failure = show_failure};
    struct allfold_sweep_result result;
    if (allfold_sweep_run(&sweep, &result) != ALLFOLD_OK || result.failed)
        return false;
    printf("%s is proven for p = 2..64 by %zu runs\n\n", mine.name, result.runs);
    return true;
}

int main(void)
{
    enum { RANKS = 32 };
    char message[300] = "";
    int64_t node_of[RANKS];
    struct allfold_network *network = NULL;
    struct allfold_simulated simulated;

    const struct allfold_case of = {.algorithm = &mine, .p = 4, .count = 1};
    bool is_right = is_proven();
    is_right &= !allfold_picture_draw(&of, ALLFOLD_PICTURE_TEXT, stdout, message, sizeof message);

    for (int r = 0; r < RANKS; r++)
        node_of[r] = r / 2; /* two on each node */
    const struct allfold_nodes *nodes = allfold_nodes_make(node_of, RANKS);
    is_right &= !allfold_network_open("cluster", &network, message, sizeof message);
    const struct allfold_simulation simulation = {
        .algorithm = &mine, .bytes = 8192, .element_bytes = 8, .nodes = nodes, .network = network};
    is_right = is_right && nodes != NULL &&
               !allfold_simulate(&simulation, &simulated, message, sizeof message);
    if (is_right)
        printf("\n8 KiB on 16 nodes of 2 ranks: %.1f us\n\n", 1e6 * simulated.time_s);
    allfold_network_free(network);
    allfold_nodes_free(nodes);

    is_broken = true;
    is_right &= !is_proven();
    if (!is_right)
        fprintf(stderr, "own_algorithm: %s\n", message);
    return is_right ? 0 : 1;
}
