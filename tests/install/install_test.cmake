# SPDX-License-Identifier: Apache-2.0
# Installs the build into an empty folder, moves that folder, and builds and runs a program with what is
# there: cmake -DBUILD=... -DWORK=... -DSOURCE=... -DEXAMPLES=... -DBINDIR=... -DDOCDIR=... -DGENERATOR=...
# -P install_test.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "ended with '${status}': ${ARGN}")
  endif()
endfunction()

# Settings or drivers of this machine must not help.
unset(ENV{LD_LIBRARY_PATH})
unset(ENV{LD_PRELOAD})

file(REMOVE_RECURSE ${WORK})
# Naming the only component keeps CMake from overwriting the list of files that the developer's own `uninstall` reads.
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed --component Unspecified)
file(RENAME ${WORK}/installed ${WORK}/moved)

# `uninstall` removes all of it, and nothing else.
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/removed --component Unspecified)
file(WRITE ${WORK}/removed/lib/cuvette/own/file "what someone else put there")
run(${CMAKE_COMMAND} -DMANIFEST=${BUILD}/install_manifest_Unspecified.txt -P ${SOURCE}/../../cmake/uninstall.cmake)
file(GLOB_RECURSE left RELATIVE ${WORK}/removed ${WORK}/removed/*)
if(NOT left STREQUAL "lib/cuvette/own/file")
  message(FATAL_ERROR "uninstall left these, where it should leave lib/cuvette/own/file: ${left}")
endif()

# The links into docs/ in README.md work; documents about the source stay with the source.
file(READ ${WORK}/moved/${DOCDIR}/README.md readme)
string(REGEX MATCHALL "\\(docs/[^)#]*" links "${readme}")
if(NOT links)
  message(FATAL_ERROR "README.md links to nothing in docs/.")
endif()
foreach(link IN LISTS links)
  string(REPLACE "(" "" link "${link}")
  if(NOT EXISTS ${WORK}/moved/${DOCDIR}/${link})
    message(FATAL_ERROR "README.md links to ${link}, which is not installed.")
  endif()
endforeach()
if(EXISTS ${WORK}/moved/${DOCDIR}/ARCHITECTURE.md)
  message(FATAL_ERROR "ARCHITECTURE.md is installed without the pages that it links to.")
endif()

run(${CMAKE_COMMAND} -S ${SOURCE}/consumer -B ${WORK}/consumer -G ${GENERATOR}
  -DCMAKE_PREFIX_PATH=${WORK}/moved)
run(${CMAKE_COMMAND} --build ${WORK}/consumer)
run(${WORK}/consumer/consumer)
run(${WORK}/moved/${BINDIR}/cuvette run -- ${WORK}/consumer/consumer)
run(${WORK}/moved/${BINDIR}/cuvette info)
run(${WORK}/moved/${BINDIR}/cuvette doctor -- ${WORK}/consumer/runtime_consumer)
foreach(file man/man1/cuvette-run.1 bash-completion/completions/cuvette zsh/site-functions/_cuvette
    fish/vendor_completions.d/cuvette.fish)
  if(NOT EXISTS ${WORK}/moved/share/${file})
    message(FATAL_ERROR "share/${file} is not installed.")
  endif()
endforeach()
# The tests that the package's functions have defined.
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/consumer --output-on-failure --no-tests=error)
run(${WORK}/moved/${BINDIR}/cuvette run -- nvidia-smi -L)

# The build folder is a package, too.
run(${CMAKE_COMMAND} -S ${SOURCE}/consumer -B ${WORK}/beside -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${BUILD})
run(${CMAKE_COMMAND} --build ${WORK}/beside)
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/beside --output-on-failure --no-tests=error)

# The manifests of the Vulkan layer name a library that is there, in a tree that was moved.
file(GLOB_RECURSE manifests ${WORK}/moved/VkLayer_cuvette.json)
foreach(manifest IN LISTS manifests)
  file(READ ${manifest} text)
  string(JSON library GET "${text}" layer library_path)
  cmake_path(GET manifest PARENT_PATH folder)
  if(NOT EXISTS ${folder}/${library})
    message(FATAL_ERROR "${manifest} names ${library}, which is not there.")
  endif()
endforeach()
list(LENGTH manifests count)
if(LAYER AND NOT count EQUAL 2)
  message(FATAL_ERROR "Two manifests of the Vulkan layer are installed: ${manifests}")
endif()

# An example that is a separate project, compiled by `cuvette c++`. Without the order between its streams, one of its
# tests must fail although the result is right.
find_program(CLANG NAMES clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14)
if(CLANG)
  # Every header that `cuvette c++` has is installed, those without an ending, too.
  run(${WORK}/moved/${BINDIR}/cuvette c++ ${SOURCE}/consumer/headers.cu -o ${WORK}/headers)
  run(${WORK}/headers)
  # A program of CUDA C++ links the project's own libraries.
  run(${CMAKE_COMMAND} -S ${SOURCE}/libraries -B ${WORK}/libraries -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${WORK}/moved)
  run(${CMAKE_COMMAND} --build ${WORK}/libraries)
  run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/libraries --output-on-failure --no-tests=error)
  run(${CMAKE_COMMAND} -S ${EXAMPLES}/cuda_tests -B ${WORK}/cuda_tests -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${WORK}/moved)
  run(${CMAKE_COMMAND} --build ${WORK}/cuda_tests)
  run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/cuda_tests --output-on-failure --no-tests=error)
  file(COPY ${EXAMPLES}/cuda_tests DESTINATION ${WORK}/unordered)
  set(test ${WORK}/unordered/cuda_tests/two_streams_test.cu)
  file(READ ${test} source)
  string(REGEX REPLACE "[^\n]*// order\n" "" unordered "${source}")
  if(unordered STREQUAL source)
    message(FATAL_ERROR "The example has no lines that are marked: // order")
  endif()
  file(WRITE ${test} "${unordered}")
  run(${CMAKE_COMMAND} -S ${WORK}/unordered/cuda_tests -B ${WORK}/unordered/build -G ${GENERATOR}
    -DCMAKE_PREFIX_PATH=${WORK}/moved)
  run(${CMAKE_COMMAND} --build ${WORK}/unordered/build)
  execute_process(COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/unordered/build -R two_streams
    RESULT_VARIABLE status OUTPUT_QUIET)
  if(status EQUAL 0)
    message(FATAL_ERROR "A race in the example's test was not reported.")
  endif()
endif()

# Linked without an rpath, like a program built elsewhere: only the command makes it find the
# library.
run(${CMAKE_COMMAND} -S ${SOURCE}/consumer -B ${WORK}/elsewhere -G ${GENERATOR}
  -DCMAKE_PREFIX_PATH=${WORK}/moved -DCMAKE_SKIP_RPATH=ON)
run(${CMAKE_COMMAND} --build ${WORK}/elsewhere)
run(${WORK}/moved/${BINDIR}/cuvette run -- ${WORK}/elsewhere/consumer)

file(REMOVE_RECURSE ${WORK})
