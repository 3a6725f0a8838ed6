! Exact sums from Fortran: 10^4 numbers dealt out to the ranks, whose sum cancels but for a small one.
program accumulators
  use, intrinsic :: iso_c_binding, only: c_size_t, c_double, c_float
  use mpi
  use allfold_accumulators
  implicit none
  integer, parameter :: n = 10000
  type(allfold_accumulator) :: mine(2), sums(2)
  real(c_double) :: x(n)
  integer :: error, rank, ranks, i, first, last

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  do i = 1, n / 2
     x(i) = 1.7_c_double ** mod(i, 900) / 3
     x(n + 1 - i) = -x(i)
  end do
  x(1) = x(1) + 1e-200_c_double ! is lost: the sum of the others is 0
  first = n / ranks * rank + 1
  last = merge(n, n / ranks * (rank + 1), rank == ranks - 1)
  call allfold_accumulate(mine(1), x(first:last), int(last - first + 1, c_size_t))
  if (rank == 0) call allfold_accumulate(mine(1), [1e-300_c_double], 1_c_size_t)
  call allfold_accumulate_dot(mine(2), x(first:last), x(first:last), int(last - first + 1, c_size_t))
  call allfold_accumulate_float(mine(2), [1.5_c_float], 1_c_size_t)
  error = allfold_accumulator_allreduce(mine, sums, 2, MPI_COMM_WORLD)
  do i = 1, ranks
     call allfold_accumulate(sums(2), [-1.5_c_double], 1_c_size_t)
  end do
  if (rank == 0) then
     print '(z16.16, 1x, z16.16)', allfold_accumulator_round(sums(1)), allfold_accumulator_round(sums(2))
  end if
  call MPI_Finalize(error)
  if (error /= 0) stop 1
end program accumulators
