/* The export of tuned tables as tuning files of other MPI libraries, which are called peers here.
 *
 * For each peer there is a list of mappings from Allfold's algorithms to equal algorithms of the
 * peer, and a function that writes its file. Each row of a table becomes a rule: for a number of
 * ranks and a range of sizes, the peer uses a given algorithm. If the peer lacks the algorithm of a
 * row, or would use it wrongly, there is no rule: the peer's own choice stays, and the row is
 * reported as an omission with the reason. A row is never exported as a different algorithm.
 *
 * The files of peers do not distinguish placements or operations. Rules are therefore made for the
 * most common calls: ranks placed in blocks, a commutative operation, floating-point numbers. */
#ifndef ALLFOLD_LAB_EXPORT_EXPORT_H
#define ALLFOLD_LAB_EXPORT_EXPORT_H

#include <limits.h>
#include <stdio.h>

#include "select/table.h"

/* How a peer's algorithm supports the parameter of Allfold's algorithm. */
enum allfold_mapping_takes {
    ALLFOLD_TAKES_ALL,     /* Allfold's algorithm has no parameter */
    ALLFOLD_TAKES_EXACTLY, /* the algorithms are the same for one value only */
    ALLFOLD_TAKES_SEGMENT, /* any value but 0 */
    ALLFOLD_TAKES_VALUE,   /* any value, but the same one for all sizes */
};

/* A mapping from an algorithm of Allfold to the same algorithm of a peer. If there are several
 * mappings for one algorithm, the first one that supports the value of its parameter is used. */
struct allfold_mapping {
    enum allfold_collective collective;
    const char *ours;   /* Allfold's name of the algorithm */
    const char *theirs; /* the peer's name of it */
    int number;         /* the peer's number of it, if its file uses numbers */
    enum allfold_mapping_takes takes;
    const char *parameter; /* the name of Allfold's parameter; NULL: none */
    size_t value;          /* for ALLFOLD_TAKES_EXACTLY */
    const char *setting;   /* the peer's variable that has one value for all sizes, or NULL */
    bool powers_of_two;    /* the algorithms are the same only on powers of two */
    bool unordered;        /* the peer also uses it for operations that do not commute, for which it
                              gives wrong results, or for which its results are not known */
    bool built_in; /* the peer uses it only for predefined operations and for at least as many
                      elements as ranks */
};

/* A rule for calls of `collective` on p ranks with sizes in [from_bytes, to_bytes). */
struct allfold_export_rule {
    enum allfold_collective collective;
    int p;
    size_t from_bytes, to_bytes; /* SIZE_MAX: no bound */
    const struct allfold_mapping *mapping;
    size_t value;     /* of Allfold's parameter if the peer supports it; else 0 */
    bool commutative; /* only for operations that commute */
    uint32_t row;     /* index of its row in the table */
};

/* A row of the table that is not exported, and the reason. */
struct allfold_export_omission {
    uint32_t row;
    char reason[240];
};

struct allfold_peer;

struct allfold_export {
    const struct allfold_peer *peer;
    const struct allfold_table_head *head; /* of the table */
    uint32_t rule_count, omission_count;
    struct allfold_export_rule *rules; /* sorted by collective, p, from_bytes; none overlap */
    struct allfold_export_omission *omissions;
    uint32_t natives; /* rows with the native algorithm, which need no rule */
    char *defaults;   /* the peer's own decisions; see needs_defaults */
};

/* A peer: an MPI library whose tuning files can be written. */
struct allfold_peer {
    const char *name;                       /* as "openmpi" */
    const char *title;                      /* as "Open MPI" */
    const struct allfold_mapping *mappings; /* the last one has NULL for `ours` */
    bool needs_defaults; /* its file replaces all its decisions, so it must repeat `defaults` */
    enum allfold_error (*write)(FILE *file, const struct allfold_export *export);
    void (*explain)(FILE *file, const struct allfold_export *export, const char *path);
};

extern const struct allfold_peer allfold_peer_openmpi, allfold_peer_mpich, allfold_peer_intel,
    allfold_peer_ucc;
extern const struct allfold_peer *const allfold_peers[]; /* the list ends with NULL */

/* Returns the peer of that name, or NULL. */
const struct allfold_peer *allfold_peer_find(const char *name);

/* Options of an export. */
struct allfold_export_choice {
    int ppn;          /* export only rows with `ppn` ranks on the fullest node; 0: all rows */
    bool commutative; /* programs use only operations that commute, so `unordered` mappings are
                         allowed */
};

/* Makes the rules for a table, which must outlive the export. Returns ALLFOLD_OK;
 * ALLFOLD_NO_MEMORY; or ALLFOLD_BAD_INPUT with a message if rows for the same number of ranks have
 * different placements. The caller frees the export with allfold_export_free, also on errors. */
enum allfold_error allfold_export_make(const struct allfold_peer *peer,
                                       const struct allfold_table *table,
                                       const struct allfold_export_choice *choice,
                                       struct allfold_export *export, char *message,
                                       size_t message_bytes);
void allfold_export_free(struct allfold_export *export);

/* Finds MPICH's own decisions in the file of its library and stores them in export->defaults.
 * Returns ALLFOLD_OK; ALLFOLD_NO_MEMORY; or ALLFOLD_BAD_INPUT with a message if the file cannot be
 * read or does not contain them. */
enum allfold_error allfold_export_find_defaults(struct allfold_export *export, const char *library,
                                                char *message, size_t message_bytes);

/* Returns the end of the range of rules [begin, end) that have the collective of rule `begin`, and
 * also its p if `same_p`. */
uint32_t allfold_export_end_of(const struct allfold_export *export, uint32_t begin, bool same_p);

/* Returns whether the sizes of a rule fit into an int, as some peers require. */
static inline bool allfold_export_fits_int(const struct allfold_export_rule *rule)
{
    return rule->from_bytes <= INT_MAX;
}

enum { ALLFOLD_EXPORT_NAME_BYTES = 32 };

/* Writes the name of a collective in capitals, as in environment variables: "ALLREDUCE". */
void allfold_export_capitals(enum allfold_collective collective,
                             char name[ALLFOLD_EXPORT_NAME_BYTES]);

/* Writes the row, sizes and algorithm of a rule for a comment, such as "row 3: 1K-64K ring". */
void allfold_export_describe(const struct allfold_export_rule *rule, char *text, size_t bytes);

/* Writes the comment lines, starting with #, that say what the file is and where its table is from.
 */
void allfold_export_head(FILE *file, const struct allfold_export *export);

#endif
