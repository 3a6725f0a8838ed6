! Types and calls of Fortran's that fortran.F90 has not: logical, real and complex numbers, nonblocking
! calls, MPI_STATUS_IGNORE. Built three times, as that one.
#if defined(USE_MPI_F08)
#define COMM type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define DATATYPE type(MPI_Datatype)
#define STATUS_IN(n, name) type(MPI_Status) :: name(n)
#define STATUS(name, i) name(i)
#define TAG_OF(name, i) name(i)%MPI_TAG
#else
#define COMM integer
#define REQUEST integer
#define DATATYPE integer
#define STATUS_IN(n, name) integer :: name(MPI_STATUS_SIZE, n)
#define STATUS(name, i) name(:, i)
#define TAG_OF(name, i) name(MPI_TAG, i)
#endif
#if defined(EXTENSIONS)
#define PERSISTENT(name) MPIX_/**/name
#else
#define PERSISTENT(name) MPI_/**/name
#endif
program fortran_types
#if defined(USE_MPI_F08)
    use mpi_f08
#if defined(EXTENSIONS)
    use mpi_f08_ext
#endif
#elif defined(USE_MPI)
    use mpi
#if defined(EXTENSIONS)
    use mpi_ext
#endif
#endif
    implicit none
#if defined(USE_MPIF_H)
    include 'mpif.h'
#endif
    integer, parameter :: n = 300
    integer :: rank, p, i, how, left, right, error, wrong = 0
    COMM :: world
    world = MPI_COMM_WORLD
    call MPI_Init(error)
    call MPI_Comm_rank(world, rank, error)
    call MPI_Comm_size(world, p, error)
    left = mod(rank + p - 1, p)
    right = mod(rank + 1, p)
    do i = 1, 6
        call test_logical()
        call test_numbers()
        call test_nonblocking()
        do how = 1, 7
            call test_completion(how)
        end do
        call test_messages()
        call test_freed()
        call test_counts()
        call get_environment_variable('ALLFOLD_NONBLOCKING', status=how)
        ! MPICH 4.0.2's own persistent allgather gives wrong results
        if (how == 0) call test_persistent()
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

    ! Two collectives and two messages, completed in each way that there is; statuses are the messages'.
    subroutine test_completion(how)
        integer, intent(in) :: how
        integer, parameter :: all = 4, tag = 7
        integer, asynchronous :: mine(n), total(n), sent, received
        REQUEST :: requests(all)
        STATUS_IN(all, statuses)
        integer :: indices(all), done, which, count, k
        logical :: flag
        mine = rank
        sent = rank
        received = -1
        call MPI_Irecv(received, 1, MPI_INTEGER, left, tag, world, requests(1), error)
        call MPI_Iallreduce(mine, total, n, MPI_INTEGER, MPI_SUM, world, requests(2), error)
        call MPI_Isend(sent, 1, MPI_INTEGER, right, tag, world, requests(3), error)
        call MPI_Ibarrier(world, requests(4), error)
        done = 0
        do while (done < all)
            count = 0
            flag = .true.
            select case (how)
            case (1)
                call MPI_Waitany(all, requests, which, STATUS(statuses, 1), error)
                count = 1
                if (which == 1) call expect('tag of Waitany', TAG_OF(statuses, 1) == tag)
                call expect('index of Waitany', which >= 1 .and. which <= all)
            case (2)
                call MPI_Testany(all, requests, which, flag, STATUS(statuses, 1), error)
                if (flag) count = 1
                if (flag) call expect('index of Testany', which >= 1 .and. which <= all)
            case (3)
                call MPI_Waitsome(all, requests, count, indices, statuses, error)
                do k = 1, count
                    if (indices(k) == 1) call expect('tag of Waitsome', TAG_OF(statuses, k) == tag)
                    call expect('index of Waitsome', indices(k) >= 1 .and. indices(k) <= all)
                end do
            case (4)
                call MPI_Testsome(all, requests, count, indices, MPI_STATUSES_IGNORE, error)
            case (5)
                call MPI_Testall(all, requests, flag, statuses, error)
                if (flag) count = all
                if (flag) call expect('tag of Testall', TAG_OF(statuses, 1) == tag)
            case (6)
                call MPI_Waitall(all, requests, statuses, error)
                count = all
                call expect('tag of Waitall', TAG_OF(statuses, 1) == tag)
            case default
                k = done + 1
                flag = .false.
                do while (.not. flag)
                    call MPI_Request_get_status(requests(k), flag, STATUS(statuses, k), error)
                end do
                flag = .false.
                do while (.not. flag)
                    call MPI_Test(requests(k), flag, STATUS(statuses, k), error)
                end do
                if (k == 1) call expect('tag of Test', TAG_OF(statuses, 1) == tag)
                count = 1
            end select
            call expect('completion', error == MPI_SUCCESS)
            done = done + count
        end do
        do k = 1, all
            call expect('no request is left', requests(k) == MPI_REQUEST_NULL)
        end do
        call expect('what was completed', received == left .and. total(1) == p * (p - 1) / 2 .and. total(n) == total(1))
    end subroutine test_completion

    ! While a collective is in flight: all that waits for messages, and persistent ones.
    subroutine test_messages()
        integer, asynchronous :: mine(n), total(n), sent, received, more
        REQUEST :: collective, requests(2)
        STATUS_IN(2, statuses)
        logical :: flag
        mine = 1
        sent = rank
        call MPI_Iallreduce(mine, total, n, MPI_INTEGER, MPI_SUM, world, collective, error)
        call MPI_Sendrecv(sent, 1, MPI_INTEGER, right, 1, received, 1, MPI_INTEGER, left, 1, world, &
                          STATUS(statuses, 1), error)
        call expect('Sendrecv', received == left .and. TAG_OF(statuses, 1) == 1)
        call MPI_Irecv(more, 1, MPI_INTEGER, left, 2, world, requests(1), error)
        call MPI_Ssend(sent, 1, MPI_INTEGER, right, 2, world, error)
        call MPI_Wait(requests(1), STATUS(statuses, 1), error)
        call expect('Ssend', more == left .and. TAG_OF(statuses, 1) == 2)
        call MPI_Isend(sent, 1, MPI_INTEGER, right, 3, world, requests(1), error)
        call MPI_Probe(left, MPI_ANY_TAG, world, STATUS(statuses, 1), error)
        call expect('Probe', TAG_OF(statuses, 1) == 3)
        flag = .false.
        do while (.not. flag)
            call MPI_Iprobe(left, 3, world, flag, STATUS(statuses, 2), error)
        end do
        call expect('Iprobe', TAG_OF(statuses, 2) == 3)
        call MPI_Recv(received, 1, MPI_INTEGER, left, 3, world, STATUS(statuses, 1), error)
        call expect('Recv', received == left .and. TAG_OF(statuses, 1) == 3)
        call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
        call MPI_Recv_init(received, 1, MPI_INTEGER, left, 4, world, requests(1), error)
        call MPI_Send_init(sent, 1, MPI_INTEGER, right, 4, world, requests(2), error)
        received = -1
        call MPI_Startall(2, requests, error)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
        call expect('Startall', error == MPI_SUCCESS .and. received == left)
        received = -1
        call MPI_Start(requests(1), error)
        call MPI_Start(requests(2), error)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
        call expect('Start', error == MPI_SUCCESS .and. received == left)
        call MPI_Request_free(requests(1), error)
        call MPI_Request_free(requests(2), error)
        call expect('Request_free', requests(1) == MPI_REQUEST_NULL .and. requests(2) == MPI_REQUEST_NULL)
        call MPI_Wait(collective, MPI_STATUS_IGNORE, error)
        call expect('a collective among messages', all(total == p))
    end subroutine test_messages

    ! In place, and of a datatype that is freed while it is in flight.
    subroutine test_freed()
        integer, asynchronous :: both(n), blocks(p), all_of(p), value(2 * n), up_to(1), below(1)
        integer :: k
        REQUEST :: requests(7)
        DATATYPE :: pair
        both = rank
        blocks = [(k, k = 1, p)]
        value = merge(9, 0, rank == p - 1)
        call MPI_Iallreduce(MPI_IN_PLACE, both, n, MPI_INTEGER, MPI_MAX, world, requests(1), error)
        call MPI_Type_contiguous(2, MPI_INTEGER, pair, error)
        call MPI_Type_commit(pair, error)
        call MPI_Ibcast(value, n, pair, p - 1, world, requests(2), error)
        call MPI_Type_free(pair, error)
        call expect('Type_free', pair == MPI_DATATYPE_NULL)
        call MPI_Ireduce_scatter_block(MPI_IN_PLACE, blocks, 1, MPI_INTEGER, MPI_SUM, world, requests(3), error)
        call MPI_Iallgather(rank, 1, MPI_INTEGER, all_of, 1, MPI_INTEGER, world, requests(4), error)
        up_to = rank + 1
        below = rank + 1
        call MPI_Iscan(MPI_IN_PLACE, up_to, 1, MPI_INTEGER, MPI_SUM, world, requests(5), error)
        call MPI_Iexscan(MPI_IN_PLACE, below, 1, MPI_INTEGER, MPI_SUM, world, requests(6), error)
        call MPI_Waitall(6, requests, MPI_STATUSES_IGNORE, error)
        call expect('Iscan', up_to(1) == (rank + 1) * (rank + 2) / 2)
#if !defined(WITHOUT_IEXSCAN_IN_PLACE)
        call expect('Iexscan', below(1) == merge(1, rank * (rank + 1) / 2, rank == 0))
#endif
        call expect('in place', all(both == p - 1) .and. blocks(1) == p * (rank + 1))
        call expect('of a freed datatype', all(value == 9))
        call expect('Iallgather', all(all_of == [(k, k = 0, p - 1)]))
        both = 1
        value(1:n) = 0
        call MPI_Ireduce(both, value, n, MPI_INTEGER, MPI_SUM, 0, world, requests(7), error)
        call MPI_Wait(requests(7), MPI_STATUS_IGNORE, error)
        call expect('Ireduce', rank > 0 .or. all(value(1:n) == p))
    end subroutine test_freed

    ! Blocks of 0, 1, 2, ... elements.
    subroutine test_counts()
        integer, asynchronous :: mine(p), sums(p), all_of(p * p), ones(p * p)
        integer :: k, counts(p), places(p)
        REQUEST :: requests(2)
        counts = [(k, k = 0, p - 1)]
        places = [(k * p, k = 0, p - 1)]
        mine = rank + 1
        ones = 1
        all_of = -1
        call MPI_Ireduce_scatter(ones, sums, counts, MPI_INTEGER, MPI_SUM, world, requests(1), error)
        call MPI_Iallgatherv(mine, rank, MPI_INTEGER, all_of, counts, places, MPI_INTEGER, world, requests(2), error)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
        call expect('Ireduce_scatter', all(sums(1:rank) == p))
        do k = 0, p - 1
            call expect('Iallgatherv', all(all_of(k * p + 1:k * p + k) == k + 1) .and. &
                        all(all_of(k * p + k + 1:(k + 1) * p) == -1))
        end do
    end subroutine test_counts

    ! Each persistent collective, started twice.
    subroutine test_persistent()
        integer, asynchronous :: mine(n), total(n), least(n), value(n), blocks(p), all_of(p), up_to(n), below(n)
        integer, asynchronous :: some(p), scattered(1)
        integer :: k, start, block(1), counts(p), places(p)
        REQUEST :: requests(10)
        counts = merge(0, 1, [(k, k = 0, p - 1)] == 0)
        places = [(k, k = 0, p - 1)]
        call PERSISTENT(Reduce_scatter_init)(blocks, scattered, counts, MPI_INTEGER, MPI_SUM, world, MPI_INFO_NULL, &
                                             requests(7), error)
        call PERSISTENT(Allgatherv_init)(mine, counts(rank + 1), MPI_INTEGER, some, counts, places, MPI_INTEGER, &
                                         world, MPI_INFO_NULL, requests(8), error)
        call PERSISTENT(Allreduce_init)(mine, total, n, MPI_INTEGER, MPI_SUM, world, MPI_INFO_NULL, requests(1), error)
        call PERSISTENT(Reduce_init)(mine, least, n, MPI_INTEGER, MPI_MIN, 0, world, MPI_INFO_NULL, requests(2), error)
        call PERSISTENT(Bcast_init)(value, n, MPI_INTEGER, p - 1, world, MPI_INFO_NULL, requests(3), error)
        call PERSISTENT(Reduce_scatter_block_init)(blocks, block, 1, MPI_INTEGER, MPI_SUM, world, MPI_INFO_NULL, &
                                                   requests(4), error)
        call PERSISTENT(Allgather_init)(mine, 1, MPI_INTEGER, all_of, 1, MPI_INTEGER, world, MPI_INFO_NULL, &
                                        requests(5), error)
        call PERSISTENT(Barrier_init)(world, MPI_INFO_NULL, requests(6), error)
        call PERSISTENT(Scan_init)(mine, up_to, n, MPI_INTEGER, MPI_SUM, world, MPI_INFO_NULL, requests(9), error)
        call PERSISTENT(Exscan_init)(mine, below, n, MPI_INTEGER, MPI_SUM, world, MPI_INFO_NULL, requests(10), error)
        do start = 1, 2
            mine = rank + start
            value = merge(start, 0, rank == p - 1)
            blocks = [(k * start, k = 1, p)]
            below = 0
            call MPI_Startall(10, requests, error)
            call MPI_Waitall(10, requests, MPI_STATUSES_IGNORE, error)
            call expect('persistent', error == MPI_SUCCESS)
            call expect('persistent allreduce', all(total == p * (p - 1) / 2 + p * start))
            call expect('persistent reduce', rank > 0 .or. all(least == start))
            call expect('persistent bcast', all(value == start))
            call expect('persistent reduce_scatter_block', block(1) == p * (rank + 1) * start)
            call expect('persistent reduce_scatter', rank == 0 .or. scattered(1) == p * rank * start)
            call expect('persistent allgatherv', all(some(2:p) == [(k + start, k = 1, p - 1)]))
            call expect('persistent allgather', all(all_of == [(k + start, k = 0, p - 1)]))
            call expect('persistent scan', all(up_to == (rank + 1) * (rank + 2 * start) / 2))
            call expect('persistent exscan', all(below == rank * (rank - 1 + 2 * start) / 2))
        end do
        do k = 1, 10
            call MPI_Request_free(requests(k), error)
        end do
    end subroutine test_persistent
end program fortran_types
