! Collectives of a Fortran program that knows nothing of Allfold, and whether they are right. Built
! three times: with -DUSE_MPIF_H, -DUSE_MPI and -DUSE_MPI_F08. Each collective is called four times,
! so that the report can be held against it.
#if defined(USE_MPI_F08)
#define COMM type(MPI_Comm)
#define DATATYPE type(MPI_Datatype)
#define OPERATION type(MPI_Op)
#define INFO type(MPI_Info)
#else
#define COMM integer
#define DATATYPE integer
#define OPERATION integer
#define INFO integer
#endif

module checks
    implicit none
    integer :: rank = -1, wrong = 0
contains
    subroutine expect(what, holds)
        character(*), intent(in) :: what
        logical, intent(in) :: holds
        if (.not. holds) print '(a, a, a, i0)', 'WRONG: ', what, ' on rank ', rank
        if (.not. holds) wrong = wrong + 1
    end subroutine expect

    ! r = 2 * (left + right), as a user operation
    subroutine twice(left, right, count, datatype)
#if defined(USE_MPI_F08)
        use mpi_f08
        use, intrinsic :: iso_c_binding
        type(c_ptr), value :: left, right
        integer :: count
        DATATYPE :: datatype
        integer, pointer :: l(:), r(:)
        call c_f_pointer(left, l, [count])
        call c_f_pointer(right, r, [count])
        r = 2 * (l + r)
        if (datatype == MPI_DATATYPE_NULL) r = 0
#else
        integer :: count, datatype
        integer :: left(count), right(count)
        right = 2 * (left + right)
        if (datatype < -1) right = right
#endif
    end subroutine twice
end module checks

program fortran
#if defined(USE_MPI_F08)
    use mpi_f08
#elif defined(USE_MPI)
    use mpi
#endif
    use checks
    implicit none
#if defined(USE_MPIF_H)
    include 'mpif.h'
#endif
    integer, parameter :: n = 1000, most = 16
    integer :: p, i, error, sum_of_ranks
    COMM :: world
    world = MPI_COMM_WORLD
    call MPI_Init(error)
    call MPI_Comm_rank(world, rank, error)
    call MPI_Comm_size(world, p, error)
    sum_of_ranks = p * (p - 1) / 2
    call test_allreduce()
    call test_reduce()
    call test_bcast()
    call test_blocks()
    call test_counts()
    call test_scans()
    call test_info()
    call test_memory()
    do i = 1, 4
        error = -1
        call MPI_Barrier(world, error)
        call expect('the error code of a barrier', error == MPI_SUCCESS)
    end do
    if (rank == 0 .and. wrong == 0) print '(a)', 'right'
    call MPI_Finalize(error)
    if (wrong /= 0) stop 1
contains
    ! of a value that does not exist, which Allfold can be heard to pass over
    subroutine test_info()
        INFO :: hints
        COMM :: copy
        call MPI_Info_create(hints, error)
        call MPI_Info_set(hints, 'allfold_sparse', 'sideways', error)
        error = -1
        call MPI_Comm_set_info(world, hints, error)
        call expect('the error code of hints', error == MPI_SUCCESS)
        error = -1
        call MPI_Comm_dup_with_info(world, hints, copy, error)
        call expect('a copy with hints', error == MPI_SUCCESS .and. copy /= MPI_COMM_NULL)
        call MPI_Comm_free(copy, error)
        call MPI_Info_free(hints, error)
    end subroutine test_info

    subroutine test_memory()
        use, intrinsic :: iso_c_binding
        integer, parameter :: many = 10000
        integer(kind=MPI_ADDRESS_KIND) :: bytes = 8 * many
        double precision, pointer :: vector(:)
        type(c_ptr) :: base
#if !defined(USE_MPI_F08)
        integer(kind=MPI_ADDRESS_KIND) :: address
#endif
        error = -1
#if defined(USE_MPI_F08)
        call MPI_Alloc_mem(bytes, MPI_INFO_NULL, base, error)
#else
        call MPI_Alloc_mem(bytes, MPI_INFO_NULL, address, error)
        base = transfer(address, base)
#endif
        call expect('the error code of MPI_Alloc_mem', error == MPI_SUCCESS)
        call c_f_pointer(base, vector, [many])
        vector = [(dble(i), i = 1, many)]
        call expect('memory of MPI_Alloc_mem', nint(sum(vector)) == many / 2 * (many + 1))
        error = -1
        call MPI_Free_mem(vector, error)
        call expect('the error code of MPI_Free_mem', error == MPI_SUCCESS)
    end subroutine test_memory

    subroutine test_allreduce()
        double precision :: mine(n), total(n), expected(n)
        integer :: pair(2), result(2)
        OPERATION :: op
        mine = [(dble(rank + i), i = 1, n)]
        expected = [(dble(sum_of_ranks + p * i), i = 1, n)]
        error = -1
        call MPI_Allreduce(mine, total, n, MPI_DOUBLE_PRECISION, MPI_SUM, world, error)
        call expect('allreduce', error == MPI_SUCCESS .and. all(total == expected))
        total = mine
        call MPI_Allreduce(MPI_IN_PLACE, total, n, MPI_DOUBLE_PRECISION, MPI_SUM, world, error)
        call expect('allreduce in place', error == MPI_SUCCESS .and. all(total == expected))
        call MPI_Op_create(twice, .true., op, error)
        pair = [1, rank]
        call MPI_Allreduce(pair, result, 2, MPI_INTEGER, op, world, error)
        if (p == 2) call expect('allreduce by an operation of its own', all(result == [4, 2]))
        call MPI_Op_free(op, error)
#if defined(USE_MPI_F08)
        call MPI_Allreduce(rank, i, 1, MPI_INTEGER, MPI_MAX, world)
#else
        call MPI_Allreduce(rank, i, 1, MPI_INTEGER, MPI_MAX, world, error)
#endif
        call expect('allreduce of one', i == p - 1)
    end subroutine test_allreduce

    subroutine test_reduce()
        integer, parameter :: few = 100 ! of more, MPICH 4.0.2 alone dies in place
        integer :: mine(few), total(few), root
        do i = 0, 3
            root = mod(i, p)
            mine = rank + 1
            total = -1
            if (rank == root .and. i >= 2) then
                total = mine
                call MPI_Reduce(MPI_IN_PLACE, total, few, MPI_INTEGER, MPI_SUM, root, world, error)
            else
                call MPI_Reduce(mine, total, few, MPI_INTEGER, MPI_SUM, root, world, error)
            end if
            call expect('the error code of a reduce', error == MPI_SUCCESS)
            if (rank == root) call expect('reduce', all(total == sum_of_ranks + p))
        end do
    end subroutine test_reduce

    subroutine test_bcast()
        real :: value(n)
        integer(kind=MPI_ADDRESS_KIND) :: address(1)
        DATATYPE :: datatype
        do i = 1, 3
            value = rank + 0.5
            call MPI_Bcast(value, n, MPI_REAL, p - 1, world, error)
            call expect('bcast', error == MPI_SUCCESS .and. all(value == p - 0.5))
        end do
        value = rank + 0.25
        call MPI_Get_address(value, address(1), error)
        call MPI_Type_create_hindexed(1, [n], address, MPI_REAL, datatype, error)
        call MPI_Type_commit(datatype, error)
        call MPI_Bcast(MPI_BOTTOM, 1, datatype, 0, world, error)
        call MPI_Type_free(datatype, error)
        call expect('bcast from MPI_BOTTOM', error == MPI_SUCCESS .and. all_are(value, 0.25))
    end subroutine test_bcast

    ! not inlined: the compiler cannot know that an absolute address changes an array
    logical function all_are(values, value)
        real, intent(in) :: values(n), value
        all_are = maxval(abs(values - value)) == 0.0
    end function all_are

    ! Blocks of 1, 2, ... elements, those of the last rank first.
    subroutine test_counts()
        integer :: counts(most), places(most), all_of(most * (most + 1) / 2), sums(most), mine(most)
        integer :: r, own
        counts = [(r, r = 1, most)]
        places = 0
        do r = p - 1, 1, -1
            places(r) = places(r + 1) + counts(r + 1)
        end do
        own = counts(rank + 1)
        do i = 1, 4
            mine = rank
            all_of = -1
            if (i <= 2) then
                call MPI_Allgatherv(mine, own, MPI_INTEGER, all_of, counts, places, MPI_INTEGER, world, error)
            else
                all_of(places(rank + 1) + 1:places(rank + 1) + own) = rank
                call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all_of, counts, places, MPI_INTEGER, &
                                    world, error)
            end if
            do r = 0, p - 1
                call expect('allgatherv', error == MPI_SUCCESS .and. &
                            all(all_of(places(r + 1) + 1:places(r + 1) + counts(r + 1)) == r))
            end do
            all_of = rank + 1
            if (i <= 2) then
                call MPI_Reduce_scatter(all_of, sums, counts, MPI_INTEGER, MPI_SUM, world, error)
            else
                call MPI_Reduce_scatter(MPI_IN_PLACE, all_of, counts, MPI_INTEGER, MPI_SUM, world, error)
                sums(1:own) = all_of(1:own)
            end if
            call expect('reduce_scatter', error == MPI_SUCCESS .and. all(sums(1:own) == p * (p + 1) / 2))
        end do
    end subroutine test_counts

    subroutine test_blocks()
        integer :: blocks(3, most), mine(3), sums(3)
        do i = 1, 4
            mine = [rank, 10 * rank, 100 * rank]
            blocks = -1
            if (i <= 2) then
                call MPI_Allgather(mine, 3, MPI_INTEGER, blocks, 3, MPI_INTEGER, world, error)
            else
                blocks(:, rank + 1) = mine
                call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, blocks, 3, MPI_INTEGER, &
                                   world, error)
            end if
            call expect('allgather', error == MPI_SUCCESS .and. all_blocks_are(blocks))
            if (i <= 2) then
                call MPI_Reduce_scatter_block(blocks, sums, 3, MPI_INTEGER, MPI_SUM, world, error)
            else
                call MPI_Reduce_scatter_block(MPI_IN_PLACE, blocks, 3, MPI_INTEGER, MPI_SUM, world, &
                                              error)
                sums = blocks(:, 1)
            end if
            call expect('reduce_scatter_block', error == MPI_SUCCESS .and. all(sums == p * mine))
        end do
    end subroutine test_blocks

    ! rank 0 has no result of an exscan, and keeps what it had
    subroutine test_scans()
        integer :: mine(3), sums(3), below
        below = rank * (rank - 1) / 2
        do i = 1, 4
            mine = [rank, 10 * rank, 100 * rank]
            sums = -1
            if (i > 2) sums = mine
            if (i <= 2) then
                call MPI_Scan(mine, sums, 3, MPI_INTEGER, MPI_SUM, world, error)
            else
                call MPI_Scan(MPI_IN_PLACE, sums, 3, MPI_INTEGER, MPI_SUM, world, error)
            end if
            call expect('scan', error == MPI_SUCCESS .and. all(sums == (below + rank) * [1, 10, 100]))
            sums = -1
            if (i > 2) sums = mine
            if (i <= 2) then
                call MPI_Exscan(mine, sums, 3, MPI_INTEGER, MPI_SUM, world, error)
            else
                call MPI_Exscan(MPI_IN_PLACE, sums, 3, MPI_INTEGER, MPI_SUM, world, error)
            end if
            if (rank > 0) call expect('exscan', error == MPI_SUCCESS .and. all(sums == below * [1, 10, 100]))
            if (rank == 0 .and. i <= 2) call expect('exscan on rank 0', error == MPI_SUCCESS .and. all(sums == -1))
            if (rank == 0 .and. i > 2) call expect('exscan in place on rank 0', all(sums == mine))
        end do
        sums = 2
        call MPI_Reduce_local(mine, sums, 3, MPI_INTEGER, MPI_SUM, error)
        call expect('reduce_local', error == MPI_SUCCESS .and. all(sums == mine + 2))
    end subroutine test_scans

    logical function all_blocks_are(blocks)
        integer, intent(in) :: blocks(3, most)
        integer :: r
        all_blocks_are = .true.
        do r = 0, p - 1
            all_blocks_are = all_blocks_are .and. all(blocks(:, r + 1) == [r, 10 * r, 100 * r])
        end do
    end function all_blocks_are
end program fortran
