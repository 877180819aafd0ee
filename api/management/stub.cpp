// SPDX-License-Identifier: Apache-2.0
#include "api/management/stub.hpp"

#include <set>
#include <string>
#include <string_view>

#include "api/management/call.hpp"
#include "sim/base/mutex.hpp"
#include "sim/os/output.hpp"

namespace cuvette::management {
namespace {

nvmlReturn_t check(First first, const void* parameter) noexcept {
  return call([&] {
    if (first == First::device && !find(static_cast<nvmlDevice_t>(const_cast<void*>(parameter))))
      return NVML_ERROR_INVALID_ARGUMENT;
    return NVML_ERROR_NOT_SUPPORTED;
  });
}

// Whether this is the first time.
bool is_news(std::string_view name) {
  static Mutex* const mutex = new Mutex;
  static auto* const said = new std::set<std::string_view>;
  MutexLock lock(*mutex);
  return said->insert(name).second;
}

}  // namespace

int lack(First first, const void* parameter) noexcept { return check(first, parameter); }

int refuse(const char* name, const char* reason, First first, const void* parameter) noexcept {
  const nvmlReturn_t answer = check(first, parameter);
  if (answer != NVML_ERROR_NOT_SUPPORTED) return answer;
  return call([&] {
    if (is_news(name)) os::say("%s is not supported. %s", name, reason);
    return answer;
  });
}

}  // namespace cuvette::management
