// SPDX-License-Identifier: Apache-2.0
// A program that loads the library itself, again and again. Its argument is the library's file.
#include <dlfcn.h>
#include <signal.h>

#include <filesystem>

#include "program.hpp"

namespace {

template <typename Function>
Function* find(void* library, const char* name) {
  auto* function = reinterpret_cast<Function*>(dlsym(library, name));
  REQUIRE(function);
  return function;
}
#define FIND(library, name) find<decltype(name)>(library, #name)

long threads() { return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}); }

bool handled(int signal) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler != SIG_DFL;
}

void use(void* library) {
  CUcontext context;
  CUdeviceptr memory;
  unsigned value = 0;
  WORKS(FIND(library, cuDevicePrimaryCtxRetain)(&context, 0));
  WORKS(FIND(library, cuCtxSetCurrent)(context));
  WORKS(find<decltype(cuMemAlloc)>(library, "cuMemAlloc_v2")(&memory, 4096));
  WORKS(find<decltype(cuMemsetD32)>(library, "cuMemsetD32_v2")(memory, 42, 1024));
  WORKS(find<decltype(cuMemcpyDtoH)>(library, "cuMemcpyDtoH_v2")(&value, memory + 4092, 4));
  REQUIRE(value == 42);
  WORKS(find<decltype(cuMemFree)>(library, "cuMemFree_v2")(memory));
  WORKS(find<decltype(cuDevicePrimaryCtxRelease)>(library, "cuDevicePrimaryCtxRelease_v2")(0));
}

}  // namespace

int main(int, char** words) {
  const long threads_before = threads();
  const bool handled_before = handled(SIGBUS);
  void* library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) fprintf(stderr, "%s\n", dlerror());
  REQUIRE(library);
  // Nothing runs before cuInit.
  REQUIRE(threads() == threads_before);
  REQUIRE(handled(SIGBUS) == handled_before);
  CUcontext context;
  ANSWERS(CUDA_ERROR_NOT_INITIALIZED, FIND(library, cuCtxGetCurrent)(&context));
  REQUIRE(dlclose(library) == 0);

  for (int i = 0; i < 20; ++i) {
    library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
    WORKS(FIND(library, cuInit)(0));
    use(library);
    REQUIRE(dlclose(library) == 0);
    // The library stays loaded, since its threads and handlers do.
    void* const still = dlopen(words[1], RTLD_NOW | RTLD_NOLOAD);
    REQUIRE(still);
    use(still);
    dlclose(still);
  }
  for (int i = 0; i < 20; ++i) {
    library = dlopen(words[1], RTLD_NOW | RTLD_GLOBAL);
    WORKS(FIND(library, cuInit)(0));
    use(library);
    dlclose(library);
  }
  // Workers start as needed, but there is only one set of them.
  REQUIRE(threads() <= threads_before + sysconf(_SC_NPROCESSORS_ONLN) + 4);
  return 0;
}
