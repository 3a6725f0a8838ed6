/* Calls the stand-in (stand_in.c), and says what it should have been called with. */
#include <stdio.h>

typedef void *pointer;

int MPI_Init(int *argc, char ***argv);
int MPI_Finalize(void);
int MPI_Allreduce(const void *in, void *out, int count, HANDLE type, HANDLE op, HANDLE comm);

int main(int argc, char **argv)
{
    static int data[2];
    const HANDLE type = (HANDLE)0x7f12345678abcdef, op = (HANDLE)0x5566778812345678,
                 comm = (HANDLE)0x6655443344000000;
    if (MPI_Init(&argc, &argv) != 0)
        return 1;
    printf("%p %p %d %llx %llx %llx\n", (void *)&data[0], (void *)&data[1], 7,
           (unsigned long long)type, (unsigned long long)op, (unsigned long long)comm);
    fflush(stdout);
    MPI_Allreduce(&data[0], &data[1], 7, type, op, comm);
    return MPI_Finalize();
}
