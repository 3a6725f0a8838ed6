/* `allfold verify`: proves the schedules of the algorithms on virtual ranks. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lab/verify/sweep.h"
#include "common.h"
#include "options.h"
#include "proofs.h"
#include "tools.h"

enum { WRONG_USAGE = 2 };

/* Of all algorithms. */
struct tally {
    long algorithms, known;
    long failures;
    bool stops; /* for want of memory, or as the file cannot be written */
};

struct progress {
    const char *name;
    bool shows; /* a terminal is there to see it */
};

static const struct allfold_taken taken[] = {
    ALLFOLD_TAKES_AS(algorithm, 0, "only this one: ring, or allreduce.ring"),
    ALLFOLD_TAKES_AS(parameter, 0, "only with this value of a parameter, like radix=7"),
    ALLFOLD_TAKES_AS(ranks, 0, "numbers of ranks: P or FIRST..LAST"),
    ALLFOLD_TAKES(samples),
    ALLFOLD_TAKES(seed),
    ALLFOLD_TAKES(reproducible),
    ALLFOLD_TAKES(proofs),
    ALLFOLD_TAKES_AS(output, 0, "write what is proven now into the file of --proofs"),
};

static const struct allfold_command command = {
    .text = "Runs the schedules of all ranks on virtual ranks, and checks: each contribution\n"
            "once, the order of ranks, the same association on all ranks, no access outside\n"
            "or before writing, and the claims of rounds and volume.",
    .taken = taken,
    .count = sizeof taken / sizeof *taken,
};

static void show_failure(void *context, const struct allfold_case *of,
                         const struct allfold_blame *blame)
{
    const struct progress *progress = context;
    char text[300];
    allfold_case_print(of, text, sizeof text);
    if (progress->shows)
        fprintf(stderr, "\r\033[K");
    fprintf(stderr, "FAILED %s\n  %s: %s\n  The smallest case that fails; run: %s\n", blame->where,
            allfold_blame_kind_name(blame->kind), blame->text, text);
}

static void show_progress(void *context, int p, int done, int total)
{
    const struct progress *progress = context;
    char bar[ALLFOLD_TOOL_BAR + 1];
    if (!progress->shows)
        return;
    allfold_tool_bar((double)done / total, bar);
    fprintf(stderr, "\r%-32s [%s] p = %d\033[K", progress->name, bar, p);
    if (done == total)
        fprintf(stderr, "\r\033[K");
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Whether the file has these schedules as proven. Otherwise *result is of a sweep that failed, or
 * has the digest that the proof must have. */
static bool is_known(const struct allfold_options *options, const struct allfold_sweep *sweep,
                     const char *words, struct allfold_sweep_result *result,
                     enum allfold_error *error)
{
    struct allfold_sweep digest_only = *sweep;
    if (options->proofs == NULL)
        return false;
    digest_only.digest_only = true;
    *error = allfold_sweep_run(&digest_only, result);
    return *error == ALLFOLD_OK && !result->failed &&
           allfold_proof_is_known(options->proofs, words, result->digest);
}

/* Notes a sweep that was proven, unless the proof went through other cases than the digest. */
static bool record(const struct allfold_options *options, const char *words, uint64_t expected,
                   uint64_t proven)
{
    if (expected != proven) {
        fprintf(stderr,
                "allfold verify: %s: the cases differ from one sweep to the next, so the proof "
                "cannot be kept\n",
                words);
        return false;
    }
    const int error =
        options->output != NULL ? allfold_proof_record(options->output, words, proven) : 0;
    if (error != 0)
        fprintf(stderr, "allfold verify: %s cannot be written: %s\n", options->output,
                strerror(error));
    return error == 0;
}

static void verify(const struct allfold_algorithm *algorithm, const struct allfold_options *options,
                   struct tally *tally)
{
    char name[80], words[160];
    int p_first, p_last;
    allfold_options_ranks(options, 1 << 16, &p_first, &p_last);
    snprintf(name, sizeof name, "%s.%s", allfold_collective_name(algorithm->collective),
             algorithm->name);
    snprintf(words, sizeof words, "%s p=%d..%d samples=%d seed=%llu%s", name, p_first, p_last,
             options->samples, (unsigned long long)options->seed,
             options->reproducible ? " reproducible" : "");
    struct progress progress = {.name = name, .shows = isatty(STDERR_FILENO) != 0};
    const struct allfold_sweep sweep = {
        .algorithm = algorithm,
        .p_first = p_first,
        .p_last = p_last,
        .sampled = options->samples > 0,
        .samples = options->samples,
        .seed = (uint64_t)options->seed,
        .canonical = options->reproducible,
        .on_failure = show_failure,
        .on_progress = show_progress,
        .context = &progress,
    };
    struct allfold_sweep_result result = {0};
    enum allfold_error error = ALLFOLD_OK;
    const double begin_s = now_s();
    const bool known = is_known(options, &sweep, words, &result, &error);
    const uint64_t digest = result.digest;
    if (error == ALLFOLD_OK && !known && !result.failed)
        error = allfold_sweep_run(&sweep, &result);
    if (error != ALLFOLD_OK) {
        fprintf(stderr, "allfold verify: no memory for %s; try fewer ranks with -p\n", name);
        tally->stops = true;
        return;
    }
    if (options->proofs != NULL && !known && !result.failed)
        tally->stops = !record(options, words, digest, result.digest);
    printf("%-32s %10zu %10zu %10zu %10zu %9.1f%s\n", name, result.schedules, result.runs,
           result.unserved, (size_t)result.failed, now_s() - begin_s, known ? "  known" : "");
    fflush(stdout);
    tally->known += known;
    tally->failures += result.failed;
}

/* Leaves only the values of --parameter to be tried, and keeps them in `values`. Prints a message
 * and returns false if a parameter is wrong. */
static bool set_parameters(const struct allfold_options *options, struct allfold_algorithm *only,
                           struct allfold_parameters *values)
{
    const struct allfold_algorithm *algorithm;
    char name[80];
    snprintf(name, sizeof name, "%s.%s", allfold_collective_name(only->collective), only->name);
    if (!allfold_tool_find_algorithm(name, options, &algorithm, values))
        return false;
    for (int i = 0; i < ALLFOLD_MAX_PARAMETERS && only->parameters[i].name != NULL; i++) {
        struct allfold_parameter *parameter = &only->parameters[i];
        if (parameter->inner != NULL || values->value[i] == parameter->preset)
            continue;
        parameter->tried = &values->value[i];
        parameter->tried_count = 1;
    }
    return true;
}

static bool is_wanted(const struct allfold_algorithm *algorithm, const char *wanted)
{
    const char *collective = allfold_collective_name(algorithm->collective);
    const size_t length = strlen(collective);
    if (wanted == NULL || strcmp(wanted, algorithm->name) == 0)
        return true;
    return strncmp(wanted, collective, length) == 0 && wanted[length] == '.' &&
           strcmp(wanted + length + 1, algorithm->name) == 0;
}

int allfold_tool_verify(int argc, char **argv)
{
    static struct allfold_options options = {.ranks = "1..64", .seed = 1};
    allfold_options_read(&command, argc, argv, &options);
    const char *wanted = options.algorithm[0] == '\0' ? NULL : options.algorithm;
    if (options.output != NULL && options.proofs == NULL)
        allfold_options_refuse(&options, "--output: expected --proofs FILE, too");
    if (options.proofs != NULL && access(options.proofs, R_OK) != 0)
        allfold_options_refuse(&options, "--proofs %s: %s", options.proofs, strerror(errno));
    if (options.parameter[0] != '\0' && (wanted == NULL || options.proofs != NULL))
        allfold_options_refuse(&options, "--parameter: expected --algorithm, and no --proofs");
    struct tally tally = {0};
    for (size_t i = 0; allfold_algorithms[i] != NULL && !tally.stops; i++) {
        if (!is_wanted(allfold_algorithms[i], wanted))
            continue;
        struct allfold_algorithm only = *allfold_algorithms[i];
        struct allfold_parameters values;
        const bool takes_all = options.parameter[0] == '\0';
        if (!takes_all && !set_parameters(&options, &only, &values))
            return WRONG_USAGE;
        if (tally.algorithms++ == 0)
            printf("%-32s %10s %10s %10s %10s %9s\n", "algorithm", "schedules", "runs",
                   "not served", "failures", "seconds");
        verify(takes_all ? allfold_algorithms[i] : &only, &options, &tally);
    }
    if (tally.algorithms == 0) {
        fprintf(stderr, "allfold verify: there is no algorithm '%s'; `allfold list` names them\n",
                wanted);
        return WRONG_USAGE;
    }
    if (options.proofs != NULL && !tally.stops)
        printf("%ld proven now, %ld known from %s\n",
               tally.algorithms - tally.known - tally.failures, tally.known, options.proofs);
    return tally.failures != 0 || tally.stops;
}
