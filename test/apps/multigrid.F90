! SPDX-License-Identifier: BSD-3-Clause
!
! Halos on many levels as in multigrid solvers: receives posted first, blocking sends, messages that
! halve from level to level, and persistent requests on the finest one. A V cycle of a periodic line
! of cells; what it conserves, the mean of the field, is the check.
#include "binding.inc"
program multigrid
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, parameter :: levels = 7, finest = 2**levels, depth = 4, cycles = 10
  type :: level_t
    double precision, allocatable :: field(:, :)  ! (depth, cells with a halo on each side)
  end type
  type(level_t) :: level(levels)
  double precision, allocatable :: out_left(:), out_right(:), in_left(:), in_right(:)
  REQUEST :: requests(4)
  integer :: rank, ranks, left, right, error, cycle_number, i, l
  double precision :: before, after, spread

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)
  do l = 1, levels
    allocate (level(l)%field(depth, 0:2**l + 1))
    level(l)%field = 0
  end do
  do i = 1, finest
    level(levels)%field(:, i) = mod(rank * finest + i, 11) + rank
  end do
  allocate (out_left(depth), out_right(depth), in_left(depth), in_right(depth))
  call MPI_Recv_init(in_left, depth, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, &
    requests(1), error)
  call MPI_Recv_init(in_right, depth, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, &
    requests(2), error)
  call MPI_Send_init(out_right, depth, MPI_DOUBLE_PRECISION, right, 1, MPI_COMM_WORLD, &
    requests(3), error)
  call MPI_Ssend_init(out_left, depth, MPI_DOUBLE_PRECISION, left, 2, MPI_COMM_WORLD, &
    requests(4), error)

  before = mean(levels)
  do cycle_number = 1, cycles
    do l = levels, 2, -1
      call smooth(l)
      do i = 1, 2**(l - 1)
        level(l - 1)%field(:, i) = 0.5d0 * &
          (level(l)%field(:, 2 * i - 1) + level(l)%field(:, 2 * i))
      end do
    end do
    call smooth(1)
    do l = 2, levels
      do i = 1, 2**(l - 1)
        level(l)%field(:, 2 * i - 1) = level(l - 1)%field(:, i)
        level(l)%field(:, 2 * i) = level(l - 1)%field(:, i)
      end do
      call smooth(l)
    end do
  end do
  after = mean(levels)
  call MPI_Reduce(maxval(level(levels)%field(:, 1:finest)), spread, 1, MPI_DOUBLE_PRECISION, &
    MPI_MAX, 0, MPI_COMM_WORLD, error)
  do i = 1, 4
    call MPI_Request_free(requests(i), error)
  end do
  if (rank == 0) then
    print '(a, a, 2es22.14)', BINDING, ' multigrid: mean and largest = ', after, spread
    print '(a)', merge('verified', 'WRONG   ', abs(after - before) <= 1d-11 * abs(before))
  end if
  call MPI_Finalize(error)

contains

  double precision function mean(l)
    integer, intent(in) :: l
    double precision :: mine

    mine = sum(level(l)%field(:, 1:2**l)) / (depth * 2**l * ranks)
    call MPI_Allreduce(mine, mean, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  end function

  subroutine smooth(l)
    integer, intent(in) :: l
    double precision, allocatable :: old(:, :)

    if (l == levels) then
      call persistent_halo(l)
    else
      call halo(l)
    end if
    allocate (old, source=level(l)%field)
    level(l)%field(:, 1:2**l) = 0.25d0 * (old(:, 0:2**l - 1) + old(:, 2:2**l + 1)) &
      + 0.5d0 * old(:, 1:2**l)
  end subroutine

  subroutine halo(l)
    integer, intent(in) :: l
    REQUEST :: receives(2)
    STATUS(status)
    integer :: width

    width = min(depth, 2**(l - 1))  ! smaller messages on the coarsest levels
    in_left = level(l)%field(:, 2**l)
    in_right = level(l)%field(:, 1)
    call MPI_Irecv(in_left, width, MPI_DOUBLE_PRECISION, left, 10 + l, MPI_COMM_WORLD, &
      receives(1), error)
    call MPI_Irecv(in_right, width, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 30 + l, &
      MPI_COMM_WORLD, receives(2), error)
    out_right = level(l)%field(:, 2**l)
    call MPI_Send(out_right, width, MPI_DOUBLE_PRECISION, right, 10 + l, MPI_COMM_WORLD, error)
    out_left = level(l)%field(:, 1)
    call MPI_Send(out_left, width, MPI_DOUBLE_PRECISION, left, 30 + l, MPI_COMM_WORLD, error)
    call MPI_Wait(receives(1), status, error)
    call MPI_Wait(receives(2), MPI_STATUS_IGNORE, error)
    level(l)%field(1:width, 0) = in_left(1:width)
    level(l)%field(1:width, 2**l + 1) = in_right(1:width)
    ! Layers without a message stay on their rank, as a ring of their own.
    level(l)%field(width + 1:, 0) = level(l)%field(width + 1:, 2**l)
    level(l)%field(width + 1:, 2**l + 1) = level(l)%field(width + 1:, 1)
  end subroutine

  subroutine persistent_halo(l)
    integer, intent(in) :: l

    call MPI_Startall(2, requests, error)
    out_right = level(l)%field(:, 2**l)
    out_left = level(l)%field(:, 1)
    call MPI_Start(requests(3), error)
    call MPI_Start(requests(4), error)
    call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, error)
    level(l)%field(:, 0) = in_left
    level(l)%field(:, 2**l + 1) = in_right
  end subroutine
end program
