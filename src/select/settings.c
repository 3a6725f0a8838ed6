/* Settings (see settings.h). */
#include "select/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/quantity.h"
#include "util/hash.h"
#include "select/placement.h"

/* In the order in which people see them. */
enum variable {
    VARIABLE_ALLREDUCE,
    VARIABLE_REDUCE,
    VARIABLE_BCAST,
    VARIABLE_REDUCE_SCATTER_BLOCK,
    VARIABLE_REDUCE_SCATTER,
    VARIABLE_ALLGATHER,
    VARIABLE_ALLGATHERV,
    VARIABLE_BARRIER,
    VARIABLE_SCAN,
    VARIABLE_EXSCAN,
    VARIABLE_TABLE,
    VARIABLE_TUNED_TABLE,
    VARIABLE_WINDOW,
    VARIABLE_CACHE,
    VARIABLE_NODES,
    VARIABLE_NETWORK,
    VARIABLE_CARD,
    VARIABLE_SHARED_MEMORY,
    VARIABLE_TRANSPORT,
    VARIABLE_FABRIC,
    VARIABLE_NONBLOCKING,
    VARIABLE_PROGRESS,
    VARIABLE_TRIALS,
    VARIABLE_GUARD,
    VARIABLE_LEARN,
    VARIABLE_TIMEOUT,
    VARIABLE_CHECK,
    VARIABLE_SPARSE,
    VARIABLE_REPRODUCIBLE,
    VARIABLE_DEVICE,
    VARIABLE_DEVICE_SEGMENT,
    VARIABLE_VERBOSE,
    VARIABLE_REPORT,
    VARIABLE_TRACE,
    VARIABLE_WATCH,
    VARIABLE_REPORT_COMPARE,
    VARIABLE_REPORT_SITES,
    VARIABLE_COMPARE_BITS,
    VARIABLE_SIMD,
    VARIABLE_MPI,
    VARIABLE_ONE_COPY,
};

const struct allfold_variable allfold_variables[] = {
    [VARIABLE_ALLREDUCE] = {"ALLFOLD_ALLREDUCE", "",
                            "algorithm for MPI_Allreduce, or rules like "
                            "0-4K:recursive_doubling;4K-:ring(segment=64K); native is a name too",
                            .is_everyday = true},
    [VARIABLE_REDUCE] = {"ALLFOLD_REDUCE", "", "the same for MPI_Reduce"},
    [VARIABLE_BCAST] = {"ALLFOLD_BCAST", "", "the same for MPI_Bcast"},
    [VARIABLE_REDUCE_SCATTER_BLOCK] = {"ALLFOLD_REDUCE_SCATTER_BLOCK", "",
                                       "the same for MPI_Reduce_scatter_block; sizes are of all "
                                       "blocks together"},
    [VARIABLE_REDUCE_SCATTER] =
        {"ALLFOLD_REDUCE_SCATTER", "",
         "the same for MPI_Reduce_scatter; sizes are of all blocks together"},
    [VARIABLE_ALLGATHER] = {"ALLFOLD_ALLGATHER", "",
                            "the same for MPI_Allgather; sizes are of all blocks together"},
    [VARIABLE_ALLGATHERV] = {"ALLFOLD_ALLGATHERV", "",
                             "the same for MPI_Allgatherv; sizes are of all blocks together"},
    [VARIABLE_BARRIER] = {"ALLFOLD_BARRIER", "", "the same for MPI_Barrier"},
    [VARIABLE_SCAN] = {"ALLFOLD_SCAN", "", "the same for MPI_Scan"},
    [VARIABLE_EXSCAN] = {"ALLFOLD_EXSCAN", "", "the same for MPI_Exscan"},
    [VARIABLE_TABLE] = {"ALLFOLD_TABLE", "",
                        "a file that says which algorithm to take where (docs/tables.md); rules go "
                        "before it",
                        .is_everyday = true},
    [VARIABLE_TUNED_TABLE] =
        {"ALLFOLD_TUNED_TABLE", "",
         "path of the tuned table (default: ~/.local/share/allfold/tuned-MPI.json), "
         "which has lower precedence than ALLFOLD_TABLE; 0: none"},
    [VARIABLE_WINDOW] = {"ALLFOLD_WINDOW", "16",
                         "messages that a rank has in flight at most; a power of two, 2 to 256"},
    [VARIABLE_CACHE] = {"ALLFOLD_CACHE", "4M", "bytes of schedules kept for each communicator"},
    [VARIABLE_NODES] = {"ALLFOLD_NODES", "",
                        "which ranks to take for one node, to try algorithms for several: 4x2 is 4 "
                        "nodes of 2 ranks, 3,1,2 and 4x2:cyclic are others"},
    [VARIABLE_NETWORK] = {"ALLFOLD_NETWORK", "",
                          "a file that says which switch each host is on, where not Slurm's "
                          "SLURM_TOPOLOGY_ADDR is to, and which hosts are linked directly "
                          "(docs/network.md); off: look at neither, nor at the "
                          "numbers in names of hosts"},
    [VARIABLE_CARD] =
        {"ALLFOLD_CARD", "auto",
         "what the network card of each node carries, like 100Gbit/s, where not what "
         "the system says of it is to count (docs/network.md); off: nothing is known"},
    [VARIABLE_SHARED_MEMORY] =
        {"ALLFOLD_SHARED_MEMORY", "1",
         "0: messages between ranks of a node go through MPI too, and memory of "
         "MPI_Alloc_mem is the MPI library's"},
    [VARIABLE_TRANSPORT] = {"ALLFOLD_TRANSPORT", "auto",
                            "what carries messages that do not go through a node's memory: mpi; "
                            "fabric: one-sided writes of libfabric, where all ranks can "
                            "(docs/fabric.md); auto: mpi, "
                            "or with ALLFOLD_FABRIC what a trial in MPI_Init finds faster"},
    [VARIABLE_FABRIC] = {"ALLFOLD_FABRIC", "",
                         "libfabric's provider for ALLFOLD_TRANSPORT=fabric, as fi_info names it "
                         "(tcp;ofi_rxm), where not the first that can do it"},
    [VARIABLE_NONBLOCKING] = {"ALLFOLD_NONBLOCKING", "0",
                              "1: nonblocking and persistent collectives are Allfold's, too "
                              "(docs/split_phase.md says what makes them progress)",
                              .is_everyday = true},
    [VARIABLE_PROGRESS] = {"ALLFOLD_PROGRESS", "calls",
                           "thread: plans and nonblocking collectives of Allfold's make progress "
                           "by a thread of their own, too, where MPI_THREAD_MULTIPLE was granted"},
    [VARIABLE_TRIALS] =
        {"ALLFOLD_TRIALS", "off",
         "exact: first calls of a shape try algorithms in turn, and the fastest is kept, where "
         "results do not depend on it; any: also where floating point may round differently"},
    [VARIABLE_GUARD] =
        {"ALLFOLD_GUARD", "switch",
         "what to do about a choice that a running job finds to be slower than another one "
         "(docs/guard.md): switch: replace it where no bit of a result can change, else report it; "
         "any: replace it, though sums may round differently; report; off: do not look"},
    [VARIABLE_LEARN] = {"ALLFOLD_LEARN", "",
                        "a file that keeps what the guard finds, for this and later runs: a table "
                        "with lower precedence than ALLFOLD_TABLE"},
    [VARIABLE_TIMEOUT] =
        {"ALLFOLD_TIMEOUT", "0",
         "a blocking call that waits longer than this (30s, 5m) says on stderr for "
         "which ranks, and again after twice that long; 30s,abort: it ends the "
         "program then"},
    [VARIABLE_CHECK] = {"ALLFOLD_CHECK", "0",
                        "1: before data moves, ranks compare collective, types, operation and "
                        "root; calls that differ are errors that say who called what"},
    [VARIABLE_SPARSE] =
        {"ALLFOLD_SPARSE", "auto",
         "on: messages of reductions of float and double become shorter where their "
         "data repeats itself (docs/sparse.md); auto: between nodes, where that is "
         "found to pay; off: never; results are the same"},
    [VARIABLE_REPRODUCIBLE] =
        {"ALLFOLD_REPRODUCIBLE", "off",
         "canonical: results of floating-point reductions depend on the data and the number of "
         "ranks alone (docs/reproducible.md), also of nonblocking ones; what cannot be served so "
         "is an error; canonical:warn: it is said on stderr; exact: sums of float and double are "
         "the exact ones, rounded once, on any number of ranks; exact:warn"},
    [VARIABLE_DEVICE] =
        {"ALLFOLD_DEVICE", "auto",
         "whether buffers may be in a device's memory (docs/device_memory.md): auto: where the MPI "
         "library says that it is device-aware; on: ask the driver for each buffer; off: never "
         "ask"},
    [VARIABLE_DEVICE_SEGMENT] =
        {"ALLFOLD_DEVICE_SEGMENT", "16M",
         "longer buffers in a device's memory are copied in segments of so many bytes, while the "
         "reduction goes on; 0: whole, before and after it"},
    [VARIABLE_VERBOSE] = {"ALLFOLD_VERBOSE", "0",
                          "1: say on stderr what is chosen for each new shape, and why",
                          .is_everyday = true},
    [VARIABLE_REPORT] =
        {"ALLFOLD_REPORT", "0",
         "1: a report on stderr at MPI_Finalize; a file name (.csv, .json and .html "
         "give those formats): the report goes there",
         .is_everyday = true},
    [VARIABLE_TRACE] = {"ALLFOLD_TRACE", "0",
                        "a file that keeps which collectives rank 0 called and how long it waited "
                        "in them (docs/trace.md)"},
    [VARIABLE_WATCH] = {"ALLFOLD_WATCH", "0",
                        "1: `allfold top` shows the program while it runs (docs/top.md); a "
                        "directory: the ranks' pages are there, and not in /dev/shm"},
    [VARIABLE_REPORT_COMPARE] = {"ALLFOLD_REPORT_COMPARE", "0",
                                 "1: time the native collective beside some of the calls, for "
                                 "the report"},
    [VARIABLE_REPORT_SITES] = {"ALLFOLD_REPORT_SITES", "0",
                               "1: the report tells calls apart by where the program made them"},
    [VARIABLE_COMPARE_BITS] = {"ALLFOLD_COMPARE_BITS", "0",
                               "1: reduce floating point a second time with the native collective, "
                               "and report how often a "
                               "bit differs"},
    [VARIABLE_SIMD] = {"ALLFOLD_SIMD", "",
                       "instructions to reduce with (plain, avx2, avx512), where not the best that "
                       "there are; results are the same"},
    [VARIABLE_MPI] = {"ALLFOLD_MPI", "",
                      "the MPI library's file: for `allfold run` if a program opens several, for "
                      "`allfold bench`, tune and info if it is not the one beside the launcher"},
    [VARIABLE_ONE_COPY] = {"ALLFOLD_ONE_COPY", "0",
                           "1: `allfold run` lets large allocations come from memory that the "
                           "ranks of a node read in place (docs/one_copy.md)",
                           .is_everyday = true},
    {.name = NULL},
};

struct reading {
    const char *(*get)(const char *name);
    void (*complain)(const char *message);
};

/* Names of version 0.1, which work until 0.3, and those of their words that changed. */
static const struct old_name {
    const char *name;
    enum variable variable;
    const char *words[2][2]; /* the old one, the present one; NULL: there is none */
} old_names[] = {
    {"ALLFOLD_TUNED", VARIABLE_TUNED_TABLE, {{NULL}}},
    {"ALLFOLD_TUNE", VARIABLE_TRIALS, {{"online", "exact"}, {"online-all", "any"}}},
};

enum { OLD_NAMES = sizeof old_names / sizeof *old_names };

static const char *text_of_name(const struct reading *reading, const char *name)
{
    const char *text = reading->get(name);
    return text == NULL || *text == '\0' ? NULL : text;
}

static const char *text_of_old_name(const struct reading *reading, const struct old_name *old)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    const char *name = allfold_variables[old->variable].name;
    const char *text = text_of_name(reading, old->name);
    if (text == NULL)
        return NULL;
    for (int i = 0; i < 2 && old->words[i][0] != NULL; i++)
        if (strcmp(text, old->words[i][0]) == 0)
            text = old->words[i][1];
    snprintf(message, sizeof message,
             "%s is called %s now: set %s=%.200s; the old name works until version 0.3", old->name,
             name, name, text);
    reading->complain(message);
    return text;
}

static const char *text_of(const struct reading *reading, enum variable variable)
{
    const char *text = text_of_name(reading, allfold_variables[variable].name);
    for (int i = 0; text == NULL && i < OLD_NAMES; i++)
        if (old_names[i].variable == variable)
            text = text_of_old_name(reading, &old_names[i]);
    return text;
}

static void complain_of(const struct reading *reading, enum variable variable, const char *text,
                        const char *expected)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    snprintf(message, sizeof message, "%s=%.200s is not %s; %s is taken",
             allfold_variables[variable].name, text, expected, allfold_variables[variable].preset);
    reading->complain(message);
}

static int read_switch(const struct reading *reading, enum variable variable)
{
    const char *text = text_of(reading, variable);
    if (text != NULL && strcmp(text, "0") != 0 && strcmp(text, "1") != 0) {
        complain_of(reading, variable, text, "0 or 1");
        text = NULL;
    }
    return strcmp(text == NULL ? allfold_variables[variable].preset : text, "1") == 0;
}

/* Which of the words it is, that a NULL ends; the first one is the preset. */
static int read_word(const struct reading *reading, enum variable variable,
                     const char *const *words, const char *expected)
{
    const char *text = text_of(reading, variable);
    for (int i = 0; text != NULL && words[i] != NULL; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    if (text != NULL)
        complain_of(reading, variable, text, expected);
    return 0;
}

static enum allfold_trials read_trials(const struct reading *reading)
{
    static const char *const words[] = {[ALLFOLD_TRIALS_OFF] = "off",
                                        [ALLFOLD_TRIALS_EXACT] = "exact",
                                        [ALLFOLD_TRIALS_ANY] = "any",
                                        NULL};
    return (enum allfold_trials)read_word(reading, VARIABLE_TRIALS, words, "off, exact or any");
}

static enum allfold_device_mode read_device(const struct reading *reading)
{
    static const char *const words[] = {[ALLFOLD_DEVICE_AUTO] = "auto",
                                        [ALLFOLD_DEVICE_OFF] = "off",
                                        [ALLFOLD_DEVICE_ON] = "on",
                                        NULL};
    return (enum allfold_device_mode)read_word(reading, VARIABLE_DEVICE, words, "auto, off or on");
}

/* A whole number from 1 to `most` at the begin of the text; 0 where there is none. */
static int read_number(const char *text, size_t length, size_t most)
{
    size_t number;
    const char *end;
    const bool is_one = allfold_size_read(text, &number, &end) && end == text + length;
    return is_one && number <= most ? (int)number : 0;
}

static enum allfold_transport_mode read_transport(const struct reading *reading)
{
    static const char *const words[] = {[ALLFOLD_TRANSPORT_AUTO] = "auto",
                                        [ALLFOLD_TRANSPORT_MPI] = "mpi",
                                        [ALLFOLD_TRANSPORT_FABRIC] = "fabric",
                                        NULL};
    return (enum allfold_transport_mode)read_word(reading, VARIABLE_TRANSPORT, words,
                                                  "auto, mpi or fabric");
}

/* What tests set besides the mode (CONTRIBUTING.md): ",after=50ms,first=16,share=500000". */
static bool read_guard_bounds(const char *text, struct allfold_common_settings *common)
{
    while (*text == ',') {
        const char *name = text + 1, *value = name + strcspn(name, "=,");
        const size_t name_length = (size_t)(value - name);
        value += *value == '=';
        const size_t length = strcspn(value, ",");
        double seconds = 0;
        text = value + length;
        if (strncmp(name, "after", name_length) == 0 &&
            allfold_duration_read(value, length, &seconds) && seconds >= 1e-3)
            common->guard_after_ms = (int)(1e3 * seconds);
        else if (strncmp(name, "first", name_length) == 0 &&
                 read_number(value, length, 1 << 20) > 0)
            common->guard_first = read_number(value, length, 1 << 20);
        else if (strncmp(name, "share", name_length) == 0 &&
                 read_number(value, length, 1000000) > 0)
            common->guard_share_ppm = read_number(value, length, 1000000);
        else
            return false;
    }
    return *text == '\0';
}

static void read_guard(const struct reading *reading, struct allfold_common_settings *common)
{
    static const struct allfold_common_settings presets = {
        .guard = ALLFOLD_GUARD_SWITCH, .guard_after_ms = 2000, .guard_share_ppm = 1000};
    static const char *const words[] = {[ALLFOLD_GUARD_SWITCH] = "switch",
                                        [ALLFOLD_GUARD_OFF] = "off",
                                        [ALLFOLD_GUARD_REPORT] = "report",
                                        [ALLFOLD_GUARD_ANY] = "any"};
    enum { COUNT = sizeof words / sizeof *words };
    const char *text = text_of(reading, VARIABLE_GUARD);
    int word = 0;
    common->guard_after_ms = presets.guard_after_ms;
    common->guard_share_ppm = presets.guard_share_ppm;
    if (text == NULL)
        return;
    const size_t length = strcspn(text, ",");
    while (word < COUNT &&
           (strlen(words[word]) != length || strncmp(words[word], text, length) != 0))
        word++;
    common->guard = (enum allfold_guard_mode)word;
    if (word < COUNT && read_guard_bounds(text + length, common))
        return;
    complain_of(reading, VARIABLE_GUARD, text, "off, report, switch or any");
    common->guard = presets.guard;
    common->guard_first = 0;
    common->guard_after_ms = presets.guard_after_ms;
    common->guard_share_ppm = presets.guard_share_ppm;
}

/* A directory has a slash in front, so that all ranks mean the same one. */
static const char *read_watch(const struct reading *reading)
{
    const char *text = text_of(reading, VARIABLE_WATCH);
    if (text == NULL || *text == '/' || strcmp(text, "0") == 0)
        return text == NULL || *text == '0' ? NULL : text;
    if (strcmp(text, "1") == 0)
        return "";
    complain_of(reading, VARIABLE_WATCH, text, "0, 1 or a directory (/...)");
    return NULL;
}

static bool read_progress(const struct reading *reading)
{
    static const char *const words[] = {"calls", "thread", NULL};
    return read_word(reading, VARIABLE_PROGRESS, words, "calls or thread") == 1;
}

static const char *const sparse_modes[] = {[ALLFOLD_SPARSE_AUTO] = "auto",
                                           [ALLFOLD_SPARSE_OFF] = "off",
                                           [ALLFOLD_SPARSE_ON] = "on",
                                           [ALLFOLD_SPARSE_UNSET] = NULL};

enum allfold_sparse_mode allfold_sparse_mode_find(const char *word)
{
    int mode = 0;
    while (mode < ALLFOLD_SPARSE_UNSET && strcmp(word, sparse_modes[mode]) != 0)
        mode++;
    return (enum allfold_sparse_mode)mode;
}

static const char *const reproducible_modes[] = {
    [ALLFOLD_REPRODUCIBLE_OFF] = "off",
    [ALLFOLD_REPRODUCIBLE_CANONICAL] = "canonical",
    [ALLFOLD_REPRODUCIBLE_WARN] = "canonical:warn",
    [ALLFOLD_REPRODUCIBLE_EXACT] = "exact",
    [ALLFOLD_REPRODUCIBLE_EXACT_WARN] = "exact:warn",
    [ALLFOLD_REPRODUCIBLE_UNSET] = NULL,
};

const char allfold_reproducible_words[] = "off, canonical, canonical:warn, exact or exact:warn";

enum allfold_reproducible allfold_reproducible_find(const char *word)
{
    int mode = 0;
    while (mode < ALLFOLD_REPRODUCIBLE_UNSET && strcmp(word, reproducible_modes[mode]) != 0)
        mode++;
    return (enum allfold_reproducible)mode;
}

/* Nonblocking reductions can be bitwise identical only where they are ours, too. */
static void read_reproducible(const struct reading *reading, struct allfold_common_settings *common)
{
    common->reproducible = (enum allfold_reproducible)read_word(
        reading, VARIABLE_REPRODUCIBLE, reproducible_modes, allfold_reproducible_words);
    if (common->reproducible != ALLFOLD_REPRODUCIBLE_OFF)
        common->nonblocking = 1;
}

static void read_timeout(const struct reading *reading, struct allfold_common_settings *common)
{
    static const char abort[] = ",abort";
    const char *text = text_of(reading, VARIABLE_TIMEOUT);
    double seconds = 0;
    if (text == NULL || strcmp(text, "0") == 0)
        return;
    const size_t length = strcspn(text, ",");
    if ((text[length] != '\0' && strcmp(text + length, abort) != 0) ||
        !allfold_duration_read(text, length, &seconds) || seconds < 1e-3) {
        complain_of(reading, VARIABLE_TIMEOUT, text, "a duration like 30s, 500ms or 30s,abort");
        return;
    }
    common->timeout_ms = (int)(1e3 * seconds);
    common->timeout_aborts = text[length] != '\0';
}

static int read_card(const struct reading *reading)
{
    static const double most_mbit = 1e9;
    const char *end, *text = text_of(reading, VARIABLE_CARD);
    double mbit = 0;
    if (text == NULL || strcmp(text, "auto") == 0)
        return ALLFOLD_CARD_UNSET;
    if (strcmp(text, "off") == 0)
        return 0;
    if (allfold_quantity_read(text, allfold_bit_rate_units, &mbit, &end) && *end == '\0' &&
        mbit >= 1 && mbit <= most_mbit)
        return (int)mbit;
    complain_of(reading, VARIABLE_CARD, text, "a rate like 100Gbit/s, auto or off");
    return ALLFOLD_CARD_UNSET;
}

static size_t read_size(const struct reading *reading, enum variable variable)
{
    size_t size;
    const char *end;
    const char *text = text_of(reading, variable);
    if (text != NULL && allfold_size_read(text, &size, &end) && *end == '\0')
        return size;
    if (text != NULL)
        complain_of(reading, variable, text, "a size like 64K");
    allfold_size_read(allfold_variables[variable].preset, &size, &end);
    return size;
}

static size_t read_window(const struct reading *reading)
{
    enum { SMALLEST = 2, LARGEST = 256, PRESET = 16 };
    const size_t window = read_size(reading, VARIABLE_WINDOW);
    if (window >= SMALLEST && window <= LARGEST && (window & (window - 1)) == 0)
        return window;
    complain_of(reading, VARIABLE_WINDOW, text_of(reading, VARIABLE_WINDOW),
                "a power of two from 2 to 256");
    return PRESET;
}

static const enum variable rule_variables[ALLFOLD_COLLECTIVE_COUNT] = {
    [ALLFOLD_ALLREDUCE] = VARIABLE_ALLREDUCE,
    [ALLFOLD_REDUCE] = VARIABLE_REDUCE,
    [ALLFOLD_BCAST] = VARIABLE_BCAST,
    [ALLFOLD_REDUCE_SCATTER_BLOCK] = VARIABLE_REDUCE_SCATTER_BLOCK,
    [ALLFOLD_REDUCE_SCATTER] = VARIABLE_REDUCE_SCATTER,
    [ALLFOLD_ALLGATHER] = VARIABLE_ALLGATHER,
    [ALLFOLD_ALLGATHERV] = VARIABLE_ALLGATHERV,
    [ALLFOLD_BARRIER] = VARIABLE_BARRIER,
    [ALLFOLD_SCAN] = VARIABLE_SCAN,
    [ALLFOLD_EXSCAN] = VARIABLE_EXSCAN,
};

const char *allfold_rules_variable(enum allfold_collective collective)
{
    return allfold_variables[rule_variables[collective]].name;
}

enum allfold_error allfold_rules_read_variable(enum allfold_collective collective, const char *text,
                                               struct allfold_rules *rules, char *message,
                                               size_t message_bytes)
{
    char what[ALLFOLD_MESSAGE_BYTES - 60] = "";
    enum allfold_error error = ALLFOLD_BAD_INPUT;
    rules->count = 0;
    if (strlen(text) >= ALLFOLD_RULES_BYTES)
        snprintf(what, sizeof what, "longer than %d characters", ALLFOLD_RULES_BYTES - 1);
    else
        error = allfold_rules_read(collective, text, rules, what, sizeof what);
    if (error != ALLFOLD_OK)
        snprintf(message, message_bytes, "%s: %s", allfold_rules_variable(collective), what);
    return error;
}

void allfold_settings_set_rules(struct allfold_settings *settings,
                                enum allfold_collective collective, const char *text)
{
    settings->rule_text[collective] = text;
    settings->rule_error[collective][0] = '\0';
    allfold_rules_read_variable(collective, text, &settings->rules[collective],
                                settings->rule_error[collective], ALLFOLD_MESSAGE_BYTES);
}

static void read_rules(const struct reading *reading, struct allfold_settings *settings)
{
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++) {
        const char *text = text_of(reading, rule_variables[i]);
        allfold_settings_set_rules(settings, (enum allfold_collective)i, text == NULL ? "" : text);
    }
}

static void read_nodes(const struct reading *reading, char *nodes)
{
    char message[ALLFOLD_MESSAGE_BYTES - 60] = "", line[ALLFOLD_MESSAGE_BYTES];
    const char *text = text_of(reading, VARIABLE_NODES);
    nodes[0] = '\0';
    if (text == NULL)
        return;
    if (strlen(text) >= ALLFOLD_NODES_BYTES)
        snprintf(message, sizeof message, "longer than %d characters", ALLFOLD_NODES_BYTES - 1);
    else if (allfold_placement_read(text, 0, NULL, message, sizeof message) == ALLFOLD_OK)
        memcpy(nodes, text, strlen(text) + 1);
    if (nodes[0] != '\0')
        return;
    snprintf(line, sizeof line, "ALLFOLD_NODES: %s; the real nodes are taken", message);
    reading->complain(line);
}

void allfold_settings_read(struct allfold_settings *settings, const char *(*get)(const char *name),
                           void (*complain)(const char *message))
{
    const struct reading reading = {get, complain};
    memset(settings, 0, sizeof *settings);
    read_rules(&reading, settings);
    settings->window = read_window(&reading);
    settings->cache_bytes = read_size(&reading, VARIABLE_CACHE);
    read_nodes(&reading, settings->nodes);
    settings->common.shared_memory = read_switch(&reading, VARIABLE_SHARED_MEMORY);
    settings->common.transport = read_transport(&reading);
    settings->fabric = text_of(&reading, VARIABLE_FABRIC);
    if (settings->fabric != NULL && settings->common.transport == ALLFOLD_TRANSPORT_AUTO)
        settings->common.transport = ALLFOLD_TRANSPORT_FASTER;
    settings->common.nonblocking = read_switch(&reading, VARIABLE_NONBLOCKING);
    settings->common.trials = read_trials(&reading);
    read_guard(&reading, &settings->common);
    settings->learn = text_of(&reading, VARIABLE_LEARN);
    settings->progress_thread = read_progress(&reading);
    read_timeout(&reading, &settings->common);
    settings->common.check = read_switch(&reading, VARIABLE_CHECK);
    settings->common.sparse = (enum allfold_sparse_mode)read_word(&reading, VARIABLE_SPARSE,
                                                                  sparse_modes, "off, auto or on");
    read_reproducible(&reading, &settings->common);
    settings->device = read_device(&reading);
    settings->device_segment_bytes = read_size(&reading, VARIABLE_DEVICE_SEGMENT);
    settings->verbose = read_switch(&reading, VARIABLE_VERBOSE);
    settings->one_copy = read_switch(&reading, VARIABLE_ONE_COPY);
    settings->common.report_compare = read_switch(&reading, VARIABLE_REPORT_COMPARE);
    settings->common.compare_bits = read_switch(&reading, VARIABLE_COMPARE_BITS);
    settings->report_sites = read_switch(&reading, VARIABLE_REPORT_SITES);
    settings->simd = text_of(&reading, VARIABLE_SIMD);
    settings->table = text_of(&reading, VARIABLE_TABLE);
    settings->tuned_table = text_of(&reading, VARIABLE_TUNED_TABLE);
    settings->network = text_of(&reading, VARIABLE_NETWORK);
    settings->common.card_mbit = read_card(&reading);
    settings->trace = text_of(&reading, VARIABLE_TRACE);
    if (settings->trace != NULL && strcmp(settings->trace, "0") == 0)
        settings->trace = NULL;
    settings->watch = read_watch(&reading);
    settings->report = text_of(&reading, VARIABLE_REPORT);
    if (settings->report != NULL && strcmp(settings->report, "0") == 0)
        settings->report = NULL;
    if (settings->report != NULL && strcmp(settings->report, "1") == 0)
        settings->report = "";
    if (settings->report == NULL && (settings->common.report_compare ||
                                     settings->common.compare_bits || settings->report_sites))
        settings->report = "";
}

static const char *get_variable(const char *name)
{
    return getenv(name);
}

void allfold_settings_read_environment(struct allfold_settings *settings,
                                       void (*complain)(const char *message))
{
    allfold_settings_read(settings, get_variable, complain);
}

static bool is_variable(const char *name, size_t length)
{
    for (const struct allfold_variable *known = allfold_variables; known->name != NULL; known++)
        if (strlen(known->name) == length && strncmp(known->name, name, length) == 0)
            return true;
    for (int i = 0; i < OLD_NAMES; i++)
        if (strlen(old_names[i].name) == length && strncmp(old_names[i].name, name, length) == 0)
            return true;
    return false;
}

void allfold_settings_check_names(char *const *environment, void (*complain)(const char *message))
{
    static const char prefix[] = "ALLFOLD_";
    for (; *environment != NULL; environment++) {
        const size_t length = strcspn(*environment, "=");
        if (strncmp(*environment, prefix, sizeof prefix - 1) != 0 ||
            is_variable(*environment, length))
            continue;
        char message[ALLFOLD_MESSAGE_BYTES];
        snprintf(message, sizeof message,
                 "%.*s is not a variable of Allfold and does nothing; `allfold info` lists them",
                 (int)(length < 100 ? length : 100), *environment);
        complain(message);
    }
}

bool allfold_tuned_path(const char *tuned, const char *mpi, char *path, size_t path_bytes)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
    int length;
    if (tuned != NULL)
        length = strcmp(tuned, "0") == 0 ? -1 : snprintf(path, path_bytes, "%s", tuned);
    else if (data != NULL && *data == '/') /* as the XDG specification has it: else it is not set */
        length = snprintf(path, path_bytes, "%s/allfold/tuned-%s.json", data, mpi);
    else if (home != NULL && *home != '\0')
        length = snprintf(path, path_bytes, "%s/.local/share/allfold/tuned-%s.json", home, mpi);
    else
        length = -1;
    return length >= 0 && (size_t)length < path_bytes;
}

static uint64_t add_rule(uint64_t hash, const struct allfold_rule *rule)
{
    hash = allfold_hash(hash, &rule->from_bytes, sizeof rule->from_bytes);
    hash = allfold_hash(hash, &rule->to_bytes, sizeof rule->to_bytes);
    const char *name = rule->algorithm == NULL ? "native" : rule->algorithm->name;
    hash = allfold_hash(hash, name, strlen(name));
    return allfold_hash(hash, &rule->parameters, sizeof rule->parameters);
}

uint64_t allfold_settings_fingerprint(const struct allfold_settings *settings)
{
    uint64_t hash = allfold_hash_of_nothing;
    for (int i = 0; i < ALLFOLD_COLLECTIVE_COUNT; i++) {
        hash = allfold_hash(hash, settings->rule_error[i], strlen(settings->rule_error[i]));
        hash = allfold_hash(hash, &settings->rules[i].count, sizeof settings->rules[i].count);
        for (int j = 0; j < settings->rules[i].count; j++)
            hash = add_rule(hash, &settings->rules[i].rules[j]);
    }
    const int has_report = settings->report != NULL, has_trace = settings->trace != NULL,
              has_watch = settings->watch != NULL;
    hash = allfold_hash(hash, &has_report, sizeof has_report);
    hash = allfold_hash(hash, &has_trace, sizeof has_trace);
    hash = allfold_hash(hash, &has_watch, sizeof has_watch);
    hash = allfold_hash(hash, settings->nodes, strlen(settings->nodes));
    return allfold_hash(hash, &settings->common, sizeof settings->common);
}
