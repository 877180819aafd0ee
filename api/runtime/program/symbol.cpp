// SPDX-License-Identifier: Apache-2.0
// Variables of the device that the program names by those of the host.
//
// Reference: CUDA Runtime API, "Memory Management".
#include "api/runtime/call.hpp"
#include "api/runtime/convert.hpp"
#include "api/runtime/cuda_runtime.hpp"
#include "api/runtime/memory/bytes.hpp"
#include "api/runtime/program/images.hpp"

using namespace cuvette::runtime;

extern "C" {

cudaError_t cudaGetSymbolAddress(void** devPtr, const void* symbol) {
  return call([&]() -> Status {
    if (devPtr == nullptr) return cudaErrorInvalidValue;
    return find_variable(symbol, device_pointer(devPtr), nullptr);
  });
}

cudaError_t cudaGetSymbolSize(size_t* size, const void* symbol) {
  return call([&]() -> Status {
    if (size == nullptr) return cudaErrorInvalidValue;
    return find_variable(symbol, nullptr, size);
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
    CHECK(find_bytes_of_variable(symbol, offset, count, &place));
    if (count == 0) return {};
    if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost)
      return cudaErrorInvalidMemcpyDirection;
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
    CHECK(find_bytes_of_variable(symbol, offset, count, &place));
    if (count == 0) return {};
    if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost)
      return cudaErrorInvalidMemcpyDirection;
    return copy_bytes(dst, place, count, kind, stream);
  });
}
}
