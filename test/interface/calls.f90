! SPDX-License-Identifier: BSD-3-Clause
program calls
  use, intrinsic :: iso_fortran_env, only: int64, output_unit, real64
  use pathline
  implicit none
  integer :: step

  do step = 6, 7
    call pathline_step(step, 0.25_real64 * step)
    call pathline_region_begin("outer region")
    call pathline_region_next("MPI_Allreduce   ")
    call pathline_region_end("outer region")
  end do
  call pathline_step(2_int64**40, 0.0_real64)
  call finish()

contains

  ! The recorder prints with C; what Fortran printed itself would come out in another order.
  subroutine finish()
    use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
    interface
      integer(c_int) function puts(text) bind(C)
        import :: c_char, c_int
        character(kind=c_char), intent(in) :: text(*)
      end function
    end interface
    if (puts("done" // c_null_char) < 0) error stop
  end subroutine
end program
