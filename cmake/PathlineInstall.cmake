# SPDX-License-Identifier: BSD-3-Clause

include(CMakePackageConfigHelpers)

# Components: what is needed to run (all that names none), "development" (the library of the analysis)
# and "modulefile", which packages of the system leave out.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME runtime)

# Installs the program, the public headers, and the layers at and below `app` as a CMake package.
# Users link pathline::pathline and include <pathline/...>; the headers in src/ stay private.
function(pathline_install_layers)
  if(TARGET pathline)
    install(TARGETS pathline RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
  if(NOT TARGET pathline::app)
    return()
  endif()

  get_property(built GLOBAL PROPERTY PATHLINE_LAYERS_BUILT)
  get_property(offered GLOBAL PROPERTY PATHLINE_REACH_app)
  list(APPEND offered app)
  set(targets "")
  foreach(layer IN LISTS built)
    if(layer IN_LIST offered)
      list(APPEND targets pathline_${layer})
    endif()
  endforeach()

  # The program has taken the target name "pathline", hence the different name inside the build.
  add_library(pathline_package INTERFACE)
  add_library(pathline::pathline ALIAS pathline_package)
  target_link_libraries(pathline_package INTERFACE pathline::app)
  set_target_properties(pathline_package PROPERTIES EXPORT_NAME pathline)

  set(folder ${CMAKE_INSTALL_LIBDIR}/cmake/pathline)
  install(TARGETS ${targets} pathline_package EXPORT pathlineTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  install(EXPORT pathlineTargets NAMESPACE pathline:: DESTINATION ${folder} COMPONENT development)
  # pathline.h and pathline.f90 are for programs that are recorded, and need no library.
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
          PATTERN analysis.hpp EXCLUDE)
  install(FILES "${PROJECT_SOURCE_DIR}/include/pathline/analysis.hpp"
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pathline COMPONENT development)

  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/pathlineConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/pathlineConfig.cmake" INSTALL_DESTINATION ${folder})
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/pathlineConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
  install(FILES
    "${PROJECT_BINARY_DIR}/pathlineConfig.cmake"
    "${PROJECT_BINARY_DIR}/pathlineConfigVersion.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/PathlineDependencies.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/FindOTF2.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/FindMETIS.cmake"
    DESTINATION ${folder} COMPONENT development)
endfunction()

# Installs what belongs to a program besides: manual pages, completions, licence, documents, and a
# module file.
function(pathline_install_share)
  if(TARGET pathline_share)
    install(DIRECTORY "${PROJECT_BINARY_DIR}/share/" DESTINATION ${CMAKE_INSTALL_DATAROOTDIR})
  endif()
  install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(DIRECTORY doc DESTINATION ${CMAKE_INSTALL_DOCDIR})
  # It names the prefix, which is known when it is installed.
  install(CODE "
    set(version \"${PROJECT_VERSION}\")
    set(includedir \"${CMAKE_INSTALL_INCLUDEDIR}\")
    set(mandir \"${CMAKE_INSTALL_DATAROOTDIR}/man\")
    set(prefix \"\${CMAKE_INSTALL_PREFIX}\")
    set(file \"${PROJECT_BINARY_DIR}/modulefile/${PROJECT_VERSION}\")
    configure_file(\"${PROJECT_SOURCE_DIR}/cmake/modulefile.in\" \"\${file}\" @ONLY)
    file(INSTALL \"\${file}\"
         DESTINATION \"\${prefix}/${CMAKE_INSTALL_DATAROOTDIR}/modulefiles/pathline\")"
    COMPONENT modulefile)
endfunction()
