/* Hazards: which earlier steps a step has to wait for, from what both read and write.
 *
 * Each buffer is a list of intervals, in order and without holes. An interval knows the step that
 * wrote it last and the steps that read it since. Reading a span waits for its writers (read after
 * write). Writing it waits for its writers and readers (write after write, write after read) and
 * makes it one interval again. Finding a span walks from the nearest of some intervals that were
 * touched before. So schedules that go through a buffer in some streams at once, such as a block
 * that is sent while another one is received, build in O(steps).
 *
 * Invariant: at any time the intervals of a buffer cover it exactly. Steps that touch no common
 * element, or only read it, do not wait for each other. */
#ifndef ALLFOLD_SCHEDULE_HAZARDS_H
#define ALLFOLD_SCHEDULE_HAZARDS_H

#include <stdbool.h>
#include <stdint.h>

#include "schedule/schedule.h"

struct allfold_interval {
    size_t offset;
    size_t end;
    uint32_t next;
    uint32_t previous;
    uint32_t writer;
    uint32_t readers; /* first of a list in `readers`; lists share their tails after a split */
};

struct allfold_reader {
    uint32_t step;
    uint32_t next;
};

enum { ALLFOLD_HAZARD_STREAMS = 4 };

struct allfold_hazards {
    /* intervals touched before; a long walk takes the place of the next in turn */
    uint32_t hints[ALLFOLD_MAX_BUFFERS][ALLFOLD_HAZARD_STREAMS];
    uint8_t next_hint[ALLFOLD_MAX_BUFFERS];
    size_t walked; /* intervals passed in search of others, since the last clearing */
    struct allfold_interval *intervals;
    struct allfold_reader *readers;
    uint32_t *edges; /* for each step in turn, what it waits for */
    uint32_t *seen;  /* step -> the last step that was found to wait for it, plus one */
    uint32_t interval_count, interval_capacity, free_interval;
    uint32_t reader_count, reader_capacity;
    uint32_t edge_count, edge_capacity;
    uint32_t seen_capacity;
};

void allfold_hazards_free(struct allfold_hazards *hazards);

/* Forgets all buffers and steps, and keeps the memory. */
void allfold_hazards_clear(struct allfold_hazards *hazards);

/* Is that memory small, as that of schedules with few steps? */
bool allfold_hazards_are_small(const struct allfold_hazards *hazards);

/* A buffer of `length` elements that nothing has touched. */
enum allfold_error allfold_hazards_add_buffer(struct allfold_hazards *hazards, int buffer,
                                              size_t length);

/* Says that `step` reads or writes a span (not empty, inside its buffer). Appends to `edges` each
 * earlier step that it has to wait for, unless `edges` has that step for it already. Steps come in
 * ascending order; a step reads before it writes. */
enum allfold_error allfold_hazards_read(struct allfold_hazards *hazards, struct allfold_span span,
                                        uint32_t step);
enum allfold_error allfold_hazards_write(struct allfold_hazards *hazards, struct allfold_span span,
                                         uint32_t step);

/* The step that wrote all of a span (not empty, inside its buffer) last; UINT32_MAX where there is
 * none, or there are several. */
uint32_t allfold_hazards_writer(const struct allfold_hazards *hazards, struct allfold_span span);

#endif
