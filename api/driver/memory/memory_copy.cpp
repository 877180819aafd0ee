// SPDX-License-Identifier: Apache-2.0
#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/memory/copy_box.hpp"
#include "sim/device/graph/submission.hpp"
#include "sim/device/stream/transfer.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using device::CopyOperand;
using device::MemoryType;
using memory::Region;

namespace {

CopyOperand linear(MemoryType type, CUdeviceptr address, size_t size) {
  return {Region::linear(address, size), type};
}
CopyOperand linear(const void* host, size_t size) {
  return linear(MemoryType::host, reinterpret_cast<CUdeviceptr>(host), size);
}

// The forms without a stream run in the null stream.
[[gnu::always_inline]] inline CUresult copy(const CopyOperand& to, const CopyOperand& from) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    const auto stream = TRY(find(CUstream{}, context));
    return device::submit_copy({context, *stream, false, call_site()}, to, from);
  });
}

[[gnu::always_inline]] inline CUresult copy_async(const CopyOperand& to, const CopyOperand& from,
                                                  CUstream hStream) {
  return call<CUresult>([&]() -> Result<> {
    const auto stream = TRY(find_usable(hStream));
    return device::submit_copy({stream->context(), *stream, true, call_site()}, to, from);
  });
}

template <typename Description>
[[gnu::always_inline]] inline CUresult copy_box(const Description* pCopy) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    const CopyBox box = TRY(copy_box_of(pCopy));
    const auto stream = TRY(find(CUstream{}, context));
    return device::submit_copy({context, *stream, false, call_site()}, box.to, box.from);
  });
}

template <typename Description>
[[gnu::always_inline]] inline CUresult copy_box_async(const Description* pCopy, CUstream hStream) {
  return call<CUresult>([&]() -> Result<> {
    TRY(check_context_for(hStream));
    const CopyBox box = TRY(copy_box_of(pCopy));
    const auto stream = TRY(find_usable(hStream));
    return device::submit_copy({stream->context(), *stream, true, call_site()}, box.to, box.from);
  });
}

// Copies between an array's first row and linear memory.
template <typename Way>
[[gnu::always_inline]] inline CUresult copy_row(CUarray array, size_t offset, size_t size,
                                                Way way) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    const CopyOperand row = TRY(row_of(array, offset, size));
    const auto stream = TRY(find(CUstream{}, context));
    return way(device::Transfer{context, *stream, false, call_site()}, row);
  });
}

template <typename Way>
[[gnu::always_inline]] inline CUresult copy_row_async(CUarray array, size_t offset, size_t size,
                                                      CUstream hStream, Way way) {
  return call<CUresult>([&]() -> Result<> {
    TRY(check_context_for(hStream));
    const CopyOperand row = TRY(row_of(array, offset, size));
    const auto stream = TRY(find_usable(hStream));
    return way(device::Transfer{stream->context(), *stream, true, call_site()}, row);
  });
}

// Returns the two ends of a copy of bytes between contexts.
Result<CopyBox> rows_between(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                             CUcontext from_context, size_t size) {
  CopyBox box{linear(MemoryType::device, to, size), linear(MemoryType::device, from, size)};
  TRY(set_peers(box, to_context, from_context));
  return box;
}

// Copies between contexts without a stream: "serialized with respect to all pending and future
// asynchronous work in to the current context, srcContext, and dstContext".
Result<> copy_between(device::Context& context, CUcontext to_context, CUcontext from_context,
                      const CopyBox& box) {
  std::vector<Ref<device::Context>> others;
  for (CUcontext handle : {to_context, from_context}) {
    if (!handle) continue;
    auto other = TRY(find(handle));
    if (other.get() != &context) others.push_back(std::move(other));
  }
  const auto stream = TRY(find(CUstream{}, context));
  return device::submit_copy({context, *stream, false, call_site(), std::move(others)}, box.to,
                             box.from);
}

}  // namespace

extern "C" {

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
  return copy(linear(MemoryType::unified, dst, ByteCount),
              linear(MemoryType::unified, src, ByteCount));
}

CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
  return copy_async(linear(MemoryType::unified, dst, ByteCount),
                    linear(MemoryType::unified, src, ByteCount), hStream);
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount) {
  return copy(linear(MemoryType::device, dstDevice, ByteCount), linear(srcHost, ByteCount));
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount,
                              CUstream hStream) {
  return copy_async(linear(MemoryType::device, dstDevice, ByteCount), linear(srcHost, ByteCount),
                    hStream);
}

CUresult cuMemcpyDtoH_v2(void* dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
  return copy(linear(dstHost, ByteCount), linear(MemoryType::device, srcDevice, ByteCount));
}

CUresult cuMemcpyDtoHAsync_v2(void* dstHost, CUdeviceptr srcDevice, size_t ByteCount,
                              CUstream hStream) {
  return copy_async(linear(dstHost, ByteCount), linear(MemoryType::device, srcDevice, ByteCount),
                    hStream);
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
  return copy(linear(MemoryType::device, dstDevice, ByteCount),
              linear(MemoryType::device, srcDevice, ByteCount));
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount,
                              CUstream hStream) {
  return copy_async(linear(MemoryType::device, dstDevice, ByteCount),
                    linear(MemoryType::device, srcDevice, ByteCount), hStream);
}

CUresult cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset, const void* srcHost,
                         size_t ByteCount) {
  return copy_row(dstArray, dstOffset, ByteCount,
                  [&](const device::Transfer& transfer, const CopyOperand& row) {
                    return device::submit_copy(transfer, row, linear(srcHost, ByteCount));
                  });
}

CUresult cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset, const void* srcHost,
                              size_t ByteCount, CUstream hStream) {
  return copy_row_async(dstArray, dstOffset, ByteCount, hStream,
                        [&](const device::Transfer& transfer, const CopyOperand& row) {
                          return device::submit_copy(transfer, row, linear(srcHost, ByteCount));
                        });
}

CUresult cuMemcpyAtoH_v2(void* dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount) {
  return copy_row(srcArray, srcOffset, ByteCount,
                  [&](const device::Transfer& transfer, const CopyOperand& row) {
                    return device::submit_copy(transfer, linear(dstHost, ByteCount), row);
                  });
}

CUresult cuMemcpyAtoHAsync_v2(void* dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount,
                              CUstream hStream) {
  return copy_row_async(srcArray, srcOffset, ByteCount, hStream,
                        [&](const device::Transfer& transfer, const CopyOperand& row) {
                          return device::submit_copy(transfer, linear(dstHost, ByteCount), row);
                        });
}

CUresult cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice,
                         size_t ByteCount) {
  return copy_row(dstArray, dstOffset, ByteCount,
                  [&](const device::Transfer& transfer, const CopyOperand& row) {
                    return device::submit_copy(transfer, row,
                                               linear(MemoryType::device, srcDevice, ByteCount));
                  });
}

CUresult cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset,
                         size_t ByteCount) {
  return copy_row(srcArray, srcOffset, ByteCount,
                  [&](const device::Transfer& transfer, const CopyOperand& row) -> Result<> {
                    // "dstDevice ... must be naturally aligned with the CUDA array elements.
                    // ByteCount ... must be evenly divisible by the array element size."
                    TRY(check_whole_elements(row, ByteCount, "number"));
                    TRY(check_whole_elements(row, dstDevice, "address"));
                    return device::submit_copy(
                        transfer, linear(MemoryType::device, dstDevice, ByteCount), row);
                  });
}

CUresult cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset,
                         size_t ByteCount) {
  return copy_row(dstArray, dstOffset, ByteCount,
                  [&](const device::Transfer& transfer, const CopyOperand& to) -> Result<> {
                    const CopyOperand from = TRY(row_of(srcArray, srcOffset, ByteCount));
                    TRY(check_same_elements(to, from));
                    TRY(check_whole_elements(to, ByteCount, "number"));
                    return device::submit_copy(transfer, to, from);
                  });
}

CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                      CUcontext srcContext, size_t ByteCount) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    const CopyBox box = TRY(rows_between(dstDevice, dstContext, srcDevice, srcContext, ByteCount));
    return copy_between(context, dstContext, srcContext, box);
  });
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                           CUcontext srcContext, size_t ByteCount, CUstream hStream) {
  return call<CUresult>([&]() -> Result<> {
    TRY(check_context_for(hStream));
    const CopyBox box = TRY(rows_between(dstDevice, dstContext, srcDevice, srcContext, ByteCount));
    const auto stream = TRY(find_usable(hStream));
    return device::submit_copy({stream->context(), *stream, true, call_site()}, box.to, box.from);
  });
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* pCopy) { return copy_box(pCopy); }
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* pCopy) { return copy_box(pCopy); }
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* pCopy, CUstream hStream) {
  return copy_box_async(pCopy, hStream);
}
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* pCopy) { return copy_box(pCopy); }
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* pCopy, CUstream hStream) {
  return copy_box_async(pCopy, hStream);
}
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER* pCopy) {
  return call_in_context<CUresult>([&](device::Context& context) -> Result<> {
    const CopyBox box = TRY(copy_box_of(pCopy));
    return copy_between(context, pCopy->dstContext, pCopy->srcContext, box);
  });
}
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER* pCopy, CUstream hStream) {
  return copy_box_async(pCopy, hStream);
}

}  // extern "C"
