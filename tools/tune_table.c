/* `allfold tune`: from what was measured to a table (see tune.h). */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "machine.h"
#include "measure/contest.h"
#include "select/rules.h"
#include "select/settings.h"
#include "select/table_file.h"
#include "tune.h"

enum { FAILED = 1, WRONG_USAGE = 2, MOST_CONTESTS = 512 };

/* All sizes of one collective so far. */
struct tuning {
    const struct allfold_tune_options *options;
    struct allfold_tune_job job;
    struct allfold_table *older; /* what was there before; NULL: nothing */
    FILE *csv;
    enum allfold_collective collective;
    size_t bytes; /* of the vector that is told of */
    int which, all;
    bool is_exact; /* the operation */
    int count;
    struct allfold_contest contests[MOST_CONTESTS];
    int begin; /* of the present collective's contests */
    uint32_t row_count;
    struct allfold_table_row rows[MOST_CONTESTS];
    uint32_t done_rows; /* of the collectives before */
};

static void fill_head(const struct allfold_tune_job *job, struct allfold_table_head *head)
{
    struct utsname name;
    struct tm tm;
    const time_t now = time(NULL);
    *head = (struct allfold_table_head){.allfold = ALLFOLD_VERSION};
    uname(&name);
    snprintf(head->host, sizeof head->host, "%s", name.nodename);
    allfold_machine_processor(head->processor, sizeof head->processor);
    snprintf(head->mpi, sizeof head->mpi, "%s", job->mpi);
    strftime(head->created, sizeof head->created, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
}

/* The table of a file that may not be there yet: then *table is NULL. False with it said. */
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

static int make_and_write(const char *path, const struct allfold_tune_job *job,
                          const struct allfold_cost_model *costs,
                          const struct allfold_table_row *rows, uint32_t count,
                          const struct allfold_table *older)
{
    char message[ALLFOLD_MESSAGE_BYTES] = "no memory";
    struct allfold_table_head head;
    struct allfold_table *newer = NULL;
    fill_head(job, &head);
    if (allfold_table_make(&head, costs, rows, count, &newer, message, sizeof message) !=
        ALLFOLD_OK)
        return allfold_tune_say(FAILED, "%s", message);
    const int status = write_over(path, older, newer);
    allfold_table_free(newer);
    return status;
}

int allfold_tune_add_costs(const char *path, const struct allfold_tune_job *job,
                           const struct allfold_cost_model *costs)
{
    struct allfold_table *older;
    if (!read_table(path, &older))
        return FAILED;
    const int status = make_and_write(path, job, costs, NULL, 0, older);
    allfold_table_free(older);
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

/* What an algorithm that needs it was measured with, it holds for alone. */
static struct allfold_table_row row_of(const struct tuning *t,
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
        .exact = t->is_exact ? allfold_only(1) : ALLFOLD_ANY_TRUTH,
        .from_bytes = row->from_bytes,
        .to_bytes = row->to_bytes,
        .algorithm = row->algorithm,
        .parameters = row->parameters,
        .us = row->us,
        .native_us = row->native_us,
        .samples = (uint32_t)row->samples,
    };
}

static void make_rows(struct tuning *t)
{
    const double tolerance = 0.03;
    struct allfold_contest_row rows[MOST_CONTESTS];
    const int count =
        allfold_contest_rows(t->contests + t->begin, t->count - t->begin, tolerance, rows);
    t->row_count = t->done_rows;
    for (int i = 0; i < count; i++)
        t->rows[t->row_count++] = row_of(t, &rows[i]);
}

/* --- what is told --- */

static void print_head(const struct tuning *t)
{
    struct utsname name;
    uname(&name);
    printf("# Allfold %s tune: %s, %s, p = %d, %d x %d, to %s\n", ALLFOLD_VERSION, name.nodename,
           t->job.mpi, t->job.p, t->job.nodes, t->job.most, t->options->output);
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
            if (!shown[i] && contest->entries[i].us <= close * contest->entries[winner].us &&
                (next < 0 || contest->entries[i].us < contest->entries[next].us))
                next = i;
        if (next < 0)
            break;
        char name[96];
        allfold_algorithm_write(contest->entries[next].algorithm,
                                &contest->entries[next].parameters, name, sizeof name);
        printf("%s%s %.2f", n == 0 ? " (" : ", ", name,
               contest->entries[next].us / contest->entries[winner].us);
        shown[next] = true;
        any = true;
    }
    printf("%s\n", any ? ")" : "");
}

static void print_contest(const struct tuning *t, const struct allfold_contest *contest)
{
    const int winner = allfold_contest_winner(contest);
    char name[96];
    if (winner < 0)
        return;
    const struct allfold_contest_entry *best = &contest->entries[winner];
    allfold_algorithm_write(best->algorithm, &best->parameters, name, sizeof name);
    allfold_tune_clear_progress();
    printf("  %-20s %10zu %10.2f %10.2f %7d  %s", allfold_collective_name(t->collective), t->bytes,
           best->us, contest->entries[0].us, best->samples, name);
    print_close(contest, winner);
    fflush(stdout);
}

static void write_csv(const struct tuning *t, const char *name,
                      const struct allfold_contest_entry *entry, double expected_us, int is_models)
{
    if (t->csv != NULL)
        fprintf(t->csv, "%s,%d,%d,%d,%zu,\"%s\",%.6g,%.6g,%.6g,%d,%.6g,%d\n",
                allfold_collective_name(t->collective), t->job.p, t->job.nodes, t->job.most,
                t->bytes, name, entry->us, entry->from_us, entry->to_us, entry->samples,
                expected_us, is_models);
}

static bool take_entry(struct tuning *t, const char *line)
{
    struct allfold_contest *contest = &t->contests[t->count];
    double expected_us;
    int is_models;
    char name[100], message[ALLFOLD_MESSAGE_BYTES];
    struct allfold_contest_entry entry = {.samples = 0};
    struct allfold_rules rules;
    if (contest->count == ALLFOLD_CONTEST_ENTRIES ||
        sscanf(line, "entry\t%99[^\t]\t%lf\t%lf\t%lf\t%d\t%lf\t%d", name, &entry.us, &entry.from_us,
               &entry.to_us, &entry.samples, &expected_us, &is_models) != 7 ||
        allfold_rules_read(t->collective, name, &rules, message, sizeof message) != ALLFOLD_OK ||
        rules.count != 1)
        return false;
    entry.algorithm = rules.rules[0].algorithm;
    entry.parameters = rules.rules[0].parameters;
    contest->entries[contest->count++] = entry;
    write_csv(t, name, &entry, expected_us, is_models);
    return true;
}

/* The sizes of another collective begin. */
static bool take_shape(struct tuning *t, const char *line)
{
    char name[40];
    struct allfold_contest contest = {.count = 0};
    if (t->count == MOST_CONTESTS ||
        sscanf(line, "shape\t%39s\t%zu\t%zu\t%zu\t%d\t%d", name, &t->bytes, &contest.from_bytes,
               &contest.to_bytes, &t->which, &t->all) != 6)
        return false;
    const enum allfold_collective collective = allfold_collective_find(name);
    if (collective != t->collective) {
        t->begin = t->count;
        t->done_rows = t->row_count;
        t->collective = collective;
    }
    contest.bytes = t->bytes;
    if (contest.to_bytes == 0)
        contest.to_bytes = SIZE_MAX;
    t->contests[t->count] = contest;
    return collective != ALLFOLD_COLLECTIVE_COUNT;
}

/* Writes after each size, so that nothing that was measured is lost. */
static int take_end(struct tuning *t)
{
    if (t->count == 0)
        print_head(t);
    print_contest(t, &t->contests[t->count]);
    t->count++;
    make_rows(t);
    return make_and_write(t->options->output, &t->job, NULL, t->rows, t->row_count, t->older);
}

static int take_line(struct tuning *t, const char *line)
{
    bool fits = true;
    if (allfold_tune_take_line(&t->job, line))
        return 0;
    if (strncmp(line, "shape\t", 6) == 0)
        fits = take_shape(t, line);
    else if (strncmp(line, "entry\t", 6) == 0 && t->count < MOST_CONTESTS)
        fits = take_entry(t, line);
    else if (strncmp(line, "end", 3) == 0 && t->count < MOST_CONTESTS)
        return take_end(t);
    return fits ? 0
                : allfold_tune_say(FAILED, "the measurement told what makes no sense: %s", line);
}

static bool find_exactness(struct tuning *t)
{
    const char *type = t->options->type == NULL ? "double" : t->options->type;
    return strstr(type, "int") != NULL || strcmp(type, "byte") == 0 || strcmp(type, "long") == 0 ||
           strcmp(type, "char") == 0 || strcmp(type, "short") == 0;
}

/* What there was before: with --resume its rows, else its constants alone. */
static bool read_older(struct tuning *t)
{
    char message[ALLFOLD_MESSAGE_BYTES] = "no memory";
    struct allfold_table *found = NULL;
    if (!read_table(t->options->output, &found))
        return false;
    if (found == NULL || t->options->resumes || !found->has_costs) {
        t->older = t->options->resumes ? found : NULL;
        if (!t->options->resumes)
            allfold_table_free(found);
        return true;
    }
    const bool is_made = allfold_table_make(&found->head, &found->costs, NULL, 0, &t->older,
                                            message, sizeof message) == ALLFOLD_OK;
    allfold_table_free(found);
    return is_made || allfold_tune_say(FAILED, "%s", message) == 0;
}

static bool open_csv(struct tuning *t)
{
    if (t->options->csv == NULL)
        return true;
    t->csv = allfold_tune_csv_open(t->options->csv,
                                   "collective,p,nodes,ranks_per_node,bytes,algorithm,median_us,"
                                   "from_us,to_us,calls,expected_us,model");
    return t->csv != NULL;
}

static int take_all(struct tuning *t, FILE *stream)
{
    char line[2048];
    int status = read_older(t) && open_csv(t) ? 0 : FAILED;
    while (status == 0 && fgets(line, sizeof line, stream) != NULL)
        status = take_line(t, line);
    allfold_tune_clear_progress();
    if (t->csv != NULL && !allfold_tune_csv_close(t->csv, t->options->csv))
        status = FAILED;
    if (t->job.error[0] != '\0')
        status = allfold_tune_say(WRONG_USAGE, "%s", t->job.error);
    else if (status == 0 && t->count == 0)
        printf("# nothing is left to be measured for %s\n", t->options->output);
    return status;
}

int allfold_tune_table(const struct allfold_tune_options *options, FILE *stream)
{
    struct tuning *t = calloc(1, sizeof *t);
    if (t == NULL)
        return allfold_tune_say(FAILED, "no memory");
    t->options = options;
    t->collective = ALLFOLD_COLLECTIVE_COUNT;
    t->is_exact = find_exactness(t);
    const int status = take_all(t, stream);
    allfold_table_free(t->older);
    free(t);
    return status;
}

int allfold_tune_merge(const struct allfold_tune_options *options)
{
    struct allfold_table *all = NULL, *next = NULL, *merged = NULL;
    char message[ALLFOLD_MESSAGE_BYTES] = "no memory";
    int status = 0;
    for (int i = 0; i < options->file_count && status == 0; i++) {
        enum allfold_error error = allfold_table_read(options->files[i], allfold_table_parse, &next,
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
