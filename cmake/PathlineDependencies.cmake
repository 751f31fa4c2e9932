# SPDX-License-Identifier: BSD-3-Clause
#
# The third-party packages behind our layers. Included by the build and, installed next to
# pathlineConfig.cmake, by find_package(pathline), so that the two lists cannot differ.

include(CMakeFindDependencyMacro)

macro(pathline_require)
  if(PATHLINE_FIND_FOR_USERS)
    find_dependency(${ARGN})
  else()
    find_package(${ARGN} REQUIRED)
  endif()
endmacro()

pathline_require(Threads)
pathline_require(fmt 9)
pathline_require(TBB)
pathline_require(OTF2 3.0)
pathline_require(PNG)
pathline_require(METIS 5)
pathline_require(ZLIB)
pathline_require(EXPAT)
pathline_require(nlohmann_json 3)
pathline_require(tomlplusplus 3)
pathline_require(PkgConfig)
if(NOT TARGET PkgConfig::cairo)
  pkg_check_modules(cairo REQUIRED IMPORTED_TARGET cairo)
endif()
if(NOT TARGET PkgConfig::graphviz)
  pkg_check_modules(graphviz REQUIRED IMPORTED_TARGET libgvc libcgraph)
endif()
if(NOT TARGET PkgConfig::hwloc)
  pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc>=2.0)
endif()
if(NOT TARGET PkgConfig::libdeflate)
  pkg_check_modules(libdeflate REQUIRED IMPORTED_TARGET libdeflate>=1.10)
endif()
if(NOT TARGET PkgConfig::libdw)
  pkg_check_modules(libdw REQUIRED IMPORTED_TARGET libdw>=0.170)
endif()
if(NOT TARGET PkgConfig::muparser)
  pkg_check_modules(muparser REQUIRED IMPORTED_TARGET muparser>=2.3)
endif()
if(NOT TARGET PkgConfig::pcre2)
  pkg_check_modules(pcre2 REQUIRED IMPORTED_TARGET libpcre2-8>=10.30)
endif()
if(NOT TARGET PkgConfig::yaml-cpp)
  pkg_check_modules(yaml-cpp REQUIRED IMPORTED_TARGET yaml-cpp>=0.6)
endif()
if(NOT TARGET PkgConfig::sqlite3)
  pkg_check_modules(sqlite3 REQUIRED IMPORTED_TARGET sqlite3>=3.37)  # STRICT tables
endif()
if(NOT PATHLINE_FIND_FOR_USERS)
  find_package(CLI11 2.1 REQUIRED)  # the command line is not part of the installed library
  find_package(Boost 1.66 REQUIRED)  # Boost.Math, headers only; compiled into pathline_campaign
  find_package(Spectra REQUIRED)    # headers only, with Eigen; compiled into pathline_graph
endif()
