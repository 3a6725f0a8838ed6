/* Variables (see variables.h). */
#include "select/variables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/quantity.h"
#include "util/word.h"

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
         "program then",
         .is_everyday = true, .is_promise = true},
    [VARIABLE_CHECK] = {"ALLFOLD_CHECK", "0",
                        "1: before data moves, ranks compare collective, types, operation and "
                        "root; calls that differ are errors that say who called what",
                        .is_everyday = true, .is_promise = true},
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
         "the exact ones, rounded once, on any number of ranks; exact:warn",
         .is_everyday = true, .is_promise = true},
    [VARIABLE_DEVICE] =
        {"ALLFOLD_DEVICE", "auto",
         "whether buffers may be in a device's memory (docs/device_memory.md): auto: where the MPI "
         "library says that it is device-aware; on: ask the driver for each buffer; off: never "
         "ask"},
    [VARIABLE_DEVICE_SEGMENT] =
        {"ALLFOLD_DEVICE_SEGMENT", "16M",
         "longer buffers in GPU memory are copied in segments of this size while the reduction "
         "proceeds; 0: whole, before and after it"},
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

/* Names of version 0.1, which work until 0.3. */
static const struct old_name {
    const char *name;
    enum allfold_variable_number variable;
} old_names[] = {
    {"ALLFOLD_TUNED", VARIABLE_TUNED_TABLE},
};

/* Names of earlier versions that do nothing any more, and what does it instead. */
static const struct removed_name {
    const char *name, *instead;
} removed_names[] = {
    {"ALLFOLD_TUNE", "ALLFOLD_GUARD=any"},
    {"ALLFOLD_TRIALS", "ALLFOLD_GUARD=any"},
};

enum {
    OLD_NAMES = sizeof old_names / sizeof *old_names,
    REMOVED_NAMES = sizeof removed_names / sizeof *removed_names
};

static const char *text_of_name(const struct allfold_environment *reading, const char *name)
{
    const char *text = reading->get(name);
    return text == NULL || *text == '\0' ? NULL : text;
}

static const char *text_of_old_name(const struct allfold_environment *reading,
                                    const struct old_name *old)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    const char *name = allfold_variables[old->variable].name;
    const char *text = text_of_name(reading, old->name);
    if (text == NULL)
        return NULL;
    snprintf(message, sizeof message,
             "%s is called %s now: set %s=%.200s; the old name works until version 0.3", old->name,
             name, name, text);
    reading->complain(message);
    return text;
}

const char *allfold_variable_text(const struct allfold_environment *reading,
                                  enum allfold_variable_number variable)
{
    const char *text = text_of_name(reading, allfold_variables[variable].name);
    for (int i = 0; text == NULL && i < OLD_NAMES; i++)
        if (old_names[i].variable == variable)
            text = text_of_old_name(reading, &old_names[i]);
    return text;
}

/* The first one is kept. */
static void break_promise(char *broken, const char *what, const char *expected)
{
    if (*broken == '\0')
        snprintf(
            broken, ALLFOLD_MESSAGE_BYTES,
            "%.300s: expected %.200s; nothing runs, as the results would lack what the variable "
            "promises. Correct the variable or unset it",
            what, expected);
}

void allfold_variable_complain(const struct allfold_environment *reading,
                               enum allfold_variable_number variable, const char *text,
                               const char *expected)
{
    char message[ALLFOLD_MESSAGE_BYTES];
    if (allfold_variables[variable].is_promise) {
        snprintf(message, sizeof message, "%s=%.200s", allfold_variables[variable].name, text);
        break_promise(reading->broken_promise, message, expected);
        return;
    }
    snprintf(message, sizeof message, "%s=%.200s is not %s; %s is taken",
             allfold_variables[variable].name, text, expected, allfold_variables[variable].preset);
    reading->complain(message);
}

int allfold_variable_switch(const struct allfold_environment *reading,
                            enum allfold_variable_number variable)
{
    const char *text = allfold_variable_text(reading, variable);
    if (text != NULL && strcmp(text, "0") != 0 && strcmp(text, "1") != 0) {
        allfold_variable_complain(reading, variable, text, "0 or 1");
        text = NULL;
    }
    return strcmp(text == NULL ? allfold_variables[variable].preset : text, "1") == 0;
}

int allfold_variable_word(const struct allfold_environment *reading,
                          enum allfold_variable_number variable, const char *const *words,
                          const char *expected)
{
    const char *text = allfold_variable_text(reading, variable);
    for (int i = 0; text != NULL && words[i] != NULL; i++)
        if (strcmp(text, words[i]) == 0)
            return i;
    if (text != NULL)
        allfold_variable_complain(reading, variable, text, expected);
    return 0;
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

static void read_reproducible(const struct allfold_environment *reading,
                              struct allfold_promises *promises)
{
    promises->reproducible = (enum allfold_reproducible)allfold_variable_word(
        reading, VARIABLE_REPRODUCIBLE, reproducible_modes, allfold_reproducible_words);
}

static void read_timeout(const struct allfold_environment *reading,
                         struct allfold_promises *promises)
{
    static const char abort[] = ",abort";
    const char *text = allfold_variable_text(reading, VARIABLE_TIMEOUT);
    double seconds = 0;
    if (text == NULL || strcmp(text, "0") == 0)
        return;
    const size_t length = strcspn(text, ",");
    if ((text[length] != '\0' && strcmp(text + length, abort) != 0) ||
        !allfold_duration_read(text, length, &seconds) || seconds < 1e-3) {
        allfold_variable_complain(reading, VARIABLE_TIMEOUT, text,
                                  "a duration like 30s, 500ms or 30s,abort");
        return;
    }
    promises->timeout_ms = (int)(1e3 * seconds);
    promises->timeout_aborts = text[length] != '\0';
}

void allfold_variables_read_promises(const struct allfold_environment *reading,
                                     struct allfold_promises *promises)
{
    read_timeout(reading, promises);
    promises->check = allfold_variable_switch(reading, VARIABLE_CHECK);
    read_reproducible(reading, promises);
}

static const char *get_variable(const char *name)
{
    return getenv(name);
}

static void ignore(const char *message)
{
    (void)message;
}

/* Names are short, so all ways are tried. */
bool allfold_is_similar(const char *a, size_t a_length, const char *b, int changes)
{
    while (a_length > 0 && *a == *b) {
        a++;
        b++;
        a_length--;
    }
    if (a_length == 0 && *b == '\0')
        return true;
    if (changes == 0)
        return false;
    return (a_length > 0 && allfold_is_similar(a + 1, a_length - 1, b, changes - 1)) ||
           (*b != '\0' && allfold_is_similar(a, a_length, b + 1, changes - 1)) ||
           (a_length > 0 && *b != '\0' &&
            allfold_is_similar(a + 1, a_length - 1, b + 1, changes - 1)) ||
           (a_length > 1 && *b != '\0' && a[0] == b[1] && a[1] == b[0] &&
            allfold_is_similar(a + 2, a_length - 2, b + 2, changes - 1));
}

/* The variable that was probably meant; NULL: none. */
static const struct allfold_variable *find_similar(const char *name, size_t length)
{
    for (int changes = 1; changes <= 2; changes++)
        for (const struct allfold_variable *known = allfold_variables; known->name != NULL; known++)
            if (allfold_is_similar(name, length, known->name, changes))
                return known;
    return NULL;
}

static bool is_variable(const char *name, size_t length)
{
    for (const struct allfold_variable *known = allfold_variables; known->name != NULL; known++)
        if (allfold_is_word(known->name, name, length))
            return true;
    for (int i = 0; i < OLD_NAMES; i++)
        if (allfold_is_word(old_names[i].name, name, length))
            return true;
    return false;
}

/* What to set instead of a name of earlier versions; NULL: it is not one. */
static const char *find_instead(const char *name, size_t length)
{
    for (int i = 0; i < REMOVED_NAMES; i++)
        if (allfold_is_word(removed_names[i].name, name, length))
            return removed_names[i].instead;
    return NULL;
}

void allfold_variables_check_names(char *broken_promise, char *const *environment,
                                   void (*complain)(const char *message))
{
    static const char prefix[] = "ALLFOLD_";
    for (; *environment != NULL; environment++) {
        const size_t length = strcspn(*environment, "=");
        if (strncmp(*environment, prefix, sizeof prefix - 1) != 0 ||
            is_variable(*environment, length))
            continue;
        char message[ALLFOLD_MESSAGE_BYTES];
        const char *instead = find_instead(*environment, length);
        const struct allfold_variable *similar =
            instead == NULL ? find_similar(*environment, length) : NULL;
        snprintf(message, sizeof message, "%.*s is not a variable of Allfold",
                 (int)(length < 100 ? length : 100), *environment);
        if (similar != NULL && similar->is_promise) {
            break_promise(broken_promise, message, similar->name);
            continue;
        }
        const char *better = instead != NULL ? instead : similar != NULL ? similar->name : "";
        const char *why = instead != NULL ? " replaces it; " : similar != NULL ? " is one; " : "";
        const size_t so_far = strlen(message);
        snprintf(message + so_far, sizeof message - so_far,
                 " and does nothing; %s%s`allfold info` lists them", better, why);
        complain(message);
    }
}

bool allfold_promises_are_kept(char *const *environment, char *why)
{
    struct allfold_promises promises = {.check = 0};
    const struct allfold_environment reading = {get_variable, ignore, why};
    *why = '\0';
    allfold_variables_read_promises(&reading, &promises);
    allfold_variables_check_names(why, environment, ignore);
    return *why == '\0';
}
