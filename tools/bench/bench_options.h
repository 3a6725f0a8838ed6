/* The options of `allfold bench`. */
#ifndef ALLFOLD_TOOLS_BENCH_OPTIONS_H
#define ALLFOLD_TOOLS_BENCH_OPTIONS_H

#include "bench/bench_report.h"

enum { ALLFOLD_BENCH_WORDS = 40, ALLFOLD_BENCH_FORMS = 3 };

/* A form of the results that goes to a file, or to stdout instead of the table. */
struct allfold_bench_form {
    void (*write)(const struct allfold_bench_report *report, FILE *file);
    bool is_wanted;
    const char *path; /* NULL: stdout */
    FILE *file;
};

struct allfold_bench_options {
    bool is_wrong;
    const char *mpi, *plot;
    struct allfold_bench_form forms[ALLFOLD_BENCH_FORMS];
    bool as_map, is_quiet, shows_progress;
    char **files; /* of the map */
    int file_count;
    struct allfold_bench_plan plan;
    char *words[ALLFOLD_BENCH_WORDS]; /* for the part that has MPI */
    int word_count;
};

/* Reads them; with `silent`, as on other ranks than 0, says nothing. Returns false where they are
 * wrong, or ends the program. */
bool allfold_bench_options_read(struct allfold_bench_options *options, int argc, char **argv,
                                bool silent);
void allfold_bench_options_free(struct allfold_bench_options *options);

#endif
