# SPDX-License-Identifier: BSD-3-Clause
#
# Finds the Open Trace Format 2 library: imported target OTF2::otf2, variable OTF2_VERSION.
# Asks pkg-config first, then otf2-config (what a build from source installs), then looks around;
# Debian calls the library libopen-trace-format2, everybody else libotf2.

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_OTF2 QUIET otf2)
endif()

if(PC_OTF2_FOUND)
  set(OTF2_VERSION "${PC_OTF2_VERSION}")
  set(otf2_include_hints ${PC_OTF2_INCLUDE_DIRS})
  set(otf2_library_hints ${PC_OTF2_LIBRARY_DIRS})
else()
  find_program(OTF2_CONFIG otf2-config)
  mark_as_advanced(OTF2_CONFIG)
  if(OTF2_CONFIG)
    execute_process(COMMAND "${OTF2_CONFIG}" --version OUTPUT_VARIABLE otf2_text)
    string(REGEX MATCH "[0-9]+\\.[0-9]+(\\.[0-9]+)?" OTF2_VERSION "${otf2_text}")
    execute_process(COMMAND "${OTF2_CONFIG}" --cflags OUTPUT_VARIABLE otf2_text)
    string(REGEX REPLACE ".*-I *([^ \n]+).*" "\\1" otf2_include_hints "${otf2_text}")
    execute_process(COMMAND "${OTF2_CONFIG}" --ldflags OUTPUT_VARIABLE otf2_text)
    string(REGEX REPLACE ".*-L *([^ \n]+).*" "\\1" otf2_library_hints "${otf2_text}")
  endif()
endif()

find_path(OTF2_INCLUDE_DIR otf2/otf2.h HINTS ${otf2_include_hints})
find_library(OTF2_LIBRARY NAMES open-trace-format2 otf2 NAMES_PER_DIR
             HINTS ${otf2_library_hints})
mark_as_advanced(OTF2_INCLUDE_DIR OTF2_LIBRARY)

# The headers do not tell their release, but the non-blocking collectives came with 3.0.
if(NOT OTF2_VERSION AND OTF2_INCLUDE_DIR)
  file(STRINGS "${OTF2_INCLUDE_DIR}/otf2/OTF2_EvtWriter.h" otf2_new
       REGEX "OTF2_EvtWriter_NonBlockingCollectiveRequest")
  if(otf2_new)
    set(OTF2_VERSION 3.0)
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OTF2
  REQUIRED_VARS OTF2_LIBRARY OTF2_INCLUDE_DIR
  VERSION_VAR OTF2_VERSION)

if(OTF2_FOUND AND NOT TARGET OTF2::otf2)
  add_library(OTF2::otf2 UNKNOWN IMPORTED)
  set_target_properties(OTF2::otf2 PROPERTIES
    IMPORTED_LOCATION "${OTF2_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${OTF2_INCLUDE_DIR}")
endif()
