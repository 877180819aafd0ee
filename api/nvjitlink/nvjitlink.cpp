// SPDX-License-Identifier: Apache-2.0
// The exported functions. Each exists twice: by its name, and by the name with a version that
// NVIDIA's header makes of it.
#include <nvJitLink.h>

#include <cstring>
#include <new>
#include <span>
#include <string>

#include "api/nvjitlink/session.hpp"

using cuvette::nvjitlink::Session;

namespace {

// The code by which this version says it: CUDA 12.9's library calls invalid what 13.0's has codes
// of their own for (both asked).
constexpr nvJitLinkResult answer(nvJitLinkResult result) {
  return NVJITLINK_MAJOR < 13 && result >= NVJITLINK_ERROR_NULL_INPUT
             ? NVJITLINK_ERROR_INVALID_INPUT
             : result;
}

// Calls `body` with the session of a handle. No exception leaves the library.
template <typename Body>
nvJitLinkResult call(nvJitLinkHandle handle, Body body) noexcept {
  try {
    const auto session = Session::find(handle);
    return answer(session ? body(*session) : NVJITLINK_ERROR_NULL_INPUT);
  } catch (const std::bad_alloc&) {
    return NVJITLINK_ERROR_INTERNAL;
  }
}

// Returns the size of a log with its terminating zero.
size_t log_bytes(const std::string& log) { return log.empty() ? 0 : log.size() + 1; }

}  // namespace

extern "C" {

#pragma GCC visibility push(default)

nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle* handle, uint32_t numOptions,
                                const char** options) {
  if (!handle || !options) return answer(NVJITLINK_ERROR_NULL_INPUT);
  try {
    return answer(Session::create(std::span<const char* const>(options, numOptions), handle));
  } catch (const std::bad_alloc&) {
    return NVJITLINK_ERROR_INTERNAL;
  }
}

nvJitLinkResult nvJitLinkDestroy(nvJitLinkHandle* handle) {
  if (!handle || !Session::destroy(*handle)) return answer(NVJITLINK_ERROR_NULL_INPUT);
  *handle = nullptr;
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult nvJitLinkAddData(nvJitLinkHandle handle, nvJitLinkInputType inputType,
                                 const void* data, size_t size, const char* name) {
  return call(handle, [&](Session& session) { return session.add(inputType, data, size, name); });
}

nvJitLinkResult nvJitLinkAddFile(nvJitLinkHandle handle, nvJitLinkInputType inputType,
                                 const char* fileName) {
  return call(handle, [&](Session& session) {
    return fileName ? session.add_file(inputType, fileName) : NVJITLINK_ERROR_NULL_INPUT;
  });
}

nvJitLinkResult nvJitLinkComplete(nvJitLinkHandle handle) {
  return call(handle, [](Session& session) { return session.complete(); });
}

nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle handle, size_t* size) {
  return call(handle, [&](Session& session) {
    if (!size) return NVJITLINK_ERROR_NULL_INPUT;
    return session.with_image([&](const std::string& image) { *size = image.size(); });
  });
}

nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle handle, void* cubin) {
  return call(handle, [&](Session& session) {
    if (!cubin) return NVJITLINK_ERROR_NULL_INPUT;
    return session.with_image(
        [&](const std::string& image) { memcpy(cubin, image.data(), image.size()); });
  });
}

nvJitLinkResult nvJitLinkGetLinkedPtxSize(nvJitLinkHandle handle, size_t* size) {
  return call(handle, [&](Session& session) {
    if (!size) return NVJITLINK_ERROR_NULL_INPUT;
    return session.with_ptx([&](const std::string& text) { *size = text.size() + 1; });
  });
}

nvJitLinkResult nvJitLinkGetLinkedPtx(nvJitLinkHandle handle, char* ptx) {
  return call(handle, [&](Session& session) {
    if (!ptx) return NVJITLINK_ERROR_NULL_INPUT;
    return session.with_ptx(
        [&](const std::string& text) { memcpy(ptx, text.c_str(), text.size() + 1); });
  });
}

nvJitLinkResult nvJitLinkGetErrorLogSize(nvJitLinkHandle handle, size_t* size) {
  return call(handle, [&](Session& session) {
    if (!size) return NVJITLINK_ERROR_NULL_INPUT;
    return session.with_log([&](const std::string& log) { *size = log_bytes(log); });
  });
}

nvJitLinkResult nvJitLinkGetErrorLog(nvJitLinkHandle handle, char* log) {
  return call(handle, [&](Session& session) {
    if (!log) return NVJITLINK_ERROR_NULL_INPUT;
    return session.with_log(
        [&](const std::string& text) { memcpy(log, text.c_str(), log_bytes(text)); });
  });
}

nvJitLinkResult nvJitLinkGetInfoLogSize(nvJitLinkHandle handle, size_t* size) {
  return call(handle, [&](Session&) {
    if (!size) return NVJITLINK_ERROR_NULL_INPUT;
    *size = 0;
    return NVJITLINK_SUCCESS;
  });
}

nvJitLinkResult nvJitLinkGetInfoLog(nvJitLinkHandle handle, char* log) {
  return call(handle,
              [&](Session&) { return log ? NVJITLINK_SUCCESS : NVJITLINK_ERROR_NULL_INPUT; });
}

nvJitLinkResult nvJitLinkVersion(unsigned int* major, unsigned int* minor) {
  if (!major || !minor) return answer(NVJITLINK_ERROR_NULL_INPUT);
  *major = NVJITLINK_MAJOR;
  *minor = NVJITLINK_MINOR;
  return NVJITLINK_SUCCESS;
}

#pragma GCC visibility pop

}  // extern "C"
