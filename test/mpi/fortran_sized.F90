! Reductions of Fortran's sized types, of handles that MPI_Type_create_f90_* make, and of logical and
! quadruple kinds where the MPI library has them. Built three times, as fortran.F90: with mpif.h, mpi
! and mpi_f08. Each type has a count of its own, by which the report's rows are told apart.
#if defined(USE_MPI_F08)
#define COMM type(MPI_Comm)
#define DATATYPE type(MPI_Datatype)
#else
#define COMM integer
#define DATATYPE integer
#endif
program fortran_sized
#if defined(USE_MPI_F08)
    use mpi_f08
#elif defined(USE_MPI)
    use mpi
#endif
    use iso_fortran_env, only: int8, int16, int32, int64, real32, real64, real128
    implicit none
#if defined(USE_MPIF_H)
    include 'mpif.h'
#endif
    integer :: rank, p, error, wrong = 0
    COMM :: world
    DATATYPE :: made
    world = MPI_COMM_WORLD
    call MPI_Init(error)
    call MPI_Comm_rank(world, rank, error)
    call MPI_Comm_size(world, p, error)
    call test_real8(MPI_REAL8, 11)
    call MPI_Type_create_f90_real(15, 307, made, error)
    call test_real8(made, 12)
    call test_integer8(MPI_INTEGER8, 21)
    call MPI_Type_create_f90_integer(18, made, error)
    call test_integer8(made, 22)
    call test_complex16(MPI_COMPLEX16, 31)
    call MPI_Type_create_f90_complex(15, 307, made, error)
    call test_complex16(made, 32)
    call test_small(41)
#if defined(HAVE_REAL16)
    call test_real16(51)
#endif
#if defined(HAVE_LOGICAL8)
    call test_logicals(61)
#endif
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

    subroutine test_real8(datatype, n)
        DATATYPE, intent(in) :: datatype
        integer, intent(in) :: n
        real(real64) :: mine(n), total(n), least(n)
        integer :: i
        mine = [(real(rank, real64) + 0.5d0 * i, i = 1, n)]
        call MPI_Allreduce(mine, total, n, datatype, MPI_SUM, world, error)
        call expect('REAL8 sum', all(total == [(p * (p - 1) / 2 + 0.5d0 * i * p, i = 1, n)]))
        total = mine
        call MPI_Allreduce(MPI_IN_PLACE, total, n, datatype, MPI_MAX, world, error)
        call expect('REAL8 max', all(total == [(p - 1 + 0.5d0 * i, i = 1, n)]))
        least = -1
        call MPI_Reduce(mine, least, n, datatype, MPI_MIN, 0, world, error)
        call expect('REAL8 min', rank > 0 .or. all(least == [(0.5d0 * i, i = 1, n)]))
    end subroutine test_real8

    subroutine test_integer8(datatype, n)
        DATATYPE, intent(in) :: datatype
        integer, intent(in) :: n
        integer(int64) :: mine(n), total(n)
        integer :: i
        mine = [(2_int64**40 * (rank + 1) + i, i = 1, n)]
        call MPI_Allreduce(mine, total, n, datatype, MPI_SUM, world, error)
        call expect('INTEGER8 sum', &
                    all(total == [(2_int64**40 * (p * (p + 1) / 2) + int(i, int64) * p, i = 1, n)]))
        call MPI_Reduce(mine, total, n, datatype, MPI_MAX, p - 1, world, error)
        call expect('INTEGER8 max', rank < p - 1 .or. all(total == mine))
    end subroutine test_integer8

    subroutine test_complex16(datatype, n)
        DATATYPE, intent(in) :: datatype
        integer, intent(in) :: n
        complex(real64) :: mine(n), total(n)
        mine = (0d0, 1d0)
        call MPI_Allreduce(mine, total, n, datatype, MPI_PROD, world, error)
        call expect('COMPLEX16 product', all(total == (0d0, 1d0)**p))
        mine = cmplx(rank, 1, real64)
        call MPI_Reduce(mine, total, n, datatype, MPI_SUM, 0, world, error)
        call expect('COMPLEX16 sum', rank > 0 .or. all(total == cmplx(p * (p - 1) / 2, p, real64)))
    end subroutine test_complex16

    subroutine test_small(n)
        integer, intent(in) :: n
        integer(int8) :: bytes(n)
        integer(int16) :: shorts(n)
        integer(int32) :: words(n)
        real(real32) :: reals(n)
        complex(real32) :: pairs(n)
        bytes = int(-1 - rank, int8)
        call MPI_Allreduce(MPI_IN_PLACE, bytes, n, MPI_INTEGER1, MPI_MIN, world, error)
        call expect('INTEGER1', all(bytes == -p))
        shorts = 256_int16
        call MPI_Allreduce(MPI_IN_PLACE, shorts, n, MPI_INTEGER2, MPI_SUM, world, error)
        call expect('INTEGER2', all(shorts == 256 * p))
        words = ibset(0, rank)
        call MPI_Allreduce(MPI_IN_PLACE, words, n, MPI_INTEGER4, MPI_BOR, world, error)
        call expect('INTEGER4', all(words == 2**p - 1))
        reals = 0.5
        call MPI_Allreduce(MPI_IN_PLACE, reals, n, MPI_REAL4, MPI_SUM, world, error)
        call expect('REAL4', all(reals == 0.5 * p))
        pairs = (1.0, -1.0)
        call MPI_Allreduce(MPI_IN_PLACE, pairs, n, MPI_COMPLEX8, MPI_SUM, world, error)
        call expect('COMPLEX8', all(pairs == cmplx(p, -p)))
    end subroutine test_small

#if defined(HAVE_REAL16)
    ! The last bit of a sum counts: a library that adds these numbers as another format loses it.
    subroutine test_real16(n)
        integer, intent(in) :: n
        real(real128) :: mine(n)
        complex(real128) :: pairs(n)
        mine = 1 + epsilon(1.0_real128)
        call MPI_Allreduce(MPI_IN_PLACE, mine, n, MPI_REAL16, MPI_MAX, world, error)
        call expect('REAL16 max', all(mine == 1 + epsilon(1.0_real128)))
        call MPI_Allreduce(MPI_IN_PLACE, mine, n, MPI_REAL16, MPI_SUM, world, error)
        call expect('REAL16 sum', p > 2 .or. all(mine == p * (1 + epsilon(1.0_real128))))
        pairs = (0.0_real128, 1.0_real128)
        call MPI_Allreduce(MPI_IN_PLACE, pairs, n, MPI_COMPLEX32, MPI_PROD, world, error)
        call expect('COMPLEX32 product', all(pairs == (0.0_real128, 1.0_real128)**p))
    end subroutine test_real16
#endif

#if defined(HAVE_LOGICAL8)
    subroutine test_logicals(n)
        integer, intent(in) :: n
        logical(1) :: tiny(n)
        logical(2) :: small(n)
        logical(4) :: usual(n)
        logical(8) :: large(n)
        tiny = rank == 0
        call MPI_Allreduce(MPI_IN_PLACE, tiny, n, MPI_LOGICAL1, MPI_LOR, world, error)
        call expect('LOGICAL1', logical(all(tiny)))
        small = rank == 0
        call MPI_Allreduce(MPI_IN_PLACE, small, n, MPI_LOGICAL2, MPI_LAND, world, error)
        call expect('LOGICAL2', logical(all(small .eqv. p == 1)))
        usual = .true.
        call MPI_Allreduce(MPI_IN_PLACE, usual, n, MPI_LOGICAL4, MPI_LXOR, world, error)
        call expect('LOGICAL4', all(usual .eqv. mod(p, 2) == 1))
        large = .true.
        call MPI_Allreduce(MPI_IN_PLACE, large, n, MPI_LOGICAL8, MPI_LAND, world, error)
        call expect('LOGICAL8', logical(all(large)))
    end subroutine test_logicals
#endif
end program fortran_sized
