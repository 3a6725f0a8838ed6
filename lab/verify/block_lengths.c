/* Block lengths for sweeps (see block_lengths.h). */
#include "lab/verify/block_lengths.h"

#include <assert.h>
#include <stdbool.h>

#include "util/hash.h"

static size_t by_chance(uint64_t seed, int i)
{
    return (size_t)(allfold_hash(seed, &i, sizeof i) >> 20);
}

static size_t length_of(enum allfold_layout layout, int p, size_t longest, uint64_t seed, int i)
{
    const bool is_the_one = (size_t)i == (size_t)(seed % (uint64_t)p);
    const size_t most = longest + 1, chance = by_chance(seed, i);
    switch (layout) {
    case ALLFOLD_LAYOUT_ONE:
        return is_the_one ? longest : 0;
    case ALLFOLD_LAYOUT_ENDS:
        return i == 0 || i == p - 1 || longest == 0 ? 0 : 1 + chance % longest;
    case ALLFOLD_LAYOUT_HUGE:
        return is_the_one ? longest : longest > 0;
    case ALLFOLD_LAYOUT_SOME:
        return chance % 2 == 0 ? 0 : chance / 2 % most;
    default:
        return chance % most;
    }
}

void allfold_layout_make(enum allfold_layout layout, int p, size_t longest, uint64_t seed,
                         size_t *begins)
{
    assert(p > 0 && layout < ALLFOLD_LAYOUT_COUNT);
    begins[0] = 0;
    for (int i = 0; i < p; i++)
        begins[i + 1] = begins[i] + length_of(layout, p, longest, seed, i);
}

size_t allfold_layout_cut(const size_t *begins, int p, size_t longest, size_t *cut)
{
    size_t most = 0;
    cut[0] = 0;
    for (int i = 0; i < p; i++) {
        const size_t length = begins[i + 1] - begins[i];
        const size_t kept = length < longest ? length : longest;
        cut[i + 1] = cut[i] + kept;
        most = kept > most ? kept : most;
    }
    return most;
}
