! SPDX-License-Identifier: BSD-3-Clause
!
! The functions of pathline.h for Fortran: time steps and regions for the recorder of
! `pathline record`. Compile this file with the program; there is nothing to link. What the
! functions mean, cost and allow is written in pathline.h. Trailing blanks do not belong to a name.
module pathline
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_f_procpointer, c_funptr, c_int64_t, &
    c_intptr_t, c_null_char, c_null_funptr, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  implicit none
  private
  public :: pathline_step, pathline_region_begin, pathline_region_end, pathline_region_next

  !> Ends the open time step and begins the one of this number (int32 or int64) at the simulated
  !> time `time_s` (real64, seconds).
  interface pathline_step
    module procedure step_int32, step_int64
  end interface

  ! What the dynamic linker answered: the address of a hook, 0 if there is no recorder, or this. One
  ! word each, so that threads that ask at the same time cannot see half an answer.
  integer(c_intptr_t), parameter :: not_asked = 1
  integer(c_intptr_t), save :: hook_step = not_asked
  integer(c_intptr_t), save :: hook_begin = not_asked
  integer(c_intptr_t), save :: hook_end = not_asked
  integer(c_intptr_t), save :: hook_next = not_asked

  abstract interface
    subroutine record_step(step, time_s) bind(C)
      import :: c_double, c_int64_t
      integer(c_int64_t), value :: step
      real(c_double), value :: time_s
    end subroutine
    subroutine record_name(name) bind(C)
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine
  end interface

  interface
    function dlsym(library, name) bind(C, name="dlsym") result(address)
      import :: c_char, c_funptr, c_ptr
      type(c_ptr), value :: library
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: address
    end function
  end interface

contains

  subroutine step_int32(step, time_s)
    integer(int32), intent(in) :: step
    real(real64), intent(in) :: time_s
    call step_int64(int(step, int64), time_s)
  end subroutine

  subroutine step_int64(step, time_s)
    integer(int64), intent(in) :: step
    real(real64), intent(in) :: time_s
    procedure(record_step), pointer :: record
    if (hook_step == 0) return
    if (.not. found(hook_step, "pathline_record_step")) return
    call c_f_procpointer(transfer(hook_step, c_null_funptr), record)
    call record(step, time_s)
  end subroutine

  !> Enters the region `name` on this thread.
  subroutine pathline_region_begin(name)
    character(len=*), intent(in) :: name
    if (hook_begin == 0) return
    if (found(hook_begin, "pathline_record_region_begin")) call pass(hook_begin, name)
  end subroutine

  !> Leaves the region `name`, which this thread entered last.
  subroutine pathline_region_end(name)
    character(len=*), intent(in) :: name
    if (hook_end == 0) return
    if (found(hook_end, "pathline_record_region_end")) call pass(hook_end, name)
  end subroutine

  !> Asks to measure the next call of the function `name` on this thread, and only that one.
  subroutine pathline_region_next(name)
    character(len=*), intent(in) :: name
    if (hook_next == 0) return
    if (found(hook_next, "pathline_record_region_next")) call pass(hook_next, name)
  end subroutine

  logical function found(hook, name)
    integer(c_intptr_t), intent(inout) :: hook
    character(len=*), intent(in) :: name
    if (hook == not_asked) hook = transfer(dlsym(c_null_ptr, name // c_null_char), hook)
    found = hook /= 0
  end function

  subroutine pass(hook, name)
    integer(c_intptr_t), intent(in) :: hook
    character(len=*), intent(in) :: name
    procedure(record_name), pointer :: record
    character(kind=c_char) :: c_name(len_trim(name) + 1)
    integer :: i
    do i = 1, len_trim(name)
      c_name(i) = name(i:i)
    end do
    c_name(len_trim(name) + 1) = c_null_char
    call c_f_procpointer(transfer(hook, c_null_funptr), record)
    call record(c_name)
  end subroutine

end module pathline
