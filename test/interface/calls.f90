! SPDX-License-Identifier: BSD-3-Clause
program calls
  use, intrinsic :: iso_fortran_env, only: int8, int64, output_unit, real64
  use pathline
  implicit none
  real(real64), target :: points(3, 4)
  integer(int64), target :: corners(4) = [0, 1, 2, 3], ends(1) = [4]
  integer(int8), target :: types(1) = [9_int8]
  character(len=20) :: name
  character(len=12) :: value
  integer :: i, step

  do step = 6, 7
    call pathline_step(step, 0.25_real64 * step)
    call pathline_region_begin("outer region")
    call pathline_region_next("MPI_Allreduce   ")
    call pathline_region_end("outer region")
  end do
  call pathline_step(2_int64**40, 0.0_real64)
  points = reshape([real(real64) :: 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0.5_real64], [3, 4])
  call pathline_insitu_grid(points, corners, ends, types)
  call pathline_insitu_execute(8, 2.0_real64)
  call pathline_insitu_grid()
  do i = 0, pathline_insitu_count() - 1
    call pathline_insitu_name(i, name)
    write (value, "(i0)") nint(pathline_insitu_value(i))
    call line("array " // trim(name) // " " // trim(value))
  end do
  call pathline_insitu_name(2, name)
  if (name /= "" .or. pathline_insitu_value(-1) > 0) error stop
  call line("done")

contains

  ! The recorder prints with C; what Fortran printed itself would come out in another order.
  subroutine line(text)
    use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
    character(len=*), intent(in) :: text
    interface
      integer(c_int) function puts(c_text) bind(C, name="puts")
        import :: c_char, c_int
        character(kind=c_char), intent(in) :: c_text(*)
      end function
    end interface
    if (puts(text // c_null_char) < 0) error stop
  end subroutine
end program
