/* The options of the subcommands. Each option is declared once, in ALLFOLD_OPTIONS; a subcommand
 * lists the options that it takes. `allfold run`, `info` and `top` have options of their own. */
#ifndef ALLFOLD_OPTIONS_H
#define ALLFOLD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* X(kind, field, letter, argument, least, most, help). `field` is the option's name. Kinds: TEXT;
 * LIST, a text that joins the arguments with commas if the option is given several times; OPTIONAL,
 * a text that may be omitted (then it is ""); NUMBER, from `least` to `most`; FLAG. */
#define ALLFOLD_OPTIONS(X)                                                                         \
    /* the problem */                                                                              \
    X(TEXT, collective, 'c', "NAME", 0, 0, "the collective")                                       \
    X(LIST, algorithm, 'a', "LIST", 0, 0, "its algorithms: ring(segment=64K); or all")             \
    X(LIST, parameter, 'P', "NAME=VALUE", 0, 0, "a parameter of the algorithm, like segment=8")    \
    X(TEXT, bytes, 'b', "BYTES", 0, 0, "bytes of whole vectors: 8,64K or 8:1M")                    \
    X(TEXT, operation, 'o', "NAME", 0, 0, "the operation")                                         \
    X(TEXT, type, 't', "NAME", 0, 0, "the type of the elements")                                   \
    X(TEXT, root, 'r', "RANK", 0, 0, "the root of a reduce or broadcast")                          \
    X(TEXT, count, 0, "N", 0, 0, "elements of the vector")                                         \
    X(TEXT, ranks, 'p', "P", 0, 0, "the number of ranks")                                          \
    X(TEXT, nodes, 'N', "N|NxK", 0, 0, "the number of nodes, or 4x8: nodes x ranks")               \
    X(NUMBER, ppn, 'k', "K", 1, 1 << 24, "ranks on each node")                                     \
    X(NUMBER, sockets, 0, "S", 1, 1 << 24, "sockets of each node")                                 \
    X(NUMBER, cores, 'C', "N", 1, 1 << 24, "cores of the machine that the ranks share")            \
    X(TEXT, placement, 'l', "HOW", 0, 0, "block, cyclic or random")                                \
    X(LIST, network, 'n', "NAME|FILE", 0, 0, "the network: cluster, 'torus 4x4', ...")             \
    X(TEXT, table, 'T', "FILE", 0, 0, "the table, instead of ALLFOLD_TABLE")                       \
    X(TEXT, job, 'J', "FILE", 0, 0, "ranks of a job, by mpirun ... allfold info --json")           \
    X(TEXT, trace, 0, "FILE", 0, 0, "calls of a program, by allfold run --trace=FILE")             \
    /* output */                                                                                   \
    X(OPTIONAL, csv, 'v', "FILE", 0, 0, "CSV, for programs")                                       \
    X(OPTIONAL, json, 'j', "FILE", 0, 0, "JSON, for programs")                                     \
    X(TEXT, output, 0, "FILE", 0, 0, "the file to write")                                          \
    X(TEXT, format, 'f', "FORMAT", 0, 0, "the format")                                             \
    X(TEXT, plot, 0, "FILE", 0, 0, "a picture, .svg or .png, by gnuplot")                          \
    X(FLAG, progress, 0, NULL, 0, 0, "show progress even if stderr is no terminal")                \
    /* MPI and measuring */                                                                        \
    X(TEXT, mpi, 'm', "FILE", 0, 0, "the MPI library, if not the launcher's")                      \
    X(LIST, start, 0, "HOW", 0, 0, "auto, window, barrier or loop; measured clocks")               \
    X(TEXT, budget, 0, "TIME", 0, 0, "about how long it may take: 90s, 5m")                        \
    X(LIST, precision, 0, "PERCENT", 0, 0, "the median's interval, and confidence")                \
    X(LIST, repetitions, 0, "N..M", 0, 0, "fewest and most repetitions")                           \
    X(NUMBER, warmup, 0, "N", 1, 1000000, "calls before the first that is timed")                  \
    X(LIST, buffers, 0, "LIST", 0, 0, "of kept, in_place, mpi, cold and cold:BYTES")               \
    X(TEXT, skew, 0, "US", 0, 0, "delay ranks by up to so many microseconds")                      \
    X(NUMBER, seed, 0, "N", 0, 1 << 30, "the seed of all that is random")                          \
    X(FLAG, guidelines, 0, NULL, 0, 0, "which calls take longer than others that do as much")      \
    /* tables */                                                                                   \
    X(FLAG, simulate, 0, NULL, 0, 0, "simulate instead; --simulate --help has its options")        \
    X(FLAG, resume, 0, NULL, 0, 0, "skip what the table has rows for already")                     \
    X(TEXT, groups, 0, "FILE", 0, 0, "write the groups of near ranks, for ALLFOLD_NETWORK")        \
    X(NUMBER, jobs, 0, "N", 1, 64, "processes at a time")                                          \
    X(TEXT, name, 0, "NAME", 0, 0, "name of the networks together, else the first one's")          \
    X(FLAG, untold, 0, NULL, 0, 0, "for jobs that do not know their network")                      \
    /* proofs and simulations */                                                                   \
    X(NUMBER, samples, 's', "N", 1, 1 << 20, "so many random numbers of ranks, not all")           \
    X(FLAG, reproducible, 'R', NULL, 0, 0, "only that results have the canonical tree")            \
    X(TEXT, proofs, 0, "FILE", 0, 0, "skip what is proven already, according to FILE")             \
    X(NUMBER, window, 'w', "W", 1, 64, "messages that a rank has in flight at most")               \
    X(TEXT, memory, 0, "BYTES", 0, 0, "memory to take at most")                                    \
    X(TEXT, lose, 0, "FROM:TO[:N]", 0, 0, "what happens without message N of FROM to TO")

enum { ALLFOLD_OPTION_LIST_BYTES = 4096 };

#define ALLFOLD_FIELD_TEXT(field) const char *field;
#define ALLFOLD_FIELD_LIST(field) char field[ALLFOLD_OPTION_LIST_BYTES];
#define ALLFOLD_FIELD_OPTIONAL(field) const char *field;
#define ALLFOLD_FIELD_NUMBER(field) int field;
#define ALLFOLD_FIELD_FLAG(field) bool field;
#define ALLFOLD_ID(kind, field, ...) ALLFOLD_OPTION_##field,
#define ALLFOLD_FIELD(kind, field, ...) ALLFOLD_FIELD_##kind(field)

enum allfold_option { ALLFOLD_OPTIONS(ALLFOLD_ID) ALLFOLD_OPTION_COUNT };

/* The values of the options: those given, or else the subcommand's defaults. NULL, "" or 0: no
 * value. */
struct allfold_options {
    ALLFOLD_OPTIONS(ALLFOLD_FIELD)
    bool given[ALLFOLD_OPTION_COUNT];
    char **words; /* arguments that are not options */
    int word_count;
    const char *command; /* such as "allfold simulate" */
    bool is_silent;      /* print nothing and end with success, as on ranks other than 0 */
};

#undef ALLFOLD_ID
#undef ALLFOLD_FIELD

/* Flags of an option that a subcommand takes. The last two change options of the kind OPTIONAL. */
enum {
    ALLFOLD_HIDDEN = 1,            /* --help does not print the option; --usage does */
    ALLFOLD_NO_ARGUMENT = 2,       /* the option takes no argument */
    ALLFOLD_ARGUMENT_REQUIRED = 4, /* the option must have an argument */
};

/* An option that a subcommand takes. If `help` is not NULL, it replaces the help text of
 * ALLFOLD_OPTIONS. */
struct allfold_taken {
    enum allfold_option option;
    int flags;
    const char *help;
};

#define ALLFOLD_TAKES_AS(field, flags, help)                                                       \
    {                                                                                              \
        ALLFOLD_OPTION_##field, flags, help                                                        \
    }
#define ALLFOLD_TAKES(field) ALLFOLD_TAKES_AS(field, 0, NULL)
#define ALLFOLD_TAKES_HIDDEN(field) ALLFOLD_TAKES_AS(field, ALLFOLD_HIDDEN, NULL)

/* Groups of options. */
#define ALLFOLD_TAKES_REDUCTION ALLFOLD_TAKES(operation), ALLFOLD_TAKES(type)
#define ALLFOLD_TAKES_MACHINE                                                                      \
    ALLFOLD_TAKES(nodes), ALLFOLD_TAKES(ppn), ALLFOLD_TAKES(network), ALLFOLD_TAKES(placement)
#define ALLFOLD_TAKES_FORMATS                                                                      \
    ALLFOLD_TAKES_AS(csv, ALLFOLD_NO_ARGUMENT, NULL),                                              \
        ALLFOLD_TAKES_AS(json, ALLFOLD_NO_ARGUMENT, NULL)
#define ALLFOLD_TAKES_MPI                                                                          \
    ALLFOLD_TAKES(mpi), ALLFOLD_TAKES_HIDDEN(start), ALLFOLD_TAKES_HIDDEN(progress)

/* A subcommand, and the options that it takes. */
struct allfold_command {
    /* The arguments that are not options, as --help prints them: "[FILE...]". NULL: none. */
    const char *words;
    int least, most;  /* minimum and maximum number of arguments that are not options */
    const char *text; /* description for --help, with line breaks */
    const struct allfold_taken *taken;
    int count; /* number of entries of `taken` */
};

/* Reads the options of the command line. The caller sets the defaults in *options before. Ends the
 * program with a message if an option is wrong. */
void allfold_options_read(const struct allfold_command *command, int argc, char **argv,
                          struct allfold_options *options);

/* Prints what is wrong with the options, and ends the program. */
void allfold_options_refuse(const struct allfold_options *options, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

/* Returns the number that is the argument of an option. Ends the program with a message if it is no
 * number from `least` to `most`. */
int allfold_options_number(const struct allfold_options *options, const char *option,
                           const char *text, int least, int most);

/* Returns the size that is the argument of an option, such as 64K. Ends the program with a message
 * if it is wrong. */
size_t allfold_options_size(const struct allfold_options *options, const char *option,
                            const char *text);

/* Reads --nodes and --ppn: "4", or "4x8" for both. */
void allfold_options_nodes(const struct allfold_options *options, int *nodes, int *ppn);

/* Reads --ranks: "7", or "1..64". */
void allfold_options_ranks(const struct allfold_options *options, int most, int *first, int *last);

/* Copies the next item of a list, up to a comma outside of parentheses, and advances *list past it.
 * An item that is too long is truncated. Returns false at the end of the list. */
bool allfold_options_next(const char **list, char *word, size_t word_bytes);

#endif
