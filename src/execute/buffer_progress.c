/* Which steps wait for which segments, and which segments may leave (see buffer_progress.h). */
#include "execute/buffer_progress.h"

#include <assert.h>

size_t allfold_feed_words(const struct allfold_feed *feed, const struct allfold_schedule *schedule)
{
    return 3 * (size_t)allfold_fed_count(&feed->in) + allfold_fed_count(&feed->out) +
           schedule->step_count;
}

/* The operands of a step: those that it reads or writes. */
static int operands_of(const struct allfold_step *step)
{
    return step->peer >= 0 ? 1 : step->kind == ALLFOLD_STEP_REDUCE ? 3 : 2;
}

/* The segments that an operand touches: from .first to .end - 1. */
struct touched {
    uint32_t first, end;
};

/* Those that have some of a buffer's elements begin .. end - 1. */
static struct touched touched_in(const struct allfold_fed *fed, int buffer, size_t begin,
                                 size_t end)
{
    begin = begin < fed->first ? fed->first : begin;
    end = end > fed->end ? fed->end : end;
    if (buffer != fed->buffer || begin >= end)
        return (struct touched){0, 0};
    return (struct touched){(uint32_t)((begin - fed->first) / fed->segment),
                            (uint32_t)((end - 1 - fed->first) / fed->segment) + 1};
}

static struct touched touched_by(const struct allfold_fed *fed, const struct allfold_step *step,
                                 int which)
{
    return touched_in(fed, step->buffer[which], step->offset[which],
                      step->offset[which] + step->length);
}

/* The leaving segments that an arriving one writes in. */
static struct touched touched_by_arrival(const struct allfold_feed *feed, uint32_t segment)
{
    return touched_in(&feed->out, feed->in.buffer, allfold_fed_begin(&feed->in, segment),
                      allfold_fed_end(&feed->in, segment));
}

/* Orders the segments; place[segment] becomes its position in that order. */
static void put_in_order(struct allfold_feed *feed, const struct allfold_schedule *schedule,
                         uint32_t *place)
{
    uint32_t count = 0;
    for (uint32_t s = 0; s < feed->in_count; s++)
        place[s] = ALLFOLD_NO_STEP;
    for (uint32_t i = 0; i < schedule->step_count && count < feed->in_count; i++)
        for (int which = 0; which < operands_of(&schedule->steps[i]); which++) {
            const struct touched touched = touched_by(&feed->in, &schedule->steps[i], which);
            for (uint32_t s = touched.first; s < touched.end; s++)
                if (place[s] == ALLFOLD_NO_STEP) {
                    place[s] = count;
                    feed->order[count++] = s;
                }
        }
    for (uint32_t s = 0; s < feed->in_count; s++)
        if (place[s] == ALLFOLD_NO_STEP)
            feed->order[count++] = s;
}

/* A step waits for the last of its segments to arrive. */
static void add_waiting(struct allfold_feed *feed, const struct allfold_step *step, uint32_t index,
                        const uint32_t *place)
{
    uint32_t last = 0;
    bool waits = false;
    for (int which = 0; which < operands_of(step); which++) {
        const struct touched touched = touched_by(&feed->in, step, which);
        for (uint32_t s = touched.first; s < touched.end; s++) {
            waits = true;
            last = place[s] > last ? place[s] : last;
        }
    }
    if (!waits)
        return;
    feed->next_waiting[index] = feed->first_waiting[last];
    feed->first_waiting[last] = index;
}

/* Counts what writes each leaving segment: steps and, if there are any, arrivals. */
static void count_writers(struct allfold_feed *feed, const struct allfold_schedule *schedule)
{
    for (uint32_t s = 0; s < feed->out_count; s++)
        feed->writers[s] = 0;
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        if (schedule->steps[i].kind == ALLFOLD_STEP_SEND)
            continue;
        const struct touched written = touched_by(&feed->out, &schedule->steps[i], 0);
        for (uint32_t s = written.first; s < written.end; s++)
            feed->writers[s]++;
    }
    for (uint32_t a = 0; a < feed->in_count; a++) {
        const struct touched written = touched_by_arrival(feed, a);
        for (uint32_t s = written.first; s < written.end; s++)
            feed->writers[s] += feed->writers[s] > 0;
    }
}

void allfold_feed_make(struct allfold_feed *feed, const struct allfold_schedule *schedule,
                       uint32_t *words)
{
    feed->in_count = allfold_fed_count(&feed->in);
    feed->out_count = allfold_fed_count(&feed->out);
    feed->order = words;
    feed->first_waiting = feed->order + feed->in_count;
    uint32_t *place = feed->first_waiting + feed->in_count;
    feed->writers = place + feed->in_count;
    feed->next_waiting = feed->writers + feed->out_count;
    feed->seen = 0;
    put_in_order(feed, schedule, place);
    for (uint32_t s = 0; s < feed->in_count; s++)
        feed->first_waiting[s] = ALLFOLD_NO_STEP;
    for (uint32_t i = schedule->step_count; i-- > 0;) /* so that lists have them in order */
        add_waiting(feed, &schedule->steps[i], i, place);
    count_writers(feed, schedule);
}

void allfold_feed_hold(const struct allfold_feed *feed, uint32_t *waits_for)
{
    for (uint32_t s = 0; s < feed->in_count; s++)
        for (uint32_t i = feed->first_waiting[s]; i != ALLFOLD_NO_STEP; i = feed->next_waiting[i])
            waits_for[i]++;
}

static void note(struct allfold_feed *feed, uint32_t segment)
{
    assert(feed->writers[segment] > 0);
    if (--feed->writers[segment] == 0)
        feed->leave(feed, segment);
}

void allfold_feed_note_step(struct allfold_feed *feed, const struct allfold_step *step)
{
    if (step->kind == ALLFOLD_STEP_SEND)
        return;
    const struct touched written = touched_by(&feed->out, step, 0);
    for (uint32_t s = written.first; s < written.end; s++)
        note(feed, s);
}

void allfold_feed_note_arrival(struct allfold_feed *feed, uint32_t segment)
{
    const struct touched written = touched_by_arrival(feed, segment);
    for (uint32_t s = written.first; s < written.end; s++)
        if (feed->writers[s] > 0)
            note(feed, s);
}

void allfold_feed_end(struct allfold_feed *feed)
{
    for (uint32_t s = 0; s < feed->out_count; s++) {
        if (feed->writers[s] == 0)
            continue;
        feed->writers[s] = 0;
        feed->leave(feed, s);
    }
}
