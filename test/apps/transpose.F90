! SPDX-License-Identifier: BSD-3-Clause
!
! Conjugate gradients on a square of ranks, reduced by messages only, as some solvers do: rows add
! their parts of a product with a butterfly of Irecv, Send, Wait, and the vector changes place with
! its transpose by Sendrecv. Ranks: 1, 4, 16, ... The matrix is known, and so is the solution.
#include "binding.inc"
program transpose_reduce
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, parameter :: n = 64, iterations = 30
  double precision :: matrix(n, n), x(n), r(n), p(n), q(n), rho, rho_before, alpha, error_norm
  COMMUNICATOR :: row, copy
  integer :: rank, ranks, side, my_row, my_column, error, i, j, iteration

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  side = nint(sqrt(dble(ranks)))
  if (side * side /= ranks .or. iand(side, side - 1) /= 0) then
    if (rank == 0) print '(a)', 'transpose: wants 1, 4, 16, ... ranks'
    call MPI_Abort(MPI_COMM_WORLD, 2, error)
  end if
  my_row = rank / side
  my_column = mod(rank, side)
  ! Backwards, so that ranks of the row differ from those of the world.
  call MPI_Comm_split(MPI_COMM_WORLD, my_row, side - my_column, row, error)
  call MPI_Comm_dup(row, copy, error)

  do j = 1, n
    do i = 1, n
      matrix(i, j) = 1d0 / (1 + abs((my_row * n + i) - (my_column * n + j))**2)
      if (my_row * n + i == my_column * n + j) matrix(i, j) = matrix(i, j) + 4
    end do
  end do
  ! Vectors live in pieces: of row i on ranks (i, *) or, for products, of column j on ranks (*, j).
  x = 1
  call product_with(x, r)      ! so that the solution is 1
  x = 0
  p = transposed(r)
  rho = dot(r, r)
  do iteration = 1, iterations
    call product_with(p, q)
    alpha = rho / dot(transposed(p), q)
    x = x + alpha * transposed(p)
    r = r - alpha * q
    rho_before = rho
    rho = dot(r, r)
    p = transposed(r) + rho / rho_before * p
  end do
  error_norm = sqrt(dot(x - 1, x - 1))
  call MPI_Comm_free(copy, error)
  call MPI_Comm_free(row, error)
  if (rank == 0) then
    print '(a, a, es10.2)', BINDING, ' transpose: error below', 1d-10
    print '(a)', merge('verified', 'WRONG   ', error_norm < 1d-10)
  end if
  call MPI_Finalize(error)

contains

  !> Adds a vector over the ranks of the row.
  subroutine reduce(vector, count)
    integer, intent(in) :: count
    double precision, intent(inout) :: vector(count)
    double precision :: other(count)
    REQUEST :: request
    STATUS(status)
    integer :: distance, me, partner

    call MPI_Comm_rank(copy, me, error)
    distance = 1
    do while (distance < side)
      partner = ieor(me, distance)
      call MPI_Irecv(other, count, MPI_DOUBLE_PRECISION, partner, distance, copy, request, error)
      call MPI_Send(vector, count, MPI_DOUBLE_PRECISION, partner, distance, copy, error)
      call MPI_Wait(request, status, error)
      vector = vector + other
      distance = 2 * distance
    end do
  end subroutine

  !> result = matrix * vector; the vector in columns, the result in rows.
  subroutine product_with(vector, result)
    double precision, intent(in) :: vector(n)
    double precision, intent(out) :: result(n)

    result = matmul(matrix, vector)
    call reduce(result, n)
  end subroutine

  !> From pieces of rows to pieces of columns and back: also a message of the diagonal to itself.
  function transposed(vector) result(other)
    double precision, intent(in) :: vector(n)
    double precision :: other(n)
    integer :: partner

    partner = my_column * side + my_row
    call MPI_Sendrecv(vector, n, MPI_DOUBLE_PRECISION, partner, 1, other, n, &
      MPI_DOUBLE_PRECISION, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  end function

  !> Of two vectors in rows.
  double precision function dot(a, b)
    double precision, intent(in) :: a(n), b(n)
    double precision :: mine(1)

    mine = dot_product(a, b)
    mine = mine / side  ! every rank of the row has the same piece
    call reduce(mine, 1)
    call MPI_Allreduce(mine(1) / side, dot, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, &
      error)
  end function
end program
