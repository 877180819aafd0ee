# SPDX-License-Identifier: Apache-2.0
# CUVETTE_BACKEND=libcuda: target `cuda` is NVIDIA's driver, everything else comes from the same sources.
# Without a driver on the machine the toolkit's stub is enough to link.
find_library(CUVETTE_NVIDIA_LIBCUDA cuda REQUIRED
  NAMES cuda libcuda.so.1
  PATHS /usr/local/cuda/lib64 /usr/local/cuda/targets/x86_64-linux/lib $ENV{CUDA_HOME}/lib64
        /usr/lib/x86_64-linux-gnu
  PATH_SUFFIXES . stubs)
add_library(cuda INTERFACE)
target_link_libraries(cuda INTERFACE cuvette_headers ${CUVETTE_NVIDIA_LIBCUDA})
