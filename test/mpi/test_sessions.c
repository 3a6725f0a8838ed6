/*
 * test_sessions.c: a program that uses sessions of MPI alone. Its collectives are the MPI
 * library's, with whatever ranks run Allfold, as nothing finds that out before MPI_Init. Where the
 * MPI has no sessions, it says so.
 */
#include <mpi.h>
#include <stdio.h>

int main(void)
{
#if MPI_VERSION >= 4
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int rank, p, sum = 0;
    if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session) != MPI_SUCCESS)
        return 1;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "test", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &p);
    for (int i = 0; i < 3; i++)
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    const int wrong = sum != p * (p - 1) / 2;
    if (rank == 0)
        printf("%d passed, %d failed\n", !wrong, wrong);
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Session_finalize(&session);
    return wrong;
#else
    printf("no sessions: MPI %d\n", MPI_VERSION);
    return 0;
#endif
}
