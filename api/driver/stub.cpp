// SPDX-License-Identifier: Apache-2.0
#include "api/driver/stub.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>

#include "api/driver/call.hpp"
#include "api/driver/support_table.hpp"
#include "sim/os/output.hpp"

namespace cuvette::driver {
namespace {

constexpr int not_supported = 801;  // CUDA_ERROR_NOT_SUPPORTED

std::array<std::atomic<bool>, functions.size()> said{};

void say_once(const char* name) noexcept {
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (std::strcmp(functions[i].name, name) != 0) continue;
    if (said[i].exchange(true, std::memory_order_relaxed)) return;
    os::say("%s is not supported: %s", name, functions[i].reason);
    return;
  }
}

}  // namespace

int refuse(const char* name, StubNeeds needs) noexcept {
  if (needs != StubNeeds::nothing) {
    if (int error = check_initialised()) return error;
  }
  if (needs == StubNeeds::context) {
    if (int error = check_context()) return error;
  }
  say_once(name);
  return not_supported;
}

}  // namespace cuvette::driver
