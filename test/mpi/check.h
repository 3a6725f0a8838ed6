/*
 * check.h: what the MPI conformance tests share: the command line, the cases and their sampling,
 * failures and the final count.
 *
 * Invariant: all ranks begin the same cases in the same order, whatever they find in them. So a
 * rank's failures can be gathered by case number, and a sampled run is the same on all ranks.
 */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A command line option `--name VALUE`: a number (value, at least `least`) or a text. */
struct check_flag {
    const char *name;
    const char *doc;
    int *value;
    int least;
    const char **text;
};

struct check_program {
    const char *doc;
    void (*run)(void);
    void (*report)(void); /* on rank 0, when all ranks' failures are gathered; may be NULL */
    const struct check_flag *flags; /* besides those that every program has */
    size_t flag_count;
    int thread_level; /* MPI_THREAD_*: without it the program is skipped */
    int least_ranks;  /* with fewer the program is skipped */
    bool raises_none; /* a call of MPI's error handler, which would end a program, is a failure */
};

/* The exit code that ctest (SKIP_RETURN_CODE) and automake take for "skipped". */
enum { CHECK_SKIPPED = 77 };

/* The whole life of a program: options, MPI_Init, run, gathering, MPI_Finalize. Returns the exit
 * code. */
int check_main(int argc, char **argv, const struct check_program *program);

int check_rank(void);
int check_size(void);

/* Begins the next case, under this name; false: the case is not in the sample. Collective in
 * effect, main thread only. */
bool check_case(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* How many cases were begun: the number of the next one. */
int check_begun(void);

/* How many of the cases from number `first` to before `end` failed on any rank. For `report`. */
int check_failures(int first, int end);

/* The seed of the program, --seed. */
int check_first_seed(void);

/* The seed of the current case, the same on all ranks. */
uint64_t check_seed(void);

/* A number that depends on all three alike: the deterministic source of every input. */
uint64_t check_random(uint64_t rank, uint64_t element, uint64_t seed);

/* Notes a failure of the current case (any thread, also from within a user operation), and says why
 * on stderr. */
void check_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Notes a failure if `got` is not `expected`. */
void check_equal(const char *what, long long expected, long long got);

/* Notes a failure if a code is not that of an error whose text has this part. What is no code of
 * MPI's (ALLFOLD_TIMED_OUT) is no error. */
void check_error(int code, const char *part);

/* --device: where vectors are to lie. */
enum check_device { CHECK_HOST, CHECK_DEVICE, CHECK_MIXED };
int check_device(void);

/* --guard-pages: are buffers to lie between pages without access, and inputs to be read-only? */
bool check_guards_pages(void);

/* Errors may be raised from now on, or not, where the program says that it raises none. */
void check_let_raise(bool may);

/* malloc that ends the program where there is no memory. */
void *check_memory(size_t bytes);

/* Does an address lie in an anonymous file that others may see? */
bool check_is_in_file(const void *address);

#endif
