# SPDX-License-Identifier: BSD-3-Clause
#
# C, C++ and Fortran programs built by the compiler wrappers of each MPI of this machine, side by side;
# FindMPI knows only one. They go to apps/<mpi>/<name> of the build folder.

set(PATHLINE_MPIS openmpi mpich)
foreach(mpi IN LISTS PATHLINE_MPIS)
  find_program(PATHLINE_CC_${mpi} mpicc.${mpi})
  find_program(PATHLINE_CXX_${mpi} mpicxx.${mpi})
  find_program(PATHLINE_FC_${mpi} mpifort.${mpi})
  mark_as_advanced(PATHLINE_CC_${mpi} PATHLINE_CXX_${mpi} PATHLINE_FC_${mpi})
endforeach()

# pathline_mpi_program(zoo SOURCES zoo.c zoo_mpi4.c [DEPENDS zoo.h] [FLAGS -std=c11] [COMPILER clang])
#
# For each MPI that has a compiler for the first source; pathline_mpi_target() makes them be built.
# COMPILER: instead of the one that the MPI was built with.
function(pathline_mpi_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "COMPILER" "SOURCES;DEPENDS;FLAGS")
  list(TRANSFORM arg_SOURCES PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  list(TRANSFORM arg_DEPENDS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  list(GET arg_SOURCES 0 first)
  set(language CC)
  if(first MATCHES "[.]F90$")
    set(language FC)
  elseif(first MATCHES "[.]cpp$")
    set(language CXX)
  endif()
  if(PATHLINE_WERROR)
    list(PREPEND arg_FLAGS -Werror)
  endif()
  set(environment "")
  if(arg_COMPILER)
    set(environment "${CMAKE_COMMAND}" -E env OMPI_${language}=${arg_COMPILER}
                    MPICH_${language}=${arg_COMPILER})
  endif()
  foreach(mpi IN LISTS PATHLINE_MPIS)
    if(NOT PATHLINE_${language}_${mpi})
      continue()
    endif()
    set(output "${PROJECT_BINARY_DIR}/apps/${mpi}/${name}")
    cmake_path(GET output PARENT_PATH folder)
    set(modules "")
    if(language STREQUAL "FC")
      # Its own: programs that are built at a time may have a module in common.
      set(folder "${output}.modules")
      set(modules "-J${folder}")
    endif()
    add_custom_command(OUTPUT "${output}"
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${folder}"
      COMMAND ${environment} "${PATHLINE_${language}_${mpi}}" -g -O1 -Wall -Wextra ${modules} ${arg_FLAGS}
              ${arg_SOURCES}
              -o "${output}" -pthread -ldl
      DEPENDS ${arg_SOURCES} ${arg_DEPENDS} COMMENT "Building apps/${mpi}/${name}" VERBATIM)
    set_property(DIRECTORY APPEND PROPERTY PATHLINE_MPI_PROGRAMS "${output}")
  endforeach()
endfunction()

function(pathline_mpi_target name)
  get_property(programs DIRECTORY PROPERTY PATHLINE_MPI_PROGRAMS)
  add_custom_target(${name} ALL DEPENDS ${programs})
endfunction()
