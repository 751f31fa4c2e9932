# SPDX-License-Identifier: BSD-3-Clause
#
# ccache, where it is installed, set up so that another checkout of the same sources on this machine
# compiles only what differs: paths below the project are hashed relative to it, and none of them
# gets into an object.

add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>")

find_program(PATHLINE_CCACHE ccache)
mark_as_advanced(PATHLINE_CCACHE)
if(PATHLINE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # pch_defines, time_macros: what ccache asks for before it caches users of a precompiled header; we
  # use neither __DATE__ nor __TIME__.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
      "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros "${PATHLINE_CCACHE}")
endif()
