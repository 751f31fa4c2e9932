! SPDX-License-Identifier: BSD-3-Clause
!
! odd_calls CASE, of a program in Fortran: what odd_calls.c is for C.
program odd_calls
  use mpi
  implicit none
  integer :: rank, other, error, requests(2), statuses(MPI_STATUS_SIZE, 2), a(10), b(10)
  logical :: done
  character(len=32) :: which

  call get_command_argument(1, which)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  other = ieor(rank, 1)
  a = rank
  b = rank
  statuses = -99
  select case (which)
  case ('waitall')
    call MPI_Irecv(a, 10, MPI_INTEGER, other, 3, MPI_COMM_WORLD, requests(1), error)
    call MPI_Isend(b, 10, MPI_INTEGER, other, 3, MPI_COMM_WORLD, requests(2), error)
    call MPI_Waitall(2, requests, statuses, error)
    print *, 'rank', rank, 'source', statuses(MPI_SOURCE, 1), 'tag', statuses(MPI_TAG, 1), all(a == other)
  case ('waitall_ignore')
    call MPI_Irecv(a, 10, MPI_INTEGER, other, 3, MPI_COMM_WORLD, requests(1), error)
    call MPI_Isend(b, 10, MPI_INTEGER, other, 3, MPI_COMM_WORLD, requests(2), error)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
    print *, 'rank', rank, all(a == other)
  case ('testall')
    ! What is not complete leaves the statuses alone.
    call MPI_Irecv(a, 10, MPI_INTEGER, other, 3, MPI_COMM_WORLD, requests(1), error)
    call MPI_Irecv(a, 10, MPI_INTEGER, other, 4, MPI_COMM_WORLD, requests(2), error)
    call MPI_Testall(2, requests, done, statuses, error)
    print *, 'rank', rank, done, all(statuses == -99)
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call MPI_Send(b, 10, MPI_INTEGER, other, 3, MPI_COMM_WORLD, error)
    call MPI_Send(b, 10, MPI_INTEGER, other, 4, MPI_COMM_WORLD, error)
    call MPI_Waitall(2, requests, statuses, error)
  case ('wait')
    ! MPI_ERROR is not touched by what completes one request.
    call MPI_Isend(b, 10, MPI_INTEGER, other, 3, MPI_COMM_WORLD, requests(1), error)
    call MPI_Recv(a, 10, MPI_INTEGER, other, 3, MPI_COMM_WORLD, statuses(:, 1), error)
    call MPI_Wait(requests(1), statuses(:, 2), error)
    print *, 'rank', rank, 'errors', statuses(MPI_ERROR, 1), statuses(MPI_ERROR, 2), &
      requests(1) == MPI_REQUEST_NULL
  case ('gather_in_place')
    if (rank == 0) then
      call MPI_Gather(MPI_IN_PLACE, 1, 0, a(1), 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    else
      call MPI_Gather(a(1), 1, MPI_INTEGER, b(1), 1, 0, 0, MPI_COMM_WORLD, error)
    end if
    print *, 'rank', rank, 'gathered', error
  end select
  call MPI_Finalize(error)
end program
