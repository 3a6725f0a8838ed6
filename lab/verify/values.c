/* Symbolic values with hash consing (see values.h). */
#include "lab/verify/values.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "util/memory.h"

/* The set of contributions is known by their number and the sum of the ranks' weights. With p <= 64
 * the weights are 1 << r: p powers of two add up to 2^p - 1 only if each is there once. */
struct tree {
    uint32_t left, right;
    uint32_t leaves;
    int32_t first, last; /* ranks, where they are consecutive and in order; else first = -1 */
    uint64_t weight;
};

struct entry {
    uint32_t tree;
    uint32_t generation; /* the entry is free where it is not the table's */
};

struct allfold_values {
    int p;
    uint32_t count;
    uint32_t existing; /* values: 1 .. existing; tree_count * count */
    uint32_t tree_count, tree_capacity;
    uint32_t generation;
    uint32_t entry_count; /* a power of two */
    struct tree *trees;   /* (value - 1) / count -> tree; the first p are leaves */
    struct entry *entries;
    uint64_t *weights; /* of the lowest ranks together: [r] of ranks 0 to r */
    uint32_t weight_capacity;
    size_t set_words; /* of the set of ranks of each tree, where they may repeat; else 0 */
    uint64_t *sets;
    uint32_t set_capacity;
};

const char allfold_values_no_memory[] = "no memory";

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

struct allfold_values *allfold_values_create(void)
{
    return allfold_allocate_zeroed(sizeof(struct allfold_values));
}

void allfold_values_free(struct allfold_values *values)
{
    if (values == NULL)
        return;
    allfold_free(values->trees);
    allfold_free(values->sets);
    allfold_free(values->weights);
    allfold_free(values->entries);
    allfold_free(values);
}

/* Room for the set of the tree that is about to be added, all ranks absent; false without memory.
 */
static bool add_set(struct allfold_values *values)
{
    const size_t words = values->set_words;
    if (words == 0)
        return true;
    void *sets = allfold_make_room(values->sets, values->tree_count, &values->set_capacity,
                                   words * sizeof *values->sets);
    if (sets == NULL)
        return false;
    values->sets = sets;
    memset(values->sets + values->tree_count * words, 0, words * sizeof *values->sets);
    return true;
}

static uint64_t *set_of(const struct allfold_values *values, uint32_t tree)
{
    return values->sets + tree * values->set_words;
}

/* False without memory, which includes numbers: ALLFOLD_IN_FLIGHT must stay free. */
static bool add_tree(struct allfold_values *values, struct tree tree)
{
    if (values->count >= ALLFOLD_IN_FLIGHT - values->existing)
        return false;
    void *trees = allfold_make_room(values->trees, values->tree_count, &values->tree_capacity,
                                    sizeof *values->trees);
    if (trees == NULL)
        return false;
    values->trees = trees;
    if (!add_set(values))
        return false;
    values->trees[values->tree_count++] = tree;
    values->existing += values->count;
    assert(values->existing == values->tree_count * values->count);
    assert(values->existing < ALLFOLD_IN_FLIGHT);
    return true;
}

static uint64_t weight_of(int p, int r)
{
    return p <= 64 ? (uint64_t)1 << r : mix((uint64_t)r + 0x9e3779b97f4a7c15u);
}

/* A room for sets of one size is not one for sets of another. */
static void set_up_sets(struct allfold_values *values, size_t words)
{
    if (words == values->set_words)
        return;
    allfold_free(values->sets);
    values->sets = NULL;
    values->set_capacity = 0;
    values->set_words = words;
}

enum allfold_error allfold_values_begin(struct allfold_values *values, int p, size_t count,
                                        bool may_repeat)
{
    if (count >= ALLFOLD_IN_FLIGHT)
        return ALLFOLD_NO_MEMORY;
    set_up_sets(values, may_repeat ? ((size_t)p + 63) / 64 : 0);
    values->p = p;
    values->count = (uint32_t)count;
    values->tree_count = 0;
    values->existing = 0;
    values->generation++;
    void *weights = allfold_make_room(values->weights, (uint32_t)p, &values->weight_capacity,
                                      sizeof *values->weights);
    if (weights == NULL)
        return ALLFOLD_NO_MEMORY;
    values->weights = weights;
    for (int r = 0; r < p; r++) {
        const uint64_t weight = weight_of(p, r);
        values->weights[r] = weight + (r > 0 ? values->weights[r - 1] : 0);
        if (!add_tree(values, (struct tree){.leaves = 1, .first = r, .last = r, .weight = weight}))
            return ALLFOLD_NO_MEMORY;
        if (may_repeat)
            set_of(values, (uint32_t)r)[r / 64] |= (uint64_t)1 << r % 64;
    }
    return ALLFOLD_OK;
}

uint32_t allfold_values_leaf(const struct allfold_values *values, int r, size_t element)
{
    assert(r >= 0 && r < values->p && element < values->count);
    return (uint32_t)r * values->count + (uint32_t)element + 1;
}

bool allfold_values_exist(const struct allfold_values *values, uint32_t value)
{
    return value - 1 < values->existing; /* 0 - 1 is the largest number */
}

bool allfold_values_all_exist(const struct allfold_values *values, const uint32_t *of, size_t count)
{
    uint32_t largest = 0; /* of value - 1 */
    for (size_t i = 0; i < count; i++)
        largest = of[i] - 1 > largest ? of[i] - 1 : largest;
    return count == 0 || largest < values->existing;
}

/* The entry of left o right: its own, or the free one where it would be. */
static struct entry *look_up(const struct allfold_values *values, uint32_t left, uint32_t right)
{
    uint64_t at = mix((uint64_t)left << 32 | right);
    for (;; at++) {
        struct entry *entry = &values->entries[at & (values->entry_count - 1)];
        if (entry->generation != values->generation)
            return entry;
        const struct tree *tree = &values->trees[entry->tree];
        if (tree->left == left && tree->right == right)
            return entry;
    }
}

static enum allfold_error widen(struct allfold_values *values)
{
    struct entry *old = values->entries;
    uint32_t old_count = values->entry_count;
    uint32_t wanted = old_count == 0 ? 1024 : old_count * 2;
    struct entry *entries = allfold_allocate_zeroed(wanted * sizeof *entries);
    if (entries == NULL)
        return ALLFOLD_NO_MEMORY;
    values->entries = entries;
    values->entry_count = wanted;
    for (uint32_t i = 0; i < old_count; i++) {
        if (old[i].generation != values->generation)
            continue;
        const struct tree *tree = &values->trees[old[i].tree];
        *look_up(values, tree->left, tree->right) = old[i];
    }
    allfold_free(old);
    return ALLFOLD_OK;
}

static struct tree joined(const struct allfold_values *values, uint32_t left, uint32_t right)
{
    const struct tree *a = &values->trees[left], *b = &values->trees[right];
    const bool in_order = a->first >= 0 && b->first >= 0 && a->last + 1 == b->first;
    return (struct tree){
        .left = left,
        .right = right,
        .leaves = a->leaves + b->leaves,
        .first = in_order ? a->first : -1,
        .last = b->last,
        .weight = a->weight + b->weight,
    };
}

/* The tree left o right of two trees, made where it is new; false without memory. */
static bool join(struct allfold_values *values, uint32_t left, uint32_t right, uint32_t *tree)
{
    if (values->tree_count >= values->entry_count / 2 && widen(values) != ALLFOLD_OK)
        return false;
    assert(left < values->tree_count && right < values->tree_count);
    struct entry *entry = look_up(values, left, right);
    if (entry->generation != values->generation) {
        if (!add_tree(values, joined(values, left, right)))
            return false;
        const uint32_t made = values->tree_count - 1;
        for (size_t i = 0; i < values->set_words; i++)
            set_of(values, made)[i] = set_of(values, left)[i] | set_of(values, right)[i];
        *entry = (struct entry){.tree = made, .generation = values->generation};
    }
    *tree = entry->tree;
    return true;
}

uint32_t allfold_values_combine(struct allfold_values *values, uint32_t left, uint32_t right,
                                const char **why)
{
    if (!allfold_values_exist(values, left) || !allfold_values_exist(values, right)) {
        *why = left == ALLFOLD_IN_FLIGHT || right == ALLFOLD_IN_FLIGHT
                   ? "reads what a message in flight may change"
                   : "reads what was never written";
        return 0;
    }
    const uint32_t count = values->count, element = (left - 1) % count;
    if ((right - 1) % count != element) {
        *why = "combines two different elements";
        return 0;
    }
    uint32_t tree;
    if (!join(values, (left - 1) / count, (right - 1) / count, &tree)) {
        *why = allfold_values_no_memory;
        return 0;
    }
    return tree * count + element + 1;
}

bool allfold_values_combine_all(struct allfold_values *values, uint32_t *to, const uint32_t *left,
                                const uint32_t *right, size_t count, const char **why)
{
    for (size_t i = 0; i < count;) {
        uint32_t a = left[i], b = right[i];
        uint32_t c = allfold_values_combine(values, a, b, why);
        if (c == ALLFOLD_UNWRITTEN)
            return false;
        to[i++] = c;
        /* the elements that follow, as long as they have the same trees */
        const size_t others = values->count - 1 - (c - 1) % values->count;
        const size_t end = others < count - i ? i + others : count;
        for (; i < end && left[i] == ++a && right[i] == ++b; i++)
            to[i] = ++c;
    }
    return true;
}

size_t allfold_values_element(const struct allfold_values *values, uint32_t value)
{
    return allfold_values_exist(values, value) ? (value - 1) % values->count : 0;
}

uint64_t allfold_values_ranks(const struct allfold_values *values, uint32_t value)
{
    if (!allfold_values_exist(values, value))
        return 0;
    const uint32_t tree = (value - 1) / values->count;
    return values->set_words > 0 ? set_of(values, tree)[0] : values->trees[tree].weight;
}

/* Has it what each of the lowest `ranks` ranks contributed, and nothing else? */
static bool has_ranks(const struct allfold_values *values, uint32_t tree, int ranks)
{
    if (values->set_words == 0)
        return values->trees[tree].leaves == (uint32_t)ranks &&
               values->trees[tree].weight == values->weights[ranks - 1];
    for (int r = 0; r < values->p; r++)
        if ((set_of(values, tree)[r / 64] >> r % 64 & 1) != (r < ranks))
            return false;
    return true;
}

static uint32_t tree_of(const struct allfold_values *values, uint32_t value)
{
    assert(allfold_values_exist(values, value));
    return (value - 1) / values->count;
}

static bool is_leaf(const struct allfold_values *values, uint32_t tree)
{
    return tree < (uint32_t)values->p;
}

/* A tree is made after its operands, so its number is higher. From it down, each tree has all its
 * visits before it hands them on. */
bool allfold_values_times(const struct allfold_values *values, uint32_t value, unsigned *times)
{
    enum { MOST = 1000 };
    memset(times, 0, (size_t)values->p * sizeof *times);
    if (!allfold_values_exist(values, value))
        return true;
    const uint32_t top = tree_of(values, value);
    unsigned *visits = allfold_allocate_zeroed(((size_t)top + 1) * sizeof *visits);
    if (visits == NULL)
        return false;
    visits[top] = 1;
    for (uint32_t t = top; !is_leaf(values, t); t--) {
        const uint32_t operands[] = {values->trees[t].left, values->trees[t].right};
        assert(operands[0] < t && operands[1] < t);
        for (int i = 0; i < 2; i++) {
            unsigned *of = &visits[operands[i]];
            *of = *of + visits[t] < MOST ? *of + visits[t] : MOST;
        }
    }
    for (uint32_t r = 0; r < (uint32_t)values->p && r <= top; r++)
        times[r] = visits[r];
    allfold_free(visits);
    return true;
}

/* What looks at the leaves of a tree from left to right. */
struct leaves {
    const struct allfold_values *values;
    int last; /* leaf; -1 at the begin */
    int left, right;
    unsigned budget;
};

static bool find_inversion(struct leaves *leaves, uint32_t tree)
{
    if (leaves->budget == 0)
        return false;
    leaves->budget--;
    if (!is_leaf(leaves->values, tree))
        return find_inversion(leaves, leaves->values->trees[tree].left) ||
               find_inversion(leaves, leaves->values->trees[tree].right);
    leaves->left = leaves->last;
    leaves->right = leaves->last = (int)tree;
    return leaves->left > leaves->right;
}

bool allfold_values_inversion(const struct allfold_values *values, uint32_t value, int *left,
                              int *right)
{
    struct leaves leaves = {.values = values, .last = -1, .budget = 1 << 16};
    if (!allfold_values_exist(values, value) || !find_inversion(&leaves, tree_of(values, value)))
        return false;
    *left = leaves.left;
    *right = leaves.right;
    return true;
}

/* Writes at `at` as far as there is room; returns where it ended. */
static size_t print_tree(const struct allfold_values *values, uint32_t tree, char *text, size_t at,
                         size_t text_bytes)
{
    enum { ROOM = 16 }; /* for a rank, brackets and dots */
    if (at + ROOM > text_bytes)
        return at;
    if (is_leaf(values, tree))
        return at + (size_t)snprintf(text + at, text_bytes - at, "%u", tree);
    at += (size_t)snprintf(text + at, text_bytes - at, "(");
    at = print_tree(values, values->trees[tree].left, text, at, text_bytes);
    if (at + ROOM > text_bytes)
        return at + (size_t)snprintf(text + at, text_bytes - at, "...)");
    at += (size_t)snprintf(text + at, text_bytes - at, " o ");
    at = print_tree(values, values->trees[tree].right, text, at, text_bytes);
    return at + 2 < text_bytes ? at + (size_t)snprintf(text + at, text_bytes - at, ")") : at;
}

void allfold_values_print(const struct allfold_values *values, uint32_t value, char *text,
                          size_t text_bytes)
{
    text[0] = '\0';
    if (allfold_values_exist(values, value))
        print_tree(values, tree_of(values, value), text, 0, text_bytes);
}

const char *allfold_values_fault(const struct allfold_values *values, uint32_t value,
                                 size_t element, int ranks, bool ordered)
{
    if (!allfold_values_exist(values, value))
        return value == ALLFOLD_IN_FLIGHT ? "is still in flight" : "was never written";
    assert(ranks > 0 && ranks <= values->p);
    const struct tree *tree = &values->trees[(value - 1) / values->count];
    if ((value - 1) % values->count != element)
        return "is another element's result";
    if (!has_ranks(values, (value - 1) / values->count, ranks))
        return values->set_words > 0 ? "does not have every rank's contribution"
                                     : "does not have every rank's contribution exactly once";
    if (ordered && (tree->first != 0 || tree->last != ranks - 1))
        return "does not have the contributions in the order of the ranks";
    return NULL;
}
