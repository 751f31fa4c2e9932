# SPDX-License-Identifier: BSD-3-Clause
#
# Runs inside ctest, so that neither the build nor anything installed knows where the data lies.

# Our own data (test/data), and the folder of third-party data, which need not be there.
set(ENV{PATHLINE_OWN_DATA} "${CMAKE_CURRENT_LIST_DIR}/data")
if("$ENV{PATHLINE_TEST_DATA}" STREQUAL "")
  get_filename_component(data "${CMAKE_CURRENT_LIST_DIR}/../../shared/data" ABSOLUTE)
  set(ENV{PATHLINE_TEST_DATA} "${data}")
endif()

# Leaks of libraries that are not ours, each with its reason.
set(ENV{LSAN_OPTIONS} "suppressions=${CMAKE_CURRENT_LIST_DIR}/lsan.supp:print_suppressions=0")

# Tests start python3 some thousand times. Where that is the shim of a version manager, it looks each time for
# the interpreter that is meant, for 0.3 s: asked once.
execute_process(COMMAND python3 -c "import os, sys; print(os.path.dirname(sys.executable))"
                OUTPUT_VARIABLE python_folder OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                RESULT_VARIABLE no_python)
if(no_python EQUAL 0)
  find_program(python_first python3 NO_CACHE)
  get_filename_component(python_first "${python_first}" DIRECTORY)
  if(IS_DIRECTORY "${python_folder}" AND NOT python_first STREQUAL python_folder)
    set(ENV{PATH} "${python_folder}:$ENV{PATH}")
  endif()
endif()
