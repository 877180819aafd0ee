# SPDX-License-Identifier: Apache-2.0
# How a room, a test and a benchmark are built: one function each.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS ON)  # TRY is a GNU statement expression
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)

find_package(Threads REQUIRED)

add_library(cuvette_flags INTERFACE)
target_compile_options(cuvette_flags INTERFACE -Wall -Wextra -Wno-unused-parameter
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wthread-safety>
  # gcc 12 sees these in its own library where there are none.
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-array-bounds -Wno-maybe-uninitialized -Wno-restrict
    -Wno-stringop-overflow>)
target_include_directories(cuvette_flags INTERFACE ${PROJECT_SOURCE_DIR})
include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -std=c++20)
check_cxx_source_compiles("#include <bit>\nint main() { return std::bit_cast<int>(0u); }" CUVETTE_HAS_BIT_CAST)
unset(CMAKE_REQUIRED_FLAGS)
if(NOT CUVETTE_HAS_BIT_CAST)
  target_compile_options(cuvette_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:SHELL:-include ${PROJECT_SOURCE_DIR}/cmake/libstdcxx_10.hpp>)
endif()
if(CUVETTE_SANITIZE STREQUAL "address+undefined")
  # Enumerations come from programs in C, where they are plain numbers: any value is to be expected, and
  # without -fstrict-enums the compilers expect it.
  # gcc tests the address of a thread-local variable by the flags of an addition, which the linker turns
  # into one that sets none: a null pointer is AddressSanitizer's to find.
  target_compile_options(cuvette_flags INTERFACE -fsanitize=address,undefined -fno-sanitize=enum,null
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(cuvette_flags INTERFACE -fsanitize=address,undefined)
  # gcc and clang signal an active sanitizer to the source in different ways; this is the same for both.
  target_compile_definitions(cuvette_flags INTERFACE CUVETTE_ADDRESS_SANITIZER)
  # The environment of tests and examples; suppressed is memory that other libraries never free.
  set(CUVETTE_TEST_ENVIRONMENT "UBSAN_OPTIONS=print_stacktrace=1"
    "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp:print_suppressions=0")
  if(CUVETTE_BUILD_FUZZERS AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # A function that is not implemented is exported as one without arguments: stubs have no signature.
    target_compile_options(cuvette_flags INTERFACE -fsanitize=fuzzer-no-link -fno-sanitize=function)
  endif()
elseif(CUVETTE_SANITIZE STREQUAL "thread")
  target_compile_options(cuvette_flags INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(cuvette_flags INTERFACE -fsanitize=thread)
  target_compile_definitions(cuvette_flags INTERFACE CUVETTE_THREAD_SANITIZER)
  # The suppressions name libraries that are not instrumented, never frames below ours. The handler of SIGSEGV
  # allocates: it runs where the program touches memory of a device, never inside the allocator.
  set(CUVETTE_TEST_ENVIRONMENT
      "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp halt_on_error=0 exitcode=66 atexit_sleep_ms=0 report_signal_unsafe=0")
elseif(NOT CUVETTE_SANITIZE STREQUAL "")
  message(FATAL_ERROR "CUVETTE_SANITIZE is '${CUVETTE_SANITIZE}', not address+undefined or thread")
endif()

# A sanitizer's dlopen() searches on its own behalf, not where the library that calls it would: libcudart would not
# find libcuda.
if(CUVETTE_SANITIZE)
  list(APPEND CUVETTE_TEST_ENVIRONMENT "LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}/lib")
endif()

# Without protection keys Cuvette says at the start that host threads are not watched, which tests of what is said
# to stderr do not expect.
file(READ /proc/cpuinfo processor)
if(NOT processor MATCHES " ospke")
  list(APPEND CUVETTE_TEST_ENVIRONMENT "CUVETTE_HOST_ACCESS=allow")
endif()

# ccache keeps what was compiled with a precompiled header only if it is configured to ignore macros and times. A build with ccache does without, and so proves that every file includes what it uses.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

# With CMAKE_UNITY_BUILD, which tools/test and tools/demo ask for, so many files of a target are compiled as one.
# More would leave processors without work at the end.
if(NOT DEFINED CMAKE_UNITY_BUILD_BATCH_SIZE)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 6)
endif()

# cuvette_room(NAME LINKS room... GUESTS target...)
# A room of sim/: every .cpp of the folder. LINKS are the rooms below it; GUESTS are third-party
# libraries, linked PRIVATE so that no other room finds their headers.
function(cuvette_room NAME)
  cmake_parse_arguments(ARG "" "" "LINKS;GUESTS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp)
  add_library(cuvette_${NAME} STATIC ${sources})
  list(TRANSFORM ARG_LINKS PREPEND cuvette_)
  target_link_libraries(cuvette_${NAME} PUBLIC cuvette_flags ${ARG_LINKS} PRIVATE ${ARG_GUESTS})
  target_precompile_headers(cuvette_${NAME} REUSE_FROM cuvette_base)
endfunction()

# cuvette_guest(NAME HEADER file [LIBRARY name])
# A third-party library that comes without a CMake package: the target cuvette_NAME. Without LIBRARY it is
# headers alone.
function(cuvette_guest NAME)
  cmake_parse_arguments(ARG "" "HEADER;LIBRARY" "" ${ARGN})
  add_library(cuvette_${NAME} INTERFACE)
  find_path(CUVETTE_${NAME}_INCLUDE ${ARG_HEADER} REQUIRED)
  target_include_directories(cuvette_${NAME} SYSTEM INTERFACE ${CUVETTE_${NAME}_INCLUDE})
  if(ARG_LIBRARY)
    if(CUVETTE_PORTABLE)
      set(ARG_LIBRARY lib${ARG_LIBRARY}.a)
    endif()
    find_library(CUVETTE_${NAME}_LIBRARY ${ARG_LIBRARY} REQUIRED)
    target_link_libraries(cuvette_${NAME} INTERFACE ${CUVETTE_${NAME}_LIBRARY})
  endif()
endfunction()

# cuvette_test(NAME SOURCES file... LINKS target... [SET name:value])
# A GoogleTest program; each of its tests becomes a ctest test. SET changes their environment.
function(cuvette_test NAME)
  cmake_parse_arguments(ARG "" "SET" "SOURCES;LINKS" ${ARGN})
  add_executable(${NAME} ${ARG_SOURCES})
  target_link_libraries(${NAME} PRIVATE cuvette_flags ${ARG_LINKS} GTest::gtest_main)
  target_precompile_headers(${NAME} REUSE_FROM precompiled_test)
  # The time limit is for tests that hang. On a machine with ten times more work than processors, a test takes minutes
  # if its threads hand over to each other thousands of times. gtest_discover_tests() passes on one value of a property:
  # no list, and nothing empty.
  set(properties LABELS ${NAME} TIMEOUT 300 SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
  list(LENGTH CUVETTE_TEST_ENVIRONMENT settings)
  if(settings GREATER 1)
    set_target_properties(${NAME} PROPERTIES CROSSCOMPILING_EMULATOR "/usr/bin/env;${CUVETTE_TEST_ENVIRONMENT}")
  elseif(settings EQUAL 1)
    list(APPEND properties ENVIRONMENT "${CUVETTE_TEST_ENVIRONMENT}")
  endif()
  if(ARG_SET)
    string(REPLACE ":" "=set:" set "${ARG_SET}")
    list(APPEND properties ENVIRONMENT_MODIFICATION "${set}")
  else()
    # Kernels that tests compile are cached in the build folder. Only one value can be passed on, so tests with SET do
    # without the cache.
    list(APPEND properties ENVIRONMENT_MODIFICATION
      "CUVETTE_CACHE=set:${PROJECT_BINARY_DIR}/kernel_cache")
  endif()
  gtest_discover_tests(${NAME} DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
endfunction()

# cuvette_benchmark(NAME SOURCES file... LINKS target...)
function(cuvette_benchmark NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${NAME} ${ARG_SOURCES})
  target_link_libraries(${NAME} PRIVATE cuvette_flags ${ARG_LINKS} benchmark::benchmark_main)
endfunction()
