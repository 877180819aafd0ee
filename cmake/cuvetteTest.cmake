# SPDX-License-Identifier: Apache-2.0
# Tests on simulated GPUs, for projects that say find_package(cuvette).

# cuvette_add_test(NAME name COMMAND program [argument...] [OPTIONS option...])
# cuvette_add_test(NAME name SOURCES source... [OPTIONS option...] [COMPILE_OPTIONS option...]
#                  [LIBRARIES target...])
#
# Adds a ctest test that runs by `cuvette run OPTIONS`: --check=races, --device=..., --memory=...
# It fails if the program fails, and if Cuvette reported anything. Reports bear the name of the test. COMMAND names a
# target of this project, or a program; such a test also fails if nothing ran on Cuvette (unless OPTIONS have
# --no-require). SOURCES makes a program of CUDA C++ with `cuvette c++`, which needs no toolkit and can find no other
# library; the target bears the name of the test.
function(cuvette_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 ARG "" "NAME" "COMMAND;SOURCES;OPTIONS;COMPILE_OPTIONS;LIBRARIES")
  if(NOT ARG_NAME OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "cuvette_add_test: NAME is missing, or this is not understood: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(ARG_SOURCES AND ARG_COMMAND OR NOT ARG_SOURCES AND NOT ARG_COMMAND)
    message(FATAL_ERROR "cuvette_add_test(${ARG_NAME}): give either COMMAND or SOURCES")
  endif()
  set(require --require)
  if(ARG_SOURCES)
    set(require)  # it may test code of the host alone
    cuvette_add_executable(${ARG_NAME} SOURCES ${ARG_SOURCES}
      COMPILE_OPTIONS ${ARG_COMPILE_OPTIONS} LIBRARIES ${ARG_LIBRARIES})
    set(ARG_COMMAND ${ARG_NAME})
  endif()
  list(POP_FRONT ARG_COMMAND program)
  if(TARGET ${program})
    get_target_property(own ${program} CUVETTE_PROGRAM)
    if(own)
      set(program ${own})
    else()
      set(program $<TARGET_FILE:${program}>)
    endif()
  endif()
  list(PREPEND ARG_COMMAND ${program})
  add_test(NAME ${ARG_NAME}
    COMMAND cuvette::cuvette run ${require} --error-exitcode=99 --test=${ARG_NAME} ${ARG_OPTIONS} -- ${ARG_COMMAND})
endfunction()

# cuvette_add_executable(name SOURCES source... [COMPILE_OPTIONS option...] [LIBRARIES target...])
#
# Makes a program of CUDA C++ with `cuvette c++`. It becomes bin/name in the build folder; the property
# CUVETTE_PROGRAM of the target says where that is. LIBRARIES are what target_link_libraries() takes: targets, with
# what they are linked to when this is called, names such as m, options of the linker, and files.
function(cuvette_add_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;COMPILE_OPTIONS;LIBRARIES")
  set(program ${CMAKE_CURRENT_BINARY_DIR}/bin/${name})
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/bin)
  set(sources)
  foreach(source IN LISTS ARG_SOURCES)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    list(APPEND sources ${source})
  endforeach()
  set(CUVETTE_TARGETS)
  set(CUVETTE_WORDS)
  cuvette_link_words("${ARG_LIBRARIES}")
  set(words ${CUVETTE_WORDS})
  foreach(target IN LISTS CUVETTE_TARGETS)
    # A semicolon as such would end an element of the list in the middle of the expression.
    set(folders $<TARGET_PROPERTY:${target},INTERFACE_INCLUDE_DIRECTORIES>)
    set(macros $<TARGET_PROPERTY:${target},INTERFACE_COMPILE_DEFINITIONS>)
    list(APPEND words "$<$<BOOL:${folders}>:-I$<JOIN:${folders},$<SEMICOLON>-I>>"
      "$<$<BOOL:${macros}>:-D$<JOIN:${macros},$<SEMICOLON>-D>>")
  endforeach()
  add_custom_command(OUTPUT ${program}
    COMMAND cuvette::cuvette c++ ${ARG_COMPILE_OPTIONS} ${sources} ${words} -o ${program}
    DEPENDS ${sources} ${CUVETTE_TARGETS} VERBATIM COMMAND_EXPAND_LISTS
    COMMENT "Compiling CUDA C++ program ${name}")
  add_custom_target(${name} ALL DEPENDS ${program})
  set_target_properties(${name} PROPERTIES CUVETTE_PROGRAM ${program})
endfunction()

# Adds the targets among `libraries`, and among what they are linked to, to CUVETTE_TARGETS, and words for the linker to
# CUVETTE_WORDS: each once, and a library before the libraries that it needs.
function(cuvette_link_words libraries)
  list(REVERSE libraries)
  foreach(library IN LISTS libraries)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" library "${library}")
    if(library MATCHES "^\\$<")
      message(FATAL_ERROR "cuvette_add_executable: '${library}' cannot be followed; name the library itself in LIBRARIES.")
    elseif(NOT TARGET ${library})
      if(NOT library MATCHES "^-|/")
        set(library -l${library})
      endif()
      if(NOT library IN_LIST CUVETTE_WORDS)
        list(PREPEND CUVETTE_WORDS ${library})
      endif()
      continue()
    elseif(library IN_LIST CUVETTE_TARGETS)
      continue()
    endif()
    list(APPEND CUVETTE_TARGETS ${library})
    get_target_property(needed ${library} INTERFACE_LINK_LIBRARIES)
    if(needed)
      cuvette_link_words("${needed}")
    endif()
    get_target_property(type ${library} TYPE)
    if(type STREQUAL "SHARED_LIBRARY")
      list(PREPEND CUVETTE_WORDS -Wl,-rpath,$<TARGET_FILE_DIR:${library}>)
    endif()
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
      list(PREPEND CUVETTE_WORDS $<TARGET_FILE:${library}>)
    endif()
  endforeach()
  set(CUVETTE_TARGETS ${CUVETTE_TARGETS} PARENT_SCOPE)
  set(CUVETTE_WORDS ${CUVETTE_WORDS} PARENT_SCOPE)
endfunction()

# cuvette_launch_tests([OPTIONS option...])
#
# Lets every test of this folder and those below run by `cuvette run --error-exitcode=99 OPTIONS`, programs of targets
# that are added after this. A whole test-suite is run so without touching its build, too: `cuvette run -- ctest`.
macro(cuvette_launch_tests)
  cmake_parse_arguments(CUVETTE_LAUNCH "" "" "OPTIONS" ${ARGN})
  if(CMAKE_VERSION VERSION_LESS 3.29)
    set(CMAKE_CROSSCOMPILING_EMULATOR ${cuvette_COMMAND} run --error-exitcode=99 ${CUVETTE_LAUNCH_OPTIONS} --)
  else()
    set(CMAKE_TEST_LAUNCHER ${cuvette_COMMAND} run --error-exitcode=99 ${CUVETTE_LAUNCH_OPTIONS} --)
  endif()
endmacro()
