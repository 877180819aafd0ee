// SPDX-License-Identifier: Apache-2.0
// Numbers of bytes.
#pragma once

#include <cstddef>

namespace cuvette::memory {

inline constexpr size_t KiB = 1 << 10, MiB = 1 << 20, GiB = 1 << 30;

}  // namespace cuvette::memory
