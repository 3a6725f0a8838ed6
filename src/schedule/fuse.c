/* Fusing receives with reductions (see fuse.h).
 *
 * Goes through the program once and watches the receives whose data may still be read. More than a
 * few of them at a time are rare; the oldest ones are then left as they are. */
#include "schedule/fuse.h"

#include <stdbool.h>

enum { MOST_WATCHED = 32 };

/* A receive, the reduction that read its data, if one has, and which elements of the buffer still
 * hold them: all that do lie from `begin` to `end`. */
struct watched {
    uint32_t receive, reduction;
    size_t begin, end;
};

struct watch {
    const struct allfold_step *steps;
    uint32_t *fused;
    struct watched watched[MOST_WATCHED];
    int count;
};

/* Does an operand of a step touch what still holds the data? */
static bool touches(const struct watch *watch, uint32_t i, int which, const struct watched *watched)
{
    const struct allfold_step *step = &watch->steps[i];
    return step->buffer[which] == watch->steps[watched->receive].buffer[0] &&
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

static bool is_its_reduction(const struct allfold_step *step, const struct allfold_step *receive)
{
    return step->kind == ALLFOLD_STEP_REDUCE && (allfold_is_same_operand(step, 1, receive, 0) ||
                                                 allfold_is_same_operand(step, 2, receive, 0));
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

/* What step i does to a watched receive; false where it need not be watched any more. */
static bool pass(struct watch *watch, struct watched *watched, uint32_t i)
{
    const struct allfold_step *step = &watch->steps[i];
    const struct allfold_step *receive = &watch->steps[watched->receive];
    const int reads = count_reads(watch, i, watched);
    if (reads > 0) {
        if (reads > 1 || watched->reduction != ALLFOLD_NO_STEP || !is_its_reduction(step, receive))
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
    watch->fused[watched->receive] = watched->reduction;
    return false;
}

static void pass_all(struct watch *watch, uint32_t i)
{
    int kept = 0;
    for (int w = 0; w < watch->count; w++) {
        struct watched watched = watch->watched[w];
        if (pass(watch, &watched, i))
            watch->watched[kept++] = watched;
    }
    watch->count = kept;
}

static void add(struct watch *watch, uint32_t receive)
{
    if (watch->count == MOST_WATCHED) {
        for (int w = 1; w < MOST_WATCHED; w++)
            watch->watched[w - 1] = watch->watched[w];
        watch->count--;
    }
    watch->watched[watch->count++] =
        (struct watched){.receive = receive,
                         .reduction = ALLFOLD_NO_STEP,
                         .begin = watch->steps[receive].offset[0],
                         .end = watch->steps[receive].offset[0] + watch->steps[receive].length};
}

void allfold_fuse(const struct allfold_step *steps, uint32_t step_count, uint32_t *fused)
{
    struct watch watch = {.steps = steps, .fused = fused};
    for (uint32_t i = 0; i < step_count; i++) {
        fused[i] = ALLFOLD_NO_STEP;
        pass_all(&watch, i);
        if (steps[i].kind == ALLFOLD_STEP_RECEIVE)
            add(&watch, i);
    }
    /* what lies in scratch at the end is nobody's; what lies in OUT is the caller's */
    for (int w = 0; w < watch.count; w++)
        if (steps[watch.watched[w].receive].buffer[0] >= ALLFOLD_SCRATCH)
            fused[watch.watched[w].receive] = watch.watched[w].reduction;
}
