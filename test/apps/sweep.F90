! SPDX-License-Identifier: BSD-3-Clause
!
! A pipelined sweep as in LU solvers: on a grid of ranks each plane waits for its western and
! northern neighbours, so that a wave of small blocking messages runs through the ranks, down and up
! again. One rank computes the same without messages, to compare.
#include "binding.inc"
program sweep
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, parameter :: n = 12, planes = 40, rounds = 3
  double precision :: cell(0:n + 1, 0:n + 1, planes)
  double precision :: total, whole, twin
  COMMUNICATOR :: grid
  integer :: sizes(2), place(2), rank, ranks, error, round, k
  integer :: west, east, north, south
  logical :: periodic(2)

  call MPI_Init(error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  sizes = 0
  call MPI_Dims_create(ranks, 2, sizes, error)
  periodic = .false.
  call MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periodic, .true., grid, error)
  call MPI_Comm_rank(grid, rank, error)
  call MPI_Cart_coords(grid, rank, 2, place, error)
  call MPI_Cart_shift(grid, 0, 1, west, east, error)
  call MPI_Cart_shift(grid, 1, 1, north, south, error)

  cell = 0
  do round = 1, rounds
    do k = 1, planes
      call step(k, west, east, north, south, 1)
    end do
    do k = planes, 1, -1
      call step(k, east, west, south, north, -1)
    end do
  end do
  total = sum(cell(1:n, 1:n, :))
  call MPI_Allreduce(total, whole, 1, MPI_DOUBLE_PRECISION, MPI_SUM, grid, error)
  call serial(sizes(1) * n, sizes(2) * n, twin)
  if (rank == 0) then
    print '(a, a, es22.14)', BINDING, ' sweep: sum = ', whole
    print '(a)', merge('verified', 'WRONG   ', abs(whole - twin) <= 1d-10 * abs(twin))
  end if
  call MPI_Finalize(error)

contains

  !> One plane in one direction: takes edges from behind, works, hands edges on.
  subroutine step(k, from_x, to_x, from_y, to_y, direction)
    integer, intent(in) :: k, from_x, to_x, from_y, to_y, direction
    STATUS(status)
    double precision :: edge(n)
    integer :: near, far

    near = merge(0, n + 1, direction == 1)
    far = merge(n, 1, direction == 1)
    edge = 0
    call MPI_Recv(edge, n, MPI_DOUBLE_PRECISION, from_x, k, grid, status, error)
    cell(near, 1:n, k) = edge
    edge = 0
    call MPI_Recv(edge, n, MPI_DOUBLE_PRECISION, from_y, k, grid, MPI_STATUS_IGNORE, error)
    cell(1:n, near, k) = edge
    call relax(cell(:, :, k), n, n, direction, place(1) * n, place(2) * n)
    edge = cell(far, 1:n, k)
    call MPI_Send(edge, n, MPI_DOUBLE_PRECISION, to_x, k, grid, error)
    edge = cell(1:n, far, k)
    call MPI_Send(edge, n, MPI_DOUBLE_PRECISION, to_y, k, grid, error)
  end subroutine

  subroutine relax(plane, nx, ny, direction, first_x, first_y)
    integer, intent(in) :: nx, ny, direction, first_x, first_y
    double precision, intent(inout) :: plane(0:nx + 1, 0:ny + 1)
    integer :: i, j, begin_x, end_x, begin_y, end_y

    begin_x = merge(1, nx, direction == 1)
    end_x = merge(nx, 1, direction == 1)
    begin_y = merge(1, ny, direction == 1)
    end_y = merge(ny, 1, direction == 1)
    do j = begin_y, end_y, direction
      do i = begin_x, end_x, direction
        plane(i, j) = 0.25d0 * (plane(i - direction, j) + plane(i, j - direction) &
          + plane(i, j)) + mod(first_x + i + first_y + j, 7)
      end do
    end do
  end subroutine

  !> The same without ranks.
  subroutine serial(nx, ny, answer)
    integer, intent(in) :: nx, ny
    double precision, intent(out) :: answer
    double precision, allocatable :: plane(:, :)
    integer :: round

    allocate (plane(0:nx + 1, 0:ny + 1))
    plane = 0
    do round = 1, rounds
      plane(0, :) = 0
      plane(:, 0) = 0
      call relax(plane, nx, ny, 1, 0, 0)
      plane(nx + 1, :) = 0
      plane(:, ny + 1) = 0
      call relax(plane, nx, ny, -1, 0, 0)
    end do
    answer = planes * sum(plane(1:nx, 1:ny))
  end subroutine
end program
