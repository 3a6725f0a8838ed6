/* Comparisons of Allfold's runs with native runs (see comparison.h). */
#include "mpi/call/comparison.h"

#include <string.h>

#include "mpi/call/caller.h"
#include "mpi/call/native.h"
#include "mpi/handles/predefined.h"
#include "mpi/process/runtime.h"
#include "mpi/report/call_times.h"

/* --- which calls --- */

/* The shape's counts, or those that it shares. */
static struct allfold_sampled *find(struct allfold_compared *compared, uint64_t hash)
{
    enum { PROBES = 8 };
    for (uint64_t i = 0; i < PROBES; i++) {
        struct allfold_sampled *sampled = &compared->shapes[(hash + i) % ALLFOLD_SAMPLED_SHAPES];
        if (sampled->hash == 0)
            sampled->hash = hash;
        if (sampled->hash == hash)
            return sampled;
    }
    return &compared->shapes[hash % ALLFOLD_SAMPLED_SHAPES];
}

/* Is native to be timed beside this call? The first calls of a shape soon, as there may be few; but
 * not the very first, which sets up. The same on all ranks. */
static bool is_sampled(struct allfold_compared *compared, const struct allfold_shape_key *key)
{
    enum { AT_ONCE = 8, EVERY = 32 };
    const struct allfold_shape_key shared = allfold_shape_of_all(key);
    const uint64_t hash = allfold_shape_hash(&shared);
    struct allfold_sampled *sampled = find(compared, hash == 0 ? 1 : hash);
    const bool is_sample = sampled->samples < ALLFOLD_MAX_SAMPLES && sampled->calls > 0 &&
                           (sampled->calls <= AT_ONCE || sampled->calls % EVERY == 0);
    compared->sample_number = sampled->samples;
    sampled->calls++;
    sampled->samples += is_sample;
    return is_sample;
}

/* Of types whose reductions may be inexact: has an element bytes that belong to no value, which a
 * reduction may leave as they were? */
static bool has_padding(MPI_Datatype datatype)
{
    const struct allfold_known_type *known = allfold_basic_type(datatype);
    return known == NULL || known->type == ALLFOLD_DOUBLE_INT ||
           known->type == ALLFOLD_LONG_DOUBLE_INT || known->type == ALLFOLD_LONG_DOUBLE ||
           known->type == ALLFOLD_COMPLEX_LONG_DOUBLE;
}

/* Are the bits of this reduction's results to be compared? Not of exact ones, whose bits never
 * differ, and not of elements with gaps or padding. The same on all ranks. */
static bool has_bits(const struct allfold_prepared *prepared)
{
    return !prepared->entry->key.exact && allfold_operands_are_contiguous(&prepared->operands) &&
           !has_padding(prepared->call.datatype);
}

/* --- comparing --- */

static bool is_active(const struct allfold_communicator *state)
{
    const struct allfold_common_settings *common = &state->agreed.settings->common;
    return state->is_noted && (common->report_compare || common->compare_bits);
}

/* The native call runs first if bits are compared, because the input is unchanged then, and for
 * every other sample of times. An error is local to the rank and does not change what the others
 * wait for. */
static int before(struct allfold_prepared *prepared, const struct allfold_call *call)
{
    struct allfold_communicator *state = prepared->state;
    const struct allfold_common_settings *common = &state->agreed.settings->common;
    struct allfold_compared *compared = &allfold_caller_of(state)->compared;
    if (prepared->why_native != NULL || prepared->entry->key.ours_only ||
        !allfold_is_programs_call(prepared))
        return MPI_SUCCESS;
    if (common->compare_bits && has_bits(prepared))
        compared->what = ALLFOLD_COMPARES_BITS;
    else if (common->report_compare && is_sampled(compared, &prepared->entry->key))
        compared->what = ALLFOLD_COMPARES_TIMES;
    else
        return MPI_SUCCESS;
    compared->native_s = -1;
    compared->has_native = allfold_native_beside(call, state, &compared->result,
                                                 &compared->result_bytes, &compared->native);
    if (compared->what == ALLFOLD_COMPARES_BITS)
        compared->has_native =
            compared->has_native && allfold_native(&compared->native) == MPI_SUCCESS;
    else if (compared->has_native && compared->sample_number % 2 == 0)
        compared->native_s = allfold_time_native(&compared->native, state);
    if (compared->what == ALLFOLD_COMPARES_TIMES)
        PMPI_Barrier(allfold_communicator_for_collectives(state));
    compared->begin_s = allfold_now_s();
    return MPI_SUCCESS;
}

/* The bytes of this rank's result if they are contiguous; 0 if they are not, or if it has no
 * result. */
static size_t result_bytes(const struct allfold_prepared *prepared)
{
    const struct allfold_communicator *state = prepared->state;
    const enum allfold_collective collective = prepared->call.collective;
    const bool has_result = allfold_traits(collective)->has_root
                                ? state->rank == prepared->call.root
                                : allfold_contributors(collective, state->size, state->rank) > 0;
    return has_result && !prepared->to.is_packed
               ? allfold_prepared_own_count(prepared) * prepared->operands.element_bytes
               : 0;
}

/* Device memory cannot be read here, but the staged copy of the result can. */
static void compare_bits(const struct allfold_prepared *prepared,
                         const struct allfold_compared *compared)
{
    struct allfold_figures *figures = &prepared->entry->figures;
    const size_t bytes = result_bytes(prepared);
    if (!compared->has_native || bytes == 0 || !allfold_report_records())
        return;
    figures->bits_compared++;
    figures->bits_differ += memcmp(compared->native.recvbuf, prepared->binding.out, bytes) != 0;
}

static void note_times(struct allfold_figures *figures, double seconds, double native_s)
{
    if (native_s < 0 || figures->samples == ALLFOLD_MAX_SAMPLES || !allfold_report_records())
        return;
    figures->ours_us[figures->samples] = (float)(1e6 * seconds);
    figures->native_us[figures->samples] = (float)(1e6 * native_s);
    figures->samples++;
}

static void after(struct allfold_prepared *prepared, const struct allfold_call *call, int error)
{
    struct allfold_communicator *state = prepared->state;
    struct allfold_compared *compared = &allfold_caller_of(state)->compared;
    const double seconds = allfold_now_s() - compared->begin_s;
    (void)call;
    const int what = compared->what;
    compared->what = ALLFOLD_COMPARES_NOTHING; /* for a run that ends before it begins */
    if (what == ALLFOLD_COMPARES_NOTHING)
        return;
    compared->took_s = seconds;
    allfold_notes_apart(state, seconds); /* the ranks have synchronized before */
    if (what == ALLFOLD_COMPARES_TIMES && compared->has_native && compared->sample_number % 2 == 1)
        compared->native_s = allfold_time_native(&compared->native, state);
    if (error != MPI_SUCCESS)
        return;
    if (what == ALLFOLD_COMPARES_BITS)
        compare_bits(prepared, compared);
    else
        note_times(&prepared->entry->figures, seconds, compared->native_s);
}

const struct allfold_observer allfold_comparison_observer = {.stage = ALLFOLD_STAGE_RUN,
                                                             .disables_repeat = true,
                                                             .is_active = is_active,
                                                             .before = before,
                                                             .after = after};
