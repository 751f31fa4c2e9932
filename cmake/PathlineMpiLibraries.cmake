# SPDX-License-Identifier: BSD-3-Clause
#
# The MPIs that libraries of ours are built for, side by side; FindMPI knows only one. For each of
# PATHLINE_MPI_KINDS (openmpi mpich, as far as they are there):
#
#   PATHLINE_MPICC_<kind>, PATHLINE_MPIFORT_<kind>   compilers
#   PATHLINE_MPI_INCLUDES_<kind>                     folders of its headers
#   PATHLINE_MPI_FOLDERS_<kind>                      folders of its libraries
#   PATHLINE_LIBRARY_<kind>                          the library

set(PATHLINE_MPI_KINDS "")
foreach(kind openmpi mpich)
  find_program(PATHLINE_MPICC_${kind} NAMES mpicc.${kind} mpicc)
  find_program(PATHLINE_MPIFORT_${kind} NAMES mpifort.${kind} mpifort)
  mark_as_advanced(PATHLINE_MPICC_${kind} PATHLINE_MPIFORT_${kind})
  if(NOT PATHLINE_MPICC_${kind})
    continue()
  endif()
  file(WRITE "${PROJECT_BINARY_DIR}/CMakeFiles/which_mpi.c" "#include <mpi.h>\n#ifdef OPEN_MPI\nopenmpi\n"
       "#elif defined(MPICH)\nmpich\n#endif\n")
  execute_process(COMMAND "${PATHLINE_MPICC_${kind}}" -E -P "${PROJECT_BINARY_DIR}/CMakeFiles/which_mpi.c"
                  OUTPUT_VARIABLE text ERROR_QUIET)
  if(NOT text MATCHES "(^|\n)${kind}\n")
    continue()
  endif()
  list(APPEND PATHLINE_MPI_KINDS ${kind})

  # mpicc tells where its header and its library are.
  execute_process(COMMAND "${PATHLINE_MPICC_${kind}}" -show OUTPUT_VARIABLE show
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(words UNIX_COMMAND "${show}")
  set(PATHLINE_MPI_INCLUDES_${kind} ${words})
  list(FILTER PATHLINE_MPI_INCLUDES_${kind} INCLUDE REGEX "^-I")
  list(TRANSFORM PATHLINE_MPI_INCLUDES_${kind} REPLACE "^-I" "")
  set(PATHLINE_MPI_FOLDERS_${kind} ${words})
  list(FILTER PATHLINE_MPI_FOLDERS_${kind} INCLUDE REGEX "^-L")
  list(TRANSFORM PATHLINE_MPI_FOLDERS_${kind} REPLACE "^-L" "")
  set(name mpi)
  if(kind STREQUAL mpich)
    set(name mpich)
  endif()
  find_library(PATHLINE_LIBRARY_${kind} NAMES ${name} HINTS ${PATHLINE_MPI_FOLDERS_${kind}})
  mark_as_advanced(PATHLINE_LIBRARY_${kind})
endforeach()
