/* Sweeps (see sweep.h). */
#include "model/verify/sweep.h"

#include <assert.h>
#include <stdint.h>

#include "model/verify/layouts.h"
#include "model/verify/shrink.h"
#include "util/memory.h"

enum { ALL_ROOTS = 12, SMALLEST_WINDOW = 2, MOST_COUNTS = 8 };

struct state {
    const struct allfold_sweep *sweep;
    struct allfold_sweep_result *result;
    struct allfold_verifier *verifier;
    uint64_t random;
    bool takes_one; /* combination of the parameters, at random */
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

static void run_modes(struct state *state, struct allfold_case *of,
                      struct allfold_schedule **schedules)
{
    char message[400] = "";
    /* the order of the steps is proven elsewhere, so brackets do not depend on the mode */
    const unsigned modes = of->canonical ? 1 : ALLFOLD_VIRTUAL_MODE_COUNT;
    for (unsigned mode = 0; mode < modes && !state->stopped; mode++) {
        of->mode = (enum allfold_virtual_mode)mode;
        of->seed = next_random(state);
        of->window = ALLFOLD_WINDOW;
        if (mode != ALLFOLD_VIRTUAL_IN_ORDER && (of->seed & 1) != 0)
            of->window = SMALLEST_WINDOW;
        state->result->runs++;
        is_right(state, of,
                 allfold_verify_results(state->verifier, of, schedules, message, sizeof message));
    }
}

/* The claims, and the order: of all ranks where they are few, else of four. */
static enum allfold_error check_schedules(struct state *state, const struct allfold_case *of,
                                          struct allfold_schedule *const *schedules, char *message,
                                          size_t message_bytes)
{
    enum { FEW = 16, SOME = 4 };
    const int stride = of->p > FEW ? (of->p + SOME - 1) / SOME : 1;
    const int first = (int)(next_random(state) % (unsigned)stride);
    const enum allfold_error error =
        allfold_verify_order(of, schedules, first, stride, message, message_bytes);
    return error == ALLFOLD_OK ? allfold_verify_claims(of, schedules, message, message_bytes)
                               : error;
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
    enum allfold_error error = allfold_case_build(of, &schedules, message, sizeof message);
    if (error == ALLFOLD_OK)
        error = check_schedules(state, of, schedules, message, sizeof message);
    if (is_right(state, of, error))
        run_modes(state, of, schedules);
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

/* All combinations of the values to try; one of them in samples, and on the many placements of what
 * could do without. */
static void run_combinations(struct state *state, struct allfold_case *of)
{
    const unsigned combinations = allfold_tried_count(of->algorithm, false);
    state->takes_one = state->sweep->sampled || (of->nodes != NULL && of->algorithm->follows_nodes);
    const unsigned first = state->takes_one ? next_random(state) % combinations : 0;
    const unsigned end = state->takes_one ? first + 1 : combinations;
    for (unsigned c = first; c < end && !state->stopped; c++) {
        of->parameters = allfold_tried(of->algorithm, false, c);
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

/* Runs a placement. Half of the placements have another order of the nodes, half have groups of
 * nodes, and half have sockets. Operations that commute take more algorithms inside. */
static void run_placement(struct state *state, struct allfold_case *of, const int64_t *keys)
{
    struct allfold_nodes *nodes = allfold_nodes_make(keys, of->p);
    const bool has_groups =
        (of->algorithm->needs & ALLFOLD_NEEDS_GROUPS) != 0 || next_random(state) % 2 == 0;
    const bool has_sockets = next_random(state) % 2 == 0, has_order = next_random(state) % 2 == 0;
    if (nodes != NULL && ((has_order && !draw_order(state, nodes, of->p)) ||
                          (has_groups && !draw_groups(state, nodes, of->p)) ||
                          (has_sockets && !draw_sockets(state, nodes, of->p)) ||
                          !allfold_nodes_add_ordered(nodes))) {
        allfold_nodes_free(nodes);
        nodes = NULL;
    }
    state->out_of_memory = state->out_of_memory || nodes == NULL;
    of->nodes = nodes;
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
    run_placement(state, of, keys);
    for (int r = 0; r < of->p; r++)
        keys[r] = r % (of->p / ranks);
    if (ranks > 1)
        run_placement(state, of, keys);
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
        run_placement(state, of, keys);
        for (int r = 0; r < of->p; r++)
            keys[r] = next_random(state) % nodes;
        run_placement(state, of, keys);
    }
    allfold_free(keys);
}

/* Whether a rank sends its vector, or block, some p times, of as many ranks as are served. All
 * ranks' messages then grow with the square of p. Only a root may do so alone. */
static bool grows_squared(const struct allfold_sweep *sweep)
{
    const struct allfold_algorithm *algorithm = sweep->algorithm;
    struct allfold_case of = {.algorithm = algorithm, .p = sweep->p_last, .count = 1};
    if (algorithm->needs & ALLFOLD_NEEDS_NODES)
        return true; /* on a node of many ranks */
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
    *result = (struct allfold_sweep_result){0};
    state.verifier = allfold_verifier_create();
    if (state.verifier == NULL)
        return ALLFOLD_NO_MEMORY;
    const int last = last_sampled(sweep);
    const int range = last - sweep->p_first + 1;
    const int total = sweep->sampled ? sweep->samples : range;
    for (int i = 0; i < total && !state.stopped && !state.out_of_memory; i++) {
        struct allfold_case of = {.algorithm = sweep->algorithm};
        of.p = sweep->p_first + (sweep->sampled ? (int)(next_random(&state) % (unsigned)range) : i);
        if (!(sweep->algorithm->needs & ALLFOLD_NEEDS_NODES))
            run_parameters(&state, &of);
        if (depends_on_nodes(sweep, of.p))
            run_placements(&state, &of);
        if (sweep->on_progress != NULL)
            sweep->on_progress(sweep->context, of.p, i + 1, total);
    }
    allfold_verifier_free(state.verifier);
    return state.out_of_memory ? ALLFOLD_NO_MEMORY : ALLFOLD_OK;
}
