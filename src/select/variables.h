/* Variables: the texts of the ALLFOLD_ variables, and those that promise something.
 *
 * `allfold run` needs these alone, and is small, so nothing here knows rules or algorithms.
 * settings.h has the meaning of all. */
#ifndef ALLFOLD_SELECT_VARIABLES_H
#define ALLFOLD_SELECT_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

enum { ALLFOLD_MESSAGE_BYTES = 900 };

/* Whether sums follow the canonical tree, or are exact (docs/reproducible.md). */
enum allfold_reproducible {
    ALLFOLD_REPRODUCIBLE_OFF,
    ALLFOLD_REPRODUCIBLE_CANONICAL, /* a call that cannot follow it is an error */
    ALLFOLD_REPRODUCIBLE_WARN,      /* such a call gives one warning */
    ALLFOLD_REPRODUCIBLE_EXACT,     /* sums are exact; a call that cannot be is an error */
    ALLFOLD_REPRODUCIBLE_EXACT_WARN,
    ALLFOLD_REPRODUCIBLE_UNSET /* not given; never in settings */
};

/* The mode that a word of ALLFOLD_REPRODUCIBLE names; UNSET where it is none. */
enum allfold_reproducible allfold_reproducible_find(const char *word);

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

/* What the setting may be, as messages say it. */
extern const char allfold_reproducible_words[];

/* A variable, for people. */
struct allfold_variable {
    const char *name;
    const char *preset;
    const char *meaning;
    bool is_everyday; /* one that a newcomer needs, so an option of `allfold run`; the others are
                         for experts */
    bool is_promise;  /* misspelled it is an error */
};

/* Is the edit distance from `a`, of a_length characters, to `b` at most `changes`? An edit inserts,
 * deletes or replaces a letter, or exchanges two neighbors. */
bool allfold_is_similar(const char *a, size_t a_length, const char *b, int changes);

/* All variables; a name of NULL ends them. */
extern const struct allfold_variable allfold_variables[];

/* In the order in which people see them. */
enum allfold_variable_number {
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

struct allfold_environment {
    const char *(*get)(const char *name);
    void (*complain)(const char *message);
    char *broken_promise; /* of the settings */
};

/* The text of a variable, also by a name of an earlier version; NULL: it is not set. */
const char *allfold_variable_text(const struct allfold_environment *reading,
                                  enum allfold_variable_number variable);

/* Reports what was expected and that the default is used. For a variable that guarantees something,
 * records the error in broken_promise instead. */
void allfold_variable_complain(const struct allfold_environment *reading,
                               enum allfold_variable_number variable, const char *text,
                               const char *expected);

/* A variable that is 0 or 1. */
int allfold_variable_switch(const struct allfold_environment *reading,
                            enum allfold_variable_number variable);

/* Which of the words it is, that a NULL ends; the first one is the preset. */
int allfold_variable_word(const struct allfold_environment *reading,
                          enum allfold_variable_number variable, const char *const *words,
                          const char *expected);

/* What the variables promise. */
struct allfold_promises {
    enum allfold_reproducible reproducible;
    int timeout_ms, timeout_aborts, check;
};

void allfold_variables_read_promises(const struct allfold_environment *reading,
                                     struct allfold_promises *promises);

/* Complains of each "ALLFOLD_...=..." in `environment` (as environ) that is no variable, and names
 * a variable of a similar name. A similar name of a promise breaks it. */
void allfold_variables_check_names(char *broken_promise, char *const *environment,
                                   void (*complain)(const char *message));

/* Reads from the environment of this process what promises something, and nothing else. False with
 * the reason, of at most ALLFOLD_MESSAGE_BYTES, if it is misspelled. */
bool allfold_promises_are_kept(char *const *environment, char *why);

#endif
