// SPDX-License-Identifier: Apache-2.0
// Copies of bytes, and of rows of bytes, between memory and memory.
//
// Reference: CUDA Runtime API, "Memory Management".
#include <optional>

#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"
#include "api/runtime/memory/box.hpp"
#include "api/runtime/memory/bytes.hpp"

using namespace cuvette::runtime;

namespace {
Status copy_memory(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                   size_t rows, cudaMemcpyKind kind, std::optional<cudaStream_t> stream) {
  BoxEnd destination, source;
  destination.pointer = to;
  destination.pitch = to_pitch;
  source.pointer = const_cast<void*>(from);
  source.pitch = from_pitch;
  return copy_rows(destination, source, width, rows, kind, stream);
}
}  // namespace

extern "C" {

cudaError_t cudaMemcpy(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  return call([&] { return copy_bytes(dst, src, count, kind, {}); });
}

cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return call([&] { return copy_bytes(dst, src, count, kind, stream); });
}

cudaError_t cudaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  return call([&] { return copy_memory(dst, dpitch, src, spitch, width, height, kind, {}); });
}

cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return call([&] { return copy_memory(dst, dpitch, src, spitch, width, height, kind, stream); });
}
}
