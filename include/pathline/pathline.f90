! SPDX-License-Identifier: BSD-3-Clause
!
! The functions of pathline.h for Fortran: time steps, regions and the mesh for the recorder of
! `pathline record`. Compile this file with the program; there is nothing to link. What the
! functions mean, cost and allow is written in pathline.h. Trailing blanks do not belong to a name.
module pathline
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, &
    c_f_procpointer, c_funptr, c_int, c_int64_t, c_intptr_t, c_loc, c_null_char, c_null_funptr, &
    c_null_ptr, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: int8, int32, int64, real64
  implicit none
  private
  public :: pathline_step, pathline_region_begin, pathline_region_end, pathline_region_next
  public :: pathline_insitu_grid, pathline_insitu_execute
  public :: pathline_insitu_count, pathline_insitu_name, pathline_insitu_value

  !> Ends the open time step and begins the one of this number (int32 or int64) at the simulated
  !> time `time_s` (real64, seconds).
  interface pathline_step
    module procedure step_int32, step_int64
  end interface

  !> The part of the mesh that this process has. The arrays are not copied: they must be TARGET,
  !> contiguous, and stay valid and where they are until the next call. A mesh that has changed, also
  !> in place, is handed over again. Points of the connectivity
  !> count from 0, as VTK has them.
  !>
  !>   points(3, *)  real64: x, y, z of each point; or the same in one dimension
  !>   connectivity  int64: the points of the cells, one cell after the other
  !>   offsets       int64, one for each cell: where its points end in connectivity
  !>   types         int8, one for each cell: VTK's cell types
  !>
  !> call pathline_insitu_grid() takes it back.
  interface pathline_insitu_grid
    module procedure grid_of_triples, grid_of_reals, no_grid
  end interface

  !> The mesh as it is now belongs to the open time step; begins one in programs that never call
  !> pathline_step. The arguments are those of pathline_step.
  interface pathline_insitu_execute
    module procedure execute_int32, execute_int64
  end interface

  ! What the dynamic linker answered: the address of a hook, 0 if there is no recorder, or this. One
  ! word each, so that threads that ask at the same time cannot see half an answer.
  integer(c_intptr_t), parameter :: not_asked = 1
  integer(c_intptr_t), save :: hook_step = not_asked
  integer(c_intptr_t), save :: hook_begin = not_asked
  integer(c_intptr_t), save :: hook_end = not_asked
  integer(c_intptr_t), save :: hook_next = not_asked
  integer(c_intptr_t), save :: hook_grid = not_asked
  integer(c_intptr_t), save :: hook_execute = not_asked
  integer(c_intptr_t), save :: hook_count = not_asked
  integer(c_intptr_t), save :: hook_name = not_asked
  integer(c_intptr_t), save :: hook_value = not_asked

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
    subroutine record_grid(points, n_points, connectivity, offsets, types, n_cells) bind(C)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: points, connectivity, offsets, types
      integer(c_int64_t), value :: n_points, n_cells
    end subroutine
    integer(c_int) function record_count() bind(C)
      import :: c_int
    end function
    type(c_ptr) function record_array_name(i) bind(C)
      import :: c_int, c_ptr
      integer(c_int), value :: i
    end function
    real(c_double) function record_value(i) bind(C)
      import :: c_double, c_int
      integer(c_int), value :: i
    end function
  end interface

  interface
    function strlen(text) bind(C, name="strlen") result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
      integer(c_size_t) :: length
    end function
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

  subroutine grid_of_triples(points, connectivity, offsets, types)
    real(real64), contiguous, target, intent(in) :: points(:, :)
    integer(int64), contiguous, target, intent(in) :: connectivity(:), offsets(:)
    integer(int8), contiguous, target, intent(in) :: types(:)
    if (hook_grid == 0) return
    call hand_over(first_real(points, size(points, kind=int64)), size(points, kind=int64) / 3, connectivity, &
      offsets, types)
  end subroutine

  subroutine grid_of_reals(points, connectivity, offsets, types)
    real(real64), contiguous, target, intent(in) :: points(:)
    integer(int64), contiguous, target, intent(in) :: connectivity(:), offsets(:)
    integer(int8), contiguous, target, intent(in) :: types(:)
    if (hook_grid == 0) return
    call hand_over(first_real(points, size(points, kind=int64)), size(points, kind=int64) / 3, connectivity, &
      offsets, types)
  end subroutine

  subroutine no_grid()
    procedure(record_grid), pointer :: record
    if (hook_grid == 0) return
    if (.not. found(hook_grid, "pathline_record_insitu_grid")) return
    call c_f_procpointer(transfer(hook_grid, c_null_funptr), record)
    call record(c_null_ptr, 0_c_int64_t, c_null_ptr, c_null_ptr, c_null_ptr, 0_c_int64_t)
  end subroutine

  subroutine hand_over(points, n_points, connectivity, offsets, types)
    type(c_ptr), intent(in) :: points
    integer(int64), intent(in) :: n_points
    integer(int64), contiguous, target, intent(in) :: connectivity(:), offsets(:)
    integer(int8), contiguous, target, intent(in) :: types(:)
    procedure(record_grid), pointer :: record
    type(c_ptr) :: first(3)
    if (.not. found(hook_grid, "pathline_record_insitu_grid")) return
    first = c_null_ptr
    if (size(connectivity) > 0) first(1) = c_loc(connectivity(1))
    if (size(offsets) > 0) first(2) = c_loc(offsets(1))
    if (size(types) > 0) first(3) = c_loc(types(1))
    call c_f_procpointer(transfer(hook_grid, c_null_funptr), record)
    call record(points, n_points, first(1), first(2), first(3), &
      int(min(size(offsets, kind=int64), size(types, kind=int64)), c_int64_t))
  end subroutine

  function first_real(values, count) result(first)
    integer(int64), intent(in) :: count
    real(real64), target, intent(in) :: values(*)
    type(c_ptr) :: first
    first = c_null_ptr
    if (count > 0) first = c_loc(values(1))
  end function

  subroutine execute_int32(step, time_s)
    integer(int32), intent(in) :: step
    real(real64), intent(in) :: time_s
    call execute_int64(int(step, int64), time_s)
  end subroutine

  subroutine execute_int64(step, time_s)
    integer(int64), intent(in) :: step
    real(real64), intent(in) :: time_s
    procedure(record_step), pointer :: record
    if (hook_execute == 0) return
    if (.not. found(hook_execute, "pathline_record_insitu_execute")) return
    call c_f_procpointer(transfer(hook_execute, c_null_funptr), record)
    call record(step, time_s)
  end subroutine

  !> Adds up what this process has done in the open time step until now: how many figures that are.
  integer function pathline_insitu_count()
    procedure(record_count), pointer :: record
    pathline_insitu_count = 0
    if (hook_count == 0) return
    if (.not. found(hook_count, "pathline_record_insitu_count")) return
    call c_f_procpointer(transfer(hook_count, c_null_funptr), record)
    pathline_insitu_count = int(record())
  end function

  !> The name of array `i`, from 0 on, with blanks behind it or cut off; blanks without such an array.
  subroutine pathline_insitu_name(i, name)
    integer, intent(in) :: i
    character(len=*), intent(out) :: name
    procedure(record_array_name), pointer :: record
    type(c_ptr) :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: k
    name = ""
    if (hook_name == 0) return
    if (.not. found(hook_name, "pathline_record_insitu_name")) return
    call c_f_procpointer(transfer(hook_name, c_null_funptr), record)
    text = record(int(i, c_int))
    if (.not. c_associated(text)) return
    call c_f_pointer(text, letters, [strlen(text)])
    do k = 1, min(len(name), size(letters))
      name(k:k) = letters(k)
    end do
  end subroutine

  !> The value of array `i`, from 0 on; 0 without such an array.
  real(real64) function pathline_insitu_value(i)
    integer, intent(in) :: i
    procedure(record_value), pointer :: record
    pathline_insitu_value = 0
    if (hook_value == 0) return
    if (.not. found(hook_value, "pathline_record_insitu_value")) return
    call c_f_procpointer(transfer(hook_value, c_null_funptr), record)
    pathline_insitu_value = record(int(i, c_int))
  end function

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
