/* Makes a table from the measurements of `allfold tune` (see tune_table.h). */
#include "tune/tune_table.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "common.h"
#include "machine.h"
#include "select/rules.h"
#include "select/settings.h"
#include "select/table_file.h"
#include "util/csv.h"
#include "util/number.h"

enum { FAILED = 1, WRONG_USAGE = 2 };

void allfold_tune_begin(struct allfold_tune_job *job)
{
    struct utsname name;
    *job = (struct allfold_tune_job){.head = {.allfold = ALLFOLD_VERSION}};
    uname(&name);
    snprintf(job->head.host, sizeof job->head.host, "%s", name.nodename);
    allfold_machine_processor(job->head.processor, sizeof job->head.processor);
}

/* Reads the table of a file that may not exist: then *table is NULL. Prints a message and returns
 * false if it cannot be read. */
static bool read_table(const char *path, struct allfold_table **table)
{
    char message[ALLFOLD_MESSAGE_BYTES] = "no memory";
    FILE *file = fopen(path, "r");
    *table = NULL;
    if (file == NULL && errno == ENOENT)
        return true;
    if (file != NULL)
        fclose(file);
    if (allfold_table_read(path, allfold_table_parse, table, message, sizeof message) == ALLFOLD_OK)
        return true;
    allfold_tune_say(FAILED, "%s", message);
    return false;
}

/* Puts a table over an older one, which may be NULL, and writes that. */
static int write_over(const char *path, const struct allfold_table *older,
                      const struct allfold_table *newer)
{
    char message[ALLFOLD_MESSAGE_BYTES] = "no memory";
    struct allfold_table *merged = NULL;
    enum allfold_error error = ALLFOLD_OK;
    if (older != NULL)
        error = allfold_table_merge(older, newer, &merged, message, sizeof message);
    if (error == ALLFOLD_OK)
        error = allfold_table_write(merged == NULL ? newer : merged, path, message, sizeof message);
    allfold_table_free(merged);
    return error == ALLFOLD_OK ? 0 : allfold_tune_say(FAILED, "%s", message);
}

/* Returns whether `row` follows `last`, with the same algorithm for the same calls but longer
 * vectors. */
static bool continues(const struct allfold_table_row *last, const struct allfold_table_row *row)
{
    return last->to_bytes == row->from_bytes && last->algorithm == row->algorithm &&
           memcmp(&last->parameters, &row->parameters, sizeof row->parameters) == 0 &&
           last->collective == row->collective && last->nodes == row->nodes &&
           last->ppn == row->ppn && last->p == row->p && last->arrangements == row->arrangements &&
           last->commutative == row->commutative && last->exact == row->exact;
}

uint32_t allfold_tune_join(struct allfold_table_row *rows, uint32_t count)
{
    uint32_t joined = 0;
    for (uint32_t i = 0; i < count; i++)
        if (joined > 0 && continues(&rows[joined - 1], &rows[i]))
            rows[joined - 1].to_bytes = rows[i].to_bytes;
        else
            rows[joined++] = rows[i];
    return joined;
}

static int make_and_write(const char *path, const struct allfold_tune_job *job,
                          const struct allfold_table_row *rows, uint32_t count,
                          const struct allfold_table *older)
{
    char message[ALLFOLD_MESSAGE_BYTES] = "no memory";
    struct allfold_table_head head = job->head;
    struct allfold_table *newer = NULL;
    struct tm tm;
    const time_t now = time(NULL);
    strftime(head.created, sizeof head.created, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
    if (allfold_table_make(&head, rows, count, &newer, message, sizeof message) != ALLFOLD_OK)
        return allfold_tune_say(FAILED, "%s", message);
    const int status = write_over(path, older, newer);
    allfold_table_free(newer);
    return status;
}

/* --- rows --- */

static unsigned arrangements_of(const struct allfold_tune_job *job)
{
    if (job->nodes == 1 || job->most == 1)
        return ALLFOLD_ANY_ARRANGEMENT;
    for (unsigned i = ALLFOLD_IN_BLOCKS; i < ALLFOLD_IRREGULAR; i++)
        if (strcmp(allfold_arrangement_name((enum allfold_arrangement)i), job->placement) == 0)
            return allfold_only(i);
    return allfold_only(ALLFOLD_IRREGULAR);
}

static bool is_exact(const char *type)
{
    return strstr(type, "int") != NULL || strcmp(type, "byte") == 0 || strcmp(type, "long") == 0 ||
           strcmp(type, "char") == 0 || strcmp(type, "short") == 0;
}

/* What an algorithm that needs it was measured with, it holds for alone. */
static struct allfold_table_row row_of(const struct allfold_tuning *t,
                                       const struct allfold_contest_row *row)
{
    const bool is_ordered = row->algorithm == NULL || allfold_is_ordered(row->algorithm);
    return (struct allfold_table_row){
        .collective = t->collective,
        .nodes = t->job.nodes,
        .ppn = t->job.most,
        .p = t->job.p,
        .arrangements = arrangements_of(&t->job),
        .commutative = is_ordered ? ALLFOLD_ANY_TRUTH : allfold_only(1),
        .exact = is_exact(t->type) ? allfold_only(1) : ALLFOLD_ANY_TRUTH,
        .from_bytes = row->from_bytes,
        .to_bytes = row->to_bytes,
        .algorithm = row->algorithm,
        .parameters = row->parameters,
        .us = row->us,
        .native_us = row->native_us,
        .samples = (uint32_t)row->samples,
    };
}

static void make_rows(struct allfold_tuning *t)
{
    const double tolerance = 0.03;
    struct allfold_contest_row rows[ALLFOLD_TUNE_CONTESTS];
    const int count =
        allfold_contest_rows(t->contests + t->begin, t->count - t->begin, tolerance, rows);
    t->row_count = t->done_rows;
    for (int i = 0; i < count; i++)
        t->rows[t->row_count++] = row_of(t, &rows[i]);
}

/* --- what is told --- */

static void print_head(const struct allfold_tuning *t)
{
    printf("# Allfold %s %s: %s, %s, p = %d, %d x %d, to %s\n", ALLFOLD_VERSION, t->source,
           t->job.head.host, t->job.head.mpi, t->job.p, t->job.nodes, t->job.most, t->output);
    printf("# %-20s %10s %10s %10s %7s  %s\n", "collective", "bytes", "us", "native", "calls",
           "winner (and what was close)");
}

/* The entries within a tenth of the winner, the nearest first. */
static void print_close(const struct allfold_contest *contest, int winner)
{
    const double close = 1.1;
    bool shown[ALLFOLD_CONTEST_ENTRIES] = {false}, any = false;
    shown[winner] = true;
    for (int n = 0; n < contest->count; n++) {
        int next = -1;
        for (int i = 0; i < contest->count; i++)
            if (!shown[i] &&
                contest->entries[i].median_us <= close * contest->entries[winner].median_us &&
                (next < 0 || contest->entries[i].median_us < contest->entries[next].median_us))
                next = i;
        if (next < 0)
            break;
        char name[ALLFOLD_NAME_BYTES];
        allfold_algorithm_write(contest->entries[next].algorithm,
                                &contest->entries[next].parameters, name, sizeof name);
        printf("%s%s %.2f", n == 0 ? " (" : ", ", name,
               contest->entries[next].median_us / contest->entries[winner].median_us);
        shown[next] = true;
        any = true;
    }
    printf("%s\n", any ? ")" : "");
}

static void print_contest(const struct allfold_tuning *t, const struct allfold_contest *contest)
{
    const int winner = allfold_contest_winner(contest);
    char name[ALLFOLD_NAME_BYTES];
    if (winner < 0)
        return;
    const struct allfold_contest_entry *best = &contest->entries[winner];
    allfold_algorithm_write(best->algorithm, &best->parameters, name, sizeof name);
    allfold_tool_clear_share();
    printf("  %-20s %10zu %10.2f %10.2f %7d  %s", allfold_collective_name(t->collective),
           contest->bytes, best->median_us, contest->entries[0].median_us, best->samples, name);
    print_close(contest, winner);
    fflush(stdout);
}

struct allfold_tuning *allfold_tuning_open(const struct allfold_options *options,
                                           const char *source)
{
    struct allfold_tuning *t = calloc(1, sizeof *t);
    if (t == NULL) {
        allfold_tune_say(FAILED, "no memory");
        return NULL;
    }
    t->output = options->output;
    t->type = options->type;
    t->source = source;
    t->collective = ALLFOLD_COLLECTIVE_COUNT;
    allfold_tune_begin(&t->job);
    if (!options->resume || read_table(t->output, &t->older))
        return t;
    allfold_tuning_close(t);
    return NULL;
}

void allfold_tuning_close(struct allfold_tuning *t)
{
    if (t != NULL)
        allfold_table_free(t->older);
    free(t);
}

int allfold_tuning_add(struct allfold_tuning *t, enum allfold_collective collective,
                       const struct allfold_contest *contest)
{
    if (t->count == ALLFOLD_TUNE_CONTESTS)
        return allfold_tune_say(FAILED, "more than %d sizes", ALLFOLD_TUNE_CONTESTS);
    if (t->count == 0)
        print_head(t);
    if (collective != t->collective) {
        t->begin = t->count;
        t->done_rows = t->row_count;
        t->collective = collective;
    }
    t->contests[t->count++] = *contest;
    print_contest(t, contest);
    make_rows(t);
    t->row_count = allfold_tune_join(t->rows, t->row_count);
    return make_and_write(t->output, &t->job, t->rows, t->row_count, t->older);
}

int allfold_tune_merge(const struct allfold_options *options)
{
    struct allfold_table *all = NULL, *next = NULL, *merged = NULL;
    char message[ALLFOLD_MESSAGE_BYTES] = "no memory";
    int status = 0;
    for (int i = 1; i < options->word_count && status == 0; i++) {
        enum allfold_error error = allfold_table_read(options->words[i], allfold_table_parse, &next,
                                                      message, sizeof message);
        if (error == ALLFOLD_OK && all != NULL) {
            error = allfold_table_merge(all, next, &merged, message, sizeof message);
            allfold_table_free(all);
            allfold_table_free(next);
            all = merged;
        } else {
            all = error == ALLFOLD_OK ? next : all;
        }
        if (error != ALLFOLD_OK)
            status = allfold_tune_say(FAILED, "%s", message);
    }
    if (status == 0)
        status = write_over(options->output, NULL, all);
    allfold_table_free(all);
    return status;
}

int allfold_tune_check(const struct allfold_options *options)
{
    char message[ALLFOLD_MESSAGE_BYTES] = "no memory";
    int status = 0;
    for (int i = 1; i < options->word_count; i++) {
        struct allfold_table *table = NULL;
        if (allfold_table_read(options->words[i], allfold_table_parse, &table, message,
                               sizeof message) == ALLFOLD_OK)
            printf("%s: %u rows, %s\n", options->words[i], table->count, table->head.mpi);
        else
            status = allfold_tune_say(FAILED, "%s", message);
        allfold_table_free(table);
    }
    return status;
}

/* --- a measurement: what the part that measures tells becomes contests, and a CSV ------------- */

struct measured {
    const struct allfold_options *options;
    struct allfold_tuning *tuning;
    FILE *csv;
    enum allfold_collective collective; /* of the size that is being read */
    struct allfold_contest contest;
};

static bool open_csv(struct measured *m)
{
    if (m->options->csv == NULL)
        return true;
    m->csv = allfold_tune_csv_open(
        m->options->csv,
        "collective,p,nodes,ranks_per_node,bytes,algorithm,median_us,from_us,to_us,calls,"
        "expected_us,model,from_bytes,to_bytes,placement,type,operation,host,processor,mpi,"
        "allfold");
    return m->csv != NULL;
}

/* What the launch was on, in each line: `allfold table pool` compares it. */
static void write_launch(const struct measured *m)
{
    const struct allfold_tune_job *job = &m->tuning->job;
    const char *const texts[] = {job->placement,   m->tuning->type,     m->options->operation,
                                 job->head.host,   job->head.processor, job->head.mpi,
                                 job->head.allfold};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        putc(',', m->csv);
        allfold_csv_write_text(m->csv, texts[i]);
    }
    putc('\n', m->csv);
}

static void write_csv(const struct measured *m, const char *name,
                      const struct allfold_contest_entry *entry, double expected_us, int is_models)
{
    const struct allfold_tune_job *job = &m->tuning->job;
    if (m->csv == NULL)
        return;
    fprintf(m->csv, "%s,%d,%d,%d,%zu,\"%s\",%.6g,%.6g,%.6g,%d,%.6g,%d,%zu,",
            allfold_collective_name(m->collective), job->p, job->nodes, job->most, m->contest.bytes,
            name, entry->median_us, entry->low_us, entry->high_us, entry->samples, expected_us,
            is_models, m->contest.from_bytes);
    if (m->contest.to_bytes != SIZE_MAX) /* empty: no bound */
        fprintf(m->csv, "%zu", m->contest.to_bytes);
    write_launch(m);
}

static bool take_entry(struct measured *m, const char *line)
{
    double expected_us;
    int is_models;
    char name[ALLFOLD_NAME_BYTES], times[4][40], message[ALLFOLD_MESSAGE_BYTES];
    struct allfold_contest_entry entry = {.samples = 0};
    if (m->contest.count == ALLFOLD_CONTEST_ENTRIES ||
        sscanf(line, "entry\t%511[^\t]\t%39s\t%39s\t%39s\t%d\t%39s\t%d", name, times[0], times[1],
               times[2], &entry.samples, times[3], &is_models) != 7 ||
        !allfold_number_is(times[0], &entry.median_us) ||
        !allfold_number_is(times[1], &entry.low_us) ||
        !allfold_number_is(times[2], &entry.high_us) ||
        !allfold_number_is(times[3], &expected_us) ||
        allfold_algorithm_read(m->collective, name, &entry.algorithm, &entry.parameters, message,
                               sizeof message) != ALLFOLD_OK)
        return false;
    m->contest.entries[m->contest.count++] = entry;
    write_csv(m, name, &entry, expected_us, is_models);
    return true;
}

static bool take_shape(struct measured *m, const char *line)
{
    char name[40];
    struct allfold_contest contest = {.count = 0};
    if (sscanf(line, "shape\t%39s\t%zu\t%zu\t%zu", name, &contest.bytes, &contest.from_bytes,
               &contest.to_bytes) != 4)
        return false;
    if (contest.to_bytes == 0)
        contest.to_bytes = SIZE_MAX;
    m->contest = contest;
    m->collective = allfold_collective_find(name);
    return m->collective != ALLFOLD_COLLECTIVE_COUNT;
}

/* So that these times are not compared with those of single calls. */
static int take_loop(void)
{
    allfold_tool_clear_share();
    printf("# calls follow each other, as in a program; a time is a call's mean\n");
    return 0;
}

/* The CSV has only complete sizes, also if the tuning is ended early. */
static int take_end(struct measured *m)
{
    if (m->csv != NULL)
        fflush(m->csv);
    return allfold_tuning_add(m->tuning, m->collective, &m->contest);
}

static int take_line(struct measured *m, const char *line)
{
    bool fits = true;
    if (allfold_tune_take_line(&m->tuning->job, line))
        return 0;
    if (strncmp(line, "shape\t", 6) == 0)
        fits = take_shape(m, line);
    else if (strncmp(line, "entry\t", 6) == 0)
        fits = take_entry(m, line);
    else if (strncmp(line, "end", 3) == 0)
        return take_end(m);
    else if (strncmp(line, "loop", 4) == 0)
        return take_loop();
    return fits ? 0
                : allfold_tune_say(FAILED, "the measurement told what makes no sense: %s", line);
}

static int take_all(struct measured *m, FILE *stream)
{
    char line[2048];
    int status = open_csv(m) ? 0 : FAILED;
    while (status == 0 && fgets(line, sizeof line, stream) != NULL)
        status = take_line(m, line);
    allfold_tool_clear_share();
    if (m->csv != NULL && !allfold_tune_csv_close(m->csv, m->options->csv))
        status = FAILED;
    if (m->tuning->job.error[0] != '\0')
        status = allfold_tune_say(WRONG_USAGE, "%s", m->tuning->job.error);
    else if (status == 0 && m->tuning->count == 0)
        printf("# nothing is left to be measured for %s\n", m->options->output);
    return status;
}

int allfold_tune_table(const struct allfold_options *options, FILE *stream)
{
    static struct measured m;
    m = (struct measured){.options = options, .tuning = allfold_tuning_open(options, "tune")};
    const int status = m.tuning == NULL ? FAILED : take_all(&m, stream);
    allfold_tuning_close(m.tuning);
    return status;
}
