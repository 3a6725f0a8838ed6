/* A stand-in for an MPI library that is not installed: some functions that say how they were
 * called. Compiled with -DVERSION="...", -DHANDLE=int or pointer and the soname of what it stands
 * for. */
#include <stdio.h>
#include <string.h>

typedef void *pointer;

#define SHOWN(type, name, ...)                                                                     \
    type P##name(__VA_ARGS__);                                                                     \
    type name(__VA_ARGS__) __attribute__((weak, alias("P" #name)));                                \
    type P##name(__VA_ARGS__)

static int state; /* 1: initialized, 2: finalized */

SHOWN(int, MPI_Init, int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    state = 1;
    return 0;
}

SHOWN(int, MPI_Finalize, void)
{
    state = 2;
    return puts("finalized") < 0;
}

SHOWN(int, MPI_Initialized, int *flag)
{
    return (*flag = state > 0, 0);
}

SHOWN(int, MPI_Finalized, int *flag)
{
    return (*flag = state == 2, 0);
}

SHOWN(int, MPI_Get_library_version, char *version, int *length)
{
    strcpy(version, VERSION);
    *length = (int)strlen(version);
    return 0;
}

SHOWN(int, MPI_Allreduce, const void *in, void *out, int count, HANDLE type, HANDLE op, HANDLE comm)
{
    return printf("%p %p %d %llx %llx %llx\n", in, out, count, (unsigned long long)type,
                  (unsigned long long)op, (unsigned long long)comm) < 0;
}
