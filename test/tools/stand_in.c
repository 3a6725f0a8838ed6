/* A stand-in for an MPI library that is not installed: some functions that say how they were
 * called. Compiled with -DVERSION="...", -DHANDLE=int or pointer and the soname of what it stands
 * for. */
#include <stdarg.h>
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

/* Most arguments come on the stack. */
SHOWN(int, MPI_Sendrecv, const void *sent, int sent_count, HANDLE sent_type, int to, int sent_tag,
      void *received, int count, HANDLE type, int from, int tag, HANDLE comm, int *status)
{
    return printf("sendrecv %d %d %d %d %d %d %d %d %d %d\n", *(const int *)sent, sent_count,
                  sent_type != 0, to, sent_tag, *(int *)received, count, type == sent_type, from,
                  tag) < 0 ||
           printf("sendrecv %llx %d\n", (unsigned long long)comm, *status) < 0;
}

/* Level doubles follow, in vector registers. */
SHOWN(int, MPI_Pcontrol, const int level, ...)
{
    double sum = 0;
    va_list arguments;
    va_start(arguments, level);
    for (int i = 0; i < level; i++)
        sum += (i + 1) * va_arg(arguments, double);
    va_end(arguments);
    return printf("pcontrol %d %.2f\n", level, sum) < 0;
}
