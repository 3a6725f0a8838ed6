/* What is to be measured and how. It is read from words NAME=VALUE, which `allfold bench` makes of
 * its options and hands to the part of it that has MPI: --precision is "precision" and
 * "confidence", --repetitions "least" and "most", and lists are a word for each of their parts. The
 * word "progress" asks how far it is, and the value of "refuse" is why nothing can be measured.
 */
#ifndef ALLFOLD_LAB_MEASURE_MEASUREMENT_PLAN_H
#define ALLFOLD_LAB_MEASURE_MEASUREMENT_PLAN_H

#include "kernels/kernels.h"
#include "lab/measure/size_list.h"
#include "lab/measure/statistics.h"
#include "select/rules.h"

enum {
    ALLFOLD_PLAN_ALGORITHMS = 64,
    ALLFOLD_PLAN_NAME_BYTES = ALLFOLD_NAME_BYTES,
    ALLFOLD_PLAN_LIST = 32,
    ALLFOLD_PLAN_SERIES = 128,
};

enum allfold_bench_plan_kind {
    ALLFOLD_PLAN_NATIVE, /* the native algorithm */
    ALLFOLD_PLAN_CHOICE, /* ours, as it chooses itself: "allfold" */
    ALLFOLD_PLAN_FORCED,
    ALLFOLD_PLAN_COPY, /* no collective: each rank copies its vector, the floor of memory: "copy" */
};

struct allfold_bench_plan_algorithm {
    char name[ALLFOLD_PLAN_NAME_BYTES]; /* as rules have it */
    enum allfold_bench_plan_kind kind;
    const struct allfold_algorithm *algorithm; /* where it is forced */
    struct allfold_parameters parameters;
    bool is_named; /* and not just one of all */
};

/* A curve: all sizes with one type, operation and root. */
struct allfold_bench_plan_series {
    enum allfold_type type;
    enum allfold_operation operation; /* ALLFOLD_OPERATION_COUNT where there is none */
    int root;
};

enum allfold_bench_plan_start {
    ALLFOLD_START_AUTO,
    ALLFOLD_START_WINDOW,
    ALLFOLD_START_BARRIER,
    ALLFOLD_START_LOOP, /* calls follow each other; a sample is the mean of some */
};

/* What became of an algorithm at a size. */
enum allfold_bench_plan_outcome {
    ALLFOLD_PLAN_MEASURED,
    ALLFOLD_PLAN_REFUSED, /* it cannot serve */
    ALLFOLD_PLAN_WRONG,   /* a result was */
};

struct allfold_bench_plan {
    enum allfold_collective collective;
    int algorithm_count;
    struct allfold_bench_plan_algorithm algorithms[ALLFOLD_PLAN_ALGORITHMS];
    struct allfold_size_list sizes; /* bytes of a vector; where buffers are blocks, of a block */
    int series_count;
    struct allfold_bench_plan_series series[ALLFOLD_PLAN_SERIES];
    struct allfold_effort effort;
    int warmup;
    size_t cold_bytes; /* walked through before each call; 0: caches stay warm */
    double skew_s;     /* ranks arrive so much late at most */
    enum allfold_bench_plan_start start;
    bool measures_clocks;  /* also where ranks have one clock in common */
    bool allocates_by_mpi; /* vectors are in memory of MPI_Alloc_mem */
    bool keeps_inputs;     /* else they are written anew before each call, as programs do */
    bool is_in_place;      /* where a rank has input and result: MPI_IN_PLACE */
    int seed;
    bool tells_progress;
    bool checks_guidelines; /* measures all collectives of guidelines.h, not `collective` alone */

    const char *words[5]; /* to be read at the end: see measurement_plan.c */
};

/* Do all ranks wait for each other in it, so that calls that follow each other stay together? */
bool allfold_bench_plan_may_loop(const struct allfold_bench_plan *plan);

/* The presets. */
void allfold_bench_plan_begin(struct allfold_bench_plan *plan);

/* Takes one word, whose text is to stay. False with a message where it is wrong in itself. */
bool allfold_bench_plan_take(struct allfold_bench_plan *plan, const char *name, const char *value,
                             char *message, size_t message_bytes);

/* Reads what depends on other words. False with a message where they do not fit together. */
bool allfold_bench_plan_end(struct allfold_bench_plan *plan, char *message, size_t message_bytes);

/* "measured", "refused", "wrong"; NULL beyond. */
const char *allfold_bench_plan_outcome_name(int outcome);

/* Elements in a vector of that many bytes. */
size_t allfold_bench_plan_count(const struct allfold_bench_plan *plan,
                                const struct allfold_bench_plan_series *series, size_t bytes);

#endif
