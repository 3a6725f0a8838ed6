/* Algorithm variants that a search simulates (see algorithm_variants.h). */
#include "lab/search/algorithm_variants.h"

#include <string.h>

#include "algorithms/levels.h"
#include "util/memory.h"

enum {
    MOST_VALUES = 64,
    MOST_OF_PART = 12,
    MOST_SEGMENTS = 128,
    LEAST_SEGMENT = 1 << 10,
    WHOLE = 1 << 30, /* more than any vector here: it is one message */
    MOST_LEVELS = 12
};

/* Values of one parameter. */
struct values {
    size_t value[MOST_VALUES];
    int count;
};

static void add_value(struct values *values, size_t value, const struct allfold_parameter *of)
{
    for (int i = 0; i < values->count; i++)
        if (values->value[i] == value)
            return;
    if (values->count < MOST_VALUES && allfold_parameter_takes(of, value))
        values->value[values->count++] = value;
}

static void add_radices(struct values *values, const struct allfold_parameter *of)
{
    static const size_t radices[] = {2, 3, 4, 5, 8};
    for (size_t i = 0; i < sizeof radices / sizeof *radices; i++)
        add_value(values, radices[i], of);
}

static void add_segments(struct values *values, size_t bytes, const struct allfold_parameter *of)
{
    for (size_t segment = LEAST_SEGMENT; segment <= bytes / 2 && segment <= 1 << 20; segment *= 4)
        if (segment >= bytes / MOST_SEGMENTS)
            add_value(values, segment, of);
}

/* The largest product of 2, 3, 4 and 5 that is no more than p. */
static int core_of(int p)
{
    for (int core = p; core > 1; core--) {
        int rest = core;
        for (int factor = 2; factor <= ALLFOLD_LARGEST_LEVEL; factor++)
            while (rest % factor == 0)
                rest /= factor;
        if (rest == 1)
            return core;
    }
    return 1;
}

/* Adds every order of `left` radices whose product is `core`, behind the first `count` ones; each
 * with 0 to all of its first levels halving. */
static void add_orders(struct values *values, int core, int left, int *radices, int count,
                       const struct allfold_parameter *of)
{
    if (left == 0 && core > 1)
        return;
    for (int radix = ALLFOLD_LARGEST_LEVEL; left > 0 && radix >= 2; radix--) {
        radices[count] = radix;
        if (core % radix == 0)
            add_orders(values, core / radix, left - 1, radices, count + 1, of);
    }
    for (int halving = 0; left == 0 && halving <= count; halving++) {
        size_t number = 0;
        for (int i = 0; i < count; i++)
            number = 10 * number +
                     allfold_level_digit((struct level){(unsigned char)radices[i], i < halving});
        add_value(values, number, of);
    }
}

/* The fewest levels first, as they have the fewest rounds. */
static void add_levels(struct values *values, int p, int most, const struct allfold_parameter *of)
{
    int radices[MOST_LEVELS];
    const int core = core_of(p);
    for (int levels = 1; core > 1 && levels < MOST_LEVELS && values->count < most; levels++)
        add_orders(values, core, levels, radices, 0, of);
}

/* A preset that stands for a formula is left out where there are other values: rows of tables name
 * all numbers. */
static struct values values_of(const struct allfold_parameter *of, int p, size_t bytes,
                               bool is_part)
{
    struct values values = {.count = 0};
    switch (of->kind) {
    case ALLFOLD_PARAMETER_RADIX:
        add_value(&values, allfold_parameter_preset(of), of);
        add_radices(&values, of);
        break;
    case ALLFOLD_PARAMETER_SEGMENT:
        add_value(&values, allfold_parameter_preset(of), of);
        add_segments(&values, bytes, of);
        break;
    case ALLFOLD_PARAMETER_PIPELINE:
        add_value(&values, WHOLE, of);
        add_segments(&values, bytes, of);
        break;
    case ALLFOLD_PARAMETER_LEVELS:
        add_levels(&values, p, is_part ? MOST_OF_PART : MOST_VALUES, of);
        break;
    default:
        break;
    }
    if (values.count == 0)
        add_value(&values, allfold_parameter_preset(of), of);
    return values;
}

static bool add(struct allfold_variants *variants, const struct allfold_named *one)
{
    for (uint32_t i = 0; i < variants->count; i++)
        if (variants->list[i].algorithm == one->algorithm &&
            memcmp(&variants->list[i].parameters, &one->parameters, sizeof one->parameters) == 0)
            return true;
    void *room =
        allfold_make_room(variants->list, variants->count, &variants->capacity, sizeof *one);
    if (room == NULL)
        return false;
    variants->list = room;
    variants->list[variants->count++] = *one;
    return true;
}

bool allfold_variants_add(struct allfold_variants *variants,
                          const struct allfold_algorithm *algorithm, int p, size_t bytes,
                          bool is_part)
{
    struct values values[ALLFOLD_MAX_PARAMETERS] = {{{0}, 0}};
    struct allfold_named first = allfold_with_presets(algorithm);
    for (int i = 0; i < ALLFOLD_MAX_PARAMETERS && algorithm->parameters[i].name != NULL; i++)
        if (algorithm->parameters[i].inner == NULL) {
            values[i] = values_of(&algorithm->parameters[i], p, bytes, is_part);
            first.parameters.value[i] = values[i].value[0];
        }
    bool fits = add(variants, &first);
    for (int i = 0; i < ALLFOLD_MAX_PARAMETERS; i++) {
        struct allfold_named one = first;
        for (int k = 1; fits && k < values[i].count; k++) {
            one.parameters.value[i] = values[i].value[k];
            fits = add(variants, &one);
        }
    }
    return fits;
}

void allfold_variants_clear(struct allfold_variants *variants)
{
    allfold_free(variants->list);
    *variants = (struct allfold_variants){.count = 0};
}
