/* The options of `allfold bench` (see bench_options.h). */
#include "bench/bench_options.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "machine.h"
#include "program.h"

enum {
    KEY_OSU = 256,
    KEY_CSV,
    KEY_JSON,
    KEY_PLOT,
    KEY_MAP,
    KEY_MPI,
    KEY_COLD,
    KEY_PROGRESS,
    KEY_WORD
};

/* Options from KEY_WORD on are words of a plan. */
static const struct argp_option option_list[] = {
    {"collective", KEY_WORD + 0, "NAME", 0, "preset: allreduce", 1},
    {"algorithm", KEY_WORD + 1, "LIST", 0,
     "names as in rules, as ring or chain(segment=8K); native: the MPI library's; allfold: what it "
     "chooses; all; preset: allfold,native",
     1},
    {"sizes", KEY_WORD + 2, "LIST", 0,
     "bytes of a vector, or of a block: 8:1M (times 2 each), 8:1M:x10, 8,100,4096; preset: 8:1M",
     1},
    {"type", KEY_WORD + 3, "LIST", 0, "preset: double", 1},
    {"operation", KEY_WORD + 4, "LIST", 0, "preset: sum", 1},
    {"root", KEY_WORD + 5, "LIST", 0, "preset: 0", 1},
    {"precision", KEY_WORD + 6, "PERCENT", 0,
     "repeat until the median's interval is so narrow; preset: 5", 2},
    {"confidence", KEY_WORD + 7, "PERCENT", 0, "of that interval; preset: 95", 2},
    {"time", KEY_WORD + 8, "SECONDS", 0, "at most, for an algorithm and a size; preset: 1", 2},
    {"least", KEY_WORD + 9, "COUNT", 0, "repetitions at least; preset: 10", 2},
    {"most", KEY_WORD + 10, "COUNT", 0, "repetitions at most; preset: 1000", 2},
    {"warmup", KEY_WORD + 11, "COUNT", 0, "calls before; preset: 10", 2},
    {"cold", KEY_COLD, "BYTES", OPTION_ARG_OPTIONAL,
     "empty the caches before each call, by walking through so much memory; preset: the last "
     "cache's size",
     3},
    {"skew", KEY_WORD + 12, "US", 0, "ranks arrive up to so many microseconds late, by chance", 3},
    {"start", KEY_WORD + 13, "HOW", 0,
     "window: at a time that is told before; barrier: after one; auto: window where each rank has "
     "a processor",
     3},
    {"clock", KEY_WORD + 14, "HOW", 0,
     "auto; measured: compare clocks by messages even where ranks have one in common", 3},
    {"memory", KEY_WORD + 16, "KIND", 0,
     "that vectors are in: malloc (preset), or mpi for that of MPI_Alloc_mem", 3},
    {"seed", KEY_WORD + 15, "NUMBER", 0, "of the order and the delays; preset: 1", 3},
    {"mpi", KEY_MPI, "MPI", 0,
     "openmpi or mpich: where the launcher serves several, as Slurm's; ALLFOLD_MPI is the same", 3},
    {"osu", KEY_OSU, "FILE", OPTION_ARG_OPTIONAL,
     "the table of the OSU micro-benchmarks; to stdout instead of the table where there is no FILE",
     4},
    {"csv", KEY_CSV, "FILE", OPTION_ARG_OPTIONAL, "CSV, likewise", 4},
    {"json", KEY_JSON, "FILE", OPTION_ARG_OPTIONAL, "JSON with all samples, likewise", 4},
    {"plot", KEY_PLOT, "FILE", 0, "a picture by gnuplot, .svg or .png", 4},
    {"map", KEY_MAP, NULL, 0,
     "measure nothing: draw the fastest algorithm over ranks and sizes from CSV files, with --plot",
     4},
    {"progress", KEY_PROGRESS, NULL, 0, "say how far it is, even where stderr is no terminal", 4},
    {0},
};

static void take_word(struct allfold_bench_options *options, struct argp_state *state,
                      const char *name, const char *value)
{
    char message[1024] = "no memory";
    char *word = NULL;
    if (options->word_count + 3 < ALLFOLD_BENCH_WORDS && strchr(value, '\n') == NULL &&
        allfold_bench_plan_take(&options->plan, name, value, message, sizeof message) &&
        asprintf(&word, "%s=%s", name, value) > 0)
        options->words[options->word_count++] = word;
    else
        allfold_tool_refuse(state, &options->is_wrong, message);
}

/* The last cache's size, as hwloc sees it, where none is given. */
static void take_cold(struct allfold_bench_options *options, struct argp_state *state,
                      const char *value)
{
    struct allfold_machine machine;
    char text[40];
    size_t bytes = 32 << 20;
    if (value == NULL && allfold_machine_look(&machine) && machine.cache_count > 0)
        bytes = machine.caches[machine.cache_count - 1].bytes;
    snprintf(text, sizeof text, "%zu", bytes);
    take_word(options, state, "cold", value == NULL ? text : value);
}

static void take_form(struct allfold_bench_options *options, int index, const char *path)
{
    options->forms[index].is_wanted = true;
    options->forms[index].path = path;
    options->is_quiet |= path == NULL;
}

static error_t parse_word(int key, char *argument, struct argp_state *state)
{
    for (const struct argp_option *option = option_list; option->name != NULL; option++)
        if (option->key == key) {
            take_word(state->input, state, option->name, argument);
            return 0;
        }
    return ARGP_ERR_UNKNOWN;
}

static void check(struct allfold_bench_options *options, struct argp_state *state)
{
    char message[1024];
    const char *mpi = options->mpi;
    if (mpi != NULL && *mpi != '\0' && allfold_program_mpi(mpi) == NULL)
        allfold_tool_refuse(state, &options->is_wrong, "--mpi: expected openmpi or mpich");
    else if (options->plot != NULL && allfold_bench_terminal(options->plot) == NULL)
        allfold_tool_refuse(state, &options->is_wrong, "--plot: the name must end in .svg or .png");
    else if (options->as_map && (options->plot == NULL || options->file_count == 0))
        allfold_tool_refuse(state, &options->is_wrong,
                            "--map needs CSV files, and --plot for the picture");
    else if (!options->as_map && options->file_count > 0)
        allfold_tool_refuse(state, &options->is_wrong, "files are for --map alone");
    else if (!options->is_wrong && !allfold_bench_plan_end(&options->plan, message, sizeof message))
        allfold_tool_refuse(state, &options->is_wrong, message);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct allfold_bench_options *options = state->input;
    switch (key) {
    case KEY_OSU:
    case KEY_CSV:
    case KEY_JSON:
        take_form(options, key - KEY_OSU, argument);
        return 0;
    case KEY_PLOT:
        options->plot = argument;
        return 0;
    case KEY_MAP:
        options->as_map = true;
        return 0;
    case KEY_MPI:
        options->mpi = argument;
        return 0;
    case KEY_PROGRESS:
        options->shows_progress = true;
        return 0;
    case KEY_COLD:
        take_cold(options, state, argument);
        return 0;
    case ARGP_KEY_ARGS:
        options->files = state->argv + state->next;
        options->file_count = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        check(options, state);
        return 0;
    default:
        return parse_word(key, argument, state);
    }
}

bool allfold_bench_options_read(struct allfold_bench_options *options, int argc, char **argv,
                                bool silent)
{
    const struct argp argp = {
        option_list,
        parse,
        "[CSV-FILE...]",
        "Measures a collective: algorithms, sizes, types, operations and roots, the MPI library's "
        "own beside ours:\n    mpirun -n 4 allfold bench --algorithm all,native --sizes 8:1M\n"
        "All results are checked. docs/bench.md says what is measured and how.",
        NULL,
        NULL,
        NULL};
    *options = (struct allfold_bench_options){.word_count = 1};
    options->mpi = getenv("ALLFOLD_MPI");
    options->forms[KEY_OSU - KEY_OSU].write = allfold_bench_write_osu;
    options->forms[KEY_CSV - KEY_OSU].write = allfold_bench_write_csv;
    options->forms[KEY_JSON - KEY_OSU].write = allfold_bench_write_json;
    allfold_bench_plan_begin(&options->plan);
    return argp_parse(&argp, argc, argv, silent ? ARGP_SILENT : 0, NULL, options) == 0 &&
           !options->is_wrong;
}

void allfold_bench_options_free(struct allfold_bench_options *options)
{
    for (int i = 1; i < options->word_count; i++)
        free(options->words[i]);
}
