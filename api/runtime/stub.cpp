// SPDX-License-Identifier: Apache-2.0
#include "api/runtime/stub.hpp"

#include <cstdio>
#include <mutex>
#include <set>
#include <string_view>

#include "api/runtime/call.hpp"

namespace cuvette::runtime {

int refuse(const char* name, const char* reason) noexcept {
  static std::mutex mutex;
  static std::set<std::string_view>* const said = new std::set<std::string_view>;
  {
    const std::lock_guard lock(mutex);
    if (said->insert(name).second)
      std::fprintf(stderr, "cuvette: %s is not supported. %s\n", name, reason);
  }
  return keep(cudaErrorNotSupported);
}

}  // namespace cuvette::runtime
