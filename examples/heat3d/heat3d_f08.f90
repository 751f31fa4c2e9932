! SPDX-License-Identifier: BSD-3-Clause
!
! The main loop of heat3d in Fortran, with `use mpi_f08` and the isend exchange only. It reads the
! same parameter file and computes in the same order, so that it prints the same checksum.

!> Reads the part of TOML that such a file needs: `key = value`, lists in brackets that may go over
!> several lines, strings without escapes, numbers with underscores, comments.
module heat3d_parameters
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use, intrinsic :: ieee_arithmetic, only: ieee_is_finite
  implicit none
  private
  public :: parameters, read_parameters

  type :: parameters
    integer :: ranks(3)
    integer :: points(3)
    real(real64) :: spacing_m(3)
    real(real64) :: dt_s
    real(real64) :: diffusivity_m2_per_s
    real(real64) :: initial
    real(real64) :: walls(6)  ! -x +x -y +y -z +z
    integer(int64) :: steps
    real(real64) :: tolerance = 0
    logical :: mesh = .false.
  end type

  integer, parameter :: longest = 4096
  character(len=*), parameter :: required(8) = [character(len=20) :: "ranks", "points", &
    "spacing_m", "dt_s", "diffusivity_m2_per_s", "initial", "walls", "steps"]

contains

  !> error   one line that says what is wrong with the file, or left empty.
  subroutine read_parameters(file, processes, p, error)
    character(len=*), intent(in) :: file
    integer, intent(in) :: processes
    type(parameters), intent(out) :: p
    character(len=:), allocatable, intent(out) :: error
    character(len=longest) :: entry
    character(len=256) :: message
    logical :: seen(size(required))
    integer :: unit, status, line, first_line

    error = ""
    seen = .false.
    open (newunit=unit, file=file, status="old", action="read", iostat=status, iomsg=message)
    if (status /= 0) then
      error = "cannot read " // file // ": " // trim(message)
      return
    end if
    line = 0
    do while (error == "")
      call next_entry(unit, line, first_line, entry)
      if (entry == "") exit
      call set(entry, p, seen, error)
      if (error /= "") error = file // ":" // decimal(first_line) // ": " // error
    end do
    close (unit)
    if (error /= "") return

    if (.not. all(seen)) then
      error = file // ": key '" // trim(required(findloc(seen, .false., 1))) // "' is missing"
    else if (any(modulo(p%points, p%ranks) /= 0)) then
      error = file // ": points are no multiples of ranks"
    else if (abs(product(real(p%ranks, real64)) - processes) > 0) then
      error = file // ": the product of ranks is not " // decimal(processes) // &
        ", the number of processes"
    else if (product(p%points / p%ranks + 2.0_real64) > huge(1)) then
      error = file // ": expected less than 2^31 points for each rank"
    else if (.not. 2 * p%diffusivity_m2_per_s * p%dt_s * sum(1 / p%spacing_m**2) <= 1) then
      error = file // ": dt_s is beyond the stability limit of the scheme"
    end if
  end subroutine

  !> The next `key = value` without comments and, if it goes over several lines, in one; empty at
  !> the end of the file.
  subroutine next_entry(unit, line, first_line, entry)
    integer, intent(in) :: unit
    integer, intent(inout) :: line
    integer, intent(out) :: first_line
    character(len=*), intent(out) :: entry
    character(len=longest) :: text
    integer :: status

    entry = ""
    first_line = 0
    do
      read (unit, "(a)", iostat=status) text
      if (status /= 0) return
      line = line + 1
      text = without_comment(text)
      if (text == "") cycle
      if (entry == "") first_line = line
      entry = trim(entry) // " " // adjustl(text)
      if (index(entry, "[") == 0 .or. index(entry, "]") > 0) return
    end do
  end subroutine

  function without_comment(text) result(code)
    character(len=*), intent(in) :: text
    character(len=len(text)) :: code
    integer :: i
    logical :: quoted
    code = ""
    quoted = .false.
    do i = 1, len_trim(text)
      if (text(i:i) == '"') quoted = .not. quoted
      if (text(i:i) == "#" .and. .not. quoted) return
      code(i:i) = merge(" ", text(i:i), text(i:i) == achar(9) .or. text(i:i) == achar(13))
    end do
  end function

  subroutine set(entry, p, seen, error)
    character(len=*), intent(in) :: entry
    type(parameters), intent(inout) :: p
    logical, intent(inout) :: seen(:)
    character(len=:), allocatable, intent(inout) :: error
    character(len=:), allocatable :: key, value
    real(real64) :: one(1), three(3)
    integer :: equals

    equals = index(entry, "=")
    if (equals == 0) then
      error = "found '" // trim(adjustl(entry)) // "', expected key = value"
      return
    end if
    key = trim(adjustl(entry(:equals - 1)))
    value = trim(adjustl(entry(equals + 1:)))
    select case (key)
    case ("ranks", "points")
      call numbers(key, value, three, whole=.true., above=0.0_real64, error=error)
      if (error == "" .and. key == "ranks") p%ranks = int(three)
      if (error == "" .and. key == "points") p%points = int(three)
    case ("spacing_m")
      call numbers(key, value, p%spacing_m, whole=.false., above=0.0_real64, error=error)
    case ("walls")
      call numbers(key, value, p%walls, whole=.false., above=-huge(one), error=error)
    case ("dt_s")
      call numbers(key, value, one, whole=.false., above=0.0_real64, error=error)
      p%dt_s = one(1)
    case ("diffusivity_m2_per_s")
      call numbers(key, value, one, whole=.false., above=0.0_real64, error=error)
      p%diffusivity_m2_per_s = one(1)
    case ("initial")
      call numbers(key, value, one, whole=.false., above=-huge(one), error=error)
      p%initial = one(1)
    case ("steps")
      call numbers(key, value, one, whole=.true., above=0.0_real64, error=error)
      if (error == "") p%steps = int(one(1), int64)
    case ("tolerance")
      call numbers(key, value, one, whole=.false., above=-tiny(one), error=error)
      p%tolerance = one(1)
    case ("exchange")
      if (value /= '"isend"') error = 'exchange is ' // value // &
        ', expected "isend", the only one that the Fortran program has'
    case ("mesh")
      p%mesh = value == "true"
      if (value /= "true" .and. value /= "false") error = "mesh is " // value // &
        ", expected true or false"
    case default
      error = "unknown key '" // key // "'"
    end select
    seen = seen .or. required == key
  end subroutine

  !> A number, or as many as `values` takes in brackets.
  subroutine numbers(key, value, values, whole, above, error)
    character(len=*), intent(in) :: key, value
    real(real64), intent(out) :: values(:)
    logical, intent(in) :: whole
    real(real64), intent(in) :: above
    character(len=:), allocatable, intent(inout) :: error
    character(len=:), allocatable :: rest
    real(real64), parameter :: most = huge(1) - 2.0_real64  ! what MPI can count, with the halo
    integer :: i, comma
    logical :: good

    values = 0
    rest = value
    if (size(values) > 1) then
      good = len(value) > 2
      if (good) good = value(1:1) == "[" .and. value(len(value):) == "]"
      if (good) rest = value(2:len(value) - 1)
    else
      good = .true.
    end if
    do i = 1, size(values)
      if (.not. good) exit
      comma = index(rest // ",", ",")
      call number(rest(:comma - 1), values(i), whole, good)
      good = good .and. values(i) > above .and. .not. (whole .and. values(i) > most)
      rest = rest(min(comma, len(rest)) + 1:)
    end do
    ! A comma may end a list.
    if (good .and. rest == "") return
    error = key // " is " // value // ", expected " // decimal(size(values)) // &
      trim(merge(" whole ", "       ", whole))
    error = error // trim(merge(" number ", " numbers", size(values) == 1))
    if (above >= 0) error = error // " greater than 0"
  end subroutine

  subroutine number(text, value, whole, good)
    character(len=*), intent(in) :: text
    real(real64), intent(out) :: value
    logical, intent(in) :: whole
    logical, intent(out) :: good
    character(len=len(text)) :: digits
    integer :: i, length, status
    digits = ""
    length = 0
    do i = max(1, verify(text, " ")), len_trim(text)
      if (text(i:i) == "_") cycle
      length = length + 1
      digits(length:length) = text(i:i)
    end do
    value = 0
    good = length > 0
    if (good) good = verify(digits(:length), "+-0123456789.eE") == 0
    if (good .and. whole) good = scan(digits, ".eE") == 0
    if (good) then
      read (digits, *, iostat=status) value
      good = status == 0
    end if
    if (good) good = ieee_is_finite(value)
  end subroutine

  function decimal(number) result(text)
    integer, intent(in) :: number
    character(len=:), allocatable :: text
    character(len=12) :: digits
    write (digits, "(i0)") number
    text = trim(digits)
  end function

end module heat3d_parameters

program heat3d_f08
  use, intrinsic :: iso_fortran_env, only: error_unit, int8, int64, real64
  use mpi_f08
  use heat3d_parameters
  use pathline
  implicit none

  type(parameters) :: p
  type(MPI_Comm) :: cartesian
  type(MPI_Datatype) :: edge(6), halo(6)
  integer :: neighbor(6), local(3), place(3), rank, field
  ! x, y, z from 0 to local + 1, and which of the two fields; a step reads one and writes the other.
  real(real64), allocatable, asynchronous :: values(:, :, :, :)
  ! A hexahedron around each point, for who watches the run.
  real(real64), allocatable, target :: corners(:, :)
  integer(int64), allocatable, target :: connectivity(:), ends(:)
  integer(int8), allocatable, target :: types(:)
  real(real64) :: weight(3), change, time_s
  integer(int64) :: step
  logical :: converged

  call MPI_Init()
  call start()
  call describe_sides()
  if (p%mesh) call hand_over_mesh()

  weight = p%diffusivity_m2_per_s * p%dt_s / (p%spacing_m * p%spacing_m)
  field = 1
  step = 0
  converged = .false.
  call MPI_Barrier(cartesian)
  time_s = MPI_Wtime()
  do while (step < p%steps .and. .not. converged)
    call pathline_step(step + 1, step * p%dt_s)

    call pathline_region_begin("exchange")
    call fill_halo(values(:, :, :, field))
    call pathline_region_end("exchange")

    call pathline_region_begin("update")
    call update(values(:, :, :, field), values(:, :, :, 3 - field), change)
    call pathline_region_end("update")

    field = 3 - field
    step = step + 1
    if (p%tolerance > 0) then
      call pathline_region_begin("convergence check")
      call MPI_Allreduce(MPI_IN_PLACE, change, 1, MPI_DOUBLE_PRECISION, MPI_MAX, cartesian)
      converged = change < p%tolerance
      call pathline_region_end("convergence check")
    end if
    ! What the step has cost is known at its end.
    if (p%mesh) call pathline_insitu_execute(step, (step - 1) * p%dt_s)
  end do
  time_s = MPI_Wtime() - time_s

  call print_summary(values(:, :, :, field))
  call release()
  call MPI_Finalize()

contains

  !> Reads the parameters, finds this rank's place and fills both fields; ends the program if the
  !> file is no good.
  subroutine start()
    character(len=:), allocatable :: error, file
    integer :: processes, length, i

    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, processes)
    call get_command_argument(1, length=length)
    allocate (character(len=length) :: file)
    call get_command_argument(1, file)
    if (command_argument_count() == 1) then
      call read_parameters(file, processes, p, error)
    else
      error = "usage: heat3d_f08 FILE.toml"
    end if
    if (error /= "") then
      if (rank == 0) write (error_unit, "(a)") "heat3d_f08: " // error
      call MPI_Finalize()
      stop 2, quiet=.true.
    end if

    call MPI_Cart_create(MPI_COMM_WORLD, 3, p%ranks, [.false., .false., .false.], .false., &
      cartesian)
    call MPI_Cart_coords(cartesian, rank, 3, place)
    local = p%points / p%ranks
    allocate (values(0:local(1) + 1, 0:local(2) + 1, 0:local(3) + 1, 2))
    values = p%initial
    if (place(1) == 0) values(0, :, :, :) = p%walls(1)
    if (place(2) == 0) values(:, 0, :, :) = p%walls(3)
    if (place(3) == 0) values(:, :, 0, :) = p%walls(5)
    do i = 1, 3
      if (place(i) < p%ranks(i) - 1) cycle
      if (i == 1) values(local(1) + 1, :, :, :) = p%walls(2)
      if (i == 2) values(:, local(2) + 1, :, :) = p%walls(4)
      if (i == 3) values(:, :, local(3) + 1, :) = p%walls(6)
    end do
  end subroutine

  !> The six sides in the order -x +x -y +y -z +z: who is there, and the outermost layer of points
  !> and the one beyond it as types relative to the start of a field.
  subroutine describe_sides()
    integer :: i
    do i = 1, 3
      call MPI_Cart_shift(cartesian, i - 1, 1, neighbor(2 * i - 1), neighbor(2 * i))
      halo(2 * i - 1) = layer(i, 0)
      edge(2 * i - 1) = layer(i, 1)
      edge(2 * i) = layer(i, local(i))
      halo(2 * i) = layer(i, local(i) + 1)
    end do
  end subroutine

  function layer(direction, coordinate) result(type)
    integer, intent(in) :: direction, coordinate
    type(MPI_Datatype) :: type
    integer :: lengths(3), starts(3)
    lengths = local
    lengths(direction) = 1
    starts = 1
    starts(direction) = coordinate
    call MPI_Type_create_subarray(3, local + 2, lengths, starts, MPI_ORDER_FORTRAN, &
      MPI_DOUBLE_PRECISION, type)
    call MPI_Type_commit(type)
  end function

  !> As mesh.cpp does it.
  subroutine hand_over_mesh()
    integer(int8), parameter :: hexahedron = 12  ! VTK's number
    integer(int64) :: row, layer, first, n
    integer :: x, y, z

    row = local(1) + 1
    layer = row * (local(2) + 1)
    allocate (corners(3, layer * (local(3) + 1)))
    allocate (connectivity(8 * product(int(local, int64))))
    n = 0
    do z = 0, local(3)
      do y = 0, local(2)
        do x = 0, local(1)
          n = n + 1
          corners(:, n) = (place * local + [x, y, z] + 0.5_real64) * p%spacing_m
        end do
      end do
    end do
    n = 0
    do z = 0, local(3) - 1
      do y = 0, local(2) - 1
        do x = 0, local(1) - 1
          first = z * layer + y * row + x  ! from 0 on
          connectivity(n + 1:n + 4) = first + [0_int64, 1_int64, 1 + row, row]
          connectivity(n + 5:n + 8) = connectivity(n + 1:n + 4) + layer
          n = n + 8
        end do
      end do
    end do
    ends = [(8 * n, n = 1, size(connectivity, kind=int64) / 8)]
    types = spread(hexahedron, 1, size(ends))
    call pathline_insitu_grid(corners, connectivity, ends, types)
  end subroutine

  subroutine release()
    integer :: i
    if (p%mesh) call pathline_insitu_grid()
    do i = 1, 6
      call MPI_Type_free(edge(i))
      call MPI_Type_free(halo(i))
    end do
    call MPI_Comm_free(cartesian)
  end subroutine

  !> A message has the number of the side where it leaves its sender as its tag.
  subroutine fill_halo(u)
    real(real64), contiguous, asynchronous, intent(inout) :: u(0:, 0:, 0:)
    integer, parameter :: opposite(6) = [2, 1, 4, 3, 6, 5]
    type(MPI_Request) :: requests(12)
    integer :: i
    do i = 1, 6
      call MPI_Irecv(u, 1, halo(i), neighbor(i), opposite(i), cartesian, requests(i))
    end do
    do i = 1, 6
      call MPI_Isend(u, 1, edge(i), neighbor(i), i, cartesian, requests(6 + i))
    end do
    call MPI_Waitall(12, requests, MPI_STATUSES_IGNORE)
  end subroutine

  subroutine update(old, updated, largest)
    real(real64), contiguous, intent(in) :: old(0:, 0:, 0:)
    real(real64), contiguous, intent(inout) :: updated(0:, 0:, 0:)
    real(real64), intent(out) :: largest
    real(real64) :: twice, difference
    integer :: x, y, z
    largest = 0
    do z = 1, local(3)
      do y = 1, local(2)
        do x = 1, local(1)
          ! grid.cpp computes in the same order, so that both give the same bits.
          twice = 2 * old(x, y, z)
          difference = weight(1) * (old(x - 1, y, z) - twice + old(x + 1, y, z)) &
            + weight(2) * (old(x, y - 1, z) - twice + old(x, y + 1, z)) &
            + weight(3) * (old(x, y, z - 1) - twice + old(x, y, z + 1))
          updated(x, y, z) = old(x, y, z) + difference
          largest = max(largest, abs(difference))
        end do
      end do
    end do
  end subroutine

  !> The same numbers as summary.cpp.
  subroutine print_summary(u)
    real(real64), contiguous, intent(in) :: u(0:, 0:, 0:)
    real(real64) :: smallest, largest, centre
    integer(int64) :: checksum, at
    integer :: x, y, z, middle(3)

    checksum = 0
    do z = 1, local(3)
      do y = 1, local(2)
        do x = 1, local(1)
          at = place(3) * local(3) + z - 1_int64
          at = at * p%points(2) + place(2) * local(2) + y - 1
          at = at * p%points(1) + place(1) * local(1) + x - 1
          checksum = ieor(checksum, &
            ishftc(transfer(u(x, y, z), checksum), int(modulo(at, 61_int64))))
        end do
      end do
    end do
    smallest = minval(u(1:local(1), 1:local(2), 1:local(3)))
    largest = maxval(u(1:local(1), 1:local(2), 1:local(3)))
    middle = p%points / 2 - place * local + 1
    centre = -huge(centre)
    if (all(middle >= 1 .and. middle <= local)) centre = u(middle(1), middle(2), middle(3))

    call MPI_Allreduce(MPI_IN_PLACE, time_s, 1, MPI_DOUBLE_PRECISION, MPI_MAX, cartesian)
    call MPI_Allreduce(MPI_IN_PLACE, change, 1, MPI_DOUBLE_PRECISION, MPI_MAX, cartesian)
    call MPI_Allreduce(MPI_IN_PLACE, smallest, 1, MPI_DOUBLE_PRECISION, MPI_MIN, cartesian)
    call MPI_Allreduce(MPI_IN_PLACE, centre, 1, MPI_DOUBLE_PRECISION, MPI_MAX, cartesian)
    call MPI_Allreduce(MPI_IN_PLACE, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, cartesian)
    call MPI_Allreduce(MPI_IN_PLACE, checksum, 1, MPI_INTEGER8, MPI_BXOR, cartesian)
    if (rank /= 0) return
    print "(a, 2(i0, ' x '), i0)", "grid = ", p%points
    print "(a, 2(i0, ' x '), i0)", "ranks = ", p%ranks
    print "(a)", "exchange = isend"
    print "(a, i0)", "steps = ", step
    print "(a)", "time = " // text(time_s, "(f20.6)") // " s"
    print "(a)", "largest change = " // text(change, "(es20.9e2)")
    if (converged) print "(a)", "converged"
    print "(a)", "minimum = " // text(smallest, "(es20.9e2)")
    print "(a)", "centre = " // text(centre, "(es20.9e2)")
    print "(a)", "maximum = " // text(largest, "(es20.9e2)")
    print "(a, z16.16)", "checksum = ", checksum
  end subroutine

  function text(number, format)
    real(real64), intent(in) :: number
    character(len=*), intent(in) :: format
    character(len=:), allocatable :: text
    character(len=24) :: digits
    write (digits, format) number
    text = trim(adjustl(digits))
  end function

end program heat3d_f08
