# SPDX-License-Identifier: Apache-2.0
# The destinations of `cmake --install`. The libraries and headers have separate folders: they bear the names of
# NVIDIA's, and must not be found by a program that did not ask for them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(CUVETTE_LIBRARY_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cuvette)  # tools/CMakeLists.txt knows it too
set(CUVETTE_INCLUDE_DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cuvette)
set(CUVETTE_PACKAGE_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cuvette)

# The target `installable` builds everything that is installed, and nothing else.
set(libraries cuda cudart cudart_12 cudart_static cuvette_gl cuvette_jit cuvette_run nvcuvid nvidia-encode nvidia-ml nvjitlink
  nvjitlink_12)
foreach(optional VkLayer_cuvette cuvette_mpi)
  if(TARGET ${optional})
    list(APPEND libraries ${optional})
  endif()
endforeach()
add_custom_target(installable DEPENDS cuvette ${libraries})
install(TARGETS ${libraries}
  LIBRARY DESTINATION ${CUVETTE_LIBRARY_DESTINATION} ARCHIVE DESTINATION ${CUVETTE_LIBRARY_DESTINATION})
install(TARGETS linker_stand_in linker_stand_in_12 LIBRARY DESTINATION ${CUVETTE_LIBRARY_DESTINATION}/preload)
if(TARGET VkLayer_cuvette)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/lib/vulkan DESTINATION ${CUVETTE_LIBRARY_DESTINATION})
  install(DIRECTORY ${PROJECT_BINARY_DIR}/installed/implicit_layer.d DESTINATION ${CMAKE_INSTALL_DATADIR}/vulkan)
endif()
install(TARGETS cuvette RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# What calls cost on a GPU, for `cuvette cost`.
install(DIRECTORY tools/cuvette/cost/tables/ DESTINATION ${CMAKE_INSTALL_DATADIR}/cuvette/costs FILES_MATCHING PATTERN "*.json")
# Lessons and exercises, for `cuvette learn` and `cuvette grade`.
install(DIRECTORY docs/course/ DESTINATION ${CMAKE_INSTALL_DATADIR}/cuvette/course OPTIONAL)
if(TARGET notebooks)
  add_dependencies(installable notebooks)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/notebooks DESTINATION ${CMAKE_INSTALL_DATADIR}/cuvette FILES_MATCHING PATTERN "*.ipynb")
endif()
# Manual pages, and completions for bash, zsh and fish.
install(DIRECTORY ${PROJECT_BINARY_DIR}/share/ DESTINATION ${CMAKE_INSTALL_DATADIR})
# nvidia-smi, in a folder that `cuvette run` puts into PATH, and ptxas, in one that it names to Triton: links that
# move with the tree.
install(DIRECTORY ${PROJECT_BINARY_DIR}/installed/bin ${PROJECT_BINARY_DIR}/installed/compilers
  DESTINATION ${CUVETTE_LIBRARY_DESTINATION})
install(DIRECTORY api/include/ DESTINATION ${CUVETTE_INCLUDE_DESTINATION}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
# Some headers of CUDA C++ have no ending, such as <cuda/atomic>.
install(DIRECTORY api/include/cuvette/kernel/clang DESTINATION ${CUVETTE_INCLUDE_DESTINATION}/cuvette/kernel)
# Only what a user reads: ARCHITECTURE.md and the rooms' pages describe source that is not installed. docs/
# keeps its name, because README.md links into it.
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN docs/course EXCLUDE)

# The CMake package, once as installed and once for projects that find it in the build folder.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cuvetteConfigVersion.cmake
  COMPATIBILITY SameMajorVersion)
configure_package_config_file(cmake/cuvetteConfig.cmake.in ${PROJECT_BINARY_DIR}/installed/cuvetteConfig.cmake
  INSTALL_DESTINATION ${CUVETTE_PACKAGE_DESTINATION}
  PATH_VARS CUVETTE_LIBRARY_DESTINATION CUVETTE_INCLUDE_DESTINATION CMAKE_INSTALL_BINDIR)
install(FILES ${PROJECT_BINARY_DIR}/installed/cuvetteConfig.cmake
  ${PROJECT_BINARY_DIR}/cuvetteConfigVersion.cmake cmake/cuvetteTest.cmake
  DESTINATION ${CUVETTE_PACKAGE_DESTINATION})
block()
  set(CUVETTE_LIBRARY_DESTINATION ${PROJECT_BINARY_DIR}/lib)
  set(CUVETTE_INCLUDE_DESTINATION ${PROJECT_SOURCE_DIR}/api/include)
  set(CMAKE_INSTALL_BINDIR ${PROJECT_BINARY_DIR}/bin)
  configure_package_config_file(cmake/cuvetteConfig.cmake.in ${PROJECT_BINARY_DIR}/cuvetteConfig.cmake
    INSTALL_DESTINATION ${PROJECT_BINARY_DIR} INSTALL_PREFIX ${PROJECT_BINARY_DIR}
    PATH_VARS CUVETTE_LIBRARY_DESTINATION CUVETTE_INCLUDE_DESTINATION CMAKE_INSTALL_BINDIR)
  configure_file(cmake/cuvetteTest.cmake ${PROJECT_BINARY_DIR}/cuvetteTest.cmake COPYONLY)
endblock()

# Removes what the last `cmake --install` of this folder wrote.
add_custom_target(uninstall VERBATIM
  COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
    -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake)
