/* `allfold verify`: proves the schedules of the algorithms on virtual ranks. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lab/verify/sweep.h"
#include "common.h"
#include "proofs.h"
#include "tools.h"
#include "util/number.h"

struct options {
    const char *algorithm;
    int p_first, p_last;
    int samples;
    uint64_t seed;
    bool reproducible;
    const char *proofs; /* file of what was proven before, or NULL */
    bool update;        /* write into it what is proven now */
};

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

static void parse_range(struct argp_state *state, const char *text, struct options *options)
{
    const long most = 1 << 16;
    const char *end = text;
    long first, last;
    bool is_range = allfold_whole_read(text, 1, most, &first, &end);
    last = first;
    if (is_range && strncmp(end, "..", 2) == 0)
        is_range = allfold_whole_read(end + 2, first, most, &last, &end);
    if (!is_range || *end != '\0')
        argp_error(state, "-p %s: expected P or FIRST..LAST, from 1 to 65536", text);
    options->p_first = (int)first;
    options->p_last = (int)last;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case 'a':
        options->algorithm = argument;
        return 0;
    case 'p':
        parse_range(state, argument, options);
        return 0;
    case 's':
        options->samples = allfold_tool_number(state, "--samples", argument, 1, 1 << 20);
        return 0;
    case 'r':
        options->seed = (uint64_t)allfold_tool_number(state, "--seed", argument, 0, 1 << 30);
        return 0;
    case 'R':
        options->reproducible = true;
        return 0;
    case 'P':
        if (access(argument, R_OK) != 0)
            argp_error(state, "--proofs %s: %s", argument, strerror(errno));
        options->proofs = argument;
        return 0;
    case 'U':
        options->update = true;
        return 0;
    case ARGP_KEY_END:
        if (options->update && options->proofs == NULL)
            argp_error(state, "--update: expected --proofs FILE, too");
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s' is one word too many", argument);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option option_list[] = {
    {"algorithm", 'a', "NAME", 0, "only this one: ring, or allreduce.ring", 0},
    {"ranks", 'p', "P|FIRST..LAST", 0, "numbers of ranks (preset: 1..64)", 0},
    {"samples", 's', "N", 0, "N random numbers of ranks out of the range, instead of all", 0},
    {"seed", 'r', "S", 0, "seed of what is random (preset: 1)", 0},
    {"reproducible", 'R', NULL, 0,
     "only that results are bracketed by the canonical tree (docs/reproducible.md), where an "
     "algorithm says so",
     0},
    {"proofs", 'P', "FILE", 0,
     "skip the proof of sweeps whose schedules and claims are the same as when they were proven, "
     "according to FILE",
     0},
    {"update", 'U', NULL, 0, "write the sweeps that are proven now into that file", 0},
    {0},
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
static bool is_known(const struct options *options, const struct allfold_sweep *sweep,
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
static bool record(const struct options *options, const char *words, uint64_t expected,
                   uint64_t proven)
{
    if (expected != proven) {
        fprintf(stderr,
                "allfold verify: %s: the cases differ from one sweep to the next, so the proof "
                "cannot be kept\n",
                words);
        return false;
    }
    const int error = options->update ? allfold_proof_record(options->proofs, words, proven) : 0;
    if (error != 0)
        fprintf(stderr, "allfold verify: %s cannot be written: %s\n", options->proofs,
                strerror(error));
    return error == 0;
}

static void verify(const struct allfold_algorithm *algorithm, const struct options *options,
                   struct tally *tally)
{
    char name[80], words[160];
    snprintf(name, sizeof name, "%s.%s", allfold_collective_name(algorithm->collective),
             algorithm->name);
    snprintf(words, sizeof words, "%s p=%d..%d samples=%d seed=%llu%s", name, options->p_first,
             options->p_last, options->samples, (unsigned long long)options->seed,
             options->reproducible ? " reproducible" : "");
    struct progress progress = {.name = name, .shows = isatty(STDERR_FILENO) != 0};
    const struct allfold_sweep sweep = {
        .algorithm = algorithm,
        .p_first = options->p_first,
        .p_last = options->p_last,
        .sampled = options->samples > 0,
        .samples = options->samples,
        .seed = options->seed,
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
    struct options options = {.p_first = 1, .p_last = 64, .seed = 1};
    const struct argp argp = {
        option_list,
        parse,
        NULL,
        "Runs the schedules of all ranks on virtual ranks with symbolic values and checks: every "
        "contribution once, the order of ranks, the same association on all ranks, no access "
        "outside or before writing, and the claims of rounds and volume. All roots, counts "
        "(above 24 ranks the roots take turns at these), parameters, in place or not; in order, "
        "reordered, and with synchronous sends.\vExit "
        "status: 0 all is proven, 1 a case failed, 2 wrong usage.",
        NULL,
        NULL,
        NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &options);
    struct tally tally = {0};
    for (size_t i = 0; allfold_algorithms[i] != NULL && !tally.stops; i++) {
        if (!is_wanted(allfold_algorithms[i], options.algorithm))
            continue;
        if (tally.algorithms++ == 0)
            printf("%-32s %10s %10s %10s %10s %9s\n", "algorithm", "schedules", "runs",
                   "not served", "failures", "seconds");
        verify(allfold_algorithms[i], &options, &tally);
    }
    if (tally.algorithms == 0) {
        fprintf(stderr, "allfold verify: there is no algorithm '%s'; `allfold list` names them\n",
                options.algorithm);
        return 2;
    }
    if (options.proofs != NULL && !tally.stops)
        printf("%ld proven now, %ld known from %s\n",
               tally.algorithms - tally.known - tally.failures, tally.known, options.proofs);
    return tally.failures != 0 || tally.stops;
}
