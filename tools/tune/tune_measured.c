/* `allfold tune`: what the part that measures tells becomes contests, a table and a CSV (see
 * tune.h). */
#include <stdint.h>
#include <string.h>

#include "util/csv.h"
#include "select/rules.h"
#include "select/settings.h"
#include "tune/tune_table.h"
#include "util/number.h"

enum { FAILED = 1, WRONG_USAGE = 2 };

struct measured {
    const struct allfold_tune_options *options;
    struct allfold_tuning *tuning;
    FILE *csv;
    enum allfold_collective collective; /* of the size that is told of */
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

/* What the launch was on, in each line: `allfold tune --pool` compares it. */
static void write_launch(const struct measured *m)
{
    const struct allfold_tune_job *job = &m->tuning->job;
    const char *operation = m->options->operation;
    const char *const texts[] = {job->placement,
                                 m->tuning->type,
                                 operation == NULL ? allfold_tune_preset_operation : operation,
                                 job->head.host,
                                 job->head.processor,
                                 job->head.mpi,
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
            name, entry->us, entry->from_us, entry->to_us, entry->samples, expected_us, is_models,
            m->contest.from_bytes);
    if (m->contest.to_bytes != SIZE_MAX) /* empty: no bound */
        fprintf(m->csv, "%zu", m->contest.to_bytes);
    write_launch(m);
}

static bool take_entry(struct measured *m, const char *line)
{
    double expected_us;
    int is_models;
    char name[100], times[4][40], message[ALLFOLD_MESSAGE_BYTES];
    struct allfold_contest_entry entry = {.samples = 0};
    if (m->contest.count == ALLFOLD_CONTEST_ENTRIES ||
        sscanf(line, "entry\t%99[^\t]\t%39s\t%39s\t%39s\t%d\t%39s\t%d", name, times[0], times[1],
               times[2], &entry.samples, times[3], &is_models) != 7 ||
        !allfold_number_is(times[0], &entry.us) || !allfold_number_is(times[1], &entry.from_us) ||
        !allfold_number_is(times[2], &entry.to_us) || !allfold_number_is(times[3], &expected_us) ||
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

/* The CSV has whole sizes, too, where the tuning is ended before its time. */
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
    return fits ? 0
                : allfold_tune_say(FAILED, "the measurement told what makes no sense: %s", line);
}

static int take_all(struct measured *m, FILE *stream)
{
    char line[2048];
    int status = open_csv(m) ? 0 : FAILED;
    while (status == 0 && fgets(line, sizeof line, stream) != NULL)
        status = take_line(m, line);
    allfold_tune_clear_progress();
    if (m->csv != NULL && !allfold_tune_csv_close(m->csv, m->options->csv))
        status = FAILED;
    if (m->tuning->job.error[0] != '\0')
        status = allfold_tune_say(WRONG_USAGE, "%s", m->tuning->job.error);
    else if (status == 0 && m->tuning->count == 0)
        printf("# nothing is left to be measured for %s\n", m->options->output);
    return status;
}

int allfold_tune_table(const struct allfold_tune_options *options, FILE *stream)
{
    static struct measured m;
    m = (struct measured){.options = options, .tuning = allfold_tuning_open(options, "tune")};
    const int status = m.tuning == NULL ? FAILED : take_all(&m, stream);
    allfold_tuning_close(m.tuning);
    return status;
}
