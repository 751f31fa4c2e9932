! SPDX-License-Identifier: BSD-3-Clause
!
! calls_f08: the Fortran module of pathline.h in a program of two ranks.
program calls
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use pathline
  implicit none
  integer :: rank, step

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  do step = 10, 12
    call pathline_step(step, 0.25_real64 * (step - 10))
    call pathline_region_begin("outer region  ")
    call pathline_region_begin("inner 0")
    call pathline_region_end("inner 0")
    call pathline_region_next("MPI_Barrier")
    call MPI_Barrier(MPI_COMM_WORLD)
    call pathline_region_end("outer region")
  end do
  call pathline_step(20_int64, 1.0_real64)
  if (rank == 0) print '(a)', "done"
  call MPI_Finalize()
end program calls
