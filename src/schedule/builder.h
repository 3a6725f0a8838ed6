/* The builder: what an algorithm writes its sequential program into.
 *
 * Algorithms call the verbs of verbs.h. The builder finds the dependencies (hazards.h), numbers the
 * messages between each pair in program order, checks every span, and freezes the result.
 *
 * The first error sticks: later verbs do nothing, and allfold_builder_freeze reports it. So
 * algorithms hold no error handling. Spans of length 0 are normal: their steps are left out, on
 * both sides of a message alike.
 *
 * Not thread-safe: one builder, one thread. */
#ifndef ALLFOLD_SCHEDULE_BUILDER_H
#define ALLFOLD_SCHEDULE_BUILDER_H

#include <stdbool.h>

#include "util/error.h"
#include "schedule/group.h"
#include "schedule/schedule.h"

struct allfold_builder;

/* What the caller's buffers are on this rank. A rank without a buffer has length 0 of it. In place
 * means that the input lies in OUT: then IN is another name of OUT's elements from in_place_offset
 * on. */
struct allfold_shape {
    struct allfold_group group;
    size_t in_length;
    size_t out_length;
    bool in_place;
    size_t in_place_offset;
};

/* A new builder, or NULL without memory. Freed with allfold_builder_free. */
struct allfold_builder *allfold_builder_create(const struct allfold_shape *shape);
void allfold_builder_free(struct allfold_builder *builder);

/* The verbs. Peers are indices in the builder's present group; spans are of its present frame. */
void allfold_add_send(struct allfold_builder *s, int peer, struct allfold_span from);
void allfold_add_receive(struct allfold_builder *s, int peer, struct allfold_span to);
void allfold_add_reduce(struct allfold_builder *s, struct allfold_span to, struct allfold_span left,
                        struct allfold_span right);
void allfold_add_copy(struct allfold_builder *s, struct allfold_span to, struct allfold_span from);

/* A new scratch buffer of `length` elements; the span is all of it. */
struct allfold_span allfold_add_scratch(struct allfold_builder *s, size_t length);

/* Composition: until the matching allfold_frame_leave, IN and OUT of the verbs mean these spans of
 * the frame around it, and peers are indices in `group` (whose ranks are of the whole group). */
struct allfold_frame {
    struct allfold_group group;
    struct allfold_span in;
    struct allfold_span out;
};
struct allfold_frame allfold_frame_enter(struct allfold_builder *s,
                                         const struct allfold_group *group, struct allfold_span in,
                                         struct allfold_span out);
void allfold_frame_leave(struct allfold_builder *s, struct allfold_frame outer);

/* The first error, ALLFOLD_OK so far, and its words (valid as long as the builder). */
enum allfold_error allfold_builder_error(const struct allfold_builder *s);
const char *allfold_builder_message(const struct allfold_builder *s);

/* Makes *schedule from all steps so far. The builder is to be freed afterwards. */
enum allfold_error allfold_builder_freeze(struct allfold_builder *s,
                                          struct allfold_schedule **schedule);

#endif
