// SPDX-License-Identifier: Apache-2.0
#include "api/driver/module/jit_options.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace cuvette::driver {
namespace {

int64_t now_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Turns a CUjit_target into a compute capability; targets for one model only have an extra bit.
Result<uint32_t> capability_of(uintptr_t target) {
  constexpr uintptr_t accelerated = CU_COMPUTE_ACCELERATED_TARGET_BASE,
                      family = CU_COMPUTE_FAMILY_TARGET_BASE;
  const uintptr_t number = target & ~(accelerated | family);
  constexpr uint32_t known[] = {30, 32, 35, 37, 50, 52, 53,  60,  61,  62,  70,  72,
                                75, 80, 86, 87, 89, 90, 100, 101, 103, 110, 120, 121};
  // Measured: invalid numbers give another error than capabilities that no device has.
  if (number < 10) return refuse(Error::invalid_image, "CU_JIT_TARGET is not a valid target.");
  if (std::find(std::begin(known), std::end(known), number) == std::end(known))
    return refuse(Error::invalid_value, "%zu is not a CU_JIT_TARGET.", static_cast<size_t>(target));
  return static_cast<uint32_t>(number);
}

}  // namespace

Result<JitOptions> JitOptions::read(unsigned count, const CUjit_option* options, void** values) {
  JitOptions read;
  read.begin_ns_ = now_ns();
  if (count > 0 && (!options || !values))
    return refuse(Error::invalid_value, "The number of options is %u, but an array is null.",
                  count);
  Result<> later;
  for (unsigned i = 0; i < count; ++i) {
    const auto value = reinterpret_cast<uintptr_t>(values[i]);
    switch (options[i]) {
      case CU_JIT_MAX_REGISTERS:
      case CU_JIT_THREADS_PER_BLOCK:
        if (static_cast<unsigned>(value) == 0)
          return refuse(Error::invalid_value, "Option %d cannot be 0.", options[i]);
        if (options[i] == CU_JIT_MAX_REGISTERS) read.most_registers_ = static_cast<unsigned>(value);
        break;
      case CU_JIT_WALL_TIME:
        read.wall_time_ = &values[i];
        break;
      case CU_JIT_INFO_LOG_BUFFER:
        read.information_.buffer = static_cast<char*>(values[i]);
        read.information_.wanted = true;
        break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        read.information_.size = &values[i];
        read.information_.capacity = static_cast<unsigned>(value);
        read.information_.wanted = true;
        break;
      case CU_JIT_ERROR_LOG_BUFFER:
        read.errors_.buffer = static_cast<char*>(values[i]);
        read.errors_.wanted = true;
        break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        read.errors_.size = &values[i];
        read.errors_.capacity = static_cast<unsigned>(value);
        read.errors_.wanted = true;
        break;
      case CU_JIT_TARGET:
        read.target_ = TRY(capability_of(static_cast<unsigned>(value)));
        break;
      case CU_JIT_CACHE_MODE:
        if (static_cast<unsigned>(value) > CU_JIT_CACHE_OPTION_CA)
          return refuse(Error::invalid_value, "%zu is not a CU_JIT_CACHE_MODE.",
                        static_cast<size_t>(value));
        break;
      case CU_JIT_NEW_SM3X_OPT:
        // "Used for internal purposes only": measured.
        later = refuse(Error::invalid_ptx, "CU_JIT_NEW_SM3X_OPT is not for programs.");
        break;
      case CU_JIT_GLOBAL_SYMBOL_COUNT:
        if (static_cast<unsigned>(value) > 0)
          return refuse(Error::not_supported,
                        "Symbols at addresses that the program gives are not supported.");
        break;
      case CU_JIT_REFERENCED_KERNEL_NAMES:
      case CU_JIT_REFERENCED_VARIABLE_NAMES:
        if (value == 0) return refuse(Error::invalid_value, "A list of names is null.");
        break;
      default:
        // The other options say how, or how fast, to compile; here there is one way.
        if (static_cast<unsigned>(options[i]) >= CU_JIT_NUM_OPTIONS)
          return refuse(Error::invalid_value, "%d is not an option.", options[i]);
        break;
    }
  }
  if (!read.errors_.complete() || !read.information_.complete())
    return refuse(Error::invalid_value, "A log needs a buffer and its size.");
  TRY(later);
  return read;
}

// Sets the size to the length of the text without its terminator; if the text was cut, leaves it as
// given, as measured.
void JitOptions::Log::write(const std::string& text) const {
  if (!size || !buffer || capacity == 0) {
    if (size) *size = nullptr;
    return;
  }
  const size_t length = std::min(text.size(), capacity - 1);
  std::memcpy(buffer, text.data(), length);
  buffer[length] = '\0';
  const bool cut = length < text.size();
  *size = reinterpret_cast<void*>(cut && length > 0 ? capacity : length);
}

void JitOptions::report(const std::string& errors) const {
  errors_.write(errors);
  information_.write("");
  if (!wall_time_) return;
  const float milliseconds = static_cast<float>(now_ns() - begin_ns_) / 1e6f;
  uint32_t bits;
  std::memcpy(&bits, &milliseconds, sizeof bits);
  *wall_time_ = reinterpret_cast<void*>(static_cast<uintptr_t>(bits));
}

}  // namespace cuvette::driver
