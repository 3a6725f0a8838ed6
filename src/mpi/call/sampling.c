/* Which calls are sampled (see sampling.h). */
#include "mpi/call/sampling.h"

#include "mpi/call/cache.h"

/* The shape's counts, or those that it shares. */
static struct allfold_sampled *find(struct allfold_sampling *sampling, uint64_t hash)
{
    enum { PROBES = 8 };
    for (uint64_t i = 0; i < PROBES; i++) {
        struct allfold_sampled *sampled = &sampling->shapes[(hash + i) % ALLFOLD_SAMPLED_SHAPES];
        if (sampled->hash == 0)
            sampled->hash = hash;
        if (sampled->hash == hash)
            return sampled;
    }
    return &sampling->shapes[hash % ALLFOLD_SAMPLED_SHAPES];
}

/* The first calls of a shape soon, as there may be few; but not the very first, which sets up. */
static bool is_sampled(const struct allfold_sampled *sampled)
{
    enum { AT_ONCE = 8, EVERY = 32 };
    return sampled->samples < ALLFOLD_MAX_SAMPLES && sampled->calls > 0 &&
           (sampled->calls <= AT_ONCE || sampled->calls % EVERY == 0);
}

bool allfold_sampling_count(struct allfold_sampling *sampling, const struct allfold_shape_key *key,
                            uint32_t *number)
{
    const struct allfold_shape_key shared = allfold_shape_of_all(key);
    const uint64_t hash = allfold_shape_hash(&shared);
    struct allfold_sampled *sampled = find(sampling, hash == 0 ? 1 : hash);
    const bool is_sample = is_sampled(sampled);
    *number = sampled->samples;
    sampled->calls++;
    sampled->samples += is_sample;
    return is_sample;
}
