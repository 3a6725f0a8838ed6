/*
 * test_device.c: what comes with memory of devices. Addresses are freed and come back as other
 * memory, copies fail, and pinned memory is not there. It counts how often the driver is asked, and
 * tries types of absolute addresses. Needs the stand-in (stand_in.h).
 */
#include "check.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device.h"

enum { COUNT = 3000, BYTES = COUNT * (int)sizeof(double) };

static double given(int rank, int i)
{
    return rank * 3 + i % 1001;
}

static double sum_of_all(int i)
{
    const int p = check_size();
    return 3.0 * p * (p - 1) / 2 + (double)p * (i % 1001);
}

static void fill(double *vector)
{
    for (int i = 0; i < COUNT; i++)
        vector[i] = given(check_rank(), i);
}

static void look(const char *what, const double *vector)
{
    for (int i = 0; i < COUNT; i++)
        if (vector[i] != sum_of_all(i)) {
            check_fail("%s: element %d is %g, not %g", what, i, vector[i], sum_of_all(i));
            return;
        }
}

static int reduce(const double *in, double *out)
{
    return MPI_Allreduce(in, out, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* A call with both vectors at such addresses, on the device or the host. */
static void reduce_at(const char *what, double *in, double *out, bool is_device)
{
    double *const host = check_memory(BYTES);
    fill(host);
    if (is_device)
        device_write(in, host, BYTES);
    else
        memcpy(in, host, BYTES);
    device_leave();
    check_equal(what, MPI_SUCCESS, reduce(in, out));
    device_use();
    if (is_device)
        device_read(host, out, BYTES);
    else
        memcpy(host, out, BYTES);
    look(what, host);
    free(host);
}

static void *map(void *address)
{
    void *memory = mmap(address, BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (memory != address)
        check_fail("no memory of the host at an address that was the device's");
    return memory;
}

/* The same addresses are the device's, then the host's, then the device's. */
static void addresses_come_back(void)
{
    for (int round = 0; round < 3; round++) {
        double *in = device_allocate(BYTES, DEVICE_OWN), *out = device_allocate(BYTES, DEVICE_OWN);
        reduce_at("on the device", in, out, true);
        device_free(out, DEVICE_OWN);
        device_free(in, DEVICE_OWN);
        double *host_in = map(in), *host_out = map(out);
        reduce_at("on the host", host_in, host_out, false);
        munmap(host_in, BYTES);
        munmap(host_out, BYTES);
        double *again = device_allocate(BYTES, DEVICE_OWN); /* at the address that was freed last */
        const enum device_kind kind = round % 2 == 0 ? DEVICE_MANAGED : DEVICE_POOL;
        double *other = device_allocate(BYTES, kind);
        reduce_at("on the device again", again, other, true);
        check_equal("the address has come back", 1, again == in);
        device_free(other, kind);
        device_free(again, DEVICE_OWN);
    }
}

/* The copies of a vector: with ALLFOLD_DEVICE=segment, as many as there are segments at most. */
static int copies_of_vector(void)
{
    enum { MOST_SEGMENTS = 64 };
    return getenv("ALLFOLD_DEVICE") == NULL || strstr(getenv("ALLFOLD_DEVICE"), "segment") == NULL
               ? 1
               : MOST_SEGMENTS;
}

/* The n-th copy fails on one rank: an error there, none hangs, and the next call works. */
static void copies_fail(int n, int victim)
{
    int *fail_copy = device_stand_in("stand_in_fail_copy");
    double *in = device_allocate(BYTES, DEVICE_OWN), *out = device_allocate(BYTES, DEVICE_OWN);
    reduce_at("before", in, out, true);
    if (check_rank() == victim)
        *fail_copy = n;
    const int code = reduce(in, out);
    *fail_copy = 0;
    if (check_rank() == victim)
        check_error(code, n <= copies_of_vector() ? "copied to the host" : "copied from the host");
    else if (n > copies_of_vector())
        check_equal("another rank's result is not copied", MPI_SUCCESS, code);
    else if (code == MPI_SUCCESS)
        check_fail("another rank's input is not copied, and there is no error");
    reduce_at("afterwards", in, out, true);
    device_free(out, DEVICE_OWN);
    device_free(in, DEVICE_OWN);
}

/* Vectors longer than all before, so that there is no room for them yet. */
static void pinned_fails(MPI_Comm comm)
{
    enum { LONG = 100000 };
    int *fail_pinned = device_stand_in("stand_in_fail_pinned");
    double *in = device_allocate(LONG * sizeof *in, DEVICE_OWN);
    double *host = check_memory(LONG * sizeof *host);
    for (int i = 0; i < LONG; i++)
        host[i] = given(check_rank(), i);
    device_write(in, host, LONG * sizeof *in);
    *fail_pinned = -1;
    check_equal("call", MPI_SUCCESS,
                MPI_Allreduce(MPI_IN_PLACE, in, LONG, MPI_DOUBLE, MPI_SUM, comm));
    *fail_pinned = 0;
    device_read(host, in, LONG * sizeof *in);
    for (int i = 0; i < LONG; i++)
        if (host[i] != sum_of_all(i)) {
            check_fail("element %d is %g, not %g", i, host[i], sum_of_all(i));
            break;
        }
    free(host);
    device_free(in, DEVICE_OWN);
}

/* The library asks the driver once for each buffer of the host, in the first call and in each
 * repeated one. It never asks in a barrier. */
static void is_asked_once(void)
{
    enum { CALLS = 10 };
    const int *asked = device_stand_in("stand_in_asked");
    double *in = check_memory(BYTES), *out = check_memory(BYTES);
    fill(in);
    for (int i = 0; i < CALLS; i++) {
        const int before = *asked;
        reduce(in, out);
        check_equal("questions in a call", 2, *asked - before);
        look("result", out);
    }
    const int before = *asked;
    MPI_Barrier(MPI_COMM_WORLD);
    check_equal("questions in a barrier", 0, *asked - before);
    free(in);
    free(out);
}

/* Blocks at absolute addresses in device memory, with a gap between. */
static void absolute_addresses(int root)
{
    enum { CELLS = 1000, BLOCK = 400 };
    int *device = device_allocate(CELLS * sizeof *device, DEVICE_OWN), host[CELLS];
    const int lengths[2] = {BLOCK, BLOCK};
    const MPI_Aint places[2] = {(MPI_Aint)(uintptr_t)device,
                                (MPI_Aint)(uintptr_t)(device + CELLS - BLOCK)};
    MPI_Datatype type;
    MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < CELLS; i++)
        host[i] = 100000 * check_rank() + i;
    device_write(device, host, sizeof host);
    check_equal("MPI_Bcast", MPI_SUCCESS, MPI_Bcast(MPI_BOTTOM, 1, type, root, MPI_COMM_WORLD));
    device_read(host, device, sizeof host);
    for (int i = 0; i < CELLS; i++) {
        const bool is_gap = i >= BLOCK && i < CELLS - BLOCK;
        const int expected = 100000 * (is_gap ? check_rank() : root) + i;
        if (host[i] != expected) {
            check_fail("cell %d is %d, not %d", i, host[i], expected);
            break;
        }
    }
    MPI_Type_free(&type);
    device_free(device, DEVICE_OWN);
}

static void run(void)
{
    if (!device_use() || device_stand_in("stand_in_asked") == NULL) {
        check_case("the stand-in is there");
        check_fail("it is not preloaded");
        return;
    }
    if (check_case("the driver is asked once"))
        is_asked_once();
    if (check_case("addresses come back"))
        addresses_come_back();
    const int copies[] = {1, copies_of_vector(), copies_of_vector() + 1, 2 * copies_of_vector()};
    for (int victim = 0; victim < check_size(); victim++)
        for (int i = copies_of_vector() == 1; i < 4 - (copies_of_vector() == 1); i++)
            if (check_case("copy %d fails on rank %d", copies[i], victim))
                copies_fail(copies[i], victim);
    if (check_case("no pinned memory"))
        pinned_fails(MPI_COMM_WORLD);
    for (int root = 0; root < check_size(); root++)
        if (check_case("absolute addresses, root %d", root))
            absolute_addresses(root);
}

int main(int argc, char **argv)
{
    static const struct check_program program = {
        .doc = "Checks vectors in device memory that is freed, and copies that fail.",
        .run = run,
        .least_ranks = 2,
    };
    return check_main(argc, argv, &program);
}
