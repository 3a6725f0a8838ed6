! Types and calls of Fortran's that fortran.F90 has not: logical, real and complex numbers, nonblocking
! calls, MPI_STATUS_IGNORE. Built three times, as that one.
#if defined(USE_MPI_F08)
#define COMM type(MPI_Comm)
#define REQUEST type(MPI_Request)
#else
#define COMM integer
#define REQUEST integer
#endif
program fortran_types
#if defined(USE_MPI_F08)
    use mpi_f08
#elif defined(USE_MPI)
    use mpi
#endif
    implicit none
#if defined(USE_MPIF_H)
    include 'mpif.h'
#endif
    integer, parameter :: n = 300
    integer :: rank, p, i, error, wrong = 0
    COMM :: world
    world = MPI_COMM_WORLD
    call MPI_Init(error)
    call MPI_Comm_rank(world, rank, error)
    call MPI_Comm_size(world, p, error)
    do i = 1, 6
        call test_logical()
        call test_numbers()
        call test_nonblocking()
    end do
    if (rank == 0 .and. wrong == 0) print '(a)', 'right'
    call MPI_Finalize(error)
    if (wrong /= 0) stop 1
contains
    subroutine expect(what, holds)
        character(*), intent(in) :: what
        logical, intent(in) :: holds
        if (.not. holds) print '(a, a, a, i0)', 'WRONG: ', what, ' on rank ', rank
        if (.not. holds) wrong = wrong + 1
    end subroutine expect

    subroutine test_logical()
        logical :: mine(3), all_of(3), any_of(3)
        mine = [.true., rank == 0, .false.]
        call MPI_Allreduce(mine, all_of, 3, MPI_LOGICAL, MPI_LAND, world, error)
        call MPI_Allreduce(mine, any_of, 3, MPI_LOGICAL, MPI_LOR, world, error)
        call expect('MPI_LAND', all(all_of .eqv. [.true., p == 1, .false.]))
        call expect('MPI_LOR', all(any_of .eqv. [.true., .true., .false.]))
    end subroutine test_logical

    subroutine test_numbers()
        real :: mine(n), least(n)
        complex :: z(2), sums(2)
        double complex :: w, product_of_all
        real :: place(2), most(2)
        mine = [(real(rank + i), i = 1, n)]
        call MPI_Allreduce(mine, least, n, MPI_REAL, MPI_MIN, world, error)
        call expect('MPI_REAL, MPI_MIN', all(least == [(real(i), i = 1, n)]))
        z = [cmplx(1.0, rank), cmplx(rank, 2.0)]
        call MPI_Allreduce(z, sums, 2, MPI_COMPLEX, MPI_SUM, world, error)
        call expect('MPI_COMPLEX', all(sums == [cmplx(p, p * (p - 1) / 2), cmplx(p * (p - 1) / 2, 2 * p)]))
        w = (0d0, 1d0)
        call MPI_Allreduce(w, product_of_all, 1, MPI_DOUBLE_COMPLEX, MPI_PROD, world, error)
        call expect('MPI_DOUBLE_COMPLEX', product_of_all == (0d0, 1d0)**p)
        place = [real(mod(rank + 1, p)), real(rank)]
        call MPI_Allreduce(place, most, 1, MPI_2REAL, MPI_MAXLOC, world, error)
        call expect('MPI_2REAL, MPI_MAXLOC', all(most == [real(p - 1), real(max(p - 2, 0))]))
    end subroutine test_numbers

    subroutine test_nonblocking()
        integer, asynchronous :: mine(n), total(n), value(n)
        REQUEST :: requests(3)
        mine = rank
        value = merge(7, 0, rank == 0)
        call MPI_Iallreduce(mine, total, n, MPI_INTEGER, MPI_SUM, world, requests(1), error)
        call MPI_Ibcast(value, n, MPI_INTEGER, 0, world, requests(2), error)
        call MPI_Ibarrier(world, requests(3), error)
        call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
        call expect('nonblocking allreduce', error == MPI_SUCCESS .and. all(total == p * (p - 1) / 2))
        call MPI_Waitall(2, requests(2:3), MPI_STATUSES_IGNORE, error)
        call expect('nonblocking bcast', error == MPI_SUCCESS .and. all(value == 7))
    end subroutine test_nonblocking
end program fortran_types
