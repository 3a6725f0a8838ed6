/* `allfold tune --simulate`: makes tables by simulation, for networks and shapes that need not
 * exist.
 *
 * A task is one collective, one kind of operation and one shape. Workers take tasks in turn; each
 * appends the rows of a task to the CSV file at once, so an interrupted run continues from
 * there. */
#include "tune/tune.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "lab/measure/size_list.h"
#include "placing.h"
#include "simgrid_platform.h"
#include "lab/search/search.h"
#include "select/rules.h"
#include "select/settings.h"
#include "select/table_file.h"
#include "tune/tune_table.h"
#include "util/csv.h"
#include "util/hash.h"
#include "util/memory.h"
#include "util/number.h"

enum { FAILED = 1, WRONG_USAGE = 2 };
enum { MOST_SHAPES = 256, MOST_JOBS = 64, ROWS_BYTES = 1 << 16, NAME_BYTES = 40 };

/* Of the whole vector. */
enum { ELEMENT_BYTES = 8, MOST_BYTES = 1 << 30 };

enum operation { COMMUTATIVE, ORDERED, CANONICAL, OPERATIONS };
static const char *const operation_names[] = {"commutative", "ordered", "canonical"};

struct shape {
    int nodes, ppn;
    const char *placement; /* "block", "cyclic" or "random" */
};

struct options {
    struct allfold_network networks[ALLFOLD_SEARCH_SITES];
    int network_count;
    struct shape shapes[MOST_SHAPES];
    int shape_count;
    bool has_collective[ALLFOLD_COLLECTIVE_COUNT], has_operation[OPERATIONS];
    struct allfold_size_list sizes;
    const char *name; /* of the networks together */
    const struct allfold_options *given;
    bool shows_progress;
    uint64_t settings; /* a hash of what times follow from, but for the tasks */
};

struct task {
    enum allfold_collective collective;
    enum operation operation;
    struct shape shape;
};

struct tasks {
    struct task *tasks;
    uint32_t count, capacity;
};

/* --- options --- */

static const struct allfold_taken taken[] = {
    ALLFOLD_TAKES_AS(simulate, 0, "what this is"),
    ALLFOLD_TAKES_AS(network, 0, "as of simulate; several: the least regret on all"),
    ALLFOLD_TAKES(name),
    ALLFOLD_TAKES(untold),
    ALLFOLD_TAKES_AS(nodes, 0, "LIST of nodes x ranks: 4x8,16x8:cyclic"),
    ALLFOLD_TAKES_AS(collective, 0, "LIST of collectives"),
    ALLFOLD_TAKES_AS(operation, 0, "of commutative, ordered, canonical"),
    ALLFOLD_TAKES(bytes),
    ALLFOLD_TAKES(jobs),
    ALLFOLD_TAKES_AS(csv, ALLFOLD_ARGUMENT_REQUIRED,
                     "all rows; what it has is not simulated again"),
    ALLFOLD_TAKES_AS(output, 0, "the table"),
    ALLFOLD_TAKES(progress),
};

static const struct allfold_command command = {
    .text = "Simulates which algorithm is the fastest for which shapes and sizes, and writes\n"
            "a table for ALLFOLD_TABLE. No MPI is needed:\n"
            "    allfold tune --simulate --network ./mine --nodes 16x8,32x8 --csv rows.csv",
    .taken = taken,
    .count = sizeof taken / sizeof *taken,
};

static void read_network(struct options *options, const char *name)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    if (options->network_count == ALLFOLD_SEARCH_SITES)
        allfold_options_refuse(options->given, "--network: more than %d", ALLFOLD_SEARCH_SITES);
    else if (allfold_tool_network(name, &options->networks[options->network_count], message,
                                  sizeof message) != ALLFOLD_OK)
        allfold_options_refuse(options->given, "--network: %s", message);
    else
        options->network_count++;
}

/* Copies the next item of a comma-separated list, truncated to its size, and advances *list past
 * it. Returns false at the end. */
static bool next_word(const char **list, char word[NAME_BYTES])
{
    const size_t length = strcspn(*list, ",");
    if (**list == '\0')
        return false;
    snprintf(word, NAME_BYTES, "%.*s", (int)length, *list);
    *list += length + ((*list)[length] == ',');
    return true;
}

static bool read_shape(const char *text, struct shape *shape)
{
    static const char *const placements[] = {"block", "cyclic", "random"};
    int at = 0;
    shape->placement = placements[0];
    if (sscanf(text, "%7dx%7d%n", &shape->nodes, &shape->ppn, &at) != 2 || shape->nodes < 1 ||
        shape->ppn < 1 || shape->nodes > ALLFOLD_TABLE_MOST_RANKS / shape->ppn)
        return false;
    for (size_t i = 0; text[at] == ':' && i < sizeof placements / sizeof *placements; i++)
        if (strcmp(text + at + 1, placements[i]) == 0) {
            if (shape->nodes > 1) /* else all are the same */
                shape->placement = placements[i];
            return true;
        }
    return text[at] == '\0';
}

/* With one rank on each node all placements are the same, except for the order of the hosts. */
static bool is_known(const struct options *options, const struct shape *shape)
{
    for (int i = 0; i < options->shape_count; i++) {
        const struct shape *known = &options->shapes[i];
        if (known->nodes == shape->nodes && known->ppn == shape->ppn &&
            (shape->ppn == 1 || strcmp(known->placement, shape->placement) == 0))
            return true;
    }
    return false;
}

static void read_shapes(struct options *options, const char *list)
{
    char text[NAME_BYTES];
    options->shape_count = 0;
    while (next_word(&list, text)) {
        struct shape *shape = &options->shapes[options->shape_count];
        if (options->shape_count == MOST_SHAPES)
            allfold_options_refuse(options->given, "--nodes: more than %d", MOST_SHAPES);
        else if (!read_shape(text, shape))
            allfold_options_refuse(options->given,
                                   "--nodes: '%s'; expected one like 16x8 or 16x8:cyclic", text);
        else if (!is_known(options, shape))
            options->shape_count++;
    }
}

static void read_sizes(struct options *options, const char *list)
{
    char message[300];
    if (!allfold_size_list_read(list, &options->sizes, message, sizeof message))
        allfold_options_refuse(options->given, "%s", message);
    for (int i = 0; i < options->sizes.count; i++) {
        const size_t size = options->sizes.sizes[i];
        if (size == 0 || size % ELEMENT_BYTES != 0 || size > MOST_BYTES)
            allfold_options_refuse(options->given,
                                   "--bytes: %zu; expected multiples of %d up to 1G", size,
                                   ELEMENT_BYTES);
        if (i > 0 && size <= options->sizes.sizes[i - 1])
            allfold_options_refuse(options->given,
                                   "--bytes: %zu after %zu; expected ascending sizes", size,
                                   options->sizes.sizes[i - 1]);
    }
}

static void read_collectives(struct options *options, const char *list)
{
    char name[NAME_BYTES];
    memset(options->has_collective, 0, sizeof options->has_collective);
    while (next_word(&list, name)) {
        const enum allfold_collective collective = allfold_collective_find(name);
        if (collective == ALLFOLD_COLLECTIVE_COUNT)
            allfold_options_refuse(options->given,
                                   "--collective: '%s'; `allfold list` has them all", name);
        else
            options->has_collective[collective] = true;
    }
}

static void read_operations(struct options *options, const char *list)
{
    char name[NAME_BYTES];
    memset(options->has_operation, 0, sizeof options->has_operation);
    while (next_word(&list, name)) {
        int found = OPERATIONS;
        for (int i = 0; i < OPERATIONS; i++)
            if (strcmp(name, operation_names[i]) == 0)
                found = i;
        if (found == OPERATIONS)
            allfold_options_refuse(options->given,
                                   "--operation: '%s'; expected commutative, ordered or canonical",
                                   name);
        else
            options->has_operation[found] = true;
    }
}

static void read_options(struct options *options, int argc, char **argv,
                         struct allfold_options *given)
{
    char network[ALLFOLD_OPTION_LIST_BYTES];
    const char *rest = given->network;
    allfold_options_read(&command, argc, argv, given);
    *options = (struct options){.given = given,
                                .name = given->name,
                                .shows_progress = given->progress || isatty(STDERR_FILENO) != 0};
    while (allfold_options_next(&rest, network, sizeof network))
        read_network(options, network);
    read_shapes(options, given->nodes);
    read_collectives(options, given->collective);
    read_operations(options, given->operation);
    read_sizes(options, given->bytes);
    if (options->given->csv == NULL)
        allfold_options_refuse(given, "--csv FILE is needed: it keeps what was simulated");
    if (allfold_tune_is_same_file(options->given->csv, options->given->output))
        allfold_options_refuse(given, "--csv and --output: %s; expected two files",
                               options->given->csv);
    if (options->name == NULL)
        options->name = options->networks[0].name;
    if (strpbrk(options->name, ",\"\n") != NULL)
        allfold_options_refuse(given, "--name: '%s'; expected no comma and no quote",
                               options->name);
}

/* --- tasks --- */

static const char csv_head[] = "collective,operation,network,nodes,ppn,placement,from_bytes,bytes,"
                               "algorithm,us,runner_up,runner_up_us,regret,settings";
enum {
    COLLECTIVE,
    OPERATION,
    NETWORK,
    NODES,
    PPN,
    PLACEMENT,
    FROM_BYTES,
    BYTES,
    ALGORITHM,
    US,
    SETTINGS,
    COLUMNS
};
static const char *const columns[COLUMNS] = {"collective", "operation", "network",    "nodes",
                                             "ppn",        "placement", "from_bytes", "bytes",
                                             "algorithm",  "us",        "settings"};

/* All that are asked for; what needs no order of the operands has one kind of operation. */
static bool list_tasks(const struct options *options, struct tasks *tasks)
{
    for (int shape = 0; shape < options->shape_count; shape++)
        for (int c = 0; c < ALLFOLD_COLLECTIVE_COUNT; c++)
            for (int o = 0; o < OPERATIONS; o++) {
                const enum allfold_collective collective = (enum allfold_collective)c;
                if (!options->has_collective[c] || !options->has_operation[o] ||
                    (o != COMMUTATIVE && !allfold_has_operation(collective)))
                    continue;
                void *room = allfold_make_room(tasks->tasks, tasks->count, &tasks->capacity,
                                               sizeof *tasks->tasks);
                if (room == NULL)
                    return false;
                tasks->tasks = room;
                tasks->tasks[tasks->count++] =
                    (struct task){collective, (enum operation)o, options->shapes[shape]};
            }
    return true;
}

struct known {
    const struct options *options;
    struct tasks *tasks;
};

static bool is_same(const struct task *task, const char *const *cells)
{
    long nodes, ppn;
    return strcmp(allfold_collective_name(task->collective), cells[COLLECTIVE]) == 0 &&
           strcmp(operation_names[task->operation], cells[OPERATION]) == 0 &&
           allfold_whole_is(cells[NODES], 1, INT_MAX, &nodes) && task->shape.nodes == nodes &&
           allfold_whole_is(cells[PPN], 1, INT_MAX, &ppn) && task->shape.ppn == ppn &&
           strcmp(task->shape.placement, cells[PLACEMENT]) == 0;
}

/* Takes the task of a line away from those that are left. */
static bool take_known(void *context, int line, const char *const *cells, char *message,
                       size_t message_bytes)
{
    struct known *known = context;
    (void)line;
    if (strcmp(cells[NETWORK], known->options->name) != 0)
        return true;
    char settings[20];
    snprintf(settings, sizeof settings, "%016llx", (unsigned long long)known->options->settings);
    if (strcmp(cells[SETTINGS], settings) != 0) {
        snprintf(
            message, message_bytes,
            "rows of %.40s that were simulated on other networks, with other sizes, or with or "
            "without --untold; expected another --csv or --name",
            known->options->name);
        return false;
    }
    for (uint32_t i = 0; i < known->tasks->count; i++)
        if (is_same(&known->tasks->tasks[i], cells))
            known->tasks->tasks[i] = known->tasks->tasks[--known->tasks->count];
    return true;
}

static bool place(const struct options *options, const struct task *task,
                  struct allfold_tool_placed *placed, struct allfold_search_site *sites)
{
    for (int i = 0; i < options->network_count; i++) {
        const struct allfold_network *network = &options->networks[i];
        const char *how = task->shape.placement;
        if (!allfold_tool_place("tune", how, task->shape.nodes, task->shape.ppn, &placed[i]) ||
            !(options->given->untold
                  ? allfold_tool_divide("tune", how, network->sockets, &placed[i].nodes)
                  : allfold_tool_group("tune", how, network, placed[i].hosts, &placed[i].nodes)))
            return false;
        sites[i] = (struct allfold_search_site){network, placed[i].nodes, placed[i].hosts};
    }
    return true;
}

/* From which size on the second of two algorithms is the better one, of which the first is at
 * `below` and the second at `above`: by halving the range of their logarithms. */
static size_t boundary_of(const struct allfold_search *search, const char *first,
                          const char *second, size_t below, size_t above)
{
    enum { STEPS = 3 };
    double first_s[ALLFOLD_SEARCH_SITES], second_s[ALLFOLD_SEARCH_SITES];
    struct allfold_search at = *search;
    for (int step = 0; step < STEPS; step++) {
        const size_t middle =
            (size_t)(sqrt((double)below * (double)above) / ELEMENT_BYTES) * ELEMENT_BYTES;
        double gain = 0;
        if (middle <= below || middle >= above)
            break;
        at.bytes = middle;
        const bool has_first = allfold_search_time(&at, first, first_s);
        const bool has_second = allfold_search_time(&at, second, second_s);
        for (int i = 0; has_first && has_second && i < at.site_count; i++)
            gain += log(first_s[i] / second_s[i]);
        if (has_second && (gain > 0 || !has_first))
            above = middle;
        else
            below = middle;
    }
    return above;
}

/* The time of a row: of several networks the geometric mean. */
static double us_of(const struct allfold_found *found, int sites)
{
    double sum = 0;
    for (int i = 0; i < sites; i++)
        sum += log(found->time_s[i]);
    return found->name[0] == '\0' ? 0 : 1e6 * exp(sum / sites);
}

static int write_row(const struct options *options, const struct task *task, size_t from,
                     size_t bytes, const struct allfold_search_result *result, char *text,
                     size_t text_bytes)
{
    const int sites = options->network_count;
    return snprintf(
        text, text_bytes, "%s,%s,%s,%d,%d,%s,%zu,%zu,\"%s\",%.3f,\"%s\",%.3f,%.3f,%016llx\n",
        allfold_collective_name(task->collective), operation_names[task->operation], options->name,
        task->shape.nodes, task->shape.ppn, task->shape.placement, from, bytes, result->best.name,
        us_of(&result->best, sites), result->next.name, us_of(&result->next, sites),
        result->best.regret, (unsigned long long)options->settings);
}

/* Searches at each size, and for the bounds between sizes whose best differ. The length of the rows
 * in `text`, or negative. */
static int search_task(const struct options *options, const struct task *task,
                       const struct allfold_search_site *sites, char *text, size_t text_bytes)
{
    struct allfold_search search = {.collective = task->collective,
                                    .element_bytes = ELEMENT_BYTES,
                                    .keeps_order = task->operation == ORDERED,
                                    .canonical = task->operation == CANONICAL,
                                    .sites = sites,
                                    .site_count = options->network_count};
    struct allfold_search_result result, last = {.simulated = 0};
    int at = 0;
    const bool is_barrier = allfold_traits(task->collective)->may_repeat;
    for (int i = 0; i < options->sizes.count && (i == 0 || !is_barrier); i++) {
        size_t from = i == 0 ? 0 : options->sizes.sizes[i];
        search.bytes = options->sizes.sizes[i];
        const enum allfold_error error = allfold_search_run(&search, &result);
        if (error == ALLFOLD_UNMET_NEED)
            continue;
        if (error != ALLFOLD_OK) {
            allfold_tune_say(FAILED, "%s on %d x %d: %s", allfold_collective_name(task->collective),
                             task->shape.nodes, task->shape.ppn, result.message);
            return -1;
        }
        if (last.best.name[0] != '\0' && strcmp(last.best.name, result.best.name) != 0)
            from = boundary_of(&search, last.best.name, result.best.name,
                               options->sizes.sizes[i - 1], search.bytes);
        at += write_row(options, task, from, search.bytes, &result, text + at,
                        text_bytes - (size_t)at);
        if (at < 0 || (size_t)at >= text_bytes)
            return -1;
        last = result;
    }
    return at;
}

/* Does a task and appends its rows at once. */
static bool do_task(const struct options *options, const struct task *task, int csv)
{
    struct allfold_tool_placed placed[ALLFOLD_SEARCH_SITES] = {{NULL, NULL}};
    struct allfold_search_site sites[ALLFOLD_SEARCH_SITES];
    static char text[ROWS_BYTES];
    int length = -1;
    if (place(options, task, placed, sites))
        length = search_task(options, task, sites, text, sizeof text);
    for (int i = 0; i < options->network_count; i++)
        allfold_tool_placed_free(&placed[i]);
    return length >= 0 && write(csv, text, (size_t)length) == length;
}

/* --- workers --- */

static void show(const struct options *options, uint32_t done, uint32_t count)
{
    char text[40];
    if (!options->shows_progress)
        return;
    snprintf(text, sizeof text, ", %u of %u", done, count);
    allfold_tool_show_share((double)done / count, text);
    if (done == count)
        fprintf(stderr, "\n");
}

/* Starts a worker for one task. Returns false if that fails. */
static bool start(const struct options *options, const struct task *task, int csv)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        _exit(do_task(options, task, csv) ? 0 : FAILED);
    return child > 0;
}

/* Waits for one worker. Returns false if it failed. */
static bool wait_for_one(void)
{
    int ended = -1;
    while (wait(&ended) < 0 && errno == EINTR)
        ;
    return WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
}

static bool work(const struct options *options, const struct tasks *tasks, int csv)
{
    uint32_t done = 0, running = 0;
    bool is_well = true;
    for (uint32_t i = 0; i < tasks->count || running > 0;) {
        if (is_well && i < tasks->count && running < (uint32_t)options->given->jobs) {
            is_well = start(options, &tasks->tasks[i++], csv);
            running += is_well;
            continue;
        }
        if (running == 0)
            break;
        is_well &= wait_for_one();
        running--;
        show(options, ++done, tasks->count);
    }
    return is_well;
}

/* --- the table --- */

struct rows {
    const struct options *options;
    struct allfold_table_row *rows;
    uint32_t count, capacity;
};

static unsigned arrangements_of(const char *placement, int ppn)
{
    if (ppn == 1)
        return ALLFOLD_ANY_ARRANGEMENT;
    return placement[0] == 'b'   ? allfold_only(ALLFOLD_IN_BLOCKS)
           : placement[0] == 'c' ? allfold_only(ALLFOLD_CYCLIC)
                                 : allfold_only(ALLFOLD_IRREGULAR);
}

static bool is_next(const struct allfold_table_row *last, const struct allfold_table_row *row)
{
    return last->collective == row->collective && last->nodes == row->nodes &&
           last->ppn == row->ppn && last->arrangements == row->arrangements &&
           last->commutative == row->commutative && last->from_bytes < row->from_bytes;
}

/* Rows of a task follow each other, so the next row begins at the size at which the last one ends.
 * A table has no rows for canonical sums. */
static bool take_row(void *context, int line, const char *const *cells, char *message,
                     size_t message_bytes)
{
    struct rows *rows = context;
    const struct allfold_algorithm *algorithm;
    struct allfold_parameters parameters;
    const enum allfold_collective collective = allfold_collective_find(cells[COLLECTIVE]);
    long from, nodes, ppn;
    double us;
    (void)line;
    if (strcmp(cells[NETWORK], rows->options->name) != 0 ||
        strcmp(cells[OPERATION], operation_names[CANONICAL]) == 0)
        return true;
    snprintf(message, message_bytes, "no row of a simulation");
    if (collective == ALLFOLD_COLLECTIVE_COUNT ||
        !allfold_whole_is(cells[FROM_BYTES], 0, INT_MAX, &from) ||
        !allfold_whole_is(cells[NODES], 1, INT_MAX, &nodes) ||
        !allfold_whole_is(cells[PPN], 1, INT_MAX, &ppn) || !allfold_number_is(cells[US], &us) ||
        allfold_algorithm_read(collective, cells[ALGORITHM], &algorithm, &parameters, message,
                               message_bytes) != ALLFOLD_OK)
        return false;
    const bool reduces = allfold_has_operation(collective);
    struct allfold_table_row row = {
        .collective = collective,
        .nodes = (int)nodes,
        .ppn = (int)ppn,
        .p = (int)(nodes * ppn),
        .arrangements = arrangements_of(cells[PLACEMENT], (int)ppn),
        .commutative = !reduces ? ALLFOLD_ANY_TRUTH
                                : allfold_only(strcmp(cells[OPERATION], operation_names[0]) == 0),
        .exact = ALLFOLD_ANY_TRUTH,
        .from_bytes = (size_t)from,
        .to_bytes = SIZE_MAX,
        .algorithm = algorithm,
        .parameters = parameters,
        .us = us,
    };
    void *room = allfold_make_room(rows->rows, rows->count, &rows->capacity, sizeof row);
    if (room == NULL)
        return false;
    rows->rows = room;
    if (rows->count > 0 && is_next(&rows->rows[rows->count - 1], &row))
        rows->rows[rows->count - 1].to_bytes = row.from_bytes;
    rows->rows[rows->count++] = row;
    return true;
}

static int write_table(const struct options *options)
{
    char message[ALLFOLD_MESSAGE_BYTES] = "no memory";
    struct rows rows = {.options = options};
    struct allfold_tune_job job;
    struct allfold_table *table = NULL;
    allfold_tune_begin(&job);
    snprintf(job.head.mpi, sizeof job.head.mpi, "simulated: %s", options->name);
    const bool is_written =
        allfold_csv_read(options->given->csv, "allfold tune --simulate", columns, COLUMNS, take_row,
                         &rows, message, sizeof message) &&
        allfold_table_make(&job.head, rows.rows, allfold_tune_join(rows.rows, rows.count), &table,
                           message, sizeof message) == ALLFOLD_OK &&
        allfold_table_write(table, options->given->output, message, sizeof message) == ALLFOLD_OK;
    allfold_table_free(table);
    allfold_free(rows.rows);
    return is_written ? 0 : allfold_tune_say(FAILED, "%s", message);
}

/* Prints that a path leads to no regular file, such as a device or a FIFO, and returns false. Links
 * are followed. */
static bool is_regular(const char *path, const struct stat *status)
{
    if (S_ISREG(status->st_mode))
        return true;
    allfold_tune_say(WRONG_USAGE, "%s: is no regular file; expected one, or a new name", path);
    return false;
}

/* Returns the end of the complete rows of a text whose last line was cut. All rows of a task are
 * written at once, so the rows of the cut line's task are removed, too. */
static size_t whole_end(const char *text, size_t length)
{
    enum { TASK_CELLS = FROM_BYTES };
    size_t end = length, task = 0;
    while (end > 0 && text[end - 1] != '\n')
        end--;
    const char *cut = text + end;
    for (int cells = 0; task < length - end && cells < TASK_CELLS; task++)
        cells += cut[task] == ',';
    for (size_t line = end; end > 0; end = line) {
        line--;
        while (line > 0 && text[line - 1] != '\n')
            line--;
        if (end - line < task || memcmp(text + line, cut, task) != 0)
            break;
    }
    return end;
}

/* Does the text begin with the head, as far as it goes? */
static bool has_head(const char *text, size_t length)
{
    const size_t head = strlen(csv_head);
    return memcmp(text, csv_head, length < head ? length : head) == 0;
}

/* A run that was killed may have left a line without its end. Another file stays as it is; reading
 * it will fail. */
static bool drop_cut_line(int csv, const char *path, size_t length)
{
    char *text = length == 0 ? NULL : malloc(length);
    bool is_well = length == 0 || (text != NULL && pread(csv, text, length, 0) == (ssize_t)length);
    if (is_well && length > 0 && text[length - 1] != '\n' && has_head(text, length)) {
        const size_t end = whole_end(text, length);
        is_well = ftruncate(csv, (off_t)end) == 0;
        fprintf(stderr, "allfold tune: %s: its last line was cut; that task is simulated again\n",
                path);
    }
    free(text);
    return is_well;
}

/* Locks the open CSV file, repairs it, and writes its first line if it is empty. */
static bool begin_csv(int csv, const char *path)
{
    struct stat status;
    if (flock(csv, LOCK_EX | LOCK_NB) != 0) {
        allfold_tune_say(FAILED, "%s: %s", path,
                         errno == EWOULDBLOCK ? "another run writes to it; expected another --csv"
                                              : strerror(errno));
        return false;
    }
    if (fstat(csv, &status) == 0 && drop_cut_line(csv, path, (size_t)status.st_size) &&
        (lseek(csv, 0, SEEK_END) > 0 || dprintf(csv, "%s\n", csv_head) > 0))
        return true;
    allfold_tune_say(FAILED, "%s: %s", path, strerror(errno));
    return false;
}

/* Opens the CSV file to append to, with its first line. Prints a message and returns a negative
 * number if that fails. The lock lasts until the last worker has ended. */
static int open_csv(const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && !is_regular(path, &status)) /* opening it may wait or act */
        return -1;
    const int csv = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (csv < 0)
        allfold_tune_say(FAILED, "%s: %s", path, strerror(errno));
    else if (begin_csv(csv, path))
        return csv;
    else
        close(csv);
    return -1;
}

/* Returns false if out of memory. */
static bool find_settings(struct options *options)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (stream == NULL)
        return false;
    for (int i = 0; i < options->network_count; i++)
        allfold_network_write(&options->networks[i], stream);
    for (int i = 0; i < options->sizes.count; i++)
        fprintf(stream, "%zu,", options->sizes.sizes[i]);
    fprintf(stream, "%d", options->given->untold);
    if (fclose(stream) != 0)
        return false;
    options->settings = allfold_hash(allfold_hash_of_nothing, text, length);
    free(text);
    return true;
}

static int run(struct options *options)
{
    char message[ALLFOLD_MESSAGE_BYTES] = "no memory";
    struct tasks tasks = {.count = 0};
    struct known known = {options, &tasks};
    struct stat output;
    if (options->given->output != NULL && stat(options->given->output, &output) == 0 &&
        !is_regular(options->given->output, &output))
        return WRONG_USAGE;
    const int csv = open_csv(options->given->csv);
    if (csv < 0)
        return FAILED;
    int status = FAILED;
    if (!find_settings(options) || !list_tasks(options, &tasks) ||
        !allfold_csv_read(options->given->csv, "allfold tune --simulate", columns, COLUMNS,
                          take_known, &known, message, sizeof message))
        allfold_tune_say(FAILED, "%s", message);
    else if (!work(options, &tasks, csv))
        allfold_tune_say(FAILED, "a simulation failed; the rows so far are in %s",
                         options->given->csv);
    else
        status = options->given->output == NULL ? 0 : write_table(options);
    close(csv);
    allfold_free(tasks.tasks);
    return status;
}

bool allfold_tune_is_simulated(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--simulate") == 0)
            return true;
    return false;
}

int allfold_tune_simulate(int argc, char **argv)
{
    static struct allfold_options given = {.network = "cluster",
                                           .nodes = "2x1,4x1,8x1,16x1,2x8,4x8,8x8,16x8",
                                           .collective = "allreduce,reduce,bcast",
                                           .operation = "commutative",
                                           .bytes = "8,128,1K,4K,16K,64K,256K,1M,8M"};
    static struct options options;
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    given.jobs = cores < 1 ? 1 : cores > MOST_JOBS ? MOST_JOBS : (int)cores;
    read_options(&options, argc, argv, &given);
    const int status = run(&options);
    for (int i = 0; i < options.network_count; i++)
        allfold_network_clear(&options.networks[i]);
    return status;
}
