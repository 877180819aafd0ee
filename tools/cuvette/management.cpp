// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/management.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "tools/cuvette/library.hpp"

namespace cuvette::tools {

nvmlReturn_t Management::open() {
  const auto folder = library_folder();
  const std::string path = folder ? (*folder / "libnvidia-ml.so.1").string() : "";
  library_ = folder ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!library_) {
    fprintf(stderr,
            "cuvette smi: there is no libnvidia-ml.so.1 beside the libcuda.so.1 of this command\n");
    return NVML_ERROR_LIBRARY_NOT_FOUND;
  }
  const nvmlReturn_t result = CUVETTE_NVML(*this, nvmlInit)();
  if (result != NVML_SUCCESS)
    fprintf(stderr, "cuvette smi: the library cannot begin: %s\n",
            CUVETTE_NVML(*this, nvmlErrorString)(result));
  return result;
}

void* Management::find(const char* name) const {
  if (void* function = dlsym(library_, name)) return function;
  fprintf(stderr, "cuvette smi: %s\n", dlerror());
  exit(NVML_ERROR_FUNCTION_NOT_FOUND);
}

void Management::check(nvmlReturn_t result, const char* call) const {
  if (result == NVML_SUCCESS) return;
  fprintf(stderr, "cuvette smi: %s: %s\n", call, CUVETTE_NVML(*this, nvmlErrorString)(result));
  exit(result);
}

std::vector<Gpu> all_gpus(const Management& library) {
  unsigned count = 0;
  library.check(CUVETTE_NVML(library, nvmlDeviceGetCount)(&count), "nvmlDeviceGetCount");
  std::vector<Gpu> gpus;
  for (unsigned index = 0; index < count; ++index) {
    nvmlDevice_t handle = nullptr;
    library.check(CUVETTE_NVML(library, nvmlDeviceGetHandleByIndex)(index, &handle),
                  "nvmlDeviceGetHandleByIndex");
    gpus.push_back({&library, handle});
  }
  return gpus;
}

}  // namespace cuvette::tools
