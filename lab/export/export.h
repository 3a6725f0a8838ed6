/* Tables as the tuning files of other libraries: their peers here.
 *
 * A peer says which of its algorithms are ours (a list of mappings) and how its file is written.
 * What a table decides becomes rules: on so many ranks, from so many bytes on, this algorithm of
 * the peer's. Where a row names an algorithm that the peer lacks, or one that it would use wrongly,
 * there is no rule. Then the peer's own choice stays, and the row is noted with the reason. Nothing
 * is ever exported as something else.
 *
 * Peers know neither nodes nor the kind of an operation. So rules are for the calls that most
 * programs make: ranks in blocks, an operation that commutes, floating-point numbers. */
#ifndef ALLFOLD_LAB_EXPORT_EXPORT_H
#define ALLFOLD_LAB_EXPORT_EXPORT_H

#include <limits.h>
#include <stdio.h>

#include "select/table.h"

/* What a peer's algorithm does with the parameter of ours. */
enum allfold_mapping_takes {
    ALLFOLD_TAKES_ALL,     /* there is none */
    ALLFOLD_TAKES_EXACTLY, /* it is the same for one value alone */
    ALLFOLD_TAKES_SEGMENT, /* takes it, but for 0 */
    ALLFOLD_TAKES_VALUE,   /* takes it, one value for all sizes */
};

/* An algorithm of ours and the peer's that is the same. Of several for one algorithm, the first
 * that takes its parameter counts. */
struct allfold_mapping {
    enum allfold_collective collective;
    const char *ours;
    const char *theirs; /* the peer's name for it */
    int number;         /* the peer's, where it has any */
    enum allfold_mapping_takes takes;
    const char *parameter; /* ours that counts; NULL: none */
    size_t value;          /* for ALLFOLD_TAKES_EXACTLY */
    const char *setting;   /* the peer's variable of which there is one for all sizes, or NULL */
    bool powers_of_two;    /* the same on these alone */
    bool unordered;        /* the peer uses it for operations that do not commute, too, and then
                              gives wrong results, or it is not known that it does not */
    bool built_in;         /* the peer has it for its own operations and a count of as many elements
                              as there are ranks, at least */
};

struct allfold_export_rule {
    enum allfold_collective collective;
    int p;
    size_t from_bytes, to_bytes; /* SIZE_MAX: no bound */
    const struct allfold_mapping *mapping;
    size_t value;     /* of our parameter, where the peer takes it; else 0 */
    bool commutative; /* the row is for operations that commute alone, or can serve no others */
    uint32_t row;     /* its number in the table */
};

/* A row that the file has nothing of, and why. */
struct allfold_export_omission {
    uint32_t row;
    char reason[240];
};

struct allfold_peer;

struct allfold_export {
    const struct allfold_peer *peer;
    const struct allfold_table_head *head; /* the table's */
    uint32_t rule_count, omission_count;
    struct allfold_export_rule *rules; /* sorted by collective, p, from_bytes; none overlap */
    struct allfold_export_omission *omissions;
    uint32_t natives; /* rows that leave it to the peer anyway */
    char *defaults;   /* what the peer's file has to repeat; see needs_defaults */
};

struct allfold_peer {
    const char *name;                       /* "openmpi" */
    const char *title;                      /* "Open MPI" */
    const struct allfold_mapping *mappings; /* ended by NULL for `ours` */
    bool needs_defaults; /* its file replaces all its own decisions: `defaults` are needed */
    enum allfold_error (*write)(FILE *file, const struct allfold_export *export);
    void (*explain)(FILE *file, const struct allfold_export *export, const char *path);
};

extern const struct allfold_peer allfold_peer_openmpi, allfold_peer_mpich, allfold_peer_intel,
    allfold_peer_ucc;
extern const struct allfold_peer *const allfold_peers[]; /* a NULL ends them */

/* The peer of that name, or NULL. */
const struct allfold_peer *allfold_peer_find(const char *name);

struct allfold_export_choice {
    int ppn;          /* rows with so many ranks on the fullest node alone; 0: any */
    bool commutative; /* all operations of the programs commute: mappings that are `unordered`, too
                       */
};

/* Makes the rules; the table stays the caller's, and must live as long. ALLFOLD_BAD_INPUT with
 * `message` where rows of several shapes are for as many ranks; ALLFOLD_NO_MEMORY. Freed with
 * allfold_export_free, also then. */
enum allfold_error allfold_export_make(const struct allfold_peer *peer,
                                       const struct allfold_table *table,
                                       const struct allfold_export_choice *choice,
                                       struct allfold_export *export, char *message,
                                       size_t message_bytes);
void allfold_export_free(struct allfold_export *export);

/* Finds MPICH's own decisions in its library, into export->defaults. ALLFOLD_BAD_INPUT with
 * `message` where the file cannot be read or has none; ALLFOLD_NO_MEMORY. */
enum allfold_error allfold_export_find_defaults(struct allfold_export *export, const char *library,
                                                char *message, size_t message_bytes);

/* The end of the run of rules from `begin` on that are for its collective, and for its p where
 * `same_p`. */
uint32_t allfold_export_end_of(const struct allfold_export *export, uint32_t begin, bool same_p);

/* Has the rule sizes that an int can count? Some peers have no others. */
static inline bool allfold_export_fits_int(const struct allfold_export_rule *rule)
{
    return rule->from_bytes <= INT_MAX;
}

enum { ALLFOLD_EXPORT_NAME_BYTES = 32 };

/* "ALLREDUCE", ..., as variables have it. */
void allfold_export_capitals(enum allfold_collective collective,
                             char name[ALLFOLD_EXPORT_NAME_BYTES]);

/* Writes "FROM bytes and more" and so on of a rule, as comments have it. */
void allfold_export_describe(const struct allfold_export_rule *rule, char *text, size_t bytes);

/* The lines, behind a mark for comments, that say what a file is and where its table is from. */
void allfold_export_head(FILE *file, const struct allfold_export *export);

#endif
