# SPDX-License-Identifier: BSD-3-Clause
#
# Programs for machines that SimGrid simulates (smpicxx and smpirun of libsimgrid-dev): apps/smpi/<name>
# of the build folder. PATHLINE_NO_SMPI says why there are none.

find_program(PATHLINE_SMPICXX smpicxx)
find_program(PATHLINE_SMPIRUN smpirun)
mark_as_advanced(PATHLINE_SMPICXX PATHLINE_SMPIRUN)
set(PATHLINE_NO_SMPI "")
if(NOT PATHLINE_SMPICXX OR NOT PATHLINE_SMPIRUN)
  set(PATHLINE_NO_SMPI "there is no SimGrid (libsimgrid-dev)")
elseif(PATHLINE_SANITIZE)
  set(PATHLINE_NO_SMPI "SimGrid is not sanitized")
endif()

# pathline_smpi_program(shallow SOURCES main.cpp kernels.cpp [DEPENDS kernels.hpp] [FLAGS -O3] [RECORDED])
#
# RECORDED: and <name>_recorded, which is the same with the recorder, where that is built. The target is
# <name>_smpi.
function(pathline_smpi_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "RECORDED" "" "SOURCES;DEPENDS;FLAGS")
  if(PATHLINE_NO_SMPI)
    return()
  endif()
  list(TRANSFORM arg_SOURCES PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  list(TRANSFORM arg_DEPENDS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  set(folder "${PROJECT_BINARY_DIR}/apps/smpi")
  if(PATHLINE_WERROR)
    list(PREPEND arg_FLAGS -Werror)
  endif()
  set(compile "${PATHLINE_SMPICXX}" -std=c++20 -O2 -ffp-contract=off -DPATHLINE_SMPI
      "-I${PROJECT_SOURCE_DIR}" "-I${PROJECT_SOURCE_DIR}/include" ${arg_FLAGS})
  add_custom_command(OUTPUT "${folder}/${name}"
    COMMAND "${CMAKE_COMMAND}" -E make_directory "${folder}"
    COMMAND ${compile} ${arg_SOURCES} -o "${folder}/${name}"
    DEPENDS ${arg_SOURCES} ${arg_DEPENDS} COMMENT "Building apps/smpi/${name}" VERBATIM)
  set(programs "${folder}/${name}")
  get_property(recorder GLOBAL PROPERTY PATHLINE_SMPI_RECORDER)
  if(arg_RECORDED AND recorder)
    add_custom_command(OUTPUT "${folder}/${name}_recorded"
      COMMAND ${compile} ${arg_SOURCES} "${recorder}" -o "${folder}/${name}_recorded"
      DEPENDS "${folder}/${name}" "${recorder}" COMMENT "Building apps/smpi/${name}_recorded" VERBATIM)
    list(APPEND programs "${folder}/${name}_recorded")
  endif()
  add_custom_target(${name}_smpi ALL DEPENDS ${programs})
endfunction()
