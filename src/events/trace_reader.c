/* Reads and checks the lines of a trace (see trace_reader.h). */
#include "events/trace_reader.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "util/number.h"

enum { MOST_FIELDS = 20, MOST_RANKS = 1 << 24 };

struct reading {
    const char *path;
    long line; /* its number, from 1 */
    struct allfold_trace_file *trace;
    uint32_t shape_capacity, sum_capacity, placement_capacity;
    const char *fields[MOST_FIELDS]; /* of the line */
    int count, next;
    bool is_wrong; /* the line says what cannot be */
    bool has_head, has_end;
    char *message;
    size_t message_bytes;
};

static enum allfold_error refuse(struct reading *reading, const char *what)
{
    snprintf(reading->message, reading->message_bytes, "%s: %s", reading->path, what);
    return ALLFOLD_BAD_INPUT;
}

static enum allfold_error refuse_line(struct reading *reading, const char *what)
{
    snprintf(reading->message, reading->message_bytes,
             "%s: line %ld %s; the file is damaged, so take another copy", reading->path,
             reading->line, what);
    return ALLFOLD_BAD_INPUT;
}

/* --- fields --- */

static const char *take_field(struct reading *reading)
{
    if (reading->next < reading->count)
        return reading->fields[reading->next++];
    reading->is_wrong = true;
    return "";
}

/* A number that is no more than `most`. */
static uint64_t take_up_to(struct reading *reading, uint64_t most)
{
    long number = 0;
    if (!allfold_whole_is(take_field(reading), 0, (long)most, &number))
        reading->is_wrong = true;
    return (uint64_t)number;
}

static double take_seconds(struct reading *reading)
{
    return 1e-9 * (double)take_up_to(reading, INT64_MAX);
}

/* A word without what a terminal, CSV or JSON would read otherwise. */
static void take_word(struct reading *reading, char word[ALLFOLD_TRACED_WORD])
{
    snprintf(word, ALLFOLD_TRACED_WORD, "%s", take_field(reading));
    for (char *c = word; *c != '\0'; c++)
        if (*c < ' ' || *c > '~' || *c == '"' || *c == '\\')
            *c = '?';
}

static void take_layout(struct reading *reading, struct allfold_traced_layout *layout)
{
    layout->p = (int)take_up_to(reading, MOST_RANKS);
    layout->nodes = (int)take_up_to(reading, MOST_RANKS);
    layout->least = (int)take_up_to(reading, MOST_RANKS);
    layout->most = (int)take_up_to(reading, MOST_RANKS);
    layout->arrangement = (enum allfold_arrangement)take_up_to(reading, ALLFOLD_IRREGULAR);
    layout->reading = (enum allfold_reading)take_up_to(reading, ALLFOLD_READING_COUNT - 1);
    layout->shared_cores = (int)take_up_to(reading, MOST_RANKS);
    const bool has_nodes = layout->nodes > 0;
    reading->is_wrong |= layout->p < 1 || layout->nodes > layout->p ||
                         layout->least > layout->most || layout->most > layout->p ||
                         (has_nodes && layout->least < 1) ||
                         (has_nodes && (int64_t)layout->nodes * layout->most < layout->p) ||
                         (int64_t)layout->nodes * layout->least > layout->p;
}

/* Numbers of 0 to most - 1 with commas between them. */
static void take_list(struct reading *reading, int *list, int count, int most)
{
    const char *at = take_field(reading);
    for (int i = 0; i < count && !reading->is_wrong; i++) {
        long number = 0;
        const char *end = at;
        reading->is_wrong |= !allfold_whole_read(at, 0, most - 1, &number, &end) ||
                             *end != (i < count - 1 ? ',' : '\0');
        list[i] = (int)number;
        at = end + 1;
    }
}

/* --- records --- */

static enum allfold_error read_head(struct reading *reading)
{
    enum { MOST_MBIT = 1000000000 };
    struct allfold_traced_head *head = &reading->trace->head;
    take_word(reading, head->version);
    take_word(reading, head->machine);
    take_word(reading, head->mpi);
    take_layout(reading, &head->job);
    head->card_mbit = (int)take_up_to(reading, MOST_MBIT);
    reading->has_head = true;
    return ALLFOLD_OK;
}

/* Nodes are numbered in the order of their lowest ranks. */
static void count_nodes(struct reading *reading, struct allfold_traced_placement *placement)
{
    for (int r = 0; r < placement->p && !reading->is_wrong; r++) {
        reading->is_wrong |= placement->node_of[r] > placement->nodes;
        placement->nodes += placement->node_of[r] == placement->nodes;
    }
}

/* An order has each node once. */
static void check_order(struct reading *reading, const struct allfold_traced_placement *placement,
                        int *seen)
{
    for (int i = 0; i < placement->nodes; i++)
        seen[i] = 0;
    for (int i = 0; i < placement->nodes && !reading->is_wrong; i++)
        reading->is_wrong |= seen[placement->order[i]]++ != 0;
}

/* False if the next field is "-": there is no such list. */
static bool has_list(struct reading *reading)
{
    const bool has_none =
        reading->next < reading->count && strcmp(reading->fields[reading->next], "-") == 0;
    reading->next += has_none;
    return !has_none;
}

static void take_placement(struct reading *reading, struct allfold_traced_placement *placement)
{
    const int p = placement->p;
    take_list(reading, placement->node_of, p, p);
    count_nodes(reading, placement);
    if (has_list(reading)) {
        placement->order = placement->node_of + p;
        take_list(reading, placement->order, placement->nodes, placement->nodes);
        check_order(reading, placement, placement->node_of + 2 * (size_t)p);
    }
    if (has_list(reading)) {
        placement->socket_of = placement->node_of + 2 * (size_t)p;
        take_list(reading, placement->socket_of, p, p);
    }
}

static enum allfold_error read_placement(struct reading *reading)
{
    struct allfold_trace_file *trace = reading->trace;
    struct allfold_traced_placement placement = {.p = 1};
    for (const char *c = reading->count > 1 ? reading->fields[1] : ""; *c != '\0'; c++)
        placement.p += *c == ',';
    reading->is_wrong |=
        placement.p > trace->head.job.p || trace->placement_count == ALLFOLD_TRACED_PLACEMENTS;
    if (reading->is_wrong)
        return ALLFOLD_OK;
    void *moved = allfold_make_room(trace->placements, trace->placement_count,
                                    &reading->placement_capacity, sizeof *trace->placements);
    if (moved == NULL)
        return ALLFOLD_NO_MEMORY;
    trace->placements = moved;
    placement.node_of = allfold_allocate(3 * (size_t)placement.p * sizeof *placement.node_of);
    if (placement.node_of == NULL)
        return ALLFOLD_NO_MEMORY;
    take_placement(reading, &placement);
    trace->placements[trace->placement_count++] = placement;
    return ALLFOLD_OK;
}

/* The number of a placement of the layout's ranks and nodes, or 0. */
static uint32_t take_placement_number(struct reading *reading,
                                      const struct allfold_traced_layout *layout)
{
    const uint32_t number = (uint32_t)take_up_to(reading, reading->trace->placement_count);
    if (reading->is_wrong || number == 0)
        return 0;
    const struct allfold_traced_placement *placement = &reading->trace->placements[number - 1];
    reading->is_wrong |= placement->p != layout->p || placement->nodes != layout->nodes;
    return number;
}

static void take_shape(struct reading *reading, struct allfold_traced_shape *shape)
{
    char collective[ALLFOLD_TRACED_WORD];
    take_word(reading, collective);
    shape->collective = allfold_collective_find(collective);
    take_layout(reading, &shape->layout);
    shape->placement = take_placement_number(reading, &shape->layout);
    shape->root = (int)take_up_to(reading, INT_MAX);
    shape->bytes = take_up_to(reading, PTRDIFF_MAX);
    shape->element_bytes = take_up_to(reading, PTRDIFF_MAX);
    shape->commutative = take_up_to(reading, 1) != 0;
    shape->exact = take_up_to(reading, 1) != 0;
    shape->canonical = take_up_to(reading, 1) != 0;
    take_word(reading, shape->algorithm);
    take_word(reading, shape->source);
    reading->is_wrong |=
        shape->collective == ALLFOLD_COLLECTIVE_COUNT || shape->root >= shape->layout.p;
}

static enum allfold_error read_shape(struct reading *reading)
{
    struct allfold_trace_file *trace = reading->trace;
    struct allfold_traced_shape shape;
    take_shape(reading, &shape);
    reading->is_wrong |= trace->count == ALLFOLD_TRACED_SHAPES;
    if (reading->is_wrong)
        return ALLFOLD_OK;
    void *shapes = allfold_make_room(trace->shapes, trace->count, &reading->shape_capacity,
                                     sizeof *trace->shapes);
    if (shapes == NULL)
        return ALLFOLD_NO_MEMORY;
    trace->shapes = shapes;
    void *sums =
        allfold_make_room(trace->sums, trace->count, &reading->sum_capacity, sizeof *trace->sums);
    if (sums == NULL)
        return ALLFOLD_NO_MEMORY;
    trace->sums = sums;
    trace->shapes[trace->count] = shape;
    trace->sums[trace->count++] = (struct allfold_traced_sum){.calls = 0};
    return ALLFOLD_OK;
}

/* The sums of a shape that is there. */
static struct allfold_traced_sum *take_sum(struct reading *reading)
{
    static struct allfold_traced_sum unused;
    const uint64_t number = take_up_to(reading, ALLFOLD_TRACED_SHAPES);
    reading->is_wrong |= number >= reading->trace->count;
    return reading->is_wrong ? &unused : &reading->trace->sums[number];
}

static enum allfold_error read_call(struct reading *reading)
{
    reading->next = 0;
    struct allfold_traced_sum *sum = take_sum(reading);
    struct allfold_traced_call call = {.begin_s = take_seconds(reading)};
    call.seconds = take_seconds(reading);
    call.is_split = reading->next < reading->count;
    call.waiting_s = call.is_split ? take_seconds(reading) : 0;
    call.all_waiting_s = call.is_split ? take_seconds(reading) : 0;
    allfold_traced_sum_add(sum, &call);
    reading->trace->calls++;
    return ALLFOLD_OK;
}

static enum allfold_error read_rest(struct reading *reading)
{
    struct allfold_traced_sum *sum = take_sum(reading);
    const uint64_t calls = take_up_to(reading, INT64_MAX / 2);
    sum->calls += calls;
    sum->split += take_up_to(reading, calls);
    sum->seconds += take_seconds(reading);
    sum->waiting_s += take_seconds(reading);
    sum->all_waiting_s += take_seconds(reading);
    reading->trace->calls += calls;
    return ALLFOLD_OK;
}

static enum allfold_error read_end(struct reading *reading)
{
    reading->is_wrong |= take_up_to(reading, INT64_MAX) != reading->trace->calls;
    reading->trace->dropped = take_up_to(reading, INT64_MAX);
    reading->trace->run_s = take_seconds(reading);
    reading->has_end = true;
    return ALLFOLD_OK;
}

static const struct {
    const char *name;
    enum allfold_error (*read)(struct reading *reading);
} records[] = {{"job", read_head},
               {"placement", read_placement},
               {"shape", read_shape},
               {"rest", read_rest},
               {"end", read_end}};

/* The kind of the line; NULL: there is no such kind. */
static enum allfold_error (*reader_of(const char *name))(struct reading *)
{
    if (*name >= '0' && *name <= '9')
        return read_call;
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        if (strcmp(records[i].name, name) == 0)
            return records[i].read;
    return NULL;
}

static enum allfold_error read_line(struct reading *reading)
{
    enum allfold_error (*read)(struct reading *) = reader_of(reading->fields[0]);
    if (reading->has_end)
        return refuse_line(reading, "lies behind the end");
    if (read == NULL)
        return refuse_line(reading, "is of no kind that there is");
    if ((read == read_head) == reading->has_head)
        return refuse_line(reading, "is not where it belongs");
    reading->next = 1;
    reading->is_wrong = false;
    const enum allfold_error error = read(reading);
    if (error == ALLFOLD_OK && (reading->is_wrong || reading->next != reading->count))
        return refuse_line(reading, "says what cannot be");
    return error;
}

/* --- the file --- */

/* Splits a line at its tabs; false if it has more fields than any line. */
static bool split(struct reading *reading, char *line)
{
    reading->count = 0;
    for (char *at = line; at != NULL;) {
        if (reading->count == MOST_FIELDS)
            return false;
        reading->fields[reading->count++] = at;
        at = strchr(at, '\t');
        if (at != NULL)
            *at++ = '\0';
    }
    return true;
}

/* A line without its end is where the program was killed. */
static enum allfold_error read_lines(struct reading *reading, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    enum allfold_error error = ALLFOLD_OK;
    reading->line = 1;
    for (ssize_t length; error == ALLFOLD_OK && (length = getline(&line, &room, file)) > 0;) {
        reading->line++;
        if (line[length - 1] != '\n')
            break;
        line[length - 1] = '\0';
        error = strlen(line) == (size_t)length - 1 && split(reading, line)
                    ? read_line(reading)
                    : refuse_line(reading, "is no line of a trace");
    }
    free(line);
    if (error == ALLFOLD_OK && !reading->has_head)
        return refuse(reading, "the trace ends before it says anything");
    return error;
}

static enum allfold_error read_magic(struct reading *reading, FILE *file)
{
    static const char magic[] = ALLFOLD_TRACE_MAGIC;
    enum { KIND = sizeof "allfold trace " - 1 };
    char found[sizeof magic] = "";
    const size_t count = fread(found, 1, sizeof magic - 1, file);
    if (strcmp(found, magic) == 0)
        return ALLFOLD_OK;
    if (count >= KIND && memcmp(found, magic, KIND) == 0)
        return refuse(reading, "the trace is of another version; expected version 3, so read it "
                               "with the Allfold that wrote it");
    return refuse(reading,
                  "this is no trace; expected a file that `allfold run --trace=FILE` wrote");
}

enum allfold_error allfold_trace_read(const char *path, struct allfold_trace_file *trace,
                                      char *message, size_t message_bytes)
{
    struct reading reading = {
        .path = path, .trace = trace, .message = message, .message_bytes = message_bytes};
    *trace = (struct allfold_trace_file){.count = 0};
    snprintf(message, message_bytes, "%s: no memory", path);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return refuse(&reading, strerror(errno));
    enum allfold_error error = read_magic(&reading, file);
    if (error == ALLFOLD_OK)
        error = read_lines(&reading, file);
    fclose(file);
    trace->is_incomplete = !reading.has_end;
    return error;
}

void allfold_trace_free(struct allfold_trace_file *trace)
{
    for (uint32_t i = 0; i < trace->placement_count; i++)
        allfold_free(trace->placements[i].node_of);
    allfold_free(trace->placements);
    allfold_free(trace->shapes);
    allfold_free(trace->sums);
    *trace = (struct allfold_trace_file){.count = 0};
}

const struct allfold_nodes *
allfold_placement_nodes(const struct allfold_traced_placement *placement)
{
    const int p = placement->p;
    const int *order = placement->order, *socket_of = placement->socket_of;
    int64_t *keys = allfold_allocate_zeroed(4 * (size_t)p * sizeof *keys);
    if (keys == NULL)
        return NULL;
    int64_t *orders = keys + p, *sockets = orders + p, *place_of = sockets + p;
    for (int i = 0; i < placement->nodes && order != NULL; i++)
        place_of[order[i]] = i;
    for (int r = 0; r < p; r++) {
        keys[r] = placement->node_of[r];
        orders[r] = place_of[keys[r]];
        sockets[r] = socket_of == NULL ? -1 : socket_of[r];
    }
    const struct allfold_nodes *nodes = allfold_nodes_create(&(const struct allfold_nodes_facts){
        .p = p, .keys = keys, .order = orders, .sockets = sockets});
    allfold_free(keys);
    return nodes;
}
