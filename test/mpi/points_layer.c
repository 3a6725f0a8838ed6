/*
 * points_layer.c: preloaded below the library, makes the n-th call that the library makes of one
 * function fail, of MPI's and of the system's; see test_points.c. Calls of anybody else are let
 * through.
 *
 * mpi.h is not included: one wrapper of twelve words serves functions of any signature, as all of
 * their arguments travel as words.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

char *getenv(const char *name); /* stdlib.h has other types for functions that are wrapped here */

/* Functions of MPI. First those of one rank. Then those that fail on all ranks of a communicator:
 * the ranks synchronize there, or a handle is wrong on all. */
#define LOCAL(X)                                                                                   \
    X(Isend)                                                                                       \
    X(Irecv)                                                                                       \
    X(Wait)                                                                                        \
    X(Waitsome)                                                                                    \
    X(Test)                                                                                        \
    X(Testsome)                                                                                    \
    X(Iprobe)                                                                                      \
    X(Sendrecv)                                                                                    \
    X(Reduce_local)                                                                                \
    X(Grequest_start)                                                                              \
    X(Comm_create_keyval)                                                                          \
    X(Comm_set_attr)                                                                               \
    X(Get_processor_name)
#define COLLECTIVE(X)                                                                              \
    X(Send)                                                                                        \
    X(Comm_get_errhandler)                                                                         \
    X(Comm_set_errhandler)                                                                         \
    X(Comm_group)                                                                                  \
    X(Comm_test_inter)                                                                             \
    X(Type_get_extent)                                                                             \
    X(Type_get_true_extent)                                                                        \
    X(Type_size_x)                                                                                 \
    X(Op_commutative)                                                                              \
    X(Get_count)                                                                                   \
    X(Comm_create)                                                                                 \
    X(Comm_split)                                                                                  \
    X(Comm_split_type)                                                                             \
    X(Iallreduce)                                                                                  \
    X(Allreduce)                                                                                   \
    X(Bcast)                                                                                       \
    X(Allgather)                                                                                   \
    X(Barrier)                                                                                     \
    X(Ibarrier)
/* Of the system, and what they return when they fail. */
#define SYSTEM(X)                                                                                  \
    X(aligned_alloc, 0)                                                                            \
    X(realloc, 0)                                                                                  \
    X(memfd_create, -1)                                                                            \
    X(ftruncate, -1)                                                                               \
    X(mmap, -1)                                                                                    \
    X(mprotect, -1)                                                                                \
    X(open, -1)                                                                                    \
    X(fstat, -1)                                                                                   \
    X(socket, -1)                                                                                  \
    X(bind, -1)                                                                                    \
    X(connect, -1)                                                                                 \
    X(getrandom, -1)

typedef long word;
typedef word function(word, word, word, word, word, word, word, word, word, word, word, word);

enum { IS_LOCAL, IS_COLLECTIVE, IS_SYSTEM };
enum {
#define NUMBER(name, ...) NUMBER_##name,
    LOCAL(NUMBER) COLLECTIVE(NUMBER) SYSTEM(NUMBER) COUNT
#undef NUMBER
};

static struct {
    const char *name;
    int kind;
    word failure;
    function *next;
} points[] = {
#define ROW(name) {"PMPI_" #name, IS_LOCAL, POINTS_ERROR, NULL},
    LOCAL(ROW)
#undef ROW
#define ROW(name) {"PMPI_" #name, IS_COLLECTIVE, POINTS_ERROR, NULL},
        COLLECTIVE(ROW)
#undef ROW
#define ROW(name, failure) {#name, IS_SYSTEM, failure, NULL},
            SYSTEM(ROW)
#undef ROW
};

static int armed = -1, countdown, fired, depth;

int points_count(void);
const char *points_name(int point);
int points_is_collective(int point);
void points_arm(int point, int n);
int points_fired(void);

int points_count(void)
{
    return COUNT;
}

const char *points_name(int point)
{
    return points[point].name;
}

int points_is_collective(int point)
{
    return points[point].kind == IS_COLLECTIVE;
}

/* n = 0: nothing fails. */
void points_arm(int point, int n)
{
    armed = n > 0 ? point : -1;
    countdown = n;
    fired = 0;
}

int points_fired(void)
{
    return fired;
}

/* POINTS_AT_START="POINT N RANK": arms before the program's MPI_Init, on that rank of the
 * launcher's, or with -1 on all. */
__attribute__((constructor)) static void arm_at_start(void)
{
    const char *text = getenv("POINTS_AT_START"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    int point, n, on, mine;
    rank = rank == NULL ? getenv("PMI_RANK") : rank;
    if (text == NULL || rank == NULL || sscanf(text, "%d %d %d", &point, &n, &on) != 3 ||
        sscanf(rank, "%d", &mine) != 1 || point >= COUNT ||
        (points[point].kind == IS_COLLECTIVE && on >= 0))
        return;
    points_arm(point, on < 0 || on == mine ? n : 0);
}

static int is_ours(void *caller)
{
    Dl_info info;
    depth++;
    const int found = dladdr(caller, &info);
    depth--;
    return found && info.dli_fname != NULL && strstr(info.dli_fname, "liballfold") != NULL;
}

static int fails(int point, void *caller)
{
    if (point != armed || depth > 0 || !is_ours(caller) || --countdown != 0)
        return 0;
    fired = 1;
    errno = points[point].kind == IS_SYSTEM ? ENOMEM : errno;
    return 1;
}

static function *next_of(int point)
{
    if (points[point].next == NULL) {
        void *found = dlsym(RTLD_NEXT, points[point].name);
        memcpy(&points[point].next, &found, sizeof found);
    }
    return points[point].next;
}

#define WRAP(symbol, point)                                                                        \
    word symbol(word a, word b, word c, word d, word e, word f, word g, word h, word i, word j,    \
                word k, word l);                                                                   \
    word symbol(word a, word b, word c, word d, word e, word f, word g, word h, word i, word j,    \
                word k, word l)                                                                    \
    {                                                                                              \
        if (fails(point, __builtin_return_address(0)))                                             \
            return points[point].failure;                                                          \
        return next_of(point)(a, b, c, d, e, f, g, h, i, j, k, l);                                 \
    }
#define WRAP_MPI(name) WRAP(PMPI_##name, NUMBER_##name)
#define WRAP_SYSTEM(name, failure) WRAP(name, NUMBER_##name)

LOCAL(WRAP_MPI)
COLLECTIVE(WRAP_MPI)
SYSTEM(WRAP_SYSTEM)
