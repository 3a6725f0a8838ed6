! Sums that depend on no order and no number of ranks, for Fortran: see allfold_accumulator.h, which says what
! each procedure does. Compile this file with the program; modules are a compiler's own.
!
!     use, intrinsic :: iso_c_binding, only: c_size_t
!     use allfold_accumulators
!     type(allfold_accumulator) :: mine(1), total(1)
!     call allfold_accumulate(mine(1), x, size(x, kind=c_size_t))
!     ierror = allfold_accumulator_allreduce(mine, total, 1, comm)      ! comm%MPI_VAL with mpi_f08
!     s = allfold_accumulator_round(total(1))
module allfold_accumulators
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_size_t, c_float, c_double
  implicit none
  private

  integer, parameter, public :: allfold_accumulator_limbs = 134

  ! A new one is the sum of nothing.
  type, bind(c), public :: allfold_accumulator
     integer(c_int64_t) :: limbs(allfold_accumulator_limbs) = 0
     integer(c_int64_t) :: unsettled = 0
     integer(c_int64_t) :: terms = 0
     integer(c_int64_t) :: negative_zeros = 0
     integer(c_int64_t) :: infinities = 0
     integer(c_int64_t) :: negative_infinities = 0
     integer(c_int64_t) :: nans = 0
  end type allfold_accumulator

  public :: allfold_accumulate, allfold_accumulate_float, allfold_accumulate_dot, allfold_accumulator_add, &
       allfold_accumulator_settle, allfold_accumulator_round, allfold_accumulator_round_float, &
       allfold_accumulator_allreduce

  interface
     subroutine allfold_accumulate(acc, x, n) bind(c)
       import :: allfold_accumulator, c_double, c_size_t
       type(allfold_accumulator), intent(inout) :: acc
       integer(c_size_t), value :: n
       real(c_double), intent(in) :: x(n)
     end subroutine allfold_accumulate

     subroutine allfold_accumulate_float(acc, x, n) bind(c)
       import :: allfold_accumulator, c_float, c_size_t
       type(allfold_accumulator), intent(inout) :: acc
       integer(c_size_t), value :: n
       real(c_float), intent(in) :: x(n)
     end subroutine allfold_accumulate_float

     subroutine allfold_accumulate_dot(acc, x, y, n) bind(c)
       import :: allfold_accumulator, c_double, c_size_t
       type(allfold_accumulator), intent(inout) :: acc
       integer(c_size_t), value :: n
       real(c_double), intent(in) :: x(n), y(n)
     end subroutine allfold_accumulate_dot

     subroutine allfold_accumulator_add(acc, other) bind(c)
       import :: allfold_accumulator
       type(allfold_accumulator), intent(inout) :: acc
       type(allfold_accumulator), intent(in) :: other
     end subroutine allfold_accumulator_add

     subroutine allfold_accumulator_settle(acc) bind(c)
       import :: allfold_accumulator
       type(allfold_accumulator), intent(inout) :: acc
     end subroutine allfold_accumulator_settle

     function allfold_accumulator_round(acc) bind(c) result(rounded)
       import :: allfold_accumulator, c_double
       type(allfold_accumulator), intent(in) :: acc
       real(c_double) :: rounded
     end function allfold_accumulator_round

     function allfold_accumulator_round_float(acc) bind(c) result(rounded)
       import :: allfold_accumulator, c_float
       type(allfold_accumulator), intent(in) :: acc
       real(c_float) :: rounded
     end function allfold_accumulator_round_float

     function allfold_accumulator_allreduce(mine, sums, count, comm) &
          bind(c, name="allfold_accumulator_allreduce_f") result(error)
       import :: allfold_accumulator, c_int
       integer(c_int), value :: count
       type(allfold_accumulator), intent(in) :: mine(count)
       type(allfold_accumulator), intent(inout) :: sums(count)
       integer, value :: comm
       integer(c_int) :: error
     end function allfold_accumulator_allreduce
  end interface
end module allfold_accumulators
