/* Sketches (see sketch.h). */
#include "schedule/sketch.h"

#include "util/memory.h"

/* NO_STEP is before every message. */
static uint32_t later_of(uint32_t a, uint32_t b)
{
    return a + 1 > b + 1 ? a : b;
}

static bool overlaps(struct allfold_span a, struct allfold_span b)
{
    return a.buffer == b.buffer && a.offset < b.offset + b.length && b.offset < a.offset + a.length;
}

static bool covers(struct allfold_span a, struct allfold_span b)
{
    return a.offset <= b.offset && b.offset + b.length <= a.offset + a.length;
}

/* The latest message by which elements of a span came. */
static uint32_t source_of(const struct allfold_sketch *sketch, struct allfold_span span)
{
    uint32_t latest = ALLFOLD_NO_STEP;
    const uint32_t kept =
        sketch->writes < ALLFOLD_SKETCHED_WRITES ? sketch->writes : ALLFOLD_SKETCHED_WRITES;
    if (span.buffer == ALLFOLD_IN)
        return latest;
    for (uint32_t i = 1; i <= kept; i++) {
        const struct allfold_sketched_write *write =
            &sketch->write[(sketch->writes - i) % ALLFOLD_SKETCHED_WRITES];
        if (!overlaps(write->span, span))
            continue;
        latest = later_of(latest, write->after);
        if (covers(write->span, span))
            return latest;
    }
    return later_of(latest, sketch->forgotten);
}

static void note_write(struct allfold_sketch *sketch, struct allfold_span span, uint32_t after)
{
    struct allfold_sketched_write *write = &sketch->write[sketch->writes % ALLFOLD_SKETCHED_WRITES];
    if (sketch->writes >= ALLFOLD_SKETCHED_WRITES)
        sketch->forgotten = later_of(sketch->forgotten, write->after);
    *write = (struct allfold_sketched_write){span, after};
    sketch->writes++;
}

/* What is written over a span has to wait for a reduction that reads it. */
static void note_read(struct allfold_sketch *sketch, struct allfold_span span, uint32_t after)
{
    const uint32_t kept =
        sketch->writes < ALLFOLD_SKETCHED_WRITES ? sketch->writes : ALLFOLD_SKETCHED_WRITES;
    if (span.buffer == ALLFOLD_IN)
        return;
    for (uint32_t i = 1; i <= kept; i++) {
        struct allfold_sketched_write *write =
            &sketch->write[(sketch->writes - i) % ALLFOLD_SKETCHED_WRITES];
        if (!overlaps(write->span, span))
            continue;
        write->after = later_of(write->after, after);
        if (covers(write->span, span))
            return;
    }
}

/* What goes on behind the last message that is noted is of no interest. */
static bool is_full(const struct allfold_sketch *sketch)
{
    return sketch->most > 0 && sketch->own >= sketch->most;
}

bool allfold_sketch_message(struct allfold_sketch *sketch, enum allfold_step_kind kind, int peer,
                            struct allfold_span span)
{
    if (is_full(sketch)) {
        sketch->left_out++;
        return true;
    }
    void *messages = allfold_make_room(sketch->messages, sketch->count, &sketch->capacity,
                                       sizeof *sketch->messages);
    if (messages == NULL)
        return false;
    sketch->messages = messages;
    const bool sends = kind == ALLFOLD_STEP_SEND;
    sketch->messages[sketch->count] = (struct allfold_sketched){.peer = peer,
                                                                .after = source_of(sketch, span),
                                                                .length = span.length,
                                                                .kind = (uint8_t)kind};
    if (!sends)
        note_write(sketch, span, sketch->count);
    sketch->count++;
    sketch->own++;
    return true;
}

void allfold_sketch_reduce(struct allfold_sketch *sketch, struct allfold_span to,
                           struct allfold_span left, struct allfold_span right)
{
    const uint32_t after = later_of(source_of(sketch, left), source_of(sketch, right));
    if (after != ALLFOLD_NO_STEP)
        sketch->messages[after].reduced += to.length;
    note_read(sketch, left, after);
    note_read(sketch, right, after);
    note_write(sketch, to, after);
}

void allfold_sketch_copy(struct allfold_sketch *sketch, struct allfold_span to,
                         struct allfold_span from)
{
    note_write(sketch, to, source_of(sketch, from));
}

void allfold_sketch_free(struct allfold_sketch *sketch)
{
    allfold_free(sketch->messages);
}
