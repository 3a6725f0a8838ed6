/* Settings: the meaning of the texts of config/settings.def for choices and calls.
 *
 * All settings are read once. If a value is invalid, Allfold warns once and uses the default, with
 * two exceptions. An invalid rule is an error of each call of its collective. If a setting is a
 * promise (reproducible results, a check, a timeout), an invalid value or a misspelled name is an
 * error of MPI_Init and of each call, and `allfold run` does not start the program. */
#ifndef ALLFOLD_SELECT_SETTINGS_H
#define ALLFOLD_SELECT_SETTINGS_H

#include <stdint.h>
#include <string.h>

#include "config/config.h"
#include "select/rules.h"

enum { ALLFOLD_RULES_BYTES = 1024, ALLFOLD_NODES_BYTES = 256 };

/* The values of each enum below are in the order of the words in settings.def. */

/* The mode of reproducible floating-point sums (docs/reproducible.md): by a canonical tree, or
 * exact. */
enum allfold_reproducible {
    ALLFOLD_REPRODUCIBLE_OFF,
    ALLFOLD_REPRODUCIBLE_CANONICAL, /* a call that cannot be served so is an error */
    ALLFOLD_REPRODUCIBLE_WARN,      /* such a call gives one warning */
    ALLFOLD_REPRODUCIBLE_EXACT,     /* exact sums; a call that cannot be exact is an error */
    ALLFOLD_REPRODUCIBLE_EXACT_WARN,
    /* The communicator or plan sets none; never in struct allfold_settings. */
    ALLFOLD_REPRODUCIBLE_UNSET
};

/* Returns whether a call that cannot be served in this mode gives a warning instead of an error. */
static inline bool allfold_reproducible_warns(enum allfold_reproducible mode)
{
    return mode == ALLFOLD_REPRODUCIBLE_WARN || mode == ALLFOLD_REPRODUCIBLE_EXACT_WARN;
}

/* Returns whether sums are exact in this mode. */
static inline bool allfold_reproducible_is_exact(enum allfold_reproducible mode)
{
    return mode == ALLFOLD_REPRODUCIBLE_EXACT || mode == ALLFOLD_REPRODUCIBLE_EXACT_WARN;
}

/* What the guard does about a choice that is slower than another one (docs/guard.md). */
enum allfold_guard_mode {
    ALLFOLD_GUARD_SWITCH, /* replaces it if no bit of a result can change, otherwise reports it */
    ALLFOLD_GUARD_OFF,    /* does not measure */
    ALLFOLD_GUARD_REPORT, /* reports it */
    ALLFOLD_GUARD_ANY,    /* replaces it */
};

/* Whether messages of a reduction are compressed (docs/sparse.md). */
enum allfold_sparse_mode {
    ALLFOLD_SPARSE_AUTO, /* between nodes, if it saves time */
    ALLFOLD_SPARSE_OFF,
    ALLFOLD_SPARSE_ON,
    /* The communicator or plan sets none; never in struct allfold_settings. */
    ALLFOLD_SPARSE_UNSET
};

/* Whether buffers may be in device memory (docs/device_memory.md). */
enum allfold_device_mode {
    ALLFOLD_DEVICE_AUTO, /* if the MPI library supports device memory */
    ALLFOLD_DEVICE_OFF,
    ALLFOLD_DEVICE_ON,
};

/* What carries messages between ranks that share no memory (docs/fabric.md). */
enum allfold_transport_mode {
    ALLFOLD_TRANSPORT_AUTO, /* MPI */
    ALLFOLD_TRANSPORT_MPI,
    ALLFOLD_TRANSPORT_FABRIC, /* one-sided writes if all ranks support them, otherwise MPI */
    ALLFOLD_TRANSPORT_FASTER, /* auto with a provider: the faster one, by measurement */
};

/* Settings that must be the same on all ranks, except for rules and placements. */
struct allfold_common_settings {
    int shared_memory; /* messages between ranks of a node go through shared memory */
    enum allfold_transport_mode transport; /* for all other messages */
    int nonblocking;                       /* serve nonblocking and persistent calls, too */
    int report_compare; /* time the MPI library's own collective beside some calls */
    int compare_bits;   /* compare floating-point results with those of the MPI library */
    int timeout_ms;     /* report which ranks a blocking call waits for after this time; 0: never */
    int timeout_aborts; /* end the program after such a report */
    int check;          /* ranks compare the arguments of their calls */
    enum allfold_sparse_mode sparse;
    enum allfold_reproducible reproducible; /* if it is not OFF, `nonblocking` is set, too */
    enum allfold_guard_mode guard;
    int guard_first; /* calls of a shape before the ranks first agree whether to measure; 0: by its
                        bytes */
    int guard_share_ppm; /* the maximum share of the run time for measurements, in millionths */
    int card_mbit; /* rate of a node's network card in Mbit/s; 0: unknown; ALLFOLD_CARD_UNSET: as
                      the system reports it */
};

enum { ALLFOLD_CARD_UNSET = -1 };

/* All settings of a process. */
struct allfold_settings {
    struct allfold_texts texts;
    const char *rule_text[ALLFOLD_COLLECTIVE_COUNT]; /* "" if there are no rules */
    struct allfold_rules rules[ALLFOLD_COLLECTIVE_COUNT];
    char rule_error[ALLFOLD_COLLECTIVE_COUNT][ALLFOLD_MESSAGE_BYTES]; /* "" if there is no error */
    size_t window;                   /* maximum number of messages in flight; a power of two */
    char nodes[ALLFOLD_NODES_BYTES]; /* a placement that replaces the real one; "": none */
    struct allfold_common_settings common;
    size_t cache_bytes; /* maximum memory of a communicator's schedules */
    int verbose;        /* 0 or 1 */
    int one_copy;       /* allocate a program's large blocks from the heap */
    enum allfold_device_mode device;
    const char *fabric;          /* the provider of the fabric; NULL: the first suitable one */
    bool progress_thread;        /* a thread advances nonblocking calls */
    size_t device_segment_bytes; /* length of the segments in which device buffers are copied during
                                    a call; 0: whole buffers */
    const char *simd;            /* variant of the kernels; NULL: the best; not checked here */
    const char *table;           /* path of the user's table; NULL: none */
    const char *tuned_table;     /* path of the tuned table; NULL: the default path; "0": none */
    const char *network; /* path of a file that says which switch each host is on; NULL: none;
                            "off": do not use Slurm's variables and host names either */
    const char *learn;   /* path of a file for what the guard finds; NULL: none */
    const char *report;  /* NULL: no report; "": on stderr; otherwise the path of a file */
    const char *trace;   /* path of the trace; NULL: no trace */
    int report_sites; /* the report separates calls by the place in the program that makes them */
    char broken_promise[ALLFOLD_MESSAGE_BYTES]; /* the error if a promise is invalid, so that no
                                                   call may run; "": none */
    const char *watch; /* NULL: no page for `allfold top`; "": a page in the default directory;
                          otherwise a directory */
};

/* Returns whether nothing may be found out about the network. */
static inline bool allfold_network_is_off(const struct allfold_settings *settings)
{
    return settings->network != NULL && strcmp(settings->network, "off") == 0;
}

/* Returns whether data of calls are collected, for a report or for `allfold top`. */
static inline bool allfold_settings_gather(const struct allfold_settings *settings)
{
    return settings->report != NULL || settings->watch != NULL;
}

/* Returns whether blocking calls are recorded, for a report, `allfold top` or a trace. */
static inline bool allfold_settings_note(const struct allfold_settings *settings)
{
    return allfold_settings_gather(settings) || settings->trace != NULL;
}

/* Reads all settings with `get`, which works as getenv does; its strings must remain valid. Calls
 * `complain` for each warning. */
void allfold_settings_read(struct allfold_settings *settings, const char *(*get)(const char *name),
                           void (*complain)(const char *message));

/* Reads all settings from the environment of this process, as allfold_settings_read does. */
void allfold_settings_read_environment(struct allfold_settings *settings,
                                       void (*complain)(const char *message));

/* Reads a text as the rules of a collective, in the name of its setting. Returns ALLFOLD_BAD_INPUT
 * if it is wrong; then `message` names the setting and says what is wrong, and *rules is empty. */
enum allfold_error allfold_rules_read_setting(enum allfold_collective collective, const char *text,
                                              struct allfold_rules *rules, char *message,
                                              size_t message_bytes);

/* Warns about each variable ALLFOLD_... in `environment` (in the format of environ) that is not a
 * setting, and suggests a setting with a similar name. If that setting is a promise, it also sets
 * broken_promise. */
void allfold_settings_check_names(struct allfold_settings *settings, char *const *environment,
                                  void (*complain)(const char *message));

/* Returns the path of the tuned table of an MPI library (openmpi, mpich): `tuned` of the settings
 * if it is not NULL, otherwise allfold/tuned-MPI.json in $XDG_DATA_HOME or ~/.local/share. False if
 * the tuned table is off, or the directory is unknown. */
bool allfold_tuned_path(const char *tuned, const char *mpi, char *path, size_t path_bytes);

/* Writes the texts of the settings that must be the same on all ranks, to be sent to other ranks.
 */
enum { ALLFOLD_COMMON_BYTES = 16384 };
void allfold_settings_write_common(const struct allfold_settings *settings,
                                   char bytes[ALLFOLD_COMMON_BYTES]);

/* Makes settings from another rank's texts and, for all other settings, from this rank's own
 * settings. If a common setting is a path, the other rank decides whether there is a file, and this
 * rank keeps its own path. False if out of memory. */
bool allfold_settings_take_common(struct allfold_settings *settings,
                                  const struct allfold_settings *mine,
                                  const char bytes[ALLFOLD_COMMON_BYTES]);

/* Returns a hash of the texts that must be the same on all ranks. */
uint64_t allfold_settings_fingerprint(const struct allfold_settings *settings);

#endif
