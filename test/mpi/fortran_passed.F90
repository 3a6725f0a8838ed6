! Collectives of a Fortran program that Allfold passes through, and whether they are right. Built
! three times: with -DUSE_MPIF_H, -DUSE_MPI and -DUSE_MPI_F08. Rank 0 prints its calls and bytes as
! test_passed.c does.
#if defined(USE_MPI_F08)
#define COMM type(MPI_Comm)
#define DATATYPE type(MPI_Datatype)
#define REQUEST type(MPI_Request)
#else
#define COMM integer
#define DATATYPE integer
#define REQUEST integer
#endif

program fortran_passed
#if defined(USE_MPI_F08)
    use mpi_f08
#elif defined(USE_MPI)
    use mpi
#endif
    implicit none
#if defined(USE_MPIF_H)
    include 'mpif.h'
#endif
    integer, parameter :: most = 16
    integer :: p, rank, error, i, wrong = 0, neighbors
    integer :: in(2 * most), out(2 * most), counts(most), displs(most), bytes(most)
    DATATYPE :: types(most)
    REQUEST :: request
    COMM :: grid
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, p, error)
    in = [(1000 * rank + i, i = 1, 2 * most)]
    counts = 2
    displs = [(2 * i, i = 0, most - 1)]
    bytes = 4 * displs
    types = MPI_INTEGER

    do i = 1, 3
        call begin()
        call MPI_Alltoall(in, 2, MPI_INTEGER, out, 2, MPI_INTEGER, MPI_COMM_WORLD, error)
        call expect_all('Alltoall')
    end do
    call say('alltoall blocking', 3, 3 * 8 * p)
    call begin()
    call MPI_Alltoallv(in, counts, displs, MPI_INTEGER, out, counts, displs, MPI_INTEGER, MPI_COMM_WORLD, error)
    call expect_all('Alltoallv')
    call say('alltoallv blocking', 1, 8 * p)
    call begin()
    call MPI_Alltoallw(in, counts, bytes, types, out, counts, bytes, types, MPI_COMM_WORLD, error)
    call expect_all('Alltoallw')
    call say('alltoallw blocking', 1, 8 * p)
    call begin()
    call MPI_Ialltoallw(in, counts, bytes, types, out, counts, bytes, types, MPI_COMM_WORLD, request, error)
    call expect('a request', error == MPI_SUCCESS .and. request /= MPI_REQUEST_NULL)
    call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    call expect_all('Ialltoallw')
    call say('alltoallw nonblocking', 1, 8 * p)
    call begin()
    out(1:2 * p) = in(1:2 * p)
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 2, MPI_INTEGER, MPI_COMM_WORLD, error)
    call expect_all('Alltoall in place')
    call say('alltoall blocking', 1, 8 * p)

    call begin()
    if (rank == 0) then
        out(1:2) = in(1:2)
        call MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
        do i = 0, p - 1
            call expect('Gather in place', all(out(2 * i + 1:2 * i + 2) == 1000 * i + [1, 2]))
        end do
    else
        call MPI_Gather(in, 2, MPI_INTEGER, out, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    end if
    call say('gather blocking', 1, 8)
    call begin()
    call MPI_Iscatterv(in, counts, displs, MPI_INTEGER, out, 2, MPI_INTEGER, 0, MPI_COMM_WORLD, request, error)
    call expect('a request', error == MPI_SUCCESS .and. request /= MPI_REQUEST_NULL)
    call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    call expect('Iscatterv', error == MPI_SUCCESS .and. all(out(1:2) == 2 * rank + [1, 2]))
    call say('scatterv nonblocking', 1, 8 * p)

    call MPI_Cart_create(MPI_COMM_WORLD, 1, [p], [.false.], .false., grid, error)
    neighbors = merge(1, 0, rank > 0) + merge(1, 0, rank < p - 1)
    call begin()
    call MPI_Neighbor_allgather(in, 2, MPI_INTEGER, out, 2, MPI_INTEGER, grid, error)
    if (rank > 0) call expect('the lower neighbor', all(out(1:2) == 1000 * (rank - 1) + [1, 2]))
    if (rank < p - 1) call expect('the upper neighbor', all(out(3:4) == 1000 * (rank + 1) + [1, 2]))
    call say('neighbor_allgather blocking', 1, 8 * neighbors)
#if defined(USE_MPI_F08)
    call MPI_Neighbor_allgather(in, 2, MPI_INTEGER, out, 2, MPI_INTEGER, grid) ! without an error code
    call say('neighbor_allgather blocking', 1, 8 * neighbors)
#endif
    if (wrong == 0 .and. rank == 0) print '(a)', 'right'
    call MPI_Finalize(error)
    if (wrong /= 0) stop 1
contains
    subroutine begin()
        out = -1
        error = -1
    end subroutine begin

    subroutine expect(what, holds)
        character(*), intent(in) :: what
        logical, intent(in) :: holds
        if (.not. holds) print '(a, a, a, i0)', 'WRONG: ', what, ' on rank ', rank
        if (.not. holds) wrong = wrong + 1
    end subroutine expect

    ! two elements from each rank
    subroutine expect_all(what)
        character(*), intent(in) :: what
        integer :: r
        call expect(what // ': its error code', error == MPI_SUCCESS)
        do r = 0, p - 1
            call expect(what, all(out(2 * r + 1:2 * r + 2) == 1000 * r + 2 * rank + [1, 2]))
        end do
    end subroutine expect_all

    subroutine say(what, calls, bytes)
        character(*), intent(in) :: what
        integer, intent(in) :: calls, bytes
        if (rank == 0) print '(a, a, a, i0, a, i0)', 'passed ', what, ' ', calls, ' ', bytes
    end subroutine say
end program fortran_passed
