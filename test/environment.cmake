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
