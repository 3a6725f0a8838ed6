! The largest eigenvalue of the matrix of the one-dimensional Poisson problem, 2 on the diagonal and -1
! beside it, by the power method. Each step has one allreduce of two numbers, in place. At the end, a
! user-defined operation finds the smallest and the largest element of the vector in one allreduce.
!
!     mpifort.openmpi -O2 power.f90 -o power
!     mpirun -n 4 allfold run --report ./power [ROWS [STEPS]]
!
! Each rank has a block of rows. The eigenvalue is 2 + 2 cos(pi / (ROWS + 1)).
module extremes
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    use mpi_f08
    implicit none
contains
    ! combines pairs (smallest, largest), element by element
    subroutine span(in, inout, length, datatype)
        type(c_ptr), value :: in, inout
        integer :: length
        type(MPI_Datatype) :: datatype
        double precision, pointer :: a(:, :), b(:, :)
        call c_f_pointer(in, a, [2, length])
        call c_f_pointer(inout, b, [2, length])
        b(1, :) = min(a(1, :), b(1, :))
        b(2, :) = max(a(2, :), b(2, :))
    end subroutine span
end module extremes

program power
    use, intrinsic :: iso_fortran_env, only: error_unit
    use mpi_f08
    use extremes
    implicit none
    double precision, allocatable :: x(:), y(:)
    double precision :: sums(2), ends(2), eigenvalue
    integer :: ranks, rank, rows, steps, first, last, i, step
    type(MPI_Op) :: operation
    type(MPI_Datatype) :: pair

    call MPI_Init()
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    rows = argument(1, 32)
    steps = argument(2, 1500)
    first = int(int(rows, 8) * rank / ranks) + 1
    last = int(int(rows, 8) * (rank + 1) / ranks)
    allocate (x(first - 1:last + 1), y(first:last))
    x = 0
    ! signs alternate in the vector that is looked for
    x(first:last) = [((-1d0)**i * (1 + mod(i, 3)), i=first, last)]

    eigenvalue = 0
    do step = 1, steps
        call exchange()
        do i = first, last
            y(i) = 2 * x(i) - x(i - 1) - x(i + 1)
        end do
        sums = [sum(y * x(first:last)), sum(y * y)]
        call MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
        eigenvalue = sums(2) / sums(1)
        x(first:last) = y / sqrt(sums(2))
    end do

    call MPI_Type_contiguous(2, MPI_DOUBLE_PRECISION, pair)
    call MPI_Type_commit(pair)
    call MPI_Op_create(span, .true., operation)
    ends = [minval(x(first:last)), maxval(x(first:last))]
    call MPI_Allreduce(MPI_IN_PLACE, ends, 1, pair, operation, MPI_COMM_WORLD)
    call MPI_Op_free(operation)
    call MPI_Type_free(pair)
    if (rank == 0) then
        print '(a, f0.6, a, f0.6)', 'largest eigenvalue ', eigenvalue, ', exactly ', &
            2 + 2 * cos(acos(-1d0) / (rows + 1))
        print '(a, f0.6, a, f0.6)', 'elements of its vector from ', ends(1), ' to ', ends(2)
    end if
    call MPI_Finalize()

contains

    ! The argument at a place, or what it is preset to.
    integer function argument(place, preset)
        integer, intent(in) :: place, preset
        character(len=20) :: text
        integer :: status
        argument = preset
        call get_command_argument(place, text)
        if (text == '') return
        read (text, *, iostat=status) argument
        if (status == 0 .and. argument >= ranks) return
        if (rank == 0) then
            write (error_unit, '(3a, i0)') 'power: ', trim(text), ' is no number of at least ', ranks
            call MPI_Abort(MPI_COMM_WORLD, 2)
        end if
        call MPI_Barrier(MPI_COMM_WORLD)
    end function argument

    ! The elements beside a rank's own come from its neighbours.
    subroutine exchange()
        integer :: before, after
        before = merge(rank - 1, MPI_PROC_NULL, rank > 0)
        after = merge(rank + 1, MPI_PROC_NULL, rank < ranks - 1)
        call MPI_Sendrecv(x(last:last), 1, MPI_DOUBLE_PRECISION, after, 0, x(first - 1:first - 1), 1, &
                          MPI_DOUBLE_PRECISION, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        call MPI_Sendrecv(x(first:first), 1, MPI_DOUBLE_PRECISION, before, 1, x(last + 1:last + 1), 1, &
                          MPI_DOUBLE_PRECISION, after, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    end subroutine exchange
end program power
