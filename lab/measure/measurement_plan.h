/* The measurement plan of `allfold bench`: what is measured, and how.
 *
 * The command converts its options to arguments NAME=VALUE and passes them to its MPI program,
 * which reads them by the functions of this file. --precision becomes "precision" and "confidence",
 * --repetitions becomes "least" and "most", and a list becomes one argument for each item. The
 * argument "progress" asks for progress lines. The value of the argument "refuse" is an error
 * message: nothing can be measured. */
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
    ALLFOLD_PLAN_NATIVE, /* "native": the MPI library's own algorithm */
    ALLFOLD_PLAN_CHOICE, /* "allfold": the algorithm that Allfold chooses */
    ALLFOLD_PLAN_FORCED, /* a given algorithm of Allfold */
    ALLFOLD_PLAN_COPY, /* "copy": each rank copies its vector, a lower bound by memory bandwidth */
};

struct allfold_bench_plan_algorithm {
    char name[ALLFOLD_PLAN_NAME_BYTES]; /* as in rules (select/rules.h) */
    enum allfold_bench_plan_kind kind;
    const struct allfold_algorithm *algorithm; /* of ALLFOLD_PLAN_FORCED */
    struct allfold_parameters parameters;
    bool is_named; /* the user named it; else it is measured because of "all" */
};

/* A series: measurements of all sizes with one type, operation and root. */
struct allfold_bench_plan_series {
    enum allfold_type type;
    enum allfold_operation operation; /* ALLFOLD_OPERATION_COUNT: none */
    int root;
};

/* How the ranks are synchronized before a measured call. */
enum allfold_bench_plan_start {
    ALLFOLD_START_AUTO,
    ALLFOLD_START_WINDOW,  /* by synchronized clocks: all ranks start at an agreed time */
    ALLFOLD_START_BARRIER, /* by a barrier */
    ALLFOLD_START_LOOP, /* not at all: calls follow each other, and a sample is a mean of calls */
};

/* The outcome of measuring an algorithm at one size. */
enum allfold_bench_plan_outcome {
    ALLFOLD_PLAN_MEASURED,
    ALLFOLD_PLAN_REFUSED, /* the algorithm does not support the call */
    ALLFOLD_PLAN_WRONG,   /* a result was wrong */
};

struct allfold_bench_plan {
    enum allfold_collective collective;
    int algorithm_count;
    struct allfold_bench_plan_algorithm algorithms[ALLFOLD_PLAN_ALGORITHMS];
    struct allfold_size_list sizes; /* bytes of a vector; of a block, if buffers have blocks */
    int series_count;
    struct allfold_bench_plan_series series[ALLFOLD_PLAN_SERIES];
    struct allfold_effort effort;
    int warmup;
    size_t cold_bytes; /* bytes accessed before each call to evict caches; 0: caches stay warm */
    double skew_s;     /* the maximum delay of a rank's arrival */
    enum allfold_bench_plan_start start;
    bool measures_clocks;  /* even if the ranks share one clock */
    bool allocates_by_mpi; /* allocate vectors by MPI_Alloc_mem */
    bool keeps_inputs;     /* false: rewrite the inputs before each call, as programs do */
    bool is_in_place;      /* pass MPI_IN_PLACE on ranks that have an input and a result */
    int seed;
    bool tells_progress;
    bool checks_guidelines; /* measure all collectives of guidelines.h, not only `collective` */

    const char *words[5]; /* arguments that allfold_bench_plan_end parses */
};

/* Returns whether calls may be measured in a loop: the ranks stay synchronized, because each rank
 * waits for all others in each call. */
bool allfold_bench_plan_may_loop(const struct allfold_bench_plan *plan);

/* Sets all defaults. */
void allfold_bench_plan_begin(struct allfold_bench_plan *plan);

/* Reads one argument. `value` must stay valid until allfold_bench_plan_end. Returns false and
 * writes a message if the argument is invalid by itself. */
bool allfold_bench_plan_take(struct allfold_bench_plan *plan, const char *name, const char *value,
                             char *message, size_t message_bytes);

/* Completes the plan: parses arguments that depend on others. Returns false and writes a message if
 * the arguments contradict each other. */
bool allfold_bench_plan_end(struct allfold_bench_plan *plan, char *message, size_t message_bytes);

/* Returns the name of an outcome: "measured", "refused" or "wrong"; else NULL. */
const char *allfold_bench_plan_outcome_name(int outcome);

/* Returns the number of elements in a vector of `bytes` bytes. */
size_t allfold_bench_plan_count(const struct allfold_bench_plan *plan,
                                const struct allfold_bench_plan_series *series, size_t bytes);

#endif
