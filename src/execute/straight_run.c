/* Orders the steps of short schedules and runs them (see straight_run.h). */
#include "execute/straight_run.h"

#include <assert.h>
#include <string.h>

/* A list that is being made. */
struct making {
    struct allfold_straight *straight;
    const struct allfold_schedule *schedule;
    ptrdiff_t extent_bytes;
    const ptrdiff_t *place_bytes;
    uint32_t
        *waits_for; /* step -> how many it waits for that are not in the list yet; or IN_LIST */
};

enum { IN_LIST = UINT32_MAX };

size_t allfold_straight_bytes(const struct allfold_schedule *schedule)
{
    return schedule->step_count > ALLFOLD_STRAIGHT_STEPS
               ? 0
               : sizeof(struct allfold_straight) +
                     schedule->step_count * sizeof(struct allfold_straight_step);
}

static bool is_send(const struct allfold_step *step)
{
    return step->kind == ALLFOLD_STEP_SEND;
}

/* Do sends to one peer fit into the room that there is in any case? */
static bool sends_fit(const struct allfold_schedule *schedule)
{
    for (uint32_t i = 0; i < schedule->step_count; i++)
        if (is_send(&schedule->steps[i]) && schedule->steps[i].number >= ALLFOLD_STRAIGHT_SENDS)
            return false;
    return true;
}

/* Is there an older message to the same peer that is not in the list? */
static bool is_behind_another(const struct making *making, uint32_t send)
{
    const struct allfold_step *steps = making->schedule->steps;
    for (uint32_t i = 0; i < send; i++)
        if (is_send(&steps[i]) && steps[i].peer == steps[send].peer &&
            making->waits_for[i] != IN_LIST)
            return true;
    return false;
}

/* The step that comes next: sends, else local steps, else receives. */
static uint32_t find_next(const struct making *making)
{
    const struct allfold_schedule *schedule = making->schedule;
    static const int rank_of[] = {
        [ALLFOLD_STEP_SEND] = 0,
        [ALLFOLD_STEP_REDUCE] = 1,
        [ALLFOLD_STEP_COPY] = 1,
        [ALLFOLD_STEP_RECEIVE] = 2,
    };
    uint32_t best = ALLFOLD_NO_STEP;
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        const struct allfold_step *step = &schedule->steps[i];
        if (making->waits_for[i] == 0 &&
            (best == ALLFOLD_NO_STEP ||
             rank_of[step->kind] < rank_of[schedule->steps[best].kind]) &&
            !(is_send(step) && is_behind_another(making, i)))
            best = i;
    }
    return best;
}

static void put_in_list(struct making *making, uint32_t index)
{
    const struct allfold_schedule *schedule = making->schedule;
    assert(making->waits_for[index] == 0);
    making->waits_for[index] = IN_LIST;
    for (uint32_t i = schedule->first_edge[index]; i < schedule->first_edge[index + 1]; i++)
        making->waits_for[schedule->edges[i]]--;
}

/* Sets the base and the offset of an operand. */
static void point(const struct making *making, struct allfold_straight_step *to, int which,
                  const struct allfold_step *step, int operand)
{
    const int buffer = step->buffer[operand];
    const bool is_scratch = buffer >= ALLFOLD_SCRATCH;
    to->base[which] = is_scratch             ? ALLFOLD_FROM_SCRATCH
                      : buffer == ALLFOLD_IN ? ALLFOLD_FROM_IN
                                             : ALLFOLD_FROM_OUT;
    to->at_bytes[which] = (ptrdiff_t)step->offset[operand] * making->extent_bytes +
                          (is_scratch ? making->place_bytes[buffer] : 0);
}

static void point_at_message(struct allfold_straight_step *to, int which)
{
    to->base[which] = ALLFOLD_FROM_SLOT;
    to->at_bytes[which] = 0;
}

/* A receive, together with the only reduction that reads the message, if that waits for no other
 * step. */
static void add_receive(struct making *making, struct allfold_straight_step *to, uint32_t index)
{
    const struct allfold_schedule *schedule = making->schedule;
    const struct allfold_step *receive = &schedule->steps[index];
    const uint32_t reduction = schedule->fused[index];
    point(making, to, 0, receive, 0);
    point_at_message(to, 1);
    if (reduction == ALLFOLD_NO_STEP || making->waits_for[reduction] != 0)
        return;
    const struct allfold_step *reduce = &schedule->steps[reduction];
    const bool is_left = allfold_is_same_operand(reduce, 1, receive, 0);
    to->reduces = true;
    point(making, to, 0, reduce, 0);
    point_at_message(to, is_left ? 1 : 2);
    point(making, to, is_left ? 2 : 1, reduce, is_left ? 2 : 1);
    put_in_list(making, reduction);
}

static void add(struct making *making, uint32_t index)
{
    struct allfold_straight *straight = making->straight;
    const struct allfold_step *step = &making->schedule->steps[index];
    struct allfold_straight_step *to = &straight->steps[straight->count++];
    memset(to, 0, sizeof *to);
    to->sends = is_send(step);
    to->reduces = step->kind == ALLFOLD_STEP_REDUCE;
    to->peer = step->peer;
    to->length = step->length;
    put_in_list(making, index);
    if (step->peer >= 0 && step->length > straight->longest)
        straight->longest = step->length;
    if (step->kind == ALLFOLD_STEP_RECEIVE) {
        add_receive(making, to, index);
        return;
    }
    point(making, to, 0, step, 0);
    if (!to->sends)
        point(making, to, 1, step, 1);
    if (to->reduces)
        point(making, to, 2, step, 2);
}

bool allfold_straight_make(struct allfold_straight *straight,
                           const struct allfold_schedule *schedule, ptrdiff_t extent_bytes,
                           const ptrdiff_t *place_bytes, uint32_t *waits_for)
{
    struct making making = {straight, schedule, extent_bytes, place_bytes, waits_for};
    straight->count = 0;
    straight->longest = 0;
    if (!sends_fit(schedule))
        return false;
    memcpy(waits_for, schedule->waits_for, schedule->step_count * sizeof *waits_for);
    for (uint32_t next; (next = find_next(&making)) != ALLFOLD_NO_STEP;)
        add(&making, next);
    for (uint32_t i = 0; i < schedule->step_count; i++)
        assert(waits_for[i] == IN_LIST);
    return true;
}

static const char *address(const struct allfold_straight_step *step, const char *const *base,
                           int which)
{
    return base[step->base[which]] + step->at_bytes[which];
}

/* A copy or a reduction, maybe of a message that lies in its slot of the ring. */
static int work(const struct allfold_straight_step *step, const char *const *base,
                const struct allfold_elements *elements)
{
    char *to = (char *)(uintptr_t)address(step, base, 0);
    if (step->reduces)
        return elements->reduce(elements, to, address(step, base, 1), address(step, base, 2),
                                step->length);
    return elements->copy(elements, to, address(step, base, 1), step->length);
}

void allfold_straight_go_on(const struct allfold_straight *straight, uint32_t *next,
                            const char **base, const struct allfold_elements *elements,
                            struct allfold_transport *transport, int *lost)
{
    const struct allfold_transport_operations *operations = transport->operations;
    for (; *next < straight->count; ++*next) {
        const struct allfold_straight_step *step = &straight->steps[*next];
        if (step->sends) {
            if (!operations->try_put(transport, step->peer, *lost ? NULL : address(step, base, 0),
                                     step->length))
                break;
            continue;
        }
        if (step->peer >= 0) {
            base[ALLFOLD_FROM_SLOT] = operations->peek(transport, step->peer, step->length);
            if (base[ALLFOLD_FROM_SLOT] == NULL)
                break;
            if (transport->got_poison && *lost == 0)
                *lost = transport->poison_error;
        }
        if (*lost == 0)
            *lost = work(step, base, elements);
        if (step->peer >= 0)
            operations->release(transport, step->peer);
    }
}
