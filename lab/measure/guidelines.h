/* Performance guidelines: a collective call should not take longer than other calls that do the
 * same (J. L. Traeff, W. Gropp, R. Thakur, Self-consistent MPI performance guidelines, 2010;
 * S. Hunold, A. Carpen-Amarie, PGMPI, 2016). A call of n bytes should not take longer than one of
 * more bytes either, or than calls with parts of them. */
#ifndef ALLFOLD_LAB_MEASURE_GUIDELINES_H
#define ALLFOLD_LAB_MEASURE_GUIDELINES_H

#include "lab/measure/measurement_plan.h"

struct allfold_guideline {
    enum allfold_collective collective;
    int part_count;
    enum allfold_collective parts[2];
    bool reduces_locally; /* and an MPI_Reduce_local of the vector */
};

enum { ALLFOLD_GUIDELINES = 10, ALLFOLD_GUIDELINE_COLLECTIVES = 10, ALLFOLD_GUIDELINE_TEXT = 80 };

extern const struct allfold_guideline allfold_guidelines[ALLFOLD_GUIDELINES];

/* All collectives that the guidelines name, in the order in which they are measured. */
extern const enum allfold_collective allfold_guideline_collectives[ALLFOLD_GUIDELINE_COLLECTIVES];

/* "allreduce <= reduce + bcast". */
void allfold_guideline_text(const struct allfold_guideline *guideline, char *text,
                            size_t text_bytes);

/* The plan for one of the collectives on p ranks. All measure vectors of the same bytes, of all
 * blocks together, so that sizes are rounded up to equal blocks. */
bool allfold_guideline_plan(const struct allfold_bench_plan *plan,
                            enum allfold_collective collective, int p,
                            struct allfold_bench_plan *one, char *message, size_t message_bytes);

#endif
