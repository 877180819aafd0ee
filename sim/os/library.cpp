// SPDX-License-Identifier: Apache-2.0
#include "sim/os/library.hpp"

#include <dlfcn.h>

namespace cuvette::os {

void* find_loaded(const char* library, const char* symbol) {
  if (!library) return dlsym(RTLD_DEFAULT, symbol);
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return nullptr;
  void* const address = dlsym(handle, symbol);
  dlclose(handle);  // the program's own reference keeps it loaded
  return address;
}

}  // namespace cuvette::os
