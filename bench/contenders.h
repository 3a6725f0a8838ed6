/* Contenders: the implementations that a comparison measures, each on its own communicator.
 *
 *     native                 the MPI library's own choice; always the first contender
 *     native:ring            an algorithm of the MPI library, set through its tools interface; a
 *                            number if the library has no names (MPICH)
 *     model                  Allfold's own choice (or that of ALLFOLD_ALGORITHM)
 *     ring(segment=64K)      Allfold with a rule (see src/select/rules.h)
 *     copy                   no reduction: every rank copies its vector, a lower bound, because
 * each rank must read and write at least as many bytes
 *
 * Open MPI reads the setting when a communicator is created, and only if it was started with
 * coll_tuned_use_dynamic_rules. MPICH reads it in each call. */
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
    int setting; /* the value for the MPI library's control variable */
    MPI_Comm comm;
};

struct bench_contenders {
    enum bench_collective collective;
    int count;
    struct bench_contender list[BENCH_CONTENDERS];
    bool has_setting; /* the control variable can be set */
    int preset;       /* its default */
    MPI_T_cvar_handle setting;
    int current; /* its current value */
};

/* Reads the contenders in `text`, which are separated by blanks, and creates their communicators.
 * native is always the first. Returns false and writes a message if a contender cannot be used.
 * Collective over MPI_COMM_WORLD. */
bool bench_contenders_open(struct bench_contenders *contenders, enum bench_collective collective,
                           const char *text, char *message, size_t message_bytes);
void bench_contenders_close(struct bench_contenders *contenders);

/* Selects a contender. Must be called on all ranks before bench_call. */
void bench_take_turn(struct bench_contenders *contenders, int index);

/* Runs the collective of a contender once: sums `count` doubles; a reduce has rank 0 as root; a
 * broadcast copies from `in` of rank 0 to `out` of the other ranks. Returns MPI's error code. */
int bench_call(const struct bench_contenders *contenders, int index, double *in, double *out,
               int count);

#endif
