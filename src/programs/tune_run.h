/* Tuning: for each collective and size, what the model holds for promising is measured a little,
 * and the best of that, with the MPI library's own, as `allfold bench` measures. Tells rank 0's
 * `allfold tune` in lines:
 *
 *     placement  "block", "cyclic", "irregular"
 *     progress   share of the whole
 *     shape      collective, bytes of the vector, from and to which sizes it stands for (to 0: no
 *                bound), which of how many
 *     entry      algorithm; microseconds: median, the interval's ends; samples; what the model
 *                expects (0: nothing), and 1 of its own choice
 *     end        of the shape */
#ifndef ALLFOLD_MPI_TUNE_RUN_H
#define ALLFOLD_MPI_TUNE_RUN_H

#include <mpi.h>

#include "measure/size_list.h"

enum { ALLFOLD_TUNE_TEXT = 256 };

struct allfold_tune_run {
    char collectives[ALLFOLD_TUNE_TEXT]; /* names with commas between them */
    const char *type, *operation;        /* NULL: as `allfold bench` has it */
    const char *start;
    struct allfold_size_list sizes; /* of whole vectors */
    double budget_s;
    bool tells_progress;
    const char *known; /* a table with the constants of the model; NULL: none */
    bool resumes;      /* what it has rows for is not measured again */
};

/* Returns the exit status. Collective. */
int allfold_tune_ranks(const struct allfold_tune_run *run, MPI_Comm comm);

#endif
