// SPDX-License-Identifier: Apache-2.0
// The libnvJitLink.so.13 and .12 that `cuvette run` preloads into any program, so that a package
// does not load NVIDIA's: the name is already taken. Each passes calls on to the library of its
// name in the folder above, which is loaded at the first call.
//
// The library itself is not preloaded: it needs the C++ runtime of this system, and a program that
// brings a newer one, such as Conda's Python, would get the older one first.
//
// Threads: any.
#include <dlfcn.h>
#include <nvJitLink.h>

#include <climits>
#include <cstdio>
#include <cstring>

namespace {

// Returns the library's function, or null and says why.
void* find(const char* name) {
  Dl_info own;
  char path[PATH_MAX];
  if (!dladdr(reinterpret_cast<void*>(&find), &own) || !own.dli_fname) return nullptr;
  const char* const slash = strrchr(own.dli_fname, '/');
  const int folder = slash ? static_cast<int>(slash - own.dli_fname) : 0;
  const int length = snprintf(path, sizeof path, "%.*s/../" LIBRARY, folder, own.dli_fname);
  // Opening it again gives the same handle, and takes little time compared with linking.
  const bool fits = slash && length > 0 && static_cast<size_t>(length) < sizeof path;
  void* const library = fits ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  void* const function = library ? dlsym(library, name) : nullptr;
  if (!function) {
    const char* const reason = fits ? dlerror() : "its path is too long";
    fprintf(stderr, "cuvette: " LIBRARY " cannot be loaded: %s\n", reason ? reason : "no reason");
  }
  return function;
}

}  // namespace

#define PASS_ON(name, parameters, ...)                                                  \
  extern "C" [[gnu::visibility("default")]] nvJitLinkResult name parameters {           \
    const auto function = reinterpret_cast<nvJitLinkResult(*) parameters>(find(#name)); \
    return function ? function(__VA_ARGS__) : NVJITLINK_ERROR_INTERNAL;                 \
  }

PASS_ON(nvJitLinkCreate, (nvJitLinkHandle * handle, uint32_t count, const char** options), handle,
        count, options)
PASS_ON(nvJitLinkDestroy, (nvJitLinkHandle * handle), handle)
PASS_ON(nvJitLinkAddData,
        (nvJitLinkHandle handle, nvJitLinkInputType type, const void* data, size_t size,
         const char* name),
        handle, type, data, size, name)
PASS_ON(nvJitLinkAddFile, (nvJitLinkHandle handle, nvJitLinkInputType type, const char* file),
        handle, type, file)
PASS_ON(nvJitLinkComplete, (nvJitLinkHandle handle), handle)
PASS_ON(nvJitLinkGetLinkedCubinSize, (nvJitLinkHandle handle, size_t* size), handle, size)
PASS_ON(nvJitLinkGetLinkedCubin, (nvJitLinkHandle handle, void* cubin), handle, cubin)
PASS_ON(nvJitLinkGetLinkedPtxSize, (nvJitLinkHandle handle, size_t* size), handle, size)
PASS_ON(nvJitLinkGetLinkedPtx, (nvJitLinkHandle handle, char* ptx), handle, ptx)
PASS_ON(nvJitLinkGetErrorLogSize, (nvJitLinkHandle handle, size_t* size), handle, size)
PASS_ON(nvJitLinkGetErrorLog, (nvJitLinkHandle handle, char* log), handle, log)
PASS_ON(nvJitLinkGetInfoLogSize, (nvJitLinkHandle handle, size_t* size), handle, size)
PASS_ON(nvJitLinkGetInfoLog, (nvJitLinkHandle handle, char* log), handle, log)
PASS_ON(nvJitLinkVersion, (unsigned* major, unsigned* minor), major, minor)
