/* `allfold table pool`: makes one table from the CSV files of several launches (see table.h). */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/csv.h"
#include "lab/measure/launches.h"
#include "select/rules.h"
#include "select/settings.h"
#include "table/table.h"
#include "tune/tune_table.h"
#include "util/number.h"

enum { FAILED = 1 };

/* Columns of `allfold tune --csv`: numbers, and texts. */
enum {
    RANKS,
    NODES,
    RANKS_PER_NODE,
    BYTES,
    MEDIAN,
    FROM,
    TO,
    CALLS,
    FROM_BYTES,
    TO_BYTES,
    NUMBERS,
    COLLECTIVE = NUMBERS,
    ALGORITHM,
    PLACEMENT,
    TYPE,
    OPERATION,
    HOST,
    PROCESSOR,
    MPI,
    VERSION,
    COLUMNS
};

static const char *const names[COLUMNS] = {
    "p",         "nodes",      "ranks_per_node", "bytes",      "median_us", "from_us",   "to_us",
    "calls",     "from_bytes", "to_bytes",       "collective", "algorithm", "placement", "type",
    "operation", "host",       "processor",      "mpi",        "allfold"};

/* The columns that must be the same in all launches. The host is not among them, because the nodes
 * of a cluster are the same. */
static const int common[] = {RANKS,     NODES, RANKS_PER_NODE, PLACEMENT, TYPE, OPERATION,
                             PROCESSOR, MPI,   VERSION};

struct launch {
    int count;
    enum allfold_collective collectives[ALLFOLD_TUNE_CONTESTS];
    struct allfold_contest contests[ALLFOLD_TUNE_CONTESTS]; /* one size of a collective each */
};

struct pool {
    struct allfold_tuning *tuning;
    char **files;
    int count; /* of launches */
    struct launch *launches[ALLFOLD_LAUNCHES];
    char first[COLUMNS][ALLFOLD_TABLE_TEXT_BYTES]; /* the cells of the first line of all */
};

static bool read_number(int column, const char *text, double *number, char *message,
                        size_t message_bytes)
{
    const bool is_time = column == MEDIAN || column == FROM || column == TO;
    const bool counts = column <= RANKS_PER_NODE || column == CALLS;
    if (column == TO_BYTES && *text == '\0') {
        *number = INFINITY;
        return true;
    }
    const double most = counts ? ALLFOLD_TABLE_MOST_RANKS : 1e15;
    if (allfold_number_is(text, number) && *number <= most &&
        (is_time ? *number > 0 : *number >= counts && *number == floor(*number)))
        return true;
    snprintf(message, message_bytes, "%s is '%s'; expected a %s", names[column], text,
             is_time  ? "time above 0"
             : counts ? "whole number from 1 on"
                      : "number of bytes");
    return false;
}

static bool read_numbers(const char *const *cells, double *numbers, char *message,
                         size_t message_bytes)
{
    for (int i = 0; i < NUMBERS; i++)
        if (!read_number(i, cells[i], &numbers[i], message, message_bytes))
            return false;
    if (numbers[FROM] <= numbers[MEDIAN] && numbers[MEDIAN] <= numbers[TO])
        return true;
    snprintf(message, message_bytes, "median_us is %s; expected a time from %s to %s, its interval",
             cells[MEDIAN], cells[FROM], cells[TO]);
    return false;
}

/* The first line describes all launches. */
static void keep_first(struct pool *pool, const char *const *cells, const double *numbers)
{
    struct allfold_tune_job *job = &pool->tuning->job;
    for (int i = 0; i < COLUMNS; i++)
        snprintf(pool->first[i], sizeof pool->first[i], "%s", cells[i]);
    job->p = (int)numbers[RANKS];
    job->nodes = (int)numbers[NODES];
    job->most = (int)numbers[RANKS_PER_NODE];
    snprintf(job->placement, sizeof job->placement, "%s", cells[PLACEMENT]);
    memcpy(job->head.host, pool->first[HOST], sizeof job->head.host);
    memcpy(job->head.processor, pool->first[PROCESSOR], sizeof job->head.processor);
    memcpy(job->head.mpi, pool->first[MPI], sizeof job->head.mpi);
    memcpy(job->head.allfold, pool->first[VERSION], sizeof job->head.allfold);
    pool->tuning->type = pool->first[TYPE];
}

static bool check_common(struct pool *pool, const char *const *cells, const double *numbers,
                         char *message, size_t message_bytes)
{
    if (pool->first[COLLECTIVE][0] == '\0')
        keep_first(pool, cells, numbers);
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (strcmp(cells[common[i]], pool->first[common[i]]) != 0) {
            snprintf(message, message_bytes,
                     "%s is '%s'; expected '%s' as in %s, as launches are pooled only of the same",
                     names[common[i]], cells[common[i]], pool->first[common[i]], pool->files[0]);
            return false;
        }
    return true;
}

/* Returns NULL if the launch did not measure it. */
static struct allfold_contest *find(struct launch *launch, enum allfold_collective collective,
                                    size_t bytes)
{
    for (int i = 0; i < launch->count; i++)
        if (launch->collectives[i] == collective && launch->contests[i].bytes == bytes)
            return &launch->contests[i];
    return NULL;
}

/* Returns the launch's contest of a line; a new one if it is the first line of a contest. */
static struct allfold_contest *
find_or_add(struct launch *launch, enum allfold_collective collective, const double *numbers)
{
    struct allfold_contest *contest = find(launch, collective, (size_t)numbers[BYTES]);
    if (contest != NULL || launch->count == ALLFOLD_TUNE_CONTESTS)
        return contest;
    contest = &launch->contests[launch->count];
    contest->bytes = (size_t)numbers[BYTES];
    contest->from_bytes = (size_t)numbers[FROM_BYTES];
    contest->to_bytes = isinf(numbers[TO_BYTES]) ? SIZE_MAX : (size_t)numbers[TO_BYTES];
    launch->collectives[launch->count++] = collective;
    return contest;
}

/* Does each launch before have that size for the same range? */
static bool check_range(const struct pool *pool, enum allfold_collective collective,
                        const struct allfold_contest *contest, char *message, size_t message_bytes)
{
    for (int i = 0; i < pool->count; i++) {
        const struct allfold_contest *other = find(pool->launches[i], collective, contest->bytes);
        if (other == NULL ||
            (other->from_bytes == contest->from_bytes && other->to_bytes == contest->to_bytes))
            continue;
        snprintf(message, message_bytes,
                 "its size stands for others than in %s; expected launches with the same --bytes",
                 pool->files[i]);
        return false;
    }
    return true;
}

/* Reads the next line of a launch. */
static bool take_line(void *context, int line, const char *const *cells, char *message,
                      size_t message_bytes)
{
    struct pool *pool = context;
    double numbers[NUMBERS];
    struct allfold_contest_entry entry;
    const enum allfold_collective collective = allfold_collective_find(cells[COLLECTIVE]);
    (void)line;
    if (collective == ALLFOLD_COLLECTIVE_COUNT) {
        snprintf(message, message_bytes, "'%s' is no collective; `allfold list` has them all",
                 cells[COLLECTIVE]);
        return false;
    }
    if (!read_numbers(cells, numbers, message, message_bytes) ||
        !check_common(pool, cells, numbers, message, message_bytes) ||
        allfold_algorithm_read(collective, cells[ALGORITHM], &entry.algorithm, &entry.parameters,
                               message, message_bytes) != ALLFOLD_OK)
        return false;
    entry.median_us = numbers[MEDIAN];
    entry.low_us = numbers[FROM];
    entry.high_us = numbers[TO];
    entry.samples = (int)numbers[CALLS];
    struct allfold_contest *contest = find_or_add(pool->launches[pool->count], collective, numbers);
    if (contest == NULL || contest->count == ALLFOLD_CONTEST_ENTRIES) {
        snprintf(message, message_bytes, "more than %d sizes, or than %d algorithms at one",
                 ALLFOLD_TUNE_CONTESTS, ALLFOLD_CONTEST_ENTRIES);
        return false;
    }
    if (allfold_contest_find(contest, &entry) != NULL) {
        snprintf(message, message_bytes,
                 "%s of %s bytes is there twice; expected one launch a file", cells[ALGORITHM],
                 cells[BYTES]);
        return false;
    }
    contest->entries[contest->count++] = entry;
    return check_range(pool, collective, contest, message, message_bytes);
}

/* Finds the launches' contests of the shortest vector of at least `least` bytes. Returns false if
 * there is none. */
static bool find_next(const struct pool *pool, enum allfold_collective collective, size_t least,
                      const struct allfold_contest **contests, size_t *bytes)
{
    *bytes = SIZE_MAX;
    for (int i = 0; i < pool->count; i++)
        for (int j = 0; j < pool->launches[i]->count; j++) {
            const size_t own = pool->launches[i]->contests[j].bytes;
            if (pool->launches[i]->collectives[j] == collective && own >= least && own < *bytes)
                *bytes = own;
        }
    for (int i = 0; i < pool->count; i++)
        contests[i] = find(pool->launches[i], collective, *bytes);
    return *bytes != SIZE_MAX;
}

static int pool_collective(struct pool *pool, enum allfold_collective collective)
{
    const struct allfold_contest *contests[ALLFOLD_LAUNCHES];
    struct allfold_contest pooled;
    int status = 0;
    size_t bytes;
    for (size_t least = 0; status == 0 && find_next(pool, collective, least, contests, &bytes);
         least = bytes + 1)
        if (allfold_launches_pool(contests, pool->count, &pooled))
            status = allfold_tuning_add(pool->tuning, collective, &pooled);
        else
            allfold_tune_say(0,
                             "%s of %zu bytes is left out: native is in no more than half of the "
                             "launches",
                             allfold_collective_name(collective), bytes);
    return status;
}

static int read_launches(struct pool *pool, const struct allfold_options *options)
{
    char message[ALLFOLD_MESSAGE_BYTES] = "no memory";
    for (int i = 0; i < options->word_count - 1; i++) {
        pool->launches[i] = calloc(1, sizeof *pool->launches[i]);
        if (pool->launches[i] == NULL ||
            !allfold_csv_read(options->words[i + 1], "allfold tune --csv", names, COLUMNS,
                              take_line, pool, message, sizeof message))
            return allfold_tune_say(FAILED, "%s", message);
        if (pool->launches[i]->count == 0)
            return allfold_tune_say(FAILED, "%s: it has nothing that was measured",
                                    options->words[i + 1]);
        pool->count++;
    }
    return 0;
}

int allfold_tool_table_pool(const struct allfold_options *options)
{
    struct pool pool = {.files = options->words + 1,
                        .tuning = allfold_tuning_open(options, "table pool")};
    int status = pool.tuning == NULL ? FAILED : read_launches(&pool, options);
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT && status == 0; i++)
        status = pool_collective(&pool, (enum allfold_collective)i);
    if (status == 0 && pool.tuning->count == 0)
        status = allfold_tune_say(FAILED, "nothing was measured in more than half of the launches");
    for (int i = 0; i < options->word_count - 1; i++)
        free(pool.launches[i]);
    allfold_tuning_close(pool.tuning);
    return status;
}
