/* Freeing, measuring and printing schedules (see schedule.h). */
#include "schedule/schedule.h"

#include "util/memory.h"

void allfold_schedule_free(struct allfold_schedule *schedule)
{
    allfold_free(schedule);
}

const struct allfold_step *allfold_schedule_steps(const struct allfold_schedule *schedule,
                                                  size_t *count)
{
    *count = schedule->step_count;
    return schedule->steps;
}

size_t allfold_schedule_length(const struct allfold_schedule *schedule, int buffer)
{
    const bool is_there = buffer >= 0 && buffer < (int)schedule->buffer_count;
    return is_there ? schedule->buffer_length[buffer] : 0;
}

size_t allfold_schedule_scratch(const struct allfold_schedule *schedule)
{
    size_t elements = 0;
    for (uint32_t i = ALLFOLD_SCRATCH; i < schedule->buffer_count; i++)
        elements += schedule->buffer_length[i];
    return elements;
}

static void print_span(const struct allfold_step *step, int which, FILE *stream)
{
    static const char *const names[] = {"IN", "OUT"};
    int buffer = step->buffer[which];
    if (buffer < ALLFOLD_SCRATCH)
        fprintf(stream, "%s", names[buffer]);
    else
        fprintf(stream, "TMP%d", buffer - ALLFOLD_SCRATCH);
    fprintf(stream, "[%zu,%zu)", step->offset[which], step->offset[which] + step->length);
}

static void print_message(const struct allfold_step *step, const char *verb, FILE *stream)
{
    fprintf(stream, "%s %d #%u ", verb, step->peer, step->number);
    print_span(step, 0, stream);
}

static void print_local(const struct allfold_step *step, FILE *stream)
{
    fprintf(stream, "%s ", step->kind == ALLFOLD_STEP_REDUCE ? "reduce" : "copy");
    print_span(step, 0, stream);
    fprintf(stream, " = ");
    print_span(step, 1, stream);
    if (step->kind == ALLFOLD_STEP_REDUCE) {
        fprintf(stream, " o ");
        print_span(step, 2, stream);
    }
}

/* What a step waits for is not kept the way round that is printed: look for it in what comes
 * earlier. Printing is for people, so its cost does not matter. */
static void print_waits(const struct allfold_schedule *schedule, uint32_t step, FILE *stream)
{
    const char *before = "  after";
    for (uint32_t i = 0; i < step; i++)
        for (uint32_t e = schedule->first_edge[i]; e < schedule->first_edge[i + 1]; e++)
            if (schedule->edges[e] == step) {
                fprintf(stream, "%s %u", before, i);
                before = "";
            }
}

void allfold_schedule_print(const struct allfold_schedule *schedule, FILE *stream)
{
    for (uint32_t i = 0; i < schedule->step_count; i++) {
        const struct allfold_step *step = &schedule->steps[i];
        fprintf(stream, "%u: ", i);
        if (step->kind == ALLFOLD_STEP_SEND)
            print_message(step, "send to", stream);
        else if (step->kind == ALLFOLD_STEP_RECEIVE)
            print_message(step, "receive from", stream);
        else
            print_local(step, stream);
        print_waits(schedule, i, stream);
        fprintf(stream, "\n");
    }
}
