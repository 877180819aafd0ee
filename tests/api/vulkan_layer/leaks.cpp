// SPDX-License-Identifier: Apache-2.0
// What LeakSanitizer has to know of Vulkan's drivers, in builds with sanitizers: they stay loaded,
// so that what their globals hold is no leak; and lavapipe has leaks of its own.
#include <dlfcn.h>

extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libvulkan_lvp.so\n"; }

namespace {

[[gnu::constructor]] void keep_drivers_loaded() {
  for (const char* const driver : {"libvulkan_lvp.so", "/usr/lib/chromium/libvk_swiftshader.so"})
    dlopen(driver, RTLD_LAZY | RTLD_NODELETE);  // null where it is not installed
}

}  // namespace
