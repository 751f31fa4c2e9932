# SPDX-License-Identifier: BSD-3-Clause
#
# Whether the Python module is built (PATHLINE_PYTHON_FOUND), and how layers are compiled for it.

set(PATHLINE_PYTHON_FOUND OFF)
if(PATHLINE_PYTHON AND NOT PATHLINE_SANITIZE AND NOT PATHLINE_FUZZ)
  # pybind11, numpy and pandas are packages of the system: of its Python, not of another in the path.
  if(NOT Python_EXECUTABLE AND NOT DEFINED ENV{VIRTUAL_ENV} AND EXISTS /usr/bin/python3)
    set(Python_EXECUTABLE /usr/bin/python3)
  endif()
  find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module)
  set(PYBIND11_FINDPYTHON ON)
  if(Python_FOUND)
    find_package(pybind11 2.10 QUIET)
  endif()
  if(Python_FOUND AND pybind11_FOUND)
    set(PATHLINE_PYTHON_FOUND ON)
  else()
    message(STATUS "Left out: the Python module; Python's headers (python3-dev) or pybind11 "
                   "(pybind11-dev) were not found")
  endif()
endif()

# A module is a shared library: what it is linked of can be loaded anywhere. Calls inside stay as
# direct as they are in a program.
function(pathline_for_python target)
  if(PATHLINE_PYTHON_FOUND)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  endif()
endfunction()
