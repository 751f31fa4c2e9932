# SPDX-License-Identifier: BSD-3-Clause
#
# pathline_layer(), pathline_program() and pathline_fuzzer(): everything that is compiled goes
# through one of them, so that flags and rules are the same everywhere.

# Reads layers.txt into global properties: PATHLINE_LAYER_ORDER, and for each layer the list of all
# layers it may use, directly or through others.
function(pathline_read_layers file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  file(STRINGS "${file}" lines REGEX "^[a-z0-9]+:")
  set(order "")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([a-z0-9]+): *([^#]*)" unused "${line}")
    set(name "${CMAKE_MATCH_1}")
    string(STRIP "${CMAKE_MATCH_2}" direct)
    separate_arguments(direct)
    set(reach ${direct})
    foreach(other IN LISTS direct)
      if(NOT other IN_LIST order)
        message(FATAL_ERROR "${file}: layer '${name}' uses '${other}', which is not listed above it")
      endif()
      get_property(further GLOBAL PROPERTY PATHLINE_REACH_${other})
      list(APPEND reach ${further})
    endforeach()
    list(REMOVE_DUPLICATES reach)
    set_property(GLOBAL PROPERTY PATHLINE_REACH_${name} ${reach})
    list(APPEND order ${name})
  endforeach()
  set_property(GLOBAL PROPERTY PATHLINE_LAYER_ORDER ${order})
endfunction()

pathline_read_layers("${CMAKE_CURRENT_LIST_DIR}/layers.txt")

# Flags that all our targets share; not part of what an installed library asks of its users.
add_library(pathline_flags INTERFACE)
target_compile_options(pathline_flags INTERFACE
  # Narrowing is how a hostile file gets past a bounds check; double to float is how pictures work.
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi
  -Wconversion -Wno-float-conversion -Wno-sign-conversion
  # GCC 12 reports the padding that designated initialisers leave out, which is what they are for.
  -Wno-missing-field-initializers
  $<$<BOOL:${PATHLINE_WERROR}>:-Werror>)

if(PATHLINE_SANITIZE)
  add_compile_options(-fsanitize=${PATHLINE_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${PATHLINE_SANITIZE})
  # 600,000 relocations at every start, of which the tests have thousands.
  if(PATHLINE_SANITIZE MATCHES address)
    add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
  endif()
endif()

# What the linker needs to see that no type is defined twice (target `odr`), beside the usual code;
# everything else is linked without it.
if(PATHLINE_ODR)
  add_link_options($<$<NOT:$<BOOL:$<TARGET_PROPERTY:PATHLINE_WHOLE_PROGRAM>>>:-fno-lto>)
  set(pathline_whole_program -flto=auto -ffat-lto-objects)
endif()

# Where there are tests to wait for, the headers that nearly all sources read are read once. Only with
# GCC, whose precompiled headers a compiler cache can hand to another checkout; the other presets prove
# that each source includes what it uses.
if(PATHLINE_TESTS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/headers.cpp" CONTENT "")
  set(standard <algorithm> <array> <cmath> <cstdint> <filesystem> <map> <numeric> <optional> <span>
      <string> <vector> <fmt/format.h>)
  add_library(layer_headers OBJECT "${PROJECT_BINARY_DIR}/headers.cpp")
  target_link_libraries(layer_headers PRIVATE pathline_flags fmt::fmt)
  target_precompile_headers(layer_headers PRIVATE ${standard})
  pathline_for_python(layer_headers)
  add_library(test_headers OBJECT "${PROJECT_BINARY_DIR}/headers.cpp")
  target_precompile_headers(test_headers PRIVATE
    ${standard} <fstream> <random> <set> <sstream> <gmock/gmock.h> <gtest/gtest.h>)
endif()

# Compiles `target` with the precompiled headers of `of`, where there are any.
function(pathline_precompiled target of)
  if(TARGET ${of})
    if(NOT target STREQUAL of)
      target_precompile_headers(${target} REUSE_FROM ${of})
    endif()
    target_compile_features(${target} PRIVATE cxx_std_20)
    # One that does not fit costs time, and must not fail a build.
    target_compile_options(${target} PRIVATE -fpch-preprocess -Wno-error=invalid-pch)
  endif()
endfunction()

# One layer: the static library pathline_<name> (alias pathline::<name>) of the folder it is called
# in, and <name>_test if there are tests.
#
#   pathline_layer(comm
#     SOURCES late_sender.cpp matrix.cpp      none makes a header-only layer
#     DEPENDS trace graph                     layers; checked against layers.txt
#     LIBRARIES PNG::PNG                      third party, seen only by this layer and its tests
#     PUBLIC_LIBRARIES fmt::fmt               third party, seen in this layer's headers
#     TESTS late_sender_test.cpp matrix_test.cpp
#     ONCE Matrix.AgreesWithBruteForce)       as for pathline_test
function(pathline_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" ""
    "SOURCES;DEPENDS;LIBRARIES;PUBLIC_LIBRARIES;TESTS;ONCE")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "pathline_layer(${name}): unknown argument '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  pathline_check_depends(${name} ${arg_DEPENDS})
  list(TRANSFORM arg_DEPENDS PREPEND "pathline::")

  set(target pathline_${name})
  if(arg_SOURCES)
    add_library(${target} STATIC ${arg_SOURCES})
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE ${arg_LIBRARIES} $<BUILD_INTERFACE:pathline_flags>)
    target_compile_options(${target} PRIVATE ${pathline_whole_program})
    pathline_precompiled(${target} layer_headers)
    pathline_for_python(${target})
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(pathline::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} ${scope} cxx_std_20)
  target_include_directories(${target} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} ${scope} ${arg_DEPENDS} ${arg_PUBLIC_LIBRARIES})
  set_property(GLOBAL APPEND PROPERTY PATHLINE_LAYERS_BUILT ${name})

  if(PATHLINE_TESTS AND arg_TESTS)
    pathline_test(${name}_test SOURCES ${arg_TESTS}
                  LIBRARIES pathline::${name} ${arg_LIBRARIES} LABEL unit ONCE ${arg_ONCE})
  endif()
endfunction()

# What compiles tests, and the headers they share.
function(pathline_test_options name)
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_link_libraries(${name} PRIVATE pathline_flags fmt::fmt GTest::gmock GTest::gtest_main)
  # They run for seconds, and are compiled for minutes.
  target_compile_options(${name} PRIVATE -O0)
  pathline_precompiled(${name} test_headers)
endfunction()

if(TARGET test_headers)
  target_compile_options(layer_headers PRIVATE ${pathline_whole_program})
  pathline_precompiled(layer_headers layer_headers)
  pathline_test_options(test_headers)
endif()

# One GoogleTest executable, one CTest entry: asking each executable for its list of tests would
# cost more on a small machine than the tests themselves.
#
# ONCE: tests, or patterns of them, that take seconds and judge results, through code that other tests
# run under AddressSanitizer, too: they run without it.
function(pathline_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "LABEL" "SOURCES;LIBRARIES;ONCE")
  add_executable(${name} ${arg_SOURCES})
  pathline_test_options(${name})
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  set(filter)
  if(arg_ONCE AND PATHLINE_SANITIZE MATCHES "address")
    list(JOIN arg_ONCE ":" once)
    set(filter "--gtest_filter=-${once}")
  endif()
  add_test(NAME ${name} COMMAND ${name} ${filter})
  set_tests_properties(${name} PROPERTIES LABELS ${arg_LABEL} TIMEOUT 600)
endfunction()

# An executable in build/<preset>/bin:  pathline_program(pathline SOURCES main.cpp DEPENDS cli)
function(pathline_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;LIBRARIES")
  list(TRANSFORM arg_DEPENDS PREPEND "pathline::")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} ${arg_LIBRARIES} pathline_flags)
endfunction()

# A libFuzzer target in build/fuzz/bin:  pathline_fuzzer(fuzz_otf2 SOURCES otf2.cpp DEPENDS input)
function(pathline_fuzzer name)
  pathline_program(${name} ${ARGN})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endfunction()

function(pathline_check_depends name)
  get_property(order GLOBAL PROPERTY PATHLINE_LAYER_ORDER)
  if(NOT name IN_LIST order)
    message(FATAL_ERROR "layer '${name}' is not listed in cmake/layers.txt")
  endif()
  get_property(allowed GLOBAL PROPERTY PATHLINE_REACH_${name})
  foreach(other IN LISTS ARGN)
    if(NOT other IN_LIST allowed)
      list(JOIN allowed " " allowed)
      message(FATAL_ERROR "layer '${name}' may not depend on '${other}'; "
                          "cmake/layers.txt allows: ${allowed}")
    endif()
    if(NOT TARGET pathline::${other})
      message(FATAL_ERROR "layer '${name}' depends on '${other}', but src/${other} is not built")
    endif()
  endforeach()
endfunction()
