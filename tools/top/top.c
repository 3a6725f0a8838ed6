/* `allfold top`: shows the time that running programs spend in collectives, and which ranks wait
 * for which. */
#include <argp.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "printing.h"
#include "running.h"
#include "tools.h"

enum option_key { KEY_ONCE = 256, KEY_JSON };

enum { NONE_RUNS = 1, WRONG_USAGE = 2 };

struct options {
    const char *directory;
    int pid; /* 0: any */
    bool once, json;
};

static const struct argp_option option_list[] = {
    {"once", KEY_ONCE, NULL, 0, "print once and end, as it does where the output is no terminal",
     0},
    {"json", KEY_JSON, NULL, 0, "the same once as JSON, of all programs", 0},
    {"directory", 'd', "DIR", 0,
     "where the pages are, if not in /dev/shm; ALLFOLD_WATCH=DIR is the same", 0},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct options *options = state->input;
    switch (key) {
    case KEY_ONCE:
        options->once = true;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case 'd':
        options->directory = argument;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_error(state, "'%s': expected one process at most", argument);
        options->pid = allfold_tool_number(state, "PROCESS", argument, 1, INT_MAX);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp command_line = {
    option_list,
    parse,
    "[PROCESS]",
    "Shows a running MPI program: what its collectives take, and who waits for whom. The program "
    "is started so:\n"
    "    mpirun -n 64 allfold run --watch ./app\vOn a terminal the table is drawn anew each second "
    "until the program ends. PROCESS is the number of any of the program's processes on this "
    "node. Pages of killed programs are removed. Files that are no "
    "pages are skipped, with a message. Exit status: 1 if no such program runs on this node; 2 for "
    "wrong usage.",
    NULL,
    NULL,
    NULL};

static int say_none(const struct options *options)
{
    fprintf(stderr, "allfold top: there is no page of ");
    if (options->pid != 0)
        fprintf(stderr, "process %d", options->pid);
    else
        fprintf(stderr, "a running program");
    fprintf(stderr, " in %s; start one by: mpirun -n 4 allfold run --watch ./app\n",
            options->directory);
    return NONE_RUNS;
}

static void say_removed(const struct top_running *running)
{
    if (running->removed > 0)
        fprintf(stderr,
                "allfold top: removed %d page%s of processes that ended without MPI_Finalize\n",
                running->removed, running->removed == 1 ? "" : "s");
}

/* Returns the program that the user means. Returns false if there is none, or if it must be
 * chosen. */
static bool choose(const struct options *options, const struct top_running *running,
                   struct top_program *program)
{
    int at = 0;
    if (options->pid != 0)
        return top_running_find(running, options->pid, 0, program);
    return top_running_next(running, &at, program) && at == running->count;
}

/* How a program ended of which no page is left. */
static void say_end(const struct top_running *running, const struct allfold_page_head *head,
                    double run_s)
{
    int killed = 0;
    for (int i = 0; i < running->killed_count; i++)
        killed += running->killed[i].head.job == head->job;
    if (killed == 0)
        printf("%s (process %d) has ended, after %.0f s.\n", head->program, head->pid, run_s);
    else
        printf("%s (process %d) was killed, or ended without MPI_Finalize, after %.0f s.\n",
               head->program, head->pid, run_s);
}

/* Draws until the program is gone. */
static int follow(const struct options *options, const struct top_program *first)
{
    const struct timespec second = {.tv_sec = 1};
    const struct allfold_page_head head = first->pages->head;
    double run_s = first->pages->run_s;
    for (;;) {
        struct top_running running;
        struct top_program program;
        nanosleep(&second, NULL);
        const bool is_read = top_running_read(&running, options->directory, false);
        const bool runs = is_read && top_running_find(&running, 0, head.job, &program);
        if (runs) {
            run_s = program.pages->run_s;
            printf("\033[H\033[J");
            top_print_program(&program);
        } else if (is_read) {
            say_end(&running, &head, run_s);
        }
        fflush(stdout);
        top_running_free(&running);
        if (!runs)
            return is_read ? 0 : NONE_RUNS;
    }
}

static int show(const struct options *options, const struct top_running *running)
{
    struct top_program program;
    if (options->json)
        return top_print_json(running, options->pid) ? 0 : NONE_RUNS;
    if (!choose(options, running, &program)) {
        if (running->count == 0 || options->pid != 0)
            return say_none(options);
        top_print_list(running);
        return 0;
    }
    const bool follows = !options->once && isatty(STDOUT_FILENO);
    if (follows)
        printf("\033[H\033[J");
    top_print_program(&program);
    fflush(stdout);
    return follows ? follow(options, &program) : 0;
}

int allfold_tool_top(int argc, char **argv)
{
    const char *watch = getenv("ALLFOLD_WATCH");
    struct options options = {.directory =
                                  watch != NULL && *watch == '/' ? watch : allfold_page_directory};
    struct top_running running;
    if (argp_parse(&command_line, argc, argv, 0, NULL, &options) != 0)
        return WRONG_USAGE;
    allfold_ticks_open();
    int status = NONE_RUNS;
    if (top_running_read(&running, options.directory, true)) {
        say_removed(&running);
        status = show(&options, &running);
    }
    top_running_free(&running);
    return status;
}
