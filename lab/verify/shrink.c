/* Shrinking a failing case (see shrink.h). */
#include "lab/verify/shrink.h"

#include <assert.h>

#include "lab/verify/block_lengths.h"
#include "util/memory.h"
#include "topology/nodes_make.h"

/* Ranks whose schedules are built, of all cases that are tried. */
enum { MOST_RANKS_BUILT = 60000, MOST_COUNTS_TRIED = 200 };

struct shrinker {
    struct allfold_verifier *verifier;
    struct allfold_shrunk *best;
    long budget;
    bool out_of_memory;
};

/* The blocks of the best case, cut to those of a smaller one; NULL where it has none. */
static size_t *cut_blocks(struct shrinker *shrinker, struct allfold_case *of)
{
    if (of->begins == NULL)
        return NULL;
    size_t *begins = allfold_allocate(((size_t)of->p + 1) * sizeof *begins);
    if (begins == NULL)
        shrinker->out_of_memory = true;
    else
        of->count = allfold_layout_cut(of->begins, of->p, of->count, begins);
    return begins;
}

/* Whether a case fails; then it is the best so far. Takes the nodes. */
static bool fails(struct shrinker *shrinker, struct allfold_case of, struct allfold_nodes *nodes)
{
    size_t *begins = cut_blocks(shrinker, &of);
    of.nodes = nodes;
    of.begins = begins;
    bool does = false;
    shrinker->budget -= of.p;
    if (shrinker->budget >= 0 && !shrinker->out_of_memory && allfold_case_is_served(&of)) {
        const enum allfold_error error = allfold_verify_case(shrinker->verifier, &of, NULL);
        shrinker->out_of_memory = error == ALLFOLD_NO_MEMORY;
        does = error != ALLFOLD_OK && !shrinker->out_of_memory;
    }
    if (!does) {
        allfold_nodes_free(nodes);
        allfold_free(begins);
        return false;
    }
    allfold_nodes_free(shrinker->best->nodes);
    allfold_free(shrinker->best->begins);
    shrinker->best->begins = begins;
    shrinker->best->of = of;
    shrinker->best->nodes = nodes;
    return true;
}

/* Gives the nodes of the first p ranks the sockets that these ranks are on. */
static bool divide_first(const struct allfold_nodes *nodes, struct allfold_nodes *made,
                         int64_t *keys, int p)
{
    for (int r = 0; r < p; r++)
        keys[r] = allfold_socket_of(nodes, r);
    return allfold_nodes_divide(made, keys);
}

/* And the order that the nodes of these ranks are in. */
static bool order_first(const struct allfold_nodes *nodes, struct allfold_nodes *made,
                        int64_t *keys, int p)
{
    for (int r = 0; r < p; r++)
        keys[r] = nodes->place_of[r];
    return allfold_nodes_order(made, keys);
}

/* The nodes of the first p ranks, with all that is known of them; NULL without memory. */
static struct allfold_nodes *nodes_of_first(const struct allfold_nodes *nodes, int p)
{
    int64_t *keys = allfold_allocate((size_t)p * sizeof *keys);
    for (int r = 0; keys != NULL && r < p; r++)
        keys[r] = nodes->node_of[r];
    struct allfold_nodes *made = keys == NULL ? NULL : allfold_nodes_make(keys, p);
    const bool fits = made != NULL && order_first(nodes, made, keys, p) &&
                      divide_first(nodes, made, keys, p) &&
                      allfold_nodes_group_like(made, nodes, keys) &&
                      allfold_nodes_cable_like(made, nodes) && allfold_nodes_add_ordered(made);
    allfold_free(keys);
    if (fits)
        return made;
    allfold_nodes_free(made);
    return NULL;
}

/* The same with the nodes of the best case, of which the first ranks stay where they are. */
static bool fails_there(struct shrinker *shrinker, const struct allfold_case *of)
{
    const struct allfold_nodes *nodes = shrinker->best->of.nodes;
    struct allfold_nodes *made = nodes == NULL ? NULL : nodes_of_first(nodes, of->p);
    if (nodes != NULL && made == NULL) {
        shrinker->out_of_memory = true;
        return false;
    }
    return fails(shrinker, *of, made);
}

/* A few counts and roots on p ranks. */
static bool fails_with_ranks(struct shrinker *shrinker, int p)
{
    const struct allfold_case *best = &shrinker->best->of;
    const size_t counts[] = {1, 2, (size_t)p, 3 * (size_t)p + 2, best->count};
    const int roots[] = {0, p - 1, best->root < p ? best->root : 0};
    const bool has_root = allfold_traits(best->algorithm->collective)->has_root;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t k = 0; k < (has_root ? sizeof roots / sizeof *roots : 1); k++) {
            struct allfold_case of = *best;
            of.p = p;
            of.count = counts[c];
            of.root = roots[k];
            if (counts[c] <= best->count && fails_there(shrinker, &of))
                return true;
        }
    return false;
}

static void shrink_ranks(struct shrinker *shrinker)
{
    const int p = shrinker->best->of.p;
    for (int fewer = 1; fewer < p && shrinker->budget > 0; fewer++)
        if (fails_with_ranks(shrinker, fewer))
            return;
}

static void shrink_count(struct shrinker *shrinker)
{
    const size_t count = shrinker->best->of.count;
    for (size_t fewer = 0; fewer < count && fewer < MOST_COUNTS_TRIED; fewer++) {
        struct allfold_case of = shrinker->best->of;
        of.count = fewer;
        if (fails_there(shrinker, &of))
            return;
    }
}

static void shrink_root(struct shrinker *shrinker)
{
    const int root = shrinker->best->of.root;
    for (int lower = 0; lower < root; lower++) {
        struct allfold_case of = shrinker->best->of;
        of.root = lower;
        if (fails_there(shrinker, &of))
            return;
    }
}

static void shrink_parameters(struct shrinker *shrinker)
{
    struct allfold_case of = shrinker->best->of;
    of.parameters = allfold_parameter_presets(of.algorithm);
    if (fails_there(shrinker, &of))
        return;
    const unsigned combinations = allfold_tried_count(of.algorithm, false);
    for (unsigned c = 0; c < combinations; c++) {
        of.parameters = allfold_tried(of.algorithm, false, c);
        if (fails_there(shrinker, &of))
            return;
    }
}

/* What is plainer than the best case in other ways. */
static void shrink_rest(struct shrinker *shrinker)
{
    struct allfold_case of = shrinker->best->of;
    of.in_place = false;
    if (shrinker->best->of.in_place && !fails_there(shrinker, &of))
        of.in_place = true;
    of = shrinker->best->of;
    of.commutes = false;
    if (shrinker->best->of.commutes)
        fails_there(shrinker, &of);
    of = shrinker->best->of;
    of.begins = NULL; /* alike, all as long as the longest */
    if (shrinker->best->of.begins != NULL)
        fails_there(shrinker, &of);
    if (shrinker->best->of.nodes != NULL)
        fails(shrinker, shrinker->best->of, NULL);
}

enum allfold_error allfold_shrink(struct allfold_verifier *verifier,
                                  const struct allfold_case *failing, struct allfold_shrunk *shrunk)
{
    static void (*const parts[])(struct shrinker *) = {shrink_ranks, shrink_count, shrink_root,
                                                       shrink_parameters, shrink_rest};
    struct shrinker shrinker = {.verifier = verifier, .best = shrunk};
    *shrunk = (struct allfold_shrunk){.of = *failing};
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !shrinker.out_of_memory; i++) {
        shrinker.budget = MOST_RANKS_BUILT;
        parts[i](&shrinker);
    }
    if (!shrinker.out_of_memory &&
        allfold_verify_case(verifier, &shrunk->of, &shrunk->blame) == ALLFOLD_NO_MEMORY)
        shrinker.out_of_memory = true;
    assert(shrunk->nodes == NULL || shrunk->of.nodes == shrunk->nodes);
    return shrinker.out_of_memory ? ALLFOLD_NO_MEMORY : ALLFOLD_OK;
}

void allfold_shrunk_free(struct allfold_shrunk *shrunk)
{
    allfold_nodes_free(shrunk->nodes);
    allfold_free(shrunk->begins);
    shrunk->nodes = NULL;
    shrunk->begins = NULL;
}
