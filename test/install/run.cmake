# SPDX-License-Identifier: BSD-3-Clause
#
# Installs `build` into a fresh prefix below `scratch` and uses it from there as a stranger would.

function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "${line}\n${text}\nended with status ${status}")
  endif()
  set(text "${text}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${scratch}")
step("${CMAKE_COMMAND}" --install "${build}" --prefix "${scratch}/prefix")
step("${scratch}/prefix/bin/pathline" --version)
step("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${scratch}/build" -G Ninja
     -D "CMAKE_PREFIX_PATH=${scratch}/prefix" -D "CMAKE_CXX_COMPILER=${compiler}"
     -D CMAKE_BUILD_TYPE=Debug)
step("${CMAKE_COMMAND}" --build "${scratch}/build")
step("${scratch}/build/consumer")
message(STATUS "the consumer says: ${text}")

# What is installed must not remember where it was built.
file(GLOB_RECURSE package "${scratch}/prefix/*.cmake")
foreach(file IN LISTS package)
  file(STRINGS "${file}" lines)
  foreach(line IN LISTS lines)
    string(FIND "${line}" "${build}" at)
    if(NOT at EQUAL -1)
      message(FATAL_ERROR "${file} names the build directory: ${line}")
    endif()
  endforeach()
endforeach()

# What a system expects beside a program, and a module file that knows where it is.
foreach(name man/man1/pathline.1 man/man1/pathline-campaign-run.1
             bash-completion/completions/pathline zsh/site-functions/_pathline
             fish/vendor_completions.d/pathline.fish doc/pathline/LICENSE doc/pathline/doc/recording.md)
  if(NOT EXISTS "${scratch}/prefix/share/${name}")
    message(FATAL_ERROR "share/${name} is not installed")
  endif()
endforeach()
file(GLOB module "${scratch}/prefix/share/modulefiles/pathline/*")
file(STRINGS "${module}" lines REGEX "^set prefix ")
if(NOT lines STREQUAL "set prefix {${scratch}/prefix}")
  message(FATAL_ERROR "${module} says '${lines}'")
endif()
