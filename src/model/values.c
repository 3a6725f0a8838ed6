/* Symbolic values, hash-consed (see values.h). */
#include "model/values.h"

#include <string.h>

#include "schedule/memory.h"

/* The set of contributions is known by their number and the sum of the ranks' weights. With p <= 64
 * the weights are 1 << r: p powers of two add up to 2^p - 1 only if each is there once. */
struct node {
    uint32_t left, right;
    uint32_t element;
    uint32_t leaves;
    int32_t first, last; /* ranks, where they are consecutive and in order; else first = -1 */
    uint64_t weight;
};

struct entry {
    uint32_t node;
    uint32_t generation; /* the entry is free where it is not the table's */
};

struct allfold_values {
    int p;
    uint32_t count;
    uint32_t node_count, node_capacity;
    uint32_t generation;
    uint32_t entry_count; /* a power of two */
    struct node *nodes;   /* value - 1 -> node */
    struct entry *entries;
    uint64_t full_weight;
    size_t set_words; /* of the set of ranks of each node, where they may repeat; else 0 */
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
    allfold_free(values->nodes);
    allfold_free(values->sets);
    allfold_free(values->entries);
    allfold_free(values);
}

/* Room for the set of the node that is about to be added, all ranks absent; false without memory.
 */
static bool add_set(struct allfold_values *values)
{
    const size_t words = values->set_words;
    if (words == 0)
        return true;
    void *sets = allfold_make_room(values->sets, values->node_count, &values->set_capacity,
                                   words * sizeof *values->sets);
    if (sets == NULL)
        return false;
    values->sets = sets;
    memset(values->sets + values->node_count * words, 0, words * sizeof *values->sets);
    return true;
}

static uint64_t *set_of(const struct allfold_values *values, uint32_t value)
{
    return values->sets + (value - 1) * values->set_words;
}

static uint32_t add_node(struct allfold_values *values, struct node node)
{
    void *nodes = allfold_make_room(values->nodes, values->node_count, &values->node_capacity,
                                    sizeof *values->nodes);
    if (nodes == NULL)
        return 0;
    values->nodes = nodes;
    if (!add_set(values))
        return 0;
    values->nodes[values->node_count++] = node;
    return values->node_count;
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

static enum allfold_error add_leaf(struct allfold_values *values, int r, uint32_t e)
{
    const uint32_t leaf = add_node(
        values,
        (struct node){
            .element = e, .leaves = 1, .first = r, .last = r, .weight = weight_of(values->p, r)});
    if (leaf == 0)
        return ALLFOLD_NO_MEMORY;
    if (values->set_words > 0)
        set_of(values, leaf)[r / 64] |= (uint64_t)1 << r % 64;
    return ALLFOLD_OK;
}

enum allfold_error allfold_values_begin(struct allfold_values *values, int p, size_t count,
                                        bool may_repeat)
{
    set_up_sets(values, may_repeat ? ((size_t)p + 63) / 64 : 0);
    values->p = p;
    values->count = (uint32_t)count;
    values->node_count = 0;
    values->full_weight = 0;
    values->generation++;
    for (int r = 0; r < p; r++) {
        values->full_weight += weight_of(p, r);
        for (uint32_t e = 0; e < values->count; e++)
            if (add_leaf(values, r, e) != ALLFOLD_OK)
                return ALLFOLD_NO_MEMORY;
    }
    return ALLFOLD_OK;
}

uint32_t allfold_values_leaf(const struct allfold_values *values, int r, size_t element)
{
    return (uint32_t)r * values->count + (uint32_t)element + 1;
}

bool allfold_values_exist(const struct allfold_values *values, uint32_t value)
{
    return value >= 1 && value <= values->node_count;
}

/* The entry of left o right: its own, or the free one where it would be. */
static struct entry *look_up(const struct allfold_values *values, uint32_t left, uint32_t right)
{
    uint64_t at = mix((uint64_t)left << 32 | right);
    for (;; at++) {
        struct entry *entry = &values->entries[at & (values->entry_count - 1)];
        if (entry->generation != values->generation)
            return entry;
        const struct node *node = &values->nodes[entry->node - 1];
        if (node->left == left && node->right == right)
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
        const struct node *node = &values->nodes[old[i].node - 1];
        *look_up(values, node->left, node->right) = old[i];
    }
    allfold_free(old);
    return ALLFOLD_OK;
}

static struct node joined(const struct allfold_values *values, uint32_t left, uint32_t right)
{
    const struct node *a = &values->nodes[left - 1], *b = &values->nodes[right - 1];
    const bool in_order = a->first >= 0 && b->first >= 0 && a->last + 1 == b->first;
    return (struct node){
        .left = left,
        .right = right,
        .element = a->element,
        .leaves = a->leaves + b->leaves,
        .first = in_order ? a->first : -1,
        .last = b->last,
        .weight = a->weight + b->weight,
    };
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
    if (values->nodes[left - 1].element != values->nodes[right - 1].element) {
        *why = "combines two different elements";
        return 0;
    }
    if (values->node_count >= values->entry_count / 2 && widen(values) != ALLFOLD_OK) {
        *why = allfold_values_no_memory;
        return 0;
    }
    struct entry *entry = look_up(values, left, right);
    if (entry->generation != values->generation) {
        uint32_t made = add_node(values, joined(values, left, right));
        if (made == 0) {
            *why = allfold_values_no_memory;
            return 0;
        }
        for (size_t i = 0; i < values->set_words; i++)
            set_of(values, made)[i] = set_of(values, left)[i] | set_of(values, right)[i];
        *entry = (struct entry){.node = made, .generation = values->generation};
    }
    return entry->node;
}

size_t allfold_values_element(const struct allfold_values *values, uint32_t value)
{
    return allfold_values_exist(values, value) ? values->nodes[value - 1].element : 0;
}

uint64_t allfold_values_ranks(const struct allfold_values *values, uint32_t value)
{
    if (!allfold_values_exist(values, value))
        return 0;
    return values->set_words > 0 ? set_of(values, value)[0] : values->nodes[value - 1].weight;
}

static bool has_all_ranks(const struct allfold_values *values, uint32_t value)
{
    const struct node *node = &values->nodes[value - 1];
    if (values->set_words == 0)
        return node->leaves == (uint32_t)values->p && node->weight == values->full_weight;
    for (int r = 0; r < values->p; r++)
        if ((set_of(values, value)[r / 64] >> r % 64 & 1) == 0)
            return false;
    return true;
}

const char *allfold_values_fault(const struct allfold_values *values, uint32_t value,
                                 size_t element, bool ordered)
{
    if (!allfold_values_exist(values, value))
        return value == ALLFOLD_IN_FLIGHT ? "is still in flight" : "was never written";
    const struct node *node = &values->nodes[value - 1];
    if (node->element != element)
        return "is another element's result";
    if (!has_all_ranks(values, value))
        return values->set_words > 0 ? "does not have every rank's contribution"
                                     : "does not have every rank's contribution exactly once";
    if (ordered && (node->first != 0 || node->last != values->p - 1))
        return "does not have the contributions in the order of the ranks";
    return NULL;
}
