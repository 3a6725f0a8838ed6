/*
 * test_device_overlap.c: copies of vectors in device memory overlap with the schedule. The stand-in
 * counts copies that have begun and not ended, and the program's own operation looks at that
 * number: where it is not 0, the rank reduces while it copies. With ALLFOLD_DEVICE=segment=0 it
 * never is. Needs the stand-in (stand_in.h), and an algorithm that goes round the vector by blocks.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "device.h"

enum { COUNT = 60000, BYTES = COUNT * (int)sizeof(double) };

static const int *to_host, *to_device;
static int while_to_host, while_to_device;

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const double *left = in;
    double *right = inout;
    (void)type;
    while_to_host += *to_host > 0;
    while_to_device += *to_device > 0;
    for (int i = 0; i < *count; i++)
        right[i] += left[i];
}

static void look(const double *result)
{
    const int p = check_size();
    for (int i = 0; i < COUNT; i++)
        if (result[i] != p * (i % 1001) + p * (p - 1) / 2) {
            check_fail("element %d is %g", i, result[i]);
            return;
        }
}

static int all(int value)
{
    PMPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return value;
}

/* Each rank is on the device, or each second one. */
static void reduce(bool in_place, bool is_mixed, bool is_nonblocking)
{
    const bool is_device = !is_mixed || check_rank() % 2 == 0;
    double *in = is_device ? device_allocate(BYTES, DEVICE_OWN) : check_memory(BYTES);
    double *out = is_device ? device_allocate(BYTES, DEVICE_OWN) : check_memory(BYTES);
    double *host = check_memory(BYTES);
    const void *given = in_place ? MPI_IN_PLACE : in;
    MPI_Request request;
    MPI_Op op;
    for (int i = 0; i < COUNT; i++)
        host[i] = check_rank() + i % 1001;
    if (is_device)
        device_write(in_place ? out : in, host, BYTES);
    else
        memcpy(in_place ? out : in, host, BYTES);
    MPI_Op_create(add, 1, &op);
    while_to_host = while_to_device = 0;
    if (is_nonblocking) {
        MPI_Iallreduce(given, out, COUNT, MPI_DOUBLE, op, MPI_COMM_WORLD, &request);
        check_equal("call", MPI_SUCCESS, MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else {
        check_equal("call", MPI_SUCCESS,
                    MPI_Allreduce(given, out, COUNT, MPI_DOUBLE, op, MPI_COMM_WORLD));
    }
    check_equal("copies that have not ended", 0, *to_host + *to_device);
    if (is_device)
        device_read(host, out, BYTES);
    else
        memcpy(host, out, BYTES);
    look(host);
    MPI_Op_free(&op);
    free(host);
    if (is_device) {
        device_free(in, DEVICE_OWN);
        device_free(out, DEVICE_OWN);
    } else {
        free(in);
        free(out);
    }
}

static void run(void)
{
    const char *segment = getenv("ALLFOLD_DEVICE");
    const bool overlaps = segment == NULL || strstr(segment, "segment=0") == NULL;
    if (!device_use() || (to_host = device_stand_in("stand_in_to_host")) == NULL) {
        check_case("the stand-in is there");
        check_fail("it is not preloaded");
        return;
    }
    to_device = device_stand_in("stand_in_to_device");
    for (int how = 0; how < 8; how++) {
        if (!check_case("%s%s%s", how % 2 ? "in place, " : "", how / 2 % 2 ? "mixed, " : "",
                        how / 4 ? "nonblocking" : "blocking"))
            continue;
        reduce(how % 2, how / 2 % 2, how / 4);
        const int in = all(while_to_host), out = all(while_to_device);
        check_equal("reductions while data came", overlaps, in > 0);
        check_equal("reductions while data left", overlaps, out > 0);
    }
}

int main(int argc, char **argv)
{
    static const struct check_program program = {
        .doc = "Checks that copies of vectors in device memory overlap with the schedule.",
        .run = run,
        .least_ranks = 2,
    };
    return check_main(argc, argv, &program);
}
