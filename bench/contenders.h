/* Contenders: what a comparison lets run against each other, each on a communicator of its own.
 *
 *     native                 the MPI library as it chooses itself; always there, and the first
 *     native:ring            one of the MPI library's algorithms, set through its tools interface;
 *                            by its number where that has no names (MPICH)
 *     model                  ours, as it chooses itself (or as ALLFOLD_ALGORITHM says)
 *     ring(segment=64K)      ours, with a rule (see src/select/rules.h)
 *     copy                   no reduction: every rank copies its vector. The floor that memory
 *                            sets: each rank reads and writes at least as much
 *
 * Open MPI reads the setting when a communicator is made, and only if it was started with
 * coll_tuned_use_dynamic_rules. MPICH reads it in each call. Both are served. */
#ifndef ALLFOLD_BENCH_CONTENDERS_H
#define ALLFOLD_BENCH_CONTENDERS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

enum bench_collective { BENCH_ALLREDUCE, BENCH_REDUCE, BENCH_BCAST };
enum { BENCH_CONTENDERS = 32, BENCH_NAME_BYTES = 64 };

enum bench_kind { BENCH_NATIVE, BENCH_OURS, BENCH_COPY };

struct bench_contender {
    char name[BENCH_NAME_BYTES];
    enum bench_kind kind;
    int setting; /* of the MPI library */
    MPI_Comm comm;
};

struct bench_contenders {
    enum bench_collective collective;
    int count;
    struct bench_contender list[BENCH_CONTENDERS];
    bool has_setting; /* the MPI library's can be set */
    int preset;
    MPI_T_cvar_handle setting;
    int current;
};

/* Reads the names in `text`, which are separated by blanks, and makes their communicators; native
 * comes first, whether named or not. Collective; false with a message where one cannot be used. */
bool bench_contenders_open(struct bench_contenders *contenders, enum bench_collective collective,
                           const char *text, char *message, size_t message_bytes);
void bench_contenders_close(struct bench_contenders *contenders);

/* To be called on all ranks before the calls of one of them. */
void bench_take_turn(struct bench_contenders *contenders, int index);

/* Sums `count` doubles, or copies them. A reduce sums to rank 0. A broadcast copies from `in` of
 * rank 0 to `out` of the others. Returns MPI's error code. */
int bench_call(const struct bench_contenders *contenders, int index, double *in, double *out,
               int count);

#endif
