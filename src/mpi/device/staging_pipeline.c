/* The staging pipeline: copies of staged buffers that overlap with the run (see
 * staging_pipeline.h). */
#include "mpi/device/staging_pipeline.h"

#include <assert.h>

#include "mpi/process/runtime.h"
#include "util/memory.h"

/* --- copies --- */

static struct allfold_rows rows_of(const struct allfold_feeding *feeding,
                                   const struct allfold_fed *fed, uint32_t segment)
{
    const struct allfold_elements *elements = feeding->elements;
    const size_t begin = allfold_fed_begin(fed, segment), end = allfold_fed_end(fed, segment);
    return (struct allfold_rows){
        .at = (ptrdiff_t)begin * elements->extent_bytes + elements->low_bytes,
        .bytes = (size_t)((ptrdiff_t)(end - begin - 1) * elements->extent_bytes +
                          elements->high_bytes - elements->low_bytes),
        .count = 1};
}

/* Returns the device address that corresponds to the host address of a run's buffer. */
static void *beside(const struct allfold_feeding_way *way)
{
    const struct allfold_staged *staged = way->staged;
    return allfold_address(staged->area.data, way->host - (const char *)staged->host);
}

/* Begins to copy a segment and records its event. If the event cannot be recorded, for example
 * because the context is gone, waits for the copy. */
static int begin_copy(struct allfold_feeding *feeding, struct allfold_feeding_way *way,
                      uint32_t segment, bool to_device)
{
    const struct allfold_place *place = &way->staged->place;
    const struct allfold_rows rows = rows_of(feeding, way->fed, segment);
    void *device = beside(way);
    int code = allfold_device_begin(place, way->stream, to_device ? device : way->host,
                                    to_device ? way->host : device, to_device, &rows, 1);
    way->has_come[way->begun] =
        code == 0 && allfold_device_record(place, way->stream, way->events[way->begun]) != 0;
    if (way->has_come[way->begun])
        code = allfold_device_finish(place, way->stream);
    if (code != 0)
        return allfold_staged_error(way->staged, code, to_device);
    way->begun++;
    allfold_staged_note(way->staged, &rows, 1, to_device);
    return MPI_SUCCESS;
}

/* Returns 0 once copy i of a direction is complete, ALLFOLD_DEVICE_NOT_YET before, or an error
 * code. */
static int ask(const struct allfold_feeding_way *way, uint32_t i, bool waits)
{
    return way->has_come[i] ? 0 : allfold_device_ask(&way->staged->place, way->events[i], waits);
}

/* --- events and streams --- */

static void free_events(struct allfold_feeding_way *way)
{
    for (int i = 0; i < way->event_count; i++)
        allfold_device_free_event(&way->made_by, way->events[i]);
    if (way->made_by.driver != NULL)
        allfold_device_free_stream(&way->made_by, way->stream);
    way->event_count = 0;
    way->stream = NULL;
    way->made_by.driver = NULL;
}

/* Both are of a context, and gone with it, as pinned memory is. */
static bool have_events(struct allfold_feeding_way *way, const struct allfold_fed *fed)
{
    if (way->staged == NULL)
        return true;
    const struct allfold_place *place = &way->staged->place;
    const int count = (int)allfold_fed_count(fed);
    if (way->made_by.driver != place->driver || way->made_by.context != place->context) {
        if (way->made_by.driver != NULL)
            free_events(way);
        way->made_by = *place;
        way->stream = way->is_back ? allfold_device_make_stream(place) : NULL;
    }
    while (way->event_count < count) {
        void *event = allfold_device_make_event(place);
        if (event == NULL)
            return false;
        way->events[way->event_count++] = event;
    }
    return true;
}

/* --- the feed --- */

static int arrived(struct allfold_feed *feed, bool waits, uint32_t *count)
{
    struct allfold_feeding *feeding = (struct allfold_feeding *)feed;
    struct allfold_feeding_way *way = &feeding->in;
    int code = 0;
    for (; feeding->arrived < way->begun && code == 0; waits = false) {
        code = ask(way, feeding->arrived, waits);
        feeding->arrived += code == 0;
    }
    *count = feeding->arrived;
    if (code != 0 && code != ALLFOLD_DEVICE_NOT_YET)
        return allfold_staged_error(way->staged, code, false);
    /* what could not be begun does not come */
    return feeding->arrived == way->begun && way->begun < feed->in_count ? feeding->error
                                                                         : MPI_SUCCESS;
}

static void leave(struct allfold_feed *feed, uint32_t segment)
{
    struct allfold_feeding *feeding = (struct allfold_feeding *)feed;
    if (feeding->error != MPI_SUCCESS)
        return;
    feeding->error = begin_copy(feeding, &feeding->out, segment, true);
}

/* Returns the size of a segment of about that many bytes, in whole elements; longer if there would
 * be too many segments. */
static size_t segment_of(const struct allfold_elements *elements, size_t count, size_t bytes)
{
    const size_t element_bytes = (size_t)elements->extent_bytes;
    const size_t least = (count + ALLFOLD_MOST_SEGMENTS - 1) / ALLFOLD_MOST_SEGMENTS;
    const size_t wanted = bytes < element_bytes ? 1 : bytes / element_bytes;
    return wanted > least ? wanted : least;
}

/* Without two segments there is nothing to overlap. */
static bool set_way(struct allfold_feeding *feeding, struct allfold_feeding_way *way,
                    struct allfold_fed *fed, const struct allfold_feeding_part *part)
{
    const size_t count = part->end - part->first;
    way->begun = 0;
    way->staged = NULL;
    *fed = (struct allfold_fed){.buffer = part->buffer};
    if (part->staged == NULL || count == 0)
        return false;
    const size_t segment =
        segment_of(feeding->elements, count, allfold_settings()->device_segment_bytes);
    way->staged = part->staged;
    way->host = part->host;
    way->fed = fed;
    *fed = (struct allfold_fed){part->buffer, part->first, part->end, segment};
    return count > segment;
}

/* Returns whether both directions can go in segments. */
static bool prepare(struct allfold_feeding *feeding, const struct allfold_schedule *schedule,
                    const struct allfold_feeding_part *in, const struct allfold_feeding_part *out)
{
    struct allfold_feed *feed = &feeding->feed;
    feeding->out.is_back = true;
    const bool is_in_long = set_way(feeding, &feeding->in, &feed->in, in);
    const bool is_out_long = set_way(feeding, &feeding->out, &feed->out, out);
    return (is_in_long || is_out_long) && have_events(&feeding->in, &feed->in) &&
           have_events(&feeding->out, &feed->out) &&
           allfold_reserve(&feeding->words, &feeding->words_bytes,
                           sizeof(uint32_t) * allfold_feed_words(feed, schedule));
}

static void begin(struct allfold_feeding *feeding, const struct allfold_schedule *schedule)
{
    struct allfold_feed *feed = &feeding->feed;
    feed->arrived = arrived;
    feed->leave = leave;
    feeding->arrived = 0;
    feeding->error = MPI_SUCCESS;
    feeding->is_on = true;
    allfold_feed_make(feed, schedule, feeding->words);
    for (uint32_t i = 0; i < feed->in_count && feeding->error == MPI_SUCCESS; i++)
        feeding->error = begin_copy(feeding, &feeding->in, feed->order[i], false);
}

struct allfold_feed *allfold_feeding_begin(struct allfold_feeding **feeding,
                                           const struct allfold_schedule *schedule,
                                           const struct allfold_elements *elements,
                                           struct allfold_feeding_part in,
                                           struct allfold_feeding_part out)
{
    if (allfold_settings()->device_segment_bytes == 0 || elements->extent_bytes <= 0 ||
        (in.staged == NULL && out.staged == NULL))
        return NULL;
    if (*feeding == NULL)
        *feeding = allfold_allocate_zeroed(sizeof **feeding);
    if (*feeding == NULL)
        return NULL;
    assert(!(*feeding)->is_on);
    (*feeding)->elements = elements;
    if (!prepare(*feeding, schedule, &in, &out))
        return NULL;
    begin(*feeding, schedule);
    return &(*feeding)->feed;
}

/* Waits for all copies that were begun in one direction, also after errors: nothing may be in
 * flight. */
static int drain(struct allfold_feeding_way *way, uint32_t from, bool to_device)
{
    int code = 0;
    for (uint32_t i = from; i < way->begun; i++) {
        const int one = ask(way, i, true);
        code = code == 0 ? one : code;
    }
    return code == 0 ? MPI_SUCCESS : allfold_staged_error(way->staged, code, to_device);
}

int allfold_feeding_end(struct allfold_feeding *feeding, bool has_result)
{
    const int error = drain(&feeding->in, feeding->arrived, false);
    if (has_result && error == MPI_SUCCESS)
        allfold_feed_end(&feeding->feed);
    const int drained = drain(&feeding->out, 0, true);
    feeding->is_on = false;
    return error != MPI_SUCCESS ? error : feeding->error != MPI_SUCCESS ? feeding->error : drained;
}

void allfold_feeding_free(struct allfold_feeding **feeding)
{
    if (*feeding == NULL)
        return;
    if ((*feeding)->is_on) /* a plan that the program has not completed */
        allfold_feeding_end(*feeding, false);
    free_events(&(*feeding)->in);
    free_events(&(*feeding)->out);
    allfold_free((*feeding)->words);
    allfold_free(*feeding);
    *feeding = NULL;
}
