// SPDX-License-Identifier: Apache-2.0
// Session: what one nvJitLinkHandle refers to.
//
// Threads: any; calls on one session take turns.
#pragma once

#include <nvJitLink.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/nvjitlink/link_options.hpp"
#include "api/nvjitlink/lto.hpp"
#include "sim/base/mutex.hpp"
#include "sim/base/ref.hpp"
#include "sim/ptx/program/link.hpp"

namespace cuvette::nvjitlink {

class Session {
 public:
  // Makes a session, even if an option is refused: its log says why.
  static nvJitLinkResult create(std::span<const char* const> options, nvJitLinkHandle* handle);
  // Returns the session that a handle refers to, or null.
  static std::shared_ptr<Session> find(nvJitLinkHandle handle);
  // Forgets the handle. False if it is not a session's.
  static bool destroy(nvJitLinkHandle handle);

  nvJitLinkResult add(nvJitLinkInputType type, const void* data, size_t size, const char* name)
      EXCLUDES(mutex_);
  nvJitLinkResult add_file(nvJitLinkInputType type, const char* path) EXCLUDES(mutex_);
  nvJitLinkResult complete() EXCLUDES(mutex_);

  // Calls `take` with the finished image. NVJITLINK_ERROR_INTERNAL before complete().
  template <typename Take>
  nvJitLinkResult with_image(Take take) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (!image_) return NVJITLINK_ERROR_INTERNAL;
    take(*image_);
    return NVJITLINK_SUCCESS;
  }
  template <typename Take>
  nvJitLinkResult with_log(Take take) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    take(log_);
    return NVJITLINK_SUCCESS;
  }
  // Calls `take` with the PTX. NVJITLINK_ERROR_INVALID_INPUT unless the program asked for that,
  // NVJITLINK_ERROR_INTERNAL before complete().
  template <typename Take>
  nvJitLinkResult with_ptx(Take take) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (!makes_ptx()) return NVJITLINK_ERROR_INVALID_INPUT;
    if (!ptx_) return NVJITLINK_ERROR_INTERNAL;
    take(*ptx_);
    return NVJITLINK_SUCCESS;
  }

 private:
  nvJitLinkResult add_locked(nvJitLinkInputType type, const void* data, size_t size,
                             const char* name) REQUIRES(mutex_);

  // Whether the program asked for PTX ("-lto -ptx").
  bool makes_ptx() const { return options_.ptx && options_.lto; }

  LinkOptions options_;
  Ref<ptx::Link> link_;
  Mutex mutex_;
  std::vector<LtoInput> lto_inputs_ GUARDED_BY(mutex_);
  bool other_inputs_ GUARDED_BY(mutex_) = false;
  bool ended_ GUARDED_BY(mutex_) = false;  // complete() was called
  std::optional<std::string> image_ GUARDED_BY(mutex_);
  std::optional<std::string> ptx_ GUARDED_BY(mutex_);
  std::string log_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::nvjitlink
