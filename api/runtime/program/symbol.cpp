// SPDX-License-Identifier: Apache-2.0
// Device variables that the program names by their host variables.
//
// Reference: CUDA Runtime API, "Memory Management".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"
#include "api/runtime/memory/bytes.hpp"
#include "api/runtime/program/images.hpp"

using namespace cuvette::runtime;

namespace {

// Finds the bytes of a variable for a copy in the order of a stream. Measured: these copies look at
// the kind before the bounds, unlike the others. `wrong` is a kind that does not fit.
Status find_bytes_later(const void* symbol, size_t offset, size_t count, cudaMemcpyKind kind,
                        cudaMemcpyKind wrong, void** place) {
  const Status found = find_bytes_of_variable(symbol, offset, count, place);
  const bool outside = found.error() == cudaErrorInvalidValue;
  if (count != 0 && (found.ok() || outside) && (kind == wrong || kind == cudaMemcpyHostToHost))
    return cudaErrorInvalidMemcpyDirection;
  return found;
}

}  // namespace

extern "C" {

cudaError_t cudaGetSymbolAddress(void** devPtr, const void* symbol) {
  return call([&]() -> Status {
    CUdeviceptr address = 0;
    CHECK(find_variable(symbol, &address, nullptr));
    if (devPtr == nullptr) return cudaErrorInvalidValue;
    *devPtr = reinterpret_cast<void*>(address);
    return {};
  });
}

cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  return call([&]() -> Status {
    size_t bytes = 0;
    CHECK(find_variable(symbol, nullptr, &bytes));
    if (size == nullptr) return cudaErrorInvalidValue;
    *size = bytes;
    return {};
  });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* src, size_t count, size_t offset,
                               cudaMemcpyKind kind) {
  return call([&]() -> Status {
    void* place = nullptr;
    CHECK(find_bytes_of_variable(symbol, offset, count, &place));
    if (count == 0) return {};
    if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost)
      return cudaErrorInvalidMemcpyDirection;
    return copy_bytes(place, src, count, kind, {});
  });
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* src, size_t count,
                                    size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&]() -> Status {
    void* place = nullptr;
    CHECK(find_bytes_later(symbol, offset, count, kind, cudaMemcpyDeviceToHost, &place));
    if (count == 0) return {};
    return copy_bytes(place, src, count, kind, stream);
  });
}

cudaError_t cudaMemcpyFromSymbol(void* dst, const void* symbol, size_t count, size_t offset,
                                 cudaMemcpyKind kind) {
  return call([&]() -> Status {
    void* place = nullptr;
    CHECK(find_bytes_of_variable(symbol, offset, count, &place));
    if (count == 0) return {};
    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost)
      return cudaErrorInvalidMemcpyDirection;
    return copy_bytes(dst, place, count, kind, {});
  });
}

cudaError_t cudaMemcpyFromSymbolAsync(void* dst, const void* symbol, size_t count, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&]() -> Status {
    void* place = nullptr;
    CHECK(find_bytes_later(symbol, offset, count, kind, cudaMemcpyHostToDevice, &place));
    if (count == 0) return {};
    return copy_bytes(dst, place, count, kind, stream);
  });
}
}
