/*
 * test_faults.c: a step that fails makes the collective fail with the step's error class, once,
 * through the communicator's error handler. The next call on the communicator works. Needs the
 * fault layer; skipped without it or where reductions are not served by what it sits under.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

static int handler_calls, handler_code;

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    handler_calls++;
    handler_code = *code;
}

/* Every rank's first receive fails, before it has sent anything. */
static void test_fault(const char *what, MPI_Comm comm, void (*arm)(int n), int handlers)
{
    int one = 1, sum = 0, error_class = -1;
    if (!check_case("a receive fails, %s", what))
        return;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm); /* what is made once is there now */
    handler_calls = 0;
    arm(1);
    const int error = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    arm(0);
    MPI_Error_class(error, &error_class);
    check_equal("class of the error", MPI_ERR_INTERN, error_class);
    check_equal("calls of the handler", handlers, handler_calls);
    if (handlers > 0)
        check_equal("code that the handler got", error, handler_code);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    check_equal("sum afterwards", check_size(), sum);
}

static void run(void)
{
    void (*arm)(int n) = NULL;
    void *found = dlsym(RTLD_DEFAULT, "fault_arm");
    MPI_Comm comm;
    MPI_Errhandler handler;
    memcpy(&arm, &found, sizeof found);
    if (arm == NULL) {
        check_case("the fault layer is there");
        check_fail("it is not preloaded");
        return;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    test_fault("MPI_ERRORS_RETURN", comm, arm, 0);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    test_fault("a handler of the program", comm, arm, 1);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    static const struct check_program program = {
        .doc = "Checks that failing steps become errors of the collective.",
        .run = run,
        .thread_level = MPI_THREAD_SINGLE,
        .least_ranks = 2,
    };
    return check_main(argc, argv, &program);
}
