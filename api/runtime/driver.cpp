// SPDX-License-Identifier: Apache-2.0
#include "api/runtime/driver.hpp"

#include <dlfcn.h>

#include <cstdio>

namespace cuvette::runtime {
namespace {

// Never closed: streams and host functions of the driver may outlive this library's use of it.
void* library() noexcept {
  static void* const opened = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  return opened;
}

CUresult missing() { return CUDA_ERROR_NOT_SUPPORTED; }

}  // namespace

bool driver_found() noexcept { return library() != nullptr; }

namespace detail {

void* find_in_driver(const char* name) noexcept {
  if (void* const function = dlsym(library(), name)) return function;
  std::fprintf(stderr, "cuvette: libcuda.so.1 has no %s, which libcudart needs.\n", name);
  return reinterpret_cast<void*>(&missing);
}

}  // namespace detail
}  // namespace cuvette::runtime
