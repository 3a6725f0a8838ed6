/* Hazards: which earlier steps a step has to wait for, because both access the same elements.
 *
 * Each buffer is an ordered list of intervals without holes. An interval has the step that wrote it
 * last and the steps that have read it since. A step that reads a span waits for its writers (read
 * after write). A step that writes it waits for its writers and readers (write after write, write
 * after read), and turns the span into one interval.
 *
 * Each buffer has ALLFOLD_HAZARD_STREAMS hints: intervals that were found before. The search for a
 * span starts at the nearest hint. So a schedule that goes through a buffer in up to four streams
 * at once, such as one block sent while another one is received, takes O(steps).
 *
 * Invariant: the intervals of a buffer always cover it exactly. Steps that have no common element,
 * or only read their common elements, do not wait for each other. */
#ifndef ALLFOLD_SCHEDULE_HAZARDS_H
#define ALLFOLD_SCHEDULE_HAZARDS_H

#include <stdbool.h>
#include <stdint.h>

#include "schedule/schedule.h"

/* Elements [offset, end) of a buffer with the same writer and readers. */
struct allfold_interval {
    size_t offset;
    size_t end;
    uint32_t next;
    uint32_t previous;
    uint32_t writer;
    uint32_t readers; /* first entry of a list of struct allfold_reader. After an interval is split,
                         the lists of its two parts have the earlier entries in common. */
};

/* A step that read an interval: an entry of a linked list. */
struct allfold_reader {
    uint32_t step;
    uint32_t next;
};

/* The number of hints of a buffer. */
enum { ALLFOLD_HAZARD_STREAMS = 4 };

/* The intervals of all buffers of a schedule, and the edges found so far. */
struct allfold_hazards {
    /* Intervals where searches start. A short search moves the hint where it started; a long one
     * replaces the hint `next_hint`, which cycles through all hints of the buffer. */
    uint32_t hints[ALLFOLD_MAX_BUFFERS][ALLFOLD_HAZARD_STREAMS];
    uint8_t next_hint[ALLFOLD_MAX_BUFFERS];
    size_t walked; /* intervals visited by searches since the last allfold_hazards_clear */
    struct allfold_interval *intervals;
    struct allfold_reader *readers;
    uint32_t *edges; /* for each step in turn: the steps that it waits for */
    uint32_t *seen;  /* seen[s] = 1 + the last step found to wait for step s; 0: none. Prevents
                        duplicate edges. */
    uint32_t interval_count, interval_capacity, free_interval;
    uint32_t reader_count, reader_capacity;
    uint32_t edge_count, edge_capacity;
    uint32_t seen_capacity;
};

/* Frees the memory of the lists, not the struct. */
void allfold_hazards_free(struct allfold_hazards *hazards);

/* Removes all buffers and steps, and keeps the memory. */
void allfold_hazards_clear(struct allfold_hazards *hazards);

/* Returns whether the memory of the lists is small, as for schedules with few steps. */
bool allfold_hazards_are_small(const struct allfold_hazards *hazards);

/* Adds a buffer of `length` elements that no step has accessed. */
enum allfold_error allfold_hazards_add_buffer(struct allfold_hazards *hazards, int buffer,
                                              size_t length);

/* Records that `step` reads a span, which must not be empty and must be inside its buffer. Appends
 * to `edges` each earlier step that it has to wait for, without duplicates. Steps must come in
 * ascending order, and a step reads before it writes. */
enum allfold_error allfold_hazards_read(struct allfold_hazards *hazards, struct allfold_span span,
                                        uint32_t step);

/* Records that `step` writes a span; otherwise as allfold_hazards_read. */
enum allfold_error allfold_hazards_write(struct allfold_hazards *hazards, struct allfold_span span,
                                         uint32_t step);

/* Returns the step that last wrote all of a span, which must not be empty and must be inside its
 * buffer. UINT32_MAX if there is no such step, or there are several. */
uint32_t allfold_hazards_writer(const struct allfold_hazards *hazards, struct allfold_span span);

#endif
