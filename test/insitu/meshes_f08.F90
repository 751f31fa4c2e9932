! SPDX-License-Identifier: BSD-3-Clause
!
! meshes_f08: the mesh of the module `pathline` on two ranks. Steps 10 to 12; rank R has 2 + R
! tetrahedra, those of rank 1 in another place in step 12.
program meshes
  use, intrinsic :: iso_fortran_env, only: int8, int64, real64
  use mpi_f08
  use pathline
  implicit none
  real(real64), allocatable, target :: points(:, :)
  integer(int64), allocatable, target :: connectivity(:), offsets(:)
  integer(int8), allocatable, target :: types(:)
  character(len=40) :: name
  real(real64) :: value
  integer :: rank, cells, i, step

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  cells = 2 + rank
  allocate (points(3, 4 * cells))
  do i = 1, 4 * cells
    points(:, i) = [real(real64) :: i, modulo(i, 4), rank]
  end do
  connectivity = [(int(i, int64), i = 0, 4 * cells - 1)]
  offsets = [(4_int64 * i, i = 1, cells)]
  types = spread(10_int8, 1, cells)
  call pathline_insitu_grid(points, connectivity, offsets, types)
  do step = 10, 12
    if (step == 12 .and. rank == 1) then
      points = points + 1
      call pathline_insitu_grid(points, connectivity, offsets, types)
    end if
    call pathline_insitu_execute(step, 0.25_real64 * (step - 10))
    call MPI_Barrier(MPI_COMM_WORLD)
    do i = 0, pathline_insitu_count() - 1
      call pathline_insitu_name(i, name)
      value = pathline_insitu_value(i)
      if (name == "" .or. value < 0) error stop
    end do
  end do
  call pathline_insitu_name(100000, name)
  if (name /= "") error stop
  call pathline_insitu_grid()
  if (rank == 0) print '(a)', "done"
  call MPI_Finalize()
end program meshes
