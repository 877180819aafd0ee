# SPDX-License-Identifier: Apache-2.0
# Installs the build into an empty folder, moves that folder, and builds and runs a program with what is
# there: cmake -DBUILD=... -DWORK=... -DSOURCE=... -DBINDIR=... -DDOCDIR=... -DGENERATOR=...
# -P install_test.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "ended with '${status}': ${ARGN}")
  endif()
endfunction()

# What this machine's own settings or drivers could add is not to help.
unset(ENV{LD_LIBRARY_PATH})
unset(ENV{LD_PRELOAD})

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
file(RENAME ${WORK}/installed ${WORK}/moved)

# README.md's links into docs/ lead somewhere; what describes the source stays with the source.
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
# The tests that the package's functions made.
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/consumer --output-on-failure --no-tests=error)
run(${WORK}/moved/${BINDIR}/cuvette run -- nvidia-smi -L)

# Linked without an rpath, as a program that was built elsewhere: only the command makes it find us.
run(${CMAKE_COMMAND} -S ${SOURCE}/consumer -B ${WORK}/elsewhere -G ${GENERATOR}
  -DCMAKE_PREFIX_PATH=${WORK}/moved -DCMAKE_SKIP_RPATH=ON)
run(${CMAKE_COMMAND} --build ${WORK}/elsewhere)
run(${WORK}/moved/${BINDIR}/cuvette run -- ${WORK}/elsewhere/consumer)

file(REMOVE_RECURSE ${WORK})
