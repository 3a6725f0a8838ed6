/* Fuses receives and reductions with reductions, and finds publications (see fuse.h).
 *
 * It makes one pass over the program and keeps a short list of the receives and reductions whose
 * data may still be read. If the list is full, the oldest entry is dropped and not fused. */
#include "schedule/fuse.h"

#include <assert.h>
#include <stdbool.h>

/* The next reduction of a chain comes soon. */
enum { MOST_RECEIVES = 32, MOST_REDUCTIONS = 4 };

/* A step, the reduction that read its data, if one has, and which elements of the buffer still hold
 * these data. All that do lie from `begin` to `end`. */
struct watched {
    uint32_t step, reduction;
    size_t begin, end;
};

struct watch {
    const struct allfold_step *steps;
    uint32_t *fused;
    struct watched watched[MOST_RECEIVES];
    int count, most;
};

/* Does an operand of a step touch what still holds the data? */
static bool touches(const struct watch *watch, uint32_t i, int which, const struct watched *watched)
{
    const struct allfold_step *step = &watch->steps[i];
    return step->buffer[which] == watch->steps[watched->step].buffer[0] &&
           step->offset[which] < watched->end &&
           watched->begin < step->offset[which] + step->length;
}

static bool writes(const struct allfold_step *step)
{
    return step->kind != ALLFOLD_STEP_SEND;
}

/* How many operands of a step read some of the data. */
static int count_reads(const struct watch *watch, uint32_t i, const struct watched *watched)
{
    const int kind = watch->steps[i].kind;
    static const int first[] = {
        [ALLFOLD_STEP_SEND] = 0,
        [ALLFOLD_STEP_RECEIVE] = 1,
        [ALLFOLD_STEP_REDUCE] = 1,
        [ALLFOLD_STEP_COPY] = 1,
    };
    static const int end[] = {
        [ALLFOLD_STEP_SEND] = 1,
        [ALLFOLD_STEP_RECEIVE] = 1,
        [ALLFOLD_STEP_REDUCE] = 3,
        [ALLFOLD_STEP_COPY] = 2,
    };
    int reads = 0;
    for (int which = first[kind]; which < end[kind]; which++)
        reads += touches(watch, i, which, watched);
    return reads;
}

/* In the other order than from the left to the right reductions are not done at once. */
static bool is_its_reduction(const struct allfold_step *step, const struct allfold_step *from)
{
    return step->kind == ALLFOLD_STEP_REDUCE &&
           (allfold_is_same_operand(step, 1, from, 0) ||
            (from->kind == ALLFOLD_STEP_RECEIVE && allfold_is_same_operand(step, 2, from, 0)));
}

/* A step overwrites some of the data, maybe all of it. What it leaves in the middle of two parts,
 * or between which it writes, counts as data still. */
static void overwrite(const struct allfold_step *step, struct watched *watched)
{
    const size_t begin = step->offset[0], end = begin + step->length;
    if (begin <= watched->begin)
        watched->begin = end;
    else if (end >= watched->end)
        watched->end = begin;
}

/* Handles step i for a watched step; false if the latter need not be watched any more. */
static bool pass(struct watch *watch, struct watched *watched, uint32_t i)
{
    const struct allfold_step *step = &watch->steps[i];
    const struct allfold_step *from = &watch->steps[watched->step];
    const int reads = count_reads(watch, i, watched);
    if (reads > 0) {
        if (reads > 1 || watched->reduction != ALLFOLD_NO_STEP || !is_its_reduction(step, from))
            return false;
        watched->reduction = i;
    }
    if (!writes(step) || !touches(watch, i, 0, watched))
        return true;
    overwrite(step, watched);
    if (watched->reduction == ALLFOLD_NO_STEP)
        return false; /* nothing can read it as a whole any more */
    if (watched->begin < watched->end)
        return true;
    assert(watched->step < watched->reduction); /* as edges, to a later step */
    watch->fused[watched->step] = watched->reduction;
    return false;
}

static void pass_all(struct watch *watch, uint32_t i)
{
    int kept = 0;
    for (int w = 0; w < watch->count; w++) {
        if (!pass(watch, &watch->watched[w], i))
            continue;
        if (kept < w)
            watch->watched[kept] = watch->watched[w];
        kept++;
    }
    watch->count = kept;
}

static void add(struct watch *watch, uint32_t i)
{
    const struct allfold_step *step = &watch->steps[i];
    if (watch->count == watch->most) {
        for (int w = 1; w < watch->most; w++)
            watch->watched[w - 1] = watch->watched[w];
        watch->count--;
    }
    watch->watched[watch->count++] = (struct watched){.step = i,
                                                      .reduction = ALLFOLD_NO_STEP,
                                                      .begin = step->offset[0],
                                                      .end = step->offset[0] + step->length};
}

/* What lies in scratch at the end is nobody's; what lies in OUT is the caller's. */
static void end(struct watch *watch)
{
    for (int w = 0; w < watch->count; w++) {
        const struct watched *watched = &watch->watched[w];
        if (watch->steps[watched->step].buffer[0] >= ALLFOLD_SCRATCH)
            watch->fused[watched->step] = watched->reduction;
    }
}

/* Does the result of a reduction lie on an operand of an earlier one, and on more or less than
 * that? Done at once, they could overwrite what is still to be read. */
static bool spoils(const struct allfold_step *later, const struct allfold_step *earlier)
{
    for (int which = 1; which <= 2; which++)
        if (allfold_operands_overlap(later, 0, earlier, which) &&
            !allfold_is_same_operand(later, 0, earlier, which))
            return true;
    return false;
}

/* Ends the chain that begins with a reduction before what spoils its operands. */
static void cut_chain(const struct allfold_step *steps, uint32_t first, uint32_t *fused)
{
    uint32_t last = first;
    for (int i = 2; i < ALLFOLD_CHAIN_OPERANDS && fused[last] != ALLFOLD_NO_STEP; i++) {
        if (spoils(&steps[fused[last]], &steps[first])) {
            fused[last] = ALLFOLD_NO_STEP;
            return;
        }
        last = fused[last];
    }
}

void allfold_fuse(const struct allfold_step *steps, uint32_t step_count, uint32_t *fused)
{
    struct watch receives = {.steps = steps, .fused = fused, .most = MOST_RECEIVES};
    struct watch reductions = {.steps = steps, .fused = fused, .most = MOST_REDUCTIONS};
    for (uint32_t i = 0; i < step_count; i++) {
        fused[i] = ALLFOLD_NO_STEP;
        pass_all(&receives, i);
        pass_all(&reductions, i);
        if (steps[i].kind == ALLFOLD_STEP_RECEIVE)
            add(&receives, i);
        if (steps[i].kind == ALLFOLD_STEP_REDUCE)
            add(&reductions, i);
    }
    end(&receives);
    end(&reductions);
    for (uint32_t i = 0; i < step_count; i++)
        if (steps[i].kind == ALLFOLD_STEP_REDUCE)
            cut_chain(steps, i, fused);
}

/* Goes through the program once and remembers the last few publications. */
enum { MOST_REMEMBERED = 4 };

void allfold_publish(const struct allfold_step *steps, uint32_t step_count, uint32_t *publication)
{
    uint32_t first[MOST_REMEMBERED]; /* the newest at the end */
    int count = 0;
    for (uint32_t i = 0; i < step_count; i++) {
        const struct allfold_step *step = &steps[i];
        const bool is_send = step->kind == ALLFOLD_STEP_SEND;
        publication[i] = is_send ? i : ALLFOLD_NO_STEP;
        int kept = 0;
        for (int k = 0; k < count; k++) {
            if (is_send && allfold_is_same_operand(&steps[first[k]], 0, step, 0))
                publication[i] = first[k];
            if (is_send || !allfold_operands_overlap(&steps[first[k]], 0, step, 0))
                first[kept++] = first[k];
        }
        count = kept;
        if (!is_send || publication[i] != i)
            continue;
        if (count == MOST_REMEMBERED)
            for (int k = 1; k < count; k++)
                first[k - 1] = first[k];
        count -= count == MOST_REMEMBERED;
        assert(count < MOST_REMEMBERED);
        first[count++] = i;
    }
}
