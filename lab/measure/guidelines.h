/* Performance guidelines: a collective call should not take longer than other calls with the same
 * result (J. L. Traeff, W. Gropp, R. Thakur, Self-consistent MPI performance guidelines, 2010;
 * S. Hunold, A. Carpen-Amarie, PGMPI, 2016). Nor should a call of n bytes take longer than a call
 * of more bytes, or than several calls whose sizes add up to n bytes. */
#ifndef ALLFOLD_LAB_MEASURE_GUIDELINES_H
#define ALLFOLD_LAB_MEASURE_GUIDELINES_H

#include "lab/measure/measurement_plan.h"

/* The guideline: `collective` takes no longer than its parts together. */
struct allfold_guideline {
    enum allfold_collective collective;
    int part_count;
    enum allfold_collective parts[2];
    bool reduces_locally; /* one more part is MPI_Reduce_local of the vector */
};

enum { ALLFOLD_GUIDELINES = 10, ALLFOLD_GUIDELINE_COLLECTIVES = 10, ALLFOLD_GUIDELINE_TEXT = 80 };

extern const struct allfold_guideline allfold_guidelines[ALLFOLD_GUIDELINES];

/* All collectives of the guidelines, in the order in which they are measured. */
extern const enum allfold_collective allfold_guideline_collectives[ALLFOLD_GUIDELINE_COLLECTIVES];

/* Writes a guideline as text, such as "allreduce <= reduce + bcast". */
void allfold_guideline_text(const struct allfold_guideline *guideline, char *text,
                            size_t text_bytes);

/* Derives from `plan` the plan for one of the collectives on p ranks, and stores it in *one. All
 * collectives are measured on vectors of the same size. For collectives with blocks, this is the
 * size of all blocks together, rounded up to equal blocks. Returns false and writes a message if
 * the collective cannot be measured. */
bool allfold_guideline_plan(const struct allfold_bench_plan *plan,
                            enum allfold_collective collective, int p,
                            struct allfold_bench_plan *one, char *message, size_t message_bytes);

#endif
