// SPDX-License-Identifier: Apache-2.0
#include "api/nvjitlink/session.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "sim/os/file.hpp"
#include "sim/ptx/image/image.hpp"

namespace cuvette::nvjitlink {
namespace {

constexpr size_t most_bytes = size_t{1} << 30;  // in a file

// The sessions by handle. A handle is a number that is given once, so that a stale one is refused:
// an address may be another session's today.
struct Sessions {
  Mutex mutex;
  uintptr_t given GUARDED_BY(mutex) = 0;
  std::unordered_map<nvJitLinkHandle, std::shared_ptr<Session>> by_handle GUARDED_BY(mutex);
};
// Never destroyed: a program may call from its own destructors.
Sessions& sessions() {
  static Sessions& all = *new Sessions;
  return all;
}

// Whether the bytes look like what the program says that they are.
bool is_of_type(nvJitLinkInputType type, const void* data, size_t size) {
  using image::Kind;
  const Kind kind = image::kind_of(data, size);
  switch (type) {
    case NVJITLINK_INPUT_CUBIN:
      return kind == Kind::elf || kind == Kind::fat_binary;
    case NVJITLINK_INPUT_PTX:
      return kind == Kind::ptx;
    case NVJITLINK_INPUT_LTOIR:
      return is_lto(data, size);
    case NVJITLINK_INPUT_FATBIN:
      return kind == Kind::fat_binary;
    case NVJITLINK_INPUT_OBJECT:
      return kind == Kind::elf;
    case NVJITLINK_INPUT_LIBRARY:
      return kind == Kind::archive;
    case NVJITLINK_INPUT_ANY:
      return kind != Kind::nothing || is_lto(data, size);
    default:
      return false;
  }
}

nvJitLinkResult result_of(Error error) {
  switch (error) {
    case Error::invalid_ptx:
    case Error::unsupported_ptx_version:
    case Error::no_binary_for_gpu:
      return NVJITLINK_ERROR_PTX_COMPILE;
    case Error::invalid_image:
      return NVJITLINK_ERROR_INVALID_INPUT;
    default:
      return NVJITLINK_ERROR_INTERNAL;
  }
}

}  // namespace

nvJitLinkResult Session::create(std::span<const char* const> options, nvJitLinkHandle* handle) {
  const auto session = std::make_shared<Session>();
  nvJitLinkResult result = NVJITLINK_SUCCESS;
  {
    MutexLock lock(session->mutex_);
    result = session->options_.read(options, session->log_);
  }
  session->link_ = make_ref<ptx::Link>(session->options_.target, session->options_.most_registers);
  MutexLock lock(sessions().mutex);
  *handle = reinterpret_cast<nvJitLinkHandle>(++sessions().given);
  sessions().by_handle.emplace(*handle, session);
  return result;
}

std::shared_ptr<Session> Session::find(nvJitLinkHandle handle) {
  MutexLock lock(sessions().mutex);
  const auto found = sessions().by_handle.find(handle);
  return found == sessions().by_handle.end() ? nullptr : found->second;
}

bool Session::destroy(nvJitLinkHandle handle) {
  MutexLock lock(sessions().mutex);
  return sessions().by_handle.erase(handle) != 0;
}

nvJitLinkResult Session::add_locked(nvJitLinkInputType type, const void* data, size_t size,
                                    const char* name) {
  const std::string called = name ? name : "input";
  if (ended_) {
    log_ += "error   : '" + called + "' came after the link was completed.\n";
    return NVJITLINK_ERROR_INTERNAL;
  }
  if (!data || size == 0) {
    log_ += "error   : '" + called + "' is empty.\n";
    return NVJITLINK_ERROR_INVALID_INPUT;
  }
  if (!is_of_type(type, data, size)) {
    log_ += "error   : '" + called + "' is not of the type that it was added as.\n";
    return NVJITLINK_ERROR_INCORRECT_INPUT_TYPE;
  }
  if (is_lto(data, size)) {
    if (!options_.lto) {
      log_ += "error   : '" + called + "' is LTO IR, which takes the option -lto.\n";
      return NVJITLINK_ERROR_LTO_NOT_ENABLED;
    }
    lto_inputs_.push_back({std::string(static_cast<const char*>(data), size), called});
    return NVJITLINK_SUCCESS;
  }
  if (!options_.known_target) {
    log_ += "error   : There is no device 'sm_" + std::to_string(options_.target) + "'.\n";
    return NVJITLINK_ERROR_PTX_COMPILE;
  }
  other_inputs_ = true;
  const Result<> added = link_->add(data, size, called, log_);
  return added.ok() ? NVJITLINK_SUCCESS : result_of(added.error());
}

nvJitLinkResult Session::add(nvJitLinkInputType type, const void* data, size_t size,
                             const char* name) {
  MutexLock lock(mutex_);
  return add_locked(type, data, size, name);
}

nvJitLinkResult Session::add_file(nvJitLinkInputType type, const char* path) {
  const auto contents = os::read_file(path, most_bytes);
  MutexLock lock(mutex_);
  if (!contents.ok()) {
    log_ += "error   : The file '" + std::string(path) + "' cannot be read.\n";
    return NVJITLINK_ERROR_INVALID_INPUT;
  }
  return add_locked(type, contents.value().data(), contents.value().size(), path);
}

nvJitLinkResult Session::complete() {
  MutexLock lock(mutex_);
  if (std::exchange(ended_, true)) return NVJITLINK_ERROR_INTERNAL;
  if (makes_ptx() && other_inputs_) {
    log_ += "error   : -ptx takes inputs of LTO IR alone.\n";
    return NVJITLINK_ERROR_INCORRECT_INPUT_TYPE;
  }
  if (!lto_inputs_.empty()) {
    std::string ptx;
    const nvJitLinkResult compiled = compile_lto(lto_inputs_, options_, ptx, log_);
    if (compiled != NVJITLINK_SUCCESS) return compiled;
    if (makes_ptx()) {
      ptx_ = std::move(ptx);
      return NVJITLINK_SUCCESS;
    }
    const Result<> added = link_->add(ptx.data(), ptx.size(), "LTO IR", log_);
    if (!added.ok()) return result_of(added.error());
  }
  const auto image = link_->complete(log_);
  if (!image.ok()) return result_of(image.error());
  image_ = *image.value();
  return NVJITLINK_SUCCESS;
}

}  // namespace cuvette::nvjitlink
