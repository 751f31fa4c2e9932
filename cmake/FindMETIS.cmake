# SPDX-License-Identifier: BSD-3-Clause
#
# Finds METIS, the graph partitioner: imported target METIS::metis. Debian and the original install
# neither a pkg-config file nor a CMake package.

find_path(METIS_INCLUDE_DIR metis.h)
find_library(METIS_LIBRARY metis)
mark_as_advanced(METIS_INCLUDE_DIR METIS_LIBRARY)

if(METIS_INCLUDE_DIR)
  foreach(part IN ITEMS MAJOR MINOR SUBMINOR)
    file(STRINGS "${METIS_INCLUDE_DIR}/metis.h" metis_line REGEX "#define METIS_VER_${part} ")
    string(REGEX MATCH "[0-9]+" METIS_VERSION_${part} "${metis_line}")
  endforeach()
  set(METIS_VERSION "${METIS_VERSION_MAJOR}.${METIS_VERSION_MINOR}.${METIS_VERSION_SUBMINOR}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(METIS
  REQUIRED_VARS METIS_LIBRARY METIS_INCLUDE_DIR
  VERSION_VAR METIS_VERSION)

if(METIS_FOUND AND NOT TARGET METIS::metis)
  add_library(METIS::metis UNKNOWN IMPORTED)
  set_target_properties(METIS::metis PROPERTIES
    IMPORTED_LOCATION "${METIS_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${METIS_INCLUDE_DIR}")
endif()
