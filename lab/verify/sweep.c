/* Sweeps of the verifier (see sweep.h). */
#include "lab/verify/sweep.h"

#include <assert.h>
#include <stdint.h>

#include "topology/cables.h"
#include "lab/verify/proof_digest.h"
#include "lab/verify/block_lengths.h"
#include "lab/verify/shrink.h"
#include "util/memory.h"
#include "topology/nodes_make.h"

enum { ALL_ROOTS = 12, SMALLEST_WINDOW = 2, MOST_COUNTS = 8 };

struct state {
    const struct allfold_sweep *sweep;
    struct allfold_sweep_result *result;
    struct allfold_verifier *verifier;
    uint64_t random;
    bool takes_one;      /* combination of the parameters, at random */
    bool on_cables;      /* only combinations that need cables */
    unsigned placements; /* that were run */
    bool stopped;
    bool out_of_memory;
};

static uint32_t next_random(struct state *state)
{
    state->random = state->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state->random >> 33);
}

/* A case failed: tells its smallest and ends the sweep. */
static void fail(struct state *state, const struct allfold_case *of)
{
    struct allfold_shrunk shrunk;
    assert(!state->result->failed);
    if (allfold_shrink(state->verifier, of, &shrunk) != ALLFOLD_OK) {
        state->out_of_memory = true;
    } else {
        state->result->failed = state->stopped = true;
        if (state->sweep->on_failure != NULL)
            state->sweep->on_failure(state->sweep->context, &shrunk.of, &shrunk.blame);
    }
    allfold_shrunk_free(&shrunk);
}

/* Notes what became of a case; whether it is right. */
static bool is_right(struct state *state, const struct allfold_case *of, enum allfold_error error)
{
    if (error == ALLFOLD_NO_MEMORY)
        state->out_of_memory = state->stopped = true;
    else if (error != ALLFOLD_OK)
        fail(state, of);
    return error == ALLFOLD_OK;
}

/* The random numbers of a case. They are drawn whether or not the case is proven, so that the
 * digest of a sweep is of the same cases as its proof. */
struct draws {
    uint32_t rank; /* whose order is checked first */
    uint32_t seeds[ALLFOLD_VIRTUAL_MODE_COUNT];
    unsigned modes;
};

static struct draws draw(struct state *state, const struct allfold_case *of)
{
    /* the order of the steps is proven elsewhere, so brackets do not depend on the mode */
    struct draws draws = {.rank = next_random(state),
                          .modes = of->canonical ? 1 : ALLFOLD_VIRTUAL_MODE_COUNT};
    for (unsigned mode = 0; mode < draws.modes; mode++)
        draws.seeds[mode] = next_random(state);
    return draws;
}

static void run_modes(struct state *state, struct allfold_case *of, const struct draws *draws,
                      struct allfold_schedule **schedules)
{
    char message[400] = "";
    for (unsigned mode = 0; mode < draws->modes && !state->stopped; mode++) {
        of->mode = (enum allfold_virtual_mode)mode;
        of->seed = draws->seeds[mode];
        of->window = ALLFOLD_WINDOW;
        if (mode != ALLFOLD_VIRTUAL_IN_ORDER && (of->seed & 1) != 0)
            of->window = SMALLEST_WINDOW;
        state->result->runs++;
        is_right(state, of,
                 allfold_verify_results(state->verifier, of, schedules, message, sizeof message));
    }
}

/* The claims, and the order: of all ranks where they are few, else of four. */
static enum allfold_error check_schedules(const struct allfold_case *of, const struct draws *draws,
                                          struct allfold_schedule *const *schedules, char *message,
                                          size_t message_bytes)
{
    enum { FEW = 16, SOME = 4 };
    const int stride = of->p > FEW ? (of->p + SOME - 1) / SOME : 1;
    const int first = (int)(draws->rank % (unsigned)stride);
    const enum allfold_error error =
        allfold_verify_order(of, schedules, first, stride, message, message_bytes);
    return error == ALLFOLD_OK ? allfold_verify_claims(of, schedules, message, message_bytes)
                               : error;
}

static void add_to_digest(struct state *state, const struct allfold_case *of,
                          const struct draws *draws, struct allfold_schedule *const *schedules)
{
    uint64_t *digest = &state->result->digest;
    allfold_digest_add(digest, draws->rank);
    for (unsigned mode = 0; mode < draws->modes; mode++)
        allfold_digest_add(digest, draws->seeds[mode]);
    allfold_digest_case(digest, of, schedules);
}

/* Whether the case was there before as one of operations that do not commute, of which more is
 * shown. Whether operations commute decides what is served, but not the schedules. */
static bool is_repeated(const struct state *state, const struct allfold_case *of)
{
    struct allfold_case before = *of;
    before.commutes = false;
    return of->commutes && !state->takes_one && allfold_is_ordered(of->algorithm) &&
           allfold_case_is_served(&before);
}

static void run_case(struct state *state, struct allfold_case *of)
{
    char message[400] = "";
    struct allfold_schedule **schedules;
    if (is_repeated(state, of))
        return;
    if (!allfold_case_is_served(of)) {
        state->result->unserved++;
        return;
    }
    state->result->schedules++;
    const struct draws draws = draw(state, of);
    enum allfold_error error = allfold_case_build(of, &schedules, message, sizeof message);
    if (error == ALLFOLD_OK)
        add_to_digest(state, of, &draws, schedules);
    if (error == ALLFOLD_OK && !state->sweep->digest_only)
        error = check_schedules(of, &draws, schedules, message, sizeof message);
    if (is_right(state, of, error) && !state->sweep->digest_only)
        run_modes(state, of, &draws, schedules);
    allfold_case_free(of, schedules);
}

/* All counts to try with p ranks; returns how many. */
static int all_counts(const struct allfold_case *of, size_t *counts)
{
    const size_t p = (size_t)of->p,
                 divisor = allfold_case_is_served(of) ? allfold_case_claim(of).divisor : 1;
    const size_t vectors[] = {0, 1, p - 1, p, p + 1, 3 * p + 2, 2 * divisor};
    const size_t blocks[] = {0, 1, 2, 5};
    const bool are_blocks = allfold_has_blocks(of->algorithm->collective);
    const size_t *all = are_blocks ? blocks : vectors;
    const size_t tried = are_blocks ? sizeof blocks : sizeof vectors;
    int count = 0;
    for (size_t i = 0; i < tried / sizeof *all; i++) {
        bool is_new = true;
        for (int j = 0; j < count; j++)
            is_new = is_new && counts[j] != all[i];
        if (is_new)
            counts[count++] = all[i];
    }
    return count;
}

/* A few counts; long vectors only where p leaves time for them. */
static int sampled_counts(struct state *state, const struct allfold_case *of, size_t *counts)
{
    enum { LARGE_P = 1024 };
    const size_t p = (size_t)of->p;
    assert(of->p > 0);
    if (allfold_has_blocks(of->algorithm->collective)) {
        counts[0] = 1 + next_random(state) % 2;
        return 1;
    }
    counts[0] = 1 + next_random(state) % 16;
    counts[1] = of->p <= LARGE_P ? p - 1 + next_random(state) % (2 * (unsigned)of->p) : 0;
    return of->p <= LARGE_P ? 2 : 1;
}

/* Where there are many roots, they take turns at the counts, in place and not. Each root has some
 * of these, and each of these many roots. */
static bool is_its_turn(const struct allfold_case *of, bool is_sampled, int number)
{
    enum { MANY_ROOTS = 24, TURNS = 7 };
    const bool takes_turns = allfold_traits(of->algorithm->collective)->has_root &&
                             of->p > MANY_ROOTS && of->nodes == NULL && !is_sampled;
    return !takes_turns || (of->root + number) % TURNS == 0;
}

static void run_counts(struct state *state, struct allfold_case *of)
{
    size_t counts[MOST_COUNTS];
    const int count =
        state->sweep->sampled ? sampled_counts(state, of, counts) : all_counts(of, counts);
    const bool may_be_in_place = allfold_traits(of->algorithm->collective)->allows_in_place;
    for (int i = 0; i < count && !state->stopped; i++)
        for (int in_place = 0; in_place <= may_be_in_place && !state->stopped; in_place++) {
            of->count = counts[i];
            of->in_place = in_place != 0;
            if (is_its_turn(of, state->sweep->sampled, 2 * i + in_place))
                run_case(state, of);
        }
}

static void run_layout(struct state *state, struct allfold_case *of, enum allfold_layout layout,
                       size_t *begins, uint64_t seed)
{
    enum { LONGEST = 7 };
    allfold_layout_make(layout, of->p, 1 + next_random(state) % LONGEST, seed, begins);
    of->begins = begins;
    of->count = allfold_layout_cut(begins, of->p, SIZE_MAX, begins);
    for (int in_place = 0; in_place < 2 && !state->stopped; in_place++) {
        of->in_place = in_place != 0;
        run_case(state, of);
    }
    of->begins = NULL;
}

/* Blocks of any lengths, where the collective has such: of all layouts, or of one in samples. On
 * few ranks the longest block is also the first, and the last. */
static void run_layouts(struct state *state, struct allfold_case *of)
{
    enum { FEW_RANKS = 12 };
    const uint64_t seeds[] = {next_random(state), 0, (uint64_t)of->p - 1};
    const size_t times = of->p <= FEW_RANKS ? sizeof seeds / sizeof *seeds : 1;
    const unsigned first =
        state->sweep->sampled ? next_random(state) % ALLFOLD_LAYOUT_COUNT : ALLFOLD_LAYOUT_ONE;
    const unsigned end = state->sweep->sampled ? first + 1 : ALLFOLD_LAYOUT_COUNT;
    size_t *begins = allfold_allocate(((size_t)of->p + 1) * sizeof *begins);
    state->out_of_memory = state->out_of_memory || begins == NULL;
    for (unsigned i = first; i < end && begins != NULL; i++)
        for (size_t k = 0; k < times && !state->stopped; k++)
            run_layout(state, of, (enum allfold_layout)i, begins, seeds[k]);
    allfold_free(begins);
}

static void run_roots(struct state *state, struct allfold_case *of)
{
    const bool has_root = allfold_traits(of->algorithm->collective)->has_root;
    if (state->sweep->sampled) {
        of->root = has_root ? (int)(next_random(state) % (unsigned)of->p) : 0;
        run_counts(state, of);
        return;
    }
    const int all = has_root ? of->p : 1;
    if (of->nodes != NULL && all > ALL_ROOTS) {
        const int few[] = {0, of->p / 2, of->p - 1, (int)(next_random(state) % (unsigned)of->p)};
        for (size_t i = 0; i < sizeof few / sizeof *few && !state->stopped; i++) {
            of->root = few[i];
            run_counts(state, of);
        }
        return;
    }
    for (of->root = 0; of->root < all && !state->stopped; of->root++)
        run_counts(state, of);
}

/* Does the algorithm need cables with any values of its parameters? */
static bool may_need_cables(const struct allfold_algorithm *algorithm)
{
    const unsigned combinations = allfold_tried_count(algorithm, true);
    for (unsigned c = 0; c < combinations; c++) {
        const struct allfold_parameters tried = allfold_tried(algorithm, true, c);
        if (allfold_needs_cables(algorithm, &tried))
            return true;
    }
    return false;
}

/* All combinations of the values to try; one of them in samples, and on the many placements of what
 * could do without. Of many ranks, combinations take turns at the placements. */
static void run_combinations(struct state *state, struct allfold_case *of)
{
    enum { MANY_RANKS = 32, TURNS = 5 };
    const unsigned combinations = allfold_tried_count(of->algorithm, false);
    state->takes_one = state->sweep->sampled || (of->nodes != NULL && of->algorithm->follows_nodes);
    const bool take_turns = of->nodes != NULL && of->p > MANY_RANKS && combinations > TURNS &&
                            !state->takes_one && !state->on_cables;
    const unsigned first = state->takes_one ? next_random(state) % combinations : 0;
    bool has_run = false;
    for (unsigned c = take_turns ? state->placements % TURNS : 0;
         c < combinations && !state->stopped; c += take_turns ? TURNS : 1) {
        of->parameters = allfold_tried(of->algorithm, false, (first + c) % combinations);
        if (state->on_cables && !allfold_needs_cables(of->algorithm, &of->parameters))
            continue;
        if (state->takes_one && has_run)
            break;
        has_run = true;
        run_roots(state, of);
        of->root = 0;
        if (allfold_traits(of->algorithm->collective)->blocks_differ && !state->stopped)
            run_layouts(state, of);
    }
}

/* Those, and once more by the canonical tree, where the algorithm may keep it. */
static void run_parameters(struct state *state, struct allfold_case *of)
{
    const bool may_keep_tree = of->algorithm->keeps_tree != NULL || of->p <= 2;
    if (!state->sweep->canonical)
        run_combinations(state, of);
    of->canonical = true;
    if (may_keep_tree && !of->commutes && allfold_has_operation(of->algorithm->collective))
        run_combinations(state, of);
    of->canonical = false;
}

/* Draws one to three levels of groups, in blocks of nodes or anyhow. */
static bool draw_groups(struct state *state, struct allfold_nodes *nodes, int p)
{
    int64_t *groups = allfold_allocate((size_t)p * sizeof *groups);
    bool fits = groups != NULL;
    const uint32_t levels = 1 + next_random(state) % 3, in_blocks = next_random(state) % 2;
    const uint32_t salt = next_random(state);
    uint32_t wanted = (uint32_t)nodes->count;
    for (uint32_t level = 0; level < levels && fits; level++) {
        const uint32_t before = wanted;
        wanted = 1 + next_random(state) % before;
        for (int r = 0; r < p && level == 0; r++)
            groups[r] = nodes->node_of[r];
        for (int r = 0; r < p; r++) {
            const uint32_t below = (uint32_t)groups[r];
            groups[r] = (int64_t)(in_blocks ? (uint64_t)below * wanted / before
                                            : (uint64_t)(below * 2654435761u ^ salt) % wanted);
        }
        fits = allfold_nodes_group(nodes, groups);
    }
    allfold_free(groups);
    return fits;
}

/* Draws the order in which the nodes lie in the network. */
static bool draw_order(struct state *state, struct allfold_nodes *nodes, int p)
{
    int64_t *keys = allfold_allocate((size_t)p * sizeof *keys);
    for (int r = 0; keys != NULL && r < p; r++)
        keys[r] = next_random(state);
    const bool fits = keys != NULL && allfold_nodes_order(nodes, keys);
    allfold_free(keys);
    return fits;
}

/* Draws the sockets of each node, in blocks of its ranks or anyhow; one node in eight has none. */
static bool draw_sockets(struct state *state, struct allfold_nodes *nodes, int p)
{
    enum { MOST_SOCKETS = 4, NODES_WITH_NONE = 8 };
    int64_t *keys = allfold_allocate_zeroed((size_t)p * sizeof *keys);
    const uint32_t sockets = 2 + next_random(state) % (MOST_SOCKETS - 1);
    const bool in_blocks = next_random(state) % 2 == 0, are_alike = next_random(state) % 2 == 0;
    const uint32_t salt = next_random(state);
    for (int r = 0; keys != NULL && r < p; r++) {
        const uint32_t node = (uint32_t)nodes->node_of[r], i = (uint32_t)nodes->index_of[r];
        const uint32_t size = (uint32_t)allfold_node_size(nodes, (int)node);
        const uint32_t drawn = are_alike ? salt : (node * 2654435761u) ^ salt;
        if (drawn % NODES_WITH_NONE > 0)
            keys[r] = in_blocks ? i * sockets / size : (i * 2246822519u ^ drawn) % sockets;
    }
    const bool fits = keys != NULL && allfold_nodes_divide(nodes, keys);
    allfold_free(keys);
    return fits;
}

/* Cables between nodes, drawn or listed. */
struct cabling {
    struct allfold_cable *pairs;
    int count;
};

/* Runs a placement, with cables between its nodes unless they are NULL. Half of the placements have
 * another order of the nodes, half have groups of nodes, and half have sockets. Operations that
 * commute take more algorithms inside. */
static void run_placement(struct state *state, struct allfold_case *of, const int64_t *keys,
                          const struct cabling *cabling)
{
    struct allfold_nodes *nodes = allfold_nodes_make(keys, of->p);
    const bool has_groups =
        (of->algorithm->needs & ALLFOLD_NEEDS_GROUPS) != 0 || next_random(state) % 2 == 0;
    const bool has_sockets = next_random(state) % 2 == 0, has_order = next_random(state) % 2 == 0;
    if (nodes != NULL &&
        ((has_order && !draw_order(state, nodes, of->p)) ||
         (has_groups && !draw_groups(state, nodes, of->p)) ||
         (has_sockets && !draw_sockets(state, nodes, of->p)) ||
         (cabling != NULL && !allfold_nodes_cable(nodes, cabling->pairs, cabling->count)) ||
         !allfold_nodes_add_ordered(nodes))) {
        allfold_nodes_free(nodes);
        nodes = NULL;
    }
    state->out_of_memory = state->out_of_memory || nodes == NULL;
    of->nodes = nodes;
    state->placements++;
    for (int commutes = !allfold_is_ordered(of->algorithm);
         commutes < 2 && nodes != NULL && !state->stopped; commutes++) {
        of->commutes = commutes != 0;
        run_parameters(state, of);
    }
    of->nodes = NULL;
    allfold_nodes_free(nodes);
}

/* p ranks on nodes of so many, in blocks or in turn; one on each is both. */
static void run_even(struct state *state, struct allfold_case *of, int64_t *keys, int ranks)
{
    for (int r = 0; r < of->p; r++)
        keys[r] = r / ranks;
    run_placement(state, of, keys, NULL);
    for (int r = 0; r < of->p; r++)
        keys[r] = r % (of->p / ranks);
    if (ranks > 1)
        run_placement(state, of, keys, NULL);
}

/* All even placements, and some where nodes differ: in blocks, and anyhow. */
static void run_placements(struct state *state, struct allfold_case *of)
{
    enum { UNEVEN = 2, LARGE_P = 64 };
    int64_t *keys = allfold_allocate((size_t)of->p * sizeof *keys);
    state->out_of_memory = state->out_of_memory || keys == NULL;
    for (int ranks = 1; keys != NULL && ranks < of->p; ranks++)
        if (of->p % ranks == 0 && (of->p <= LARGE_P || next_random(state) % 4 == 0))
            run_even(state, of, keys, ranks);
    for (int i = 0; keys != NULL && i < UNEVEN && !state->stopped; i++) {
        const uint32_t nodes = 2 + next_random(state) % 6;
        int64_t node = 0;
        for (int r = 0; r < of->p; r++)
            keys[r] = node += r > 0 && next_random(state) % ((unsigned)of->p / nodes + 1) == 0;
        run_placement(state, of, keys, NULL);
        for (int r = 0; r < of->p; r++)
            keys[r] = next_random(state) % nodes;
        run_placement(state, of, keys, NULL);
    }
    allfold_free(keys);
}

enum { MOST_CABLES = 3 }; /* a node, in the graphs that are tried */

/* Adds the cables of a torus. */
static void add_torus(struct cabling *cabling, const int sizes[3])
{
    const int nodes = sizes[0] * sizes[1] * sizes[2];
    for (int v = 0; v < nodes; v++)
        for (int d = 0, step = 1; d < 3; step *= sizes[d++]) {
            const int at = v / step % sizes[d], next = (at + 1) % sizes[d];
            if (next != at)
                cabling->pairs[cabling->count++] =
                    (struct allfold_cable){v, v + (next - at) * step};
        }
}

/* Adds a tree that is drawn, and so many other cables at most. */
static void draw_graph(struct state *state, struct cabling *cabling, int p, int more)
{
    for (int v = 1; v < p; v++)
        cabling->pairs[cabling->count++] =
            (struct allfold_cable){v, (int)(next_random(state) % (unsigned)v)};
    for (int i = 0; i < more; i++) {
        const int a = (int)(next_random(state) % (unsigned)p);
        const int b = (int)(next_random(state) % (unsigned)p);
        if (a != b)
            cabling->pairs[cabling->count++] = (struct allfold_cable){a, b};
    }
}

/* Puts the ranks on so many nodes: in blocks, in turn or anyhow. No node is empty, and each has its
 * key for a number, as cables have it. */
static void put_on_nodes(struct state *state, int64_t *keys, int p, int nodes)
{
    const uint32_t way = next_random(state) % 3;
    for (int64_t r = 0; r < p; r++) {
        const bool is_free = way == 2 && r >= nodes;
        keys[r] = way == 0 ? r * nodes / p : r % nodes;
        keys[r] = is_free ? next_random(state) % (unsigned)nodes : keys[r];
    }
}

/* Runs the ranks on the nodes of a graph of cables, which nodes lie in as they come, or anyhow. */
static void run_graph(struct state *state, struct allfold_case *of, int nodes, int64_t *keys,
                      struct cabling *cabling)
{
    int *const number = (int *)(keys + of->p);
    const bool is_mixed = next_random(state) % 2 == 0;
    for (int v = 0; v < nodes; v++) {
        const int other = is_mixed ? (int)(next_random(state) % (unsigned)(v + 1)) : v;
        number[v] = v == other ? v : number[other];
        number[other] = v;
    }
    for (int c = 0; c < cabling->count; c++) {
        struct allfold_cable *pair = &cabling->pairs[c];
        *pair = (struct allfold_cable){number[pair->a], number[pair->b]};
    }
    put_on_nodes(state, keys, of->p, nodes);
    run_placement(state, of, keys, cabling);
    cabling->count = 0;
}

/* Of so many nodes a ring, all tori of two dimensions, one of three, a tree, and a graph that is
 * drawn. Many ranks have some of these. */
static void run_graphs(struct state *state, struct allfold_case *of, int nodes)
{
    enum { LARGE_P = 64 };
    struct cabling cabling = {
        .pairs = allfold_allocate(MOST_CABLES * (size_t)nodes * sizeof *cabling.pairs)};
    int64_t *keys = allfold_allocate(2 * (size_t)of->p * sizeof *keys);
    const bool fits = keys != NULL && cabling.pairs != NULL;
    int cut = 0; /* of three dimensions, where the two last ones have divisors */
    state->out_of_memory = state->out_of_memory || !fits;
    for (int a = 1; fits && a * a <= nodes && !state->stopped; a++) {
        if (nodes % a != 0 || (of->p > LARGE_P && next_random(state) % 4 != 0))
            continue;
        add_torus(&cabling, (const int[3]){a, nodes / a, 1});
        run_graph(state, of, nodes, keys, &cabling);
        for (int b = 2; b < nodes / a && a > 1 && cut == 0; b++)
            cut = nodes / a % b == 0 ? b : 0;
        if (cut > 1) {
            add_torus(&cabling, (const int[3]){a, cut, nodes / a / cut});
            run_graph(state, of, nodes, keys, &cabling);
            cut = 1;
        }
    }
    for (int more = 0; fits && more <= 2 * nodes && !state->stopped; more += 2 * nodes) {
        draw_graph(state, &cabling, nodes, more);
        run_graph(state, of, nodes, keys, &cabling);
    }
    allfold_free(cabling.pairs);
    allfold_free(keys);
}

/* Of a composition, what sends over cables: with about two, three and five ranks on each node, of
 * which samples and many ranks have one. */
static void run_graphs_of_several(struct state *state, struct allfold_case *of)
{
    enum { LARGE_P = 32 };
    static const int ranks[] = {2, 3, 5};
    const int count = sizeof ranks / sizeof *ranks;
    const bool takes_all = !state->sweep->sampled && of->p <= LARGE_P;
    const int first = takes_all ? 0 : (int)(next_random(state) % (unsigned)count);
    state->on_cables = true;
    for (int i = first; i < (takes_all ? count : first + 1); i++)
        if (of->p / ranks[i] > 1)
            run_graphs(state, of, of->p / ranks[i]);
    state->on_cables = false;
}

/* Whether a rank sends its vector, or block, some p times, of as many ranks as are served. All
 * ranks' messages then grow with the square of p. Only a root may do so alone. */
static bool grows_squared(const struct allfold_sweep *sweep)
{
    const struct allfold_algorithm *algorithm = sweep->algorithm;
    struct allfold_case of = {.algorithm = algorithm, .p = sweep->p_last, .count = 1};
    if (algorithm->needs & ALLFOLD_NEEDS_NODES)
        return true; /* on a node of many ranks */
    for (int i = 0; algorithm->parameters[i].name != NULL; i++)
        if (algorithm->parameters[i].kind == ALLFOLD_PARAMETER_ON_ALL)
            return true; /* so may an inner algorithm of all ranks */
    if (allfold_traits(algorithm->collective)->has_root)
        return false;
    of.parameters = allfold_parameter_presets(algorithm);
    while (!allfold_case_is_served(&of))
        if (--of.p < sweep->p_first)
            return false;
    of.count = allfold_case_claim(&of).divisor;
    return allfold_case_claim(&of).sent / of.count >= (size_t)of.p / 2;
}

/* Whether to run it on nodes; samples of those that can do without, only with ranks enough. */
static bool depends_on_nodes(const struct allfold_sweep *sweep, int p)
{
    enum { LARGE_P = 1024 };
    const struct allfold_algorithm *algorithm = sweep->algorithm;
    return (algorithm->needs & ALLFOLD_NEEDS_NODES) != 0 ||
           (algorithm->follows_nodes && (!sweep->sampled || p <= LARGE_P));
}

/* The last number of ranks that there is time and memory for. */
static int last_sampled(const struct allfold_sweep *sweep)
{
    enum { LARGEST_SQUARED = 400 };
    const bool is_cut = sweep->sampled && sweep->p_first < LARGEST_SQUARED &&
                        sweep->p_last > LARGEST_SQUARED && grows_squared(sweep);
    return is_cut ? LARGEST_SQUARED : sweep->p_last;
}

enum allfold_error allfold_sweep_run(const struct allfold_sweep *sweep,
                                     struct allfold_sweep_result *result)
{
    assert(sweep->p_first >= 1 && sweep->p_first <= sweep->p_last && sweep->on_failure != NULL);
    struct state state = {.sweep = sweep, .result = result, .random = sweep->seed};
    *result = (struct allfold_sweep_result){.digest = allfold_verifier_version};
    state.verifier = allfold_verifier_create();
    if (state.verifier == NULL)
        return ALLFOLD_NO_MEMORY;
    const int last = last_sampled(sweep);
    const bool has_graphs = may_need_cables(sweep->algorithm);
    const int range = last - sweep->p_first + 1;
    const int total = sweep->sampled ? sweep->samples : range;
    for (int i = 0; i < total && !state.stopped && !state.out_of_memory; i++) {
        struct allfold_case of = {.algorithm = sweep->algorithm};
        of.p = sweep->p_first + (sweep->sampled ? (int)(next_random(&state) % (unsigned)range) : i);
        if (!(sweep->algorithm->needs & ALLFOLD_NEEDS_NODES))
            run_parameters(&state, &of);
        if (sweep->algorithm->needs & ALLFOLD_NEEDS_CABLES) {
            run_graphs(&state, &of, of.p);
        } else {
            if (depends_on_nodes(sweep, of.p))
                run_placements(&state, &of);
            if (has_graphs)
                run_graphs_of_several(&state, &of);
        }
        if (sweep->on_progress != NULL)
            sweep->on_progress(sweep->context, of.p, i + 1, total);
    }
    allfold_verifier_free(state.verifier);
    return state.out_of_memory ? ALLFOLD_NO_MEMORY : ALLFOLD_OK;
}
