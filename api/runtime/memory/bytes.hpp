// SPDX-License-Identifier: Apache-2.0
// Copies of bytes between memory and memory.
#pragma once

#include <cstddef>
#include <optional>

#include "api/runtime/status.hpp"

namespace cuvette::runtime {

// Copies bytes. Without a stream, returns when the documentation of the synchronous functions says
// so; with one, submits the copy.
Status copy_bytes(void* to, const void* from, std::size_t count, cudaMemcpyKind kind,
                  std::optional<cudaStream_t> stream);

}  // namespace cuvette::runtime
