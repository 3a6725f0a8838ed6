/* Writes the lines of a trace (see tracer.h). */
#include "events/tracer.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

struct kept_shape {
    struct allfold_traced_shape shape;
    uint32_t number;                /* in the file, from 1; 0: it is not there yet */
    struct allfold_traced_sum rest; /* of its calls that have no line */
};

struct allfold_tracer {
    FILE *file;
    size_t bytes, most_bytes; /* of lines of calls */
    double begin_s;
    uint64_t calls, dropped;
    struct kept_shape *shapes;
    uint32_t shape_count, shape_capacity, described;
    char **placements; /* the line of each */
    uint32_t placement_count, placement_capacity;
    size_t placement_bytes; /* of all of them */
};

/* --- lines --- */

static uint64_t ns_of(double seconds)
{
    return seconds > 0 && seconds < 9e9 ? (uint64_t)(1e9 * seconds + 0.5) : 0;
}

/* A tab and a word, in which no character ends a field. */
static void put_word(FILE *file, const char *word)
{
    putc('\t', file);
    for (; *word != '\0'; word++)
        putc(*word >= 0 && *word < ' ' ? '?' : *word, file);
}

static void put_layout(FILE *file, const struct allfold_traced_layout *layout)
{
    fprintf(file, "\t%d\t%d\t%d\t%d\t%d\t%d\t%d", layout->p, layout->nodes, layout->least,
            layout->most, (int)layout->arrangement, (int)layout->reading, layout->shared_cores);
}

static void put_head(FILE *file, const struct allfold_traced_head *head)
{
    fputs(ALLFOLD_TRACE_MAGIC "job", file);
    put_word(file, head->version);
    put_word(file, head->machine);
    put_word(file, head->mpi);
    put_layout(file, &head->job);
    fprintf(file, "\t%d\n", head->card_mbit);
}

static void put_shape(FILE *file, const struct allfold_traced_shape *shape)
{
    fprintf(file, "shape\t%s", allfold_collective_name(shape->collective));
    put_layout(file, &shape->layout);
    fprintf(file, "\t%u\t%d\t%zu\t%zu\t%d\t%d\t%d", shape->placement, shape->root, shape->bytes,
            shape->element_bytes, shape->commutative, shape->exact, shape->canonical);
    put_word(file, shape->algorithm);
    put_word(file, shape->source);
    putc('\n', file);
}

/* The shape's number in the file, from 0. */
static uint32_t describe(struct allfold_tracer *tracer, struct kept_shape *kept)
{
    if (kept->number == 0) {
        put_shape(tracer->file, &kept->shape);
        kept->number = ++tracer->described;
    }
    return kept->number - 1;
}

/* --- calls --- */

/* A number and a tab; printf would take longer than all else that is done for a call. */
static char *put_number(char *at, uint64_t number)
{
    char digits[20];
    int count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    while (count > 0)
        *at++ = digits[--count];
    *at++ = '\t';
    return at;
}

static void put_call(struct allfold_tracer *tracer, uint32_t number,
                     const struct allfold_traced_call *call)
{
    char line[128], *at = put_number(line, number);
    at = put_number(at, ns_of(call->begin_s - tracer->begin_s));
    at = put_number(at, ns_of(call->seconds));
    if (call->is_split) {
        at = put_number(at, ns_of(call->waiting_s));
        at = put_number(at, ns_of(call->all_waiting_s));
    }
    at[-1] = '\n';
    tracer->bytes += fwrite(line, 1, (size_t)(at - line), tracer->file);
}

void allfold_tracer_add(struct allfold_tracer *tracer, const struct allfold_traced_call *call)
{
    if (call->shape >= tracer->shape_count) {
        tracer->dropped++;
        return;
    }
    struct kept_shape *kept = &tracer->shapes[call->shape];
    tracer->calls++;
    if (tracer->bytes < tracer->most_bytes)
        put_call(tracer, describe(tracer, kept), call);
    else
        allfold_traced_sum_add(&kept->rest, call);
}

/* --- placements --- */

/* Does a layout say all of these nodes? They have as many ranks each, in blocks, and no sockets,
 * and lie in the network in the order of their ranks. */
static bool layout_says_all(const struct allfold_nodes *nodes)
{
    return allfold_nodes_are_blocks(nodes) && allfold_nodes_are_like(nodes) &&
           nodes->sockets == NULL && nodes->is_in_order;
}

static void put_order(FILE *file, const struct allfold_nodes *nodes)
{
    const int p = nodes->first[nodes->count];
    int node = 0;
    for (int at = 0; at < p; at += allfold_node_size(nodes, node)) {
        node = nodes->node_of[nodes->along[at]];
        fprintf(file, "%s%d", at == 0 ? "\t" : ",", node);
    }
}

static void put_placement(FILE *file, const struct allfold_nodes *nodes)
{
    const int p = nodes->first[nodes->count];
    fputs("placement", file);
    for (int r = 0; r < p; r++)
        fprintf(file, "%s%d", r == 0 ? "\t" : ",", nodes->node_of[r]);
    if (nodes->ordered != NULL)
        put_order(file, nodes);
    else
        fputs("\t-", file);
    for (int r = 0; r < p && nodes->sockets != NULL; r++)
        fprintf(file, "%s%d", r == 0 ? "\t" : ",",
                allfold_sockets_of(nodes, nodes->node_of[r]) == NULL ? 0
                                                                     : allfold_socket_of(nodes, r));
    fputs(nodes->sockets == NULL ? "\t-\n" : "\n", file);
}

/* The line of a placement; NULL without memory. Freed with free. */
static char *line_of(const struct allfold_nodes *nodes, size_t *bytes)
{
    char *line = NULL;
    FILE *file = open_memstream(&line, bytes);
    if (file == NULL)
        return NULL;
    put_placement(file, nodes);
    if (fclose(file) == 0)
        return line;
    free(line);
    return NULL;
}

static bool keep_placement(struct allfold_tracer *tracer, char *line, size_t bytes)
{
    if (tracer->placement_count == ALLFOLD_TRACED_PLACEMENTS ||
        tracer->placement_bytes + bytes > tracer->most_bytes / 4)
        return false;
    void *moved = allfold_make_room(tracer->placements, tracer->placement_count,
                                    &tracer->placement_capacity, sizeof *tracer->placements);
    if (moved == NULL)
        return false;
    tracer->placements = moved;
    tracer->placements[tracer->placement_count++] = line;
    tracer->placement_bytes += bytes;
    fputs(line, tracer->file);
    return true;
}

uint32_t allfold_tracer_placement(struct allfold_tracer *tracer, const struct allfold_nodes *nodes)
{
    size_t bytes;
    uint32_t found = 0;
    char *line = nodes == NULL || layout_says_all(nodes) ? NULL : line_of(nodes, &bytes);
    if (line == NULL)
        return 0;
    while (found < tracer->placement_count && strcmp(tracer->placements[found], line) != 0)
        found++;
    if (found == tracer->placement_count && keep_placement(tracer, line, bytes))
        return found + 1;
    free(line);
    return found < tracer->placement_count ? found + 1 : 0;
}

/* --- shapes --- */

static size_t power_of_two(size_t bytes)
{
    return bytes <= 2 ? bytes : (size_t)1 << (64 - __builtin_clzll(bytes - 1));
}

static bool is_same_layout(const struct allfold_traced_layout *a,
                           const struct allfold_traced_layout *b)
{
    return a->p == b->p && a->nodes == b->nodes && a->least == b->least && a->most == b->most &&
           a->arrangement == b->arrangement && a->reading == b->reading &&
           a->shared_cores == b->shared_cores;
}

static bool is_same_shape(const struct allfold_traced_shape *a,
                          const struct allfold_traced_shape *b)
{
    return a->bytes == b->bytes && a->collective == b->collective &&
           is_same_layout(&a->layout, &b->layout) && a->placement == b->placement &&
           a->root == b->root && a->element_bytes == b->element_bytes &&
           a->commutative == b->commutative && a->exact == b->exact &&
           a->canonical == b->canonical && strcmp(a->algorithm, b->algorithm) == 0 &&
           strcmp(a->source, b->source) == 0;
}

static uint32_t find_shape(const struct allfold_tracer *tracer,
                           const struct allfold_traced_shape *shape)
{
    uint32_t i = 0;
    while (i < tracer->shape_count && !is_same_shape(&tracer->shapes[i].shape, shape))
        i++;
    return i;
}

uint32_t allfold_tracer_shape(struct allfold_tracer *tracer,
                              const struct allfold_traced_shape *shape)
{
    struct kept_shape like = {.shape = *shape};
    uint32_t found = find_shape(tracer, &like.shape);
    if (found == tracer->shape_count && found >= ALLFOLD_TRACED_EXACT) {
        like.shape.bytes = power_of_two(shape->bytes);
        found = find_shape(tracer, &like.shape);
    }
    if (found < tracer->shape_count)
        return found;
    void *shapes = found == ALLFOLD_TRACED_SHAPES
                       ? NULL
                       : allfold_make_room(tracer->shapes, found, &tracer->shape_capacity,
                                           sizeof *tracer->shapes);
    if (shapes == NULL)
        return ALLFOLD_NO_SHAPE;
    tracer->shapes = shapes;
    tracer->shapes[found] = like;
    return tracer->shape_count++;
}

/* --- begin and end --- */

struct allfold_tracer *allfold_tracer_open(FILE *file, size_t most_bytes,
                                           const struct allfold_traced_head *head, double begin_s)
{
    struct allfold_tracer *tracer = allfold_allocate_zeroed(sizeof *tracer);
    if (tracer == NULL)
        return NULL;
    tracer->file = file;
    tracer->most_bytes = most_bytes;
    tracer->begin_s = begin_s;
    put_head(file, head);
    fflush(file);
    return tracer;
}

void allfold_tracer_flush(struct allfold_tracer *tracer)
{
    fflush(tracer->file);
}

bool allfold_tracer_close(struct allfold_tracer *tracer, double run_s)
{
    FILE *file = tracer->file;
    for (uint32_t i = 0; i < tracer->shape_count; i++) {
        const struct allfold_traced_sum *rest = &tracer->shapes[i].rest;
        if (rest->calls == 0)
            continue;
        const uint32_t number = describe(tracer, &tracer->shapes[i]);
        fprintf(file, "rest\t%u\t%llu\t%llu\t%llu\t%llu\t%llu\n", number,
                (unsigned long long)rest->calls, (unsigned long long)rest->split,
                (unsigned long long)ns_of(rest->seconds),
                (unsigned long long)ns_of(rest->waiting_s),
                (unsigned long long)ns_of(rest->all_waiting_s));
    }
    fprintf(file, "end\t%llu\t%llu\t%llu\n", (unsigned long long)tracer->calls,
            (unsigned long long)tracer->dropped, (unsigned long long)ns_of(run_s));
    const bool has_failed = ferror(file) != 0;
    const bool is_whole = fclose(file) == 0 && !has_failed;
    for (uint32_t i = 0; i < tracer->placement_count; i++)
        free(tracer->placements[i]);
    allfold_free(tracer->placements);
    allfold_free(tracer->shapes);
    allfold_free(tracer);
    return is_whole;
}
