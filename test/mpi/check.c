/*
 * check.c: the command line, cases and failures of the MPI conformance tests; see check.h.
 *
 * Failures are gathered with point-to-point messages: the collectives are what is under test.
 */
#include "check.h"

#include <argp.h>
#include <limits.h>
#include <pthread.h>
#include <regex.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"

enum { FIRST_KEY = 1000, FLAGS_LIMIT = 16, MESSAGES_PER_CASE = 3, TAG_CASES = 4711 };

static int rank, size;

static int scale = 100, seed = 1, timeout_s = 120, trace = 0, device = CHECK_HOST;
static int guard_pages = 0;
static const char *match = "", *except = "^$";
static regex_t match_pattern, except_pattern;

static const struct check_flag common_flags[] = {
    {"scale", "percent of the cases to run, sampled; above 100: again with other inputs", &scale, 1,
     NULL},
    {"seed", "seed of the inputs and of the sample", &seed, 0, NULL},
    {"timeout", "seconds after which a case counts as stuck and the program is ended", &timeout_s,
     1, NULL},
    {"trace", "1: rank 0 names each case before it runs", &trace, 0, NULL},
    {"device", "1: vectors lie in device memory; 2: some do, by rank and buffer", &device, 0, NULL},
    {"guard-pages", "1: buffers lie between pages without access, and inputs are read-only",
     &guard_pages, 0, NULL},
    {"match", "run only the cases whose name matches this extended regular expression", NULL, 0,
     &match},
    {"except", "leave out the cases whose name matches this one", NULL, 0, &except},
};
enum { COMMON_FLAGS = sizeof common_flags / sizeof common_flags[0] };

static const struct check_flag *all_flags[FLAGS_LIMIT];

static int case_share; /* percent of the cases that this round runs */
static int case_number = -1;
static char case_name[256] = "start";
static int case_count; /* of those that were run */
static int case_messages;
static int case_capacity;
static unsigned char *case_failed; /* per case number, on this rank */
static pthread_mutex_t case_lock = PTHREAD_MUTEX_INITIALIZER;

void *check_memory(size_t bytes)
{
    void *memory = malloc(bytes + 1);
    if (!memory) {
        fprintf(stderr, "rank %d: out of memory\n", rank);
        abort();
    }
    return memory;
}

int check_rank(void)
{
    return rank;
}

int check_size(void)
{
    return size;
}

/* The finalizer of splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t check_random(uint64_t r, uint64_t element, uint64_t s)
{
    return mix(mix(mix(s + 0x9e3779b97f4a7c15u) + r) + element * 0x9e3779b97f4a7c15u);
}

int check_first_seed(void)
{
    return seed;
}

int check_device(void)
{
    return device;
}

bool check_guards_pages(void)
{
    return guard_pages;
}

uint64_t check_seed(void)
{
    return check_random((uint64_t)case_number, 1, (uint64_t)seed);
}

/* --- command line --- */

static error_t parse_flag(int key, char *argument, struct argp_state *state)
{
    if (key < FIRST_KEY || key >= FIRST_KEY + FLAGS_LIMIT || !all_flags[key - FIRST_KEY])
        return ARGP_ERR_UNKNOWN;
    const struct check_flag *flag = all_flags[key - FIRST_KEY];
    if (flag->text) {
        *flag->text = argument;
        return 0;
    }
    char *end;
    long number = strtol(argument, &end, 10);
    if (end == argument || *end || number < flag->least || number > 1000000)
        argp_error(state, "--%s: a number from %d to 1000000 is wanted, not '%s'", flag->name,
                   flag->least, argument);
    *flag->value = (int)number;
    return 0;
}

static void parse(int argc, char **argv, const struct check_program *program)
{
    struct argp_option options[FLAGS_LIMIT + 1] = {{0}};
    size_t count = COMMON_FLAGS + program->flag_count;

    for (size_t i = 0; i < count && i < FLAGS_LIMIT; i++) {
        const struct check_flag *flag =
            i < COMMON_FLAGS ? &common_flags[i] : &program->flags[i - COMMON_FLAGS];
        all_flags[i] = flag;
        options[i] = (struct argp_option){flag->name, FIRST_KEY + (int)i, flag->text ? "TEXT" : "N",
                                          0,          flag->doc,          0};
    }
    struct argp argp = {options, parse_flag, NULL, program->doc, NULL, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
    if (regcomp(&match_pattern, match, REG_EXTENDED | REG_NOSUB) ||
        regcomp(&except_pattern, except, REG_EXTENDED | REG_NOSUB)) {
        fprintf(stderr, "--match and --except take extended regular expressions\n");
        exit(EXIT_FAILURE);
    }
}

/* --- cases --- */

/* Only async-signal-safe calls: says which case hangs, which mpirun alone never would. */
static void stuck(int number)
{
    static const char text[] = "STUCK (no end within --timeout): ";
    (void)number;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0 ||
        write(STDERR_FILENO, case_name, strlen(case_name)) < 0 || write(STDERR_FILENO, "\n", 1) < 0)
        _exit(4);
    _exit(3);
}

static bool sampled(void)
{
    if (regexec(&match_pattern, case_name, 0, NULL, 0) ||
        !regexec(&except_pattern, case_name, 0, NULL, 0))
        return false;
    return check_random((uint64_t)case_number, 2, (uint64_t)seed) % 100 < (uint64_t)case_share;
}

bool check_case(const char *format, ...)
{
    va_list arguments;

    pthread_mutex_lock(&case_lock);
    case_number++;
    case_messages = 0;
    va_start(arguments, format);
    vsnprintf(case_name, sizeof case_name, format, arguments);
    va_end(arguments);
    if (case_number >= case_capacity) {
        int capacity = 2 * case_capacity + 1024;
        unsigned char *larger = check_memory((size_t)capacity);
        memset(larger, 0, (size_t)capacity);
        if (case_failed)
            memcpy(larger, case_failed, (size_t)case_capacity);
        free(case_failed);
        case_failed = larger;
        case_capacity = capacity;
    }
    bool run = sampled();
    case_count += run;
    pthread_mutex_unlock(&case_lock);
    if (run && trace && rank == 0)
        fprintf(stderr, "case %d: %s\n", case_number, case_name);
    alarm((unsigned)timeout_s);
    return run;
}

int check_begun(void)
{
    return case_number + 1;
}

int check_failures(int first, int end)
{
    int failures = 0;

    for (int i = first; i < end; i++)
        failures += case_failed[i];
    return failures;
}

void check_fail(const char *format, ...)
{
    char message[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&case_lock);
    if (case_number >= 0)
        case_failed[case_number] = 1;
    if (case_messages++ < MESSAGES_PER_CASE)
        fprintf(stderr, "FAILED on rank %d of %d: %s: %s\n", rank, size, case_name, message);
    pthread_mutex_unlock(&case_lock);
}

void check_equal(const char *what, long long expected, long long got)
{
    if (expected != got)
        check_fail("%s: expected %lld, got %lld", what, expected, got);
}

void check_error(int code, const char *part)
{
    char text[MPI_MAX_ERROR_STRING] = "no error";
    int length;

    if (code != MPI_SUCCESS && code != INT_MAX)
        MPI_Error_string(code, text, &length);
    if (strstr(text, part) == NULL)
        check_fail("expected an error with '%s', got: %s", part, text);
}

/* --- gathering --- */

/* Adds what another rank has found to what rank 0 holds; a rank that began other cases is a failure
 * in itself. */
static void gather_from(int other)
{
    int counts[2];

    MPI_Recv(counts, 2, MPI_INT, other, TAG_CASES, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    unsigned char *failed = check_memory((size_t)counts[0]);
    MPI_Recv(failed, counts[0], MPI_UNSIGNED_CHAR, other, TAG_CASES, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    if (counts[0] != case_number + 1 || counts[1] != case_count)
        check_fail("rank %d ran %d of %d cases, rank 0 ran %d of %d", other, counts[1], counts[0],
                   case_count, case_number + 1);
    for (int i = 0; i < counts[0] && i <= case_number; i++)
        case_failed[i] |= failed[i];
    free(failed);
}

static int gather_failures(void)
{
    int counts[2] = {case_number + 1, case_count};
    int failures = 0;

    if (rank > 0) {
        MPI_Send(counts, 2, MPI_INT, 0, TAG_CASES, MPI_COMM_WORLD);
        MPI_Send(case_failed, counts[0], MPI_UNSIGNED_CHAR, 0, TAG_CASES, MPI_COMM_WORLD);
        MPI_Recv(&failures, 1, MPI_INT, 0, TAG_CASES, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return failures;
    }
    for (int other = 1; other < size; other++)
        gather_from(other);
    failures = check_failures(0, check_begun());
    for (int other = 1; other < size; other++)
        MPI_Send(&failures, 1, MPI_INT, other, TAG_CASES, MPI_COMM_WORLD);
    return failures;
}

static int finish(const struct check_program *program)
{
    alarm((unsigned)timeout_s);
    int failures = gather_failures();

    /* A run that checked nothing must not look like one that found nothing. */
    if (case_count == 0 && rank == 0)
        fprintf(stderr, "no case is in the sample\n");
    if (rank == 0 && program->report)
        program->report();
    if (rank == 0)
        printf("%d passed, %d failed\n", case_count - failures, failures);
    MPI_Finalize();
    free(case_failed);
    regfree(&match_pattern);
    regfree(&except_pattern);
    return failures || case_count == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static bool raises_none;

/* Errors return, as with MPI_ERRORS_RETURN, also on communicators that are made of these later.
 * Raising success as an error, where the default handler ends a program, fails the case. */
static void note_raised(MPI_Comm *comm, int *code, ...)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;

    (void)comm;
    if (raises_none && *code != MPI_SUCCESS) {
        MPI_Error_string(*code, text, &length);
        check_fail("an error handler was called: %s", text);
    }
    if (*code == MPI_SUCCESS)
        check_fail("an error handler was called with MPI_SUCCESS");
}

void check_let_raise(bool may)
{
    raises_none = !may;
}

static void let_errors_return(void)
{
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(note_raised, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    MPI_Errhandler_free(&handler);
}

int check_main(int argc, char **argv, const struct check_program *program)
{
    int granted = MPI_THREAD_SINGLE;
    const char *reason = NULL;

    parse(argc, argv, program);
    if (program->thread_level > MPI_THREAD_SINGLE)
        MPI_Init_thread(&argc, &argv, program->thread_level, &granted);
    else
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    raises_none = program->raises_none;
    let_errors_return();
    if (granted < program->thread_level)
        reason = "the MPI library does not grant the thread level";
    if (size < program->least_ranks)
        reason = "more ranks are needed";
    if (reason) {
        if (rank == 0)
            printf("skipped: %s\n", reason);
        MPI_Finalize();
        return CHECK_SKIPPED;
    }
    if (device != CHECK_HOST && !device_use()) {
        fprintf(stderr, "--device: no driver of a device is loaded\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    signal(SIGALRM, stuck);
    int rounds = (scale + 99) / 100;
    case_share = scale / rounds;
    for (int round = 0; round < rounds; round++)
        program->run();
    return finish(program);
}

bool check_is_in_file(const void *address)
{
    char line[512], name[512];
    unsigned long first, end;
    bool is_in = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
        if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %511s", &first, &end, name) == 3 &&
            (uintptr_t)address >= first && (uintptr_t)address < end)
            is_in = strncmp(name, "/memfd:", 7) == 0;
    if (maps != NULL)
        fclose(maps);
    return is_in;
}
