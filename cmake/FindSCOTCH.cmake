# SPDX-License-Identifier: BSD-3-Clause
#
# Finds Scotch, the graph partitioner, built with 64-bit numbers (bytes do not fit in 32): imported
# target SCOTCH::scotch. Debian has neither a pkg-config file nor a CMake package, and its 32-bit
# variant has the same soname: linked by path, with the folder in the program's RPATH.

find_path(SCOTCH_INCLUDE_DIR scotch.h PATH_SUFFIXES scotch-int64)
foreach(library IN ITEMS scotch scotcherr)
  string(TOUPPER "${library}_LIBRARY" variable)
  find_library(${variable} ${library} PATH_SUFFIXES scotch-int64)
endforeach()
mark_as_advanced(SCOTCH_INCLUDE_DIR SCOTCH_LIBRARY SCOTCHERR_LIBRARY)

if(SCOTCH_INCLUDE_DIR)
  file(STRINGS "${SCOTCH_INCLUDE_DIR}/scotch.h" SCOTCH_HAS_64_BITS
       REGEX "typedef +int64_t +SCOTCH_Num;")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SCOTCH
  REQUIRED_VARS SCOTCH_LIBRARY SCOTCHERR_LIBRARY SCOTCH_INCLUDE_DIR SCOTCH_HAS_64_BITS)

if(SCOTCH_FOUND AND NOT TARGET SCOTCH::scotch)
  add_library(SCOTCH::scotcherr UNKNOWN IMPORTED)
  set_target_properties(SCOTCH::scotcherr PROPERTIES IMPORTED_LOCATION "${SCOTCHERR_LIBRARY}")
  add_library(SCOTCH::scotch UNKNOWN IMPORTED)
  set_target_properties(SCOTCH::scotch PROPERTIES
    IMPORTED_LOCATION "${SCOTCH_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${SCOTCH_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES SCOTCH::scotcherr)
endif()
