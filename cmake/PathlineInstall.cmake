# SPDX-License-Identifier: BSD-3-Clause

include(CMakePackageConfigHelpers)

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
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT pathlineTargets NAMESPACE pathline:: DESTINATION ${folder})
  if(EXISTS "${PROJECT_SOURCE_DIR}/include")
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  endif()

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
    DESTINATION ${folder})
endfunction()
