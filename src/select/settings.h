/* Settings: what the texts of config/settings.def mean to choices and calls.
 *
 * All are read once. A value that cannot be used gives one complaint, and the default is taken. Two
 * kinds are errors instead, as running on would deceive. A rule that cannot be read is an error of
 * each call that it is for. A setting that promises something (reproducible results, a check, a
 * timeout) and whose value or name is misspelled is an error of MPI_Init and of each call, and
 * `allfold run` does not start the program. */
#ifndef ALLFOLD_SELECT_SETTINGS_H
#define ALLFOLD_SELECT_SETTINGS_H

#include <stdint.h>
#include <string.h>

#include "config/config.h"
#include "select/rules.h"

enum { ALLFOLD_RULES_BYTES = 1024, ALLFOLD_NODES_BYTES = 256 };

/* In each enum below, the words of settings.def are in the same order. */

/* Whether sums follow the canonical tree, or are exact (docs/reproducible.md). */
enum allfold_reproducible {
    ALLFOLD_REPRODUCIBLE_OFF,
    ALLFOLD_REPRODUCIBLE_CANONICAL, /* a call that cannot follow it is an error */
    ALLFOLD_REPRODUCIBLE_WARN,      /* such a call gives one warning */
    ALLFOLD_REPRODUCIBLE_EXACT,     /* sums are exact; a call that cannot be is an error */
    ALLFOLD_REPRODUCIBLE_EXACT_WARN,
    ALLFOLD_REPRODUCIBLE_UNSET /* not given; never in settings */
};

/* Is a call that cannot be served so a warning, not an error? */
static inline bool allfold_reproducible_warns(enum allfold_reproducible mode)
{
    return mode == ALLFOLD_REPRODUCIBLE_WARN || mode == ALLFOLD_REPRODUCIBLE_EXACT_WARN;
}

/* Are sums to be exact? */
static inline bool allfold_reproducible_is_exact(enum allfold_reproducible mode)
{
    return mode == ALLFOLD_REPRODUCIBLE_EXACT || mode == ALLFOLD_REPRODUCIBLE_EXACT_WARN;
}

/* What becomes of a choice that is found to be slower than another one (docs/guard.md). */
enum allfold_guard_mode {
    ALLFOLD_GUARD_SWITCH, /* it is replaced where no bit of a result can change, else reported */
    ALLFOLD_GUARD_OFF,    /* nobody looks */
    ALLFOLD_GUARD_REPORT, /* it is reported */
    ALLFOLD_GUARD_ANY,    /* it is replaced */
};

/* Whether messages of a reduction become shorter where their data repeats itself. */
enum allfold_sparse_mode {
    ALLFOLD_SPARSE_AUTO, /* between nodes, where it is found to pay */
    ALLFOLD_SPARSE_OFF,
    ALLFOLD_SPARSE_ON,
    ALLFOLD_SPARSE_UNSET /* what nobody has said; never in settings */
};

/* Whether buffers may be in the memory of a device (docs/device_memory.md). */
enum allfold_device_mode {
    ALLFOLD_DEVICE_AUTO, /* where the MPI library says that it handles such memory */
    ALLFOLD_DEVICE_OFF,
    ALLFOLD_DEVICE_ON,
};

/* What carries messages between ranks that share no memory (docs/fabric.md). */
enum allfold_transport_mode {
    ALLFOLD_TRANSPORT_AUTO, /* MPI */
    ALLFOLD_TRANSPORT_MPI,
    ALLFOLD_TRANSPORT_FABRIC, /* one-sided writes, where all ranks can; else MPI */
    ALLFOLD_TRANSPORT_FASTER, /* auto, where a provider is named: what is measured as faster */
};

/* What the same texts mean on all ranks, besides rules and placements. */
struct allfold_common_settings {
    int shared_memory;                     /* messages on a node go through memory of its ranks */
    enum allfold_transport_mode transport; /* of the other messages */
    int nonblocking;                       /* nonblocking and persistent calls are ours, too */
    int report_compare;                    /* time the native algorithm beside some calls */
    int compare_bits;                      /* compare floating-point results with native ones */
    int timeout_ms;     /* a blocking call that waits longer says for whom; 0: none does */
    int timeout_aborts; /* and then ends the program */
    int check;          /* ranks compare what they call */
    enum allfold_sparse_mode sparse;
    enum allfold_reproducible reproducible; /* where it is not OFF, `nonblocking` is set, too */
    enum allfold_guard_mode guard;
    int guard_first;     /* calls of a shape before the ranks first agree; 0: by its bytes */
    int guard_share_ppm; /* millionths of the run that all looks may take */
    int card_mbit;       /* what a node's network card carries, in Mbit a second; 0: nobody knows;
                            ALLFOLD_CARD_UNSET: as the system says */
};

enum { ALLFOLD_CARD_UNSET = -1 };

struct allfold_settings {
    struct allfold_texts texts;
    const char *rule_text[ALLFOLD_COLLECTIVE_COUNT]; /* "" where there are no rules */
    struct allfold_rules rules[ALLFOLD_COLLECTIVE_COUNT];
    char rule_error[ALLFOLD_COLLECTIVE_COUNT][ALLFOLD_MESSAGE_BYTES]; /* "" where there is none */
    size_t window;                   /* messages in flight; a power of two */
    char nodes[ALLFOLD_NODES_BYTES]; /* a placement instead of the real one; "": none */
    struct allfold_common_settings common;
    size_t cache_bytes; /* schedules kept per communicator */
    int verbose;        /* 0 or 1 */
    int one_copy;       /* large allocations are to come from the heap */
    enum allfold_device_mode device;
    const char *fabric;          /* the provider of the fabric; NULL: the first that can do it */
    bool progress_thread;        /* a thread advances what is in flight */
    size_t device_segment_bytes; /* that copies overlap with; 0: they do not */
    const char *simd;        /* NULL: the best; whether there is such a variant is not known here */
    const char *table;       /* the user's table: a file; NULL: none */
    const char *tuned_table; /* the tuned table: a file; NULL: the usual one; "0": none */
    const char *network;     /* a file that says which switch hosts are on; NULL: none; "off": nor
                                Slurm's variables, nor the names of hosts */
    const char *learn;       /* what the guard found is kept in this file; NULL: nowhere */
    const char *report;      /* NULL: no report; "": to stderr; else a file */
    const char *trace;       /* NULL: no trace; else a file */
    int report_sites;        /* the report tells calls by where the program made them */
    char broken_promise[ALLFOLD_MESSAGE_BYTES]; /* why nothing may run; "": it may */
    const char *watch; /* NULL: `allfold top` is shown nothing; "": a page in the usual
                          directory; else a directory */
};

/* Is nothing to be known of the network? */
static inline bool allfold_network_is_off(const struct allfold_settings *settings)
{
    return settings->network != NULL && strcmp(settings->network, "off") == 0;
}

/* Are figures gathered, for a report or for `allfold top`? */
static inline bool allfold_settings_gather(const struct allfold_settings *settings)
{
    return settings->report != NULL || settings->watch != NULL;
}

/* Are blocking calls noted, for these or a trace? */
static inline bool allfold_settings_note(const struct allfold_settings *settings)
{
    return allfold_settings_gather(settings) || settings->trace != NULL;
}

/* Reads them with `get` (as getenv). Each complaint goes to `complain`. Strings that `get` returns
 * must stay. */
void allfold_settings_read(struct allfold_settings *settings, const char *(*get)(const char *name),
                           void (*complain)(const char *message));

/* The same from the environment of this process. */
void allfold_settings_read_environment(struct allfold_settings *settings,
                                       void (*complain)(const char *message));

/* Reads rules as the setting's value. ALLFOLD_BAD_INPUT with `message` naming the setting and what
 * is wrong; then *rules is empty. */
enum allfold_error allfold_rules_read_setting(enum allfold_collective collective, const char *text,
                                              struct allfold_rules *rules, char *message,
                                              size_t message_bytes);

/* Complains of each "ALLFOLD_...=..." in `environment` (as environ) that is no variable, and names
 * a variable of a similar name. A similar name of a promise breaks it. */
void allfold_settings_check_names(struct allfold_settings *settings, char *const *environment,
                                  void (*complain)(const char *message));

/* Where the tuned table of an MPI (openmpi, mpich) is: `tuned` as in the settings, or where it is
 * NULL the user's allfold/tuned-MPI.json in $XDG_DATA_HOME, or in ~/.local/share. False where there
 * is to be none, or nobody can say where it would be. */
bool allfold_tuned_path(const char *tuned, const char *mpi, char *path, size_t path_bytes);

/* The texts that must be the same on all ranks, to be sent. */
enum { ALLFOLD_COMMON_BYTES = 16384 };
void allfold_settings_write_common(const struct allfold_settings *settings,
                                   char bytes[ALLFOLD_COMMON_BYTES]);

/* Makes settings of these and, for the rest, of this rank's own. Each rank keeps its own path of a
 * file; whether there is one is the sender's to say. False without memory. */
bool allfold_settings_take_common(struct allfold_settings *settings,
                                  const struct allfold_settings *mine,
                                  const char bytes[ALLFOLD_COMMON_BYTES]);

/* A number that is the same where these texts are. */
uint64_t allfold_settings_fingerprint(const struct allfold_settings *settings);

#endif
