/* Calls the stand-in (stand_in.c), and says what it should have been called with. What it calls
 * first is chosen by argv[1]. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef void *pointer;

int MPI_Init(int *argc, char ***argv);
int MPI_Finalize(void);
int MPI_Allreduce(const void *in, void *out, int count, HANDLE type, HANDLE op, HANDLE comm);
int MPI_Sendrecv(const void *sent, int sent_count, HANDLE sent_type, int to, int sent_tag,
                 void *received, int count, HANDLE type, int from, int tag, HANDLE comm,
                 int *status);
int MPI_Pcontrol(const int level, ...);

static int sum(void)
{
    static int data[2];
    const HANDLE type = (HANDLE)0x7f12345678abcdef, op = (HANDLE)0x5566778812345678,
                 comm = (HANDLE)0x6655443344000000;
    printf("%p %p %d %llx %llx %llx\n", (void *)&data[0], (void *)&data[1], 7,
           (unsigned long long)type, (unsigned long long)op, (unsigned long long)comm);
    return MPI_Allreduce(&data[0], &data[1], 7, type, op, comm);
}

static int send(void)
{
    const HANDLE type = (HANDLE)0x7f12345678abcdef, comm = (HANDLE)0x6655443344000000;
    int data[] = {11, 22}, status = 99;
    printf("sendrecv 11 2 1 4 5 22 7 1 9 10\nsendrecv %llx 99\n", (unsigned long long)comm);
    return MPI_Sendrecv(data, 2, type, 4, 5, data + 1, 7, type, 9, 10, comm, &status);
}

static int control(void)
{
    printf("pcontrol 8 160.50\n");
    return MPI_Pcontrol(8, 0.25, 0.5, 0.75, 1.5, 3., 4., 6., 8.75);
}

/* The stand-in lacks MPI_Barrier; the library that is preloaded has it. */
static int lack(void)
{
    int (*barrier)(HANDLE);
    *(void **)&barrier = dlsym(RTLD_DEFAULT, "MPI_Barrier");
    if (barrier == NULL)
        return 1;
    const int first = barrier((HANDLE)0), second = barrier((HANDLE)0);
    printf("barrier %s\n", first != 0 && second != 0 ? "fails" : "is there");
    return 0;
}

int main(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "sum";
    int wrong = 0;
    if (strcmp(first, "control") == 0)
        wrong |= control();
    if (strcmp(first, "send") == 0)
        wrong |= send();
    wrong |= MPI_Init(&argc, &argv);
    if (strcmp(first, "lack") == 0)
        wrong |= lack();
    if (strcmp(first, "sum") == 0)
        wrong |= sum();
    return wrong | MPI_Finalize();
}
