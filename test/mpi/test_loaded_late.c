/*
 * test_loaded_late.c: a program that initializes MPI and then loads the library, as ctypes does
 * after mpi4py. The library begins at its first call on all ranks, and writes its report before
 * MPI_Finalize ends; calls on parts of these before are right, too.
 */
#include "check.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct allfold_plan;

static const char *library = "", *first = "all";

static struct {
    int (*allreduce)(const void *, void *, size_t, MPI_Datatype, MPI_Op, MPI_Comm);
    int (*barrier)(MPI_Comm);
    int (*comm_set)(MPI_Comm, const char *, const char *);
    int (*init)(const void *, void *, size_t, MPI_Datatype, MPI_Op, MPI_Comm,
                struct allfold_plan **);
    int (*start)(struct allfold_plan *);
    int (*wait)(struct allfold_plan *, int);
    int (*free)(struct allfold_plan **);
} of;

static void *function(void *handle, const char *name)
{
    void *found = dlsym(handle, name);
    if (found == NULL)
        check_fail("%s", dlerror());
    return found;
}

static bool load(void)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        check_fail("%s", dlerror());
        return false;
    }
    const struct {
        const char *name;
        void *at;
    } functions[] = {{"allfold_allreduce", &of.allreduce}, {"allfold_barrier", &of.barrier},
                     {"allfold_comm_set", &of.comm_set},   {"allfold_allreduce_init", &of.init},
                     {"allfold_start", &of.start},         {"allfold_wait", &of.wait},
                     {"allfold_plan_free", &of.free}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *found = function(handle, functions[i].name);
        memcpy(functions[i].at, &found, sizeof found);
    }
    return true;
}

enum { COUNT = 1000, CALLS = 50 };

static void expect_sum(const char *what, const double *sum, int p)
{
    for (int i = 0; i < COUNT; i++)
        if (sum[i] != i * p + p * (p - 1) / 2) {
            check_fail("%s: element %d is %g", what, i, sum[i]);
            return;
        }
}

static void use(const char *what, MPI_Comm comm)
{
    static double in[COUNT], out[COUNT];
    struct allfold_plan *plan = NULL;
    int rank, p;
    if (!check_case("%s", what))
        return;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &p);
    for (int i = 0; i < COUNT; i++)
        in[i] = rank + i;
    for (int i = 0; i < CALLS; i++) {
        memset(out, 0, sizeof out);
        check_equal("allfold_allreduce", MPI_SUCCESS,
                    of.allreduce(in, out, COUNT, MPI_DOUBLE, MPI_SUM, comm));
        expect_sum("allfold_allreduce", out, p);
    }
    check_equal("allfold_comm_set", MPI_SUCCESS,
                of.comm_set(comm, "ALLFOLD_ALGORITHM", "allreduce=ring"));
    of.allreduce(in, out, COUNT, MPI_DOUBLE, MPI_SUM, comm);
    expect_sum("by a rule", out, p);
    memset(out, 0, sizeof out);
    check_equal("init", MPI_SUCCESS, of.init(in, out, COUNT, MPI_DOUBLE, MPI_SUM, comm, &plan));
    if (plan == NULL)
        return;
    of.start(plan);
    check_equal("wait", MPI_SUCCESS, of.wait(plan, -1));
    expect_sum("a plan", out, p);
    of.free(&plan);
    check_equal("allfold_barrier", MPI_SUCCESS, of.barrier(comm));
}

static void run(void)
{
    MPI_Comm copy, half;
    if (!load())
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(MPI_COMM_WORLD, check_rank() % 2, check_rank(), &half);
    if (strcmp(first, "parts") == 0)
        use("parts of all ranks, before the others", half);
    else if (strcmp(first, "alone") == 0)
        use("one rank alone, before the others", MPI_COMM_SELF);
    use("a copy of MPI_COMM_WORLD", copy);
    use("MPI_COMM_WORLD", MPI_COMM_WORLD);
    use("one rank alone", MPI_COMM_SELF);
    use("parts of all ranks", half);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&half);
}

/* What rank 0 wrote before MPI_Finalize came back. */
static bool is_reported(void)
{
    const char *path = getenv("ALLFOLD_REPORT");
    struct stat found;
    return path == NULL || check_rank() != 0 || (stat(path, &found) == 0 && found.st_size > 0);
}

int main(int argc, char **argv)
{
    static const struct check_flag flags[] = {
        {"library", "FILE the library", NULL, 0, &library},
        {"first", "WHAT the first communicator: all, parts, alone", NULL, 0, &first}};
    static const struct check_program program = {
        .doc = "Checks the functions of allfold.h in a library that is loaded after MPI_Init.",
        .run = run,
        .flags = flags,
        .flag_count = sizeof flags / sizeof *flags,
        .least_ranks = 2,
    };
    const char *path = getenv("ALLFOLD_REPORT");
    if (path != NULL)
        remove(path);
    const int status = check_main(argc, argv, &program);
    if (status == 0 && !is_reported()) {
        fprintf(stderr, "no report in %s\n", path);
        return 1;
    }
    return status;
}
