// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <vector>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "api/driver/memory/copy_box.hpp"
#include "api/driver/texture/array_handles.hpp"
#include "sim/device/graph/capture.hpp"
#include "sim/device/stream/transfer.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using device::BatchedCopy;
using device::MemoryType;
using memory::Region;

namespace {

// Reports that no single copy is at fault.
constexpr size_t no_copy = SIZE_MAX;

Result<> check_order(CUmemcpySrcAccessOrder order, unsigned flags) {
  if (order < CU_MEMCPY_SRC_ACCESS_ORDER_STREAM || order > CU_MEMCPY_SRC_ACCESS_ORDER_ANY)
    return refuse(Error::invalid_value, "%d is not an order of access to the source.",
                  static_cast<int>(order));
  if (flags & ~static_cast<unsigned>(CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE))
    return refuse(Error::invalid_value, "Flags 0x%x have bits beyond CUmemcpyFlags.", flags);
  return {};
}

// Checks that a hint is empty, or names a device or the host.
Result<> check_hint(const CUmemLocation& hint) {
  if (hint.type == CU_MEM_LOCATION_TYPE_DEVICE && !find_device(hint.id).ok())
    return refuse(Error::invalid_value, "The hint names device %d, which does not exist.", hint.id);
  if (hint.type < CU_MEM_LOCATION_TYPE_INVALID ||
      hint.type > CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT)
    return refuse(Error::invalid_value, "%d is not a location type.", static_cast<int>(hint.type));
  return {};
}

// "hStream: The stream to enqueue the operations in. Must not be legacy NULL stream."
Result<Ref<device::Stream>> find_stream(CUstream hStream) {
  // Measured: the legacy stream is refused before a context is required, and a missing context is
  // an invalid value.
  const device::Thread& thread = device::Thread::current();
  if (hStream == CU_STREAM_LEGACY || (!hStream && !thread.per_thread_default_stream))
    return refuse(Error::invalid_value, "The legacy stream does not accept batches.");
  if (hStream && hStream != CU_STREAM_PER_THREAD && !thread.context())
    return refuse(Error::invalid_value, "A batch needs a current context.");
  auto stream = TRY(find_usable(hStream));
  if (stream->kind() == device::StreamKind::legacy)
    return refuse(Error::invalid_value, "The legacy stream does not accept batches.");
  // No type of node represents a batch of copies.
  TRY(device::Capture::refuse_and_keep(*stream));
  return stream;
}

struct CopyBatch {
  CUdeviceptr *dsts, *srcs;
  size_t *sizes, count;
  CUmemcpyAttributes* attrs;
  size_t *starts, attributes;
};

Result<> check_batch(const CopyBatch& b) {
  if (b.count == 0 || !b.dsts || !b.srcs || !b.sizes || !b.attrs || !b.starts)
    return refuse(Error::invalid_value, "The batch is empty, or one of its arrays is null.");
  if (b.attributes == 0 || b.attributes > b.count)
    return refuse(
        Error::invalid_value,
        "The number of attributes is %zu; for %zu copies it must be at least 1 and not larger.",
        b.attributes, b.count);
  for (size_t i = 0; i < b.attributes; ++i) {
    // "attrsIdxs[0] must be 0", and the indices must rise.
    if (i == 0 ? b.starts[0] != 0 : b.starts[i] <= b.starts[i - 1] || b.starts[i] >= b.count)
      return refuse(Error::invalid_value, "Attribute %zu cannot begin at copy %zu.", i,
                    b.starts[i]);
    TRY(check_order(b.attrs[i].srcAccessOrder, b.attrs[i].flags));
    TRY(check_hint(b.attrs[i].srcLocHint));
    TRY(check_hint(b.attrs[i].dstLocHint));
  }
  return {};
}

CUresult copy_batch(const CopyBatch& b, size_t* failed, CUstream hStream) {
  return call<CUresult>([&]() -> Result<> {
    size_t unused;
    size_t& at = failed ? *failed : unused;
    // Measured: a null handle leaves the index as it was.
    if (!hStream) TRY(find_stream(hStream));
    at = no_copy;
    const auto stream = TRY(find_stream(hStream));
    TRY(check_batch(b));
    std::vector<BatchedCopy> copies;
    copies.reserve(b.count);
    for (size_t i = 0, attribute = 0; i < b.count; ++i) {
      if (attribute + 1 < b.attributes && b.starts[attribute + 1] == i) ++attribute;
      if (b.sizes[i] == 0) {
        at = i;
        return refuse(Error::invalid_value, "Copy %zu of the batch has a size of 0.", i);
      }
      copies.push_back(
          {{Region::linear(b.dsts[i], b.sizes[i]), MemoryType::unified},
           {Region::linear(b.srcs[i], b.sizes[i]), MemoryType::unified},
           b.attrs[attribute].srcAccessOrder == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL});
    }
    return device::copy_batch(*stream, copies, call_site(), at);
  });
}

// --- Boxes ---------------------------------------------------------------------------------------

// "in elements": the array's elements, or bytes.
Result<size_t> element_of(const CUmemcpy3DOperand& operand) {
  switch (operand.type) {
    case CU_MEMCPY_OPERAND_TYPE_POINTER:
      TRY(check_hint(operand.op.ptr.locHint));
      return size_t{0};
    case CU_MEMCPY_OPERAND_TYPE_ARRAY: {
      if (!operand.op.array.array)
        return refuse(Error::invalid_value, "The array of the copy is null.");
      const auto array = TRY(find(operand.op.array.array));
      return size_t{array->layout().element};
    }
    default:
      return refuse(Error::invalid_value, "%d is not an operand type.",
                    static_cast<int>(operand.type));
  }
}

// One end of a CUDA_MEMCPY3D: its members for the source and the target differ only in name.
struct End {
  CUmemorytype& type;
  CUdeviceptr& device;
  CUarray& array;
  size_t &x, &y, &z, &pitch, &height;
};

Result<> say(const CUmemcpy3DOperand& operand, size_t element, const End& end) {
  if (operand.type == CU_MEMCPY_OPERAND_TYPE_ARRAY) {
    end.type = CU_MEMORYTYPE_ARRAY;
    end.array = operand.op.array.array;
    end.y = operand.op.array.offset.y;
    end.z = operand.op.array.offset.z;
    if (__builtin_mul_overflow(operand.op.array.offset.x, element, &end.x))
      return refuse(Error::invalid_value, "The box is larger than the address space.");
    return {};
  }
  end.type = CU_MEMORYTYPE_UNIFIED;
  end.device = operand.op.ptr.ptr;
  end.height = operand.op.ptr.layerHeight;
  if (__builtin_mul_overflow(operand.op.ptr.rowLength, element, &end.pitch))
    return refuse(Error::invalid_value, "A row of %zu elements is larger than the address space.",
                  operand.op.ptr.rowLength);
  return {};
}

Result<BatchedCopy> copy_of(const CUDA_MEMCPY3D_BATCH_OP& op) {
  TRY(check_order(op.srcAccessOrder, op.flags));
  if (op.extent.width == 0 || op.extent.height == 0 || op.extent.depth == 0)
    return refuse(Error::invalid_value, "The region of %zu by %zu by %zu elements is empty.",
                  op.extent.width, op.extent.height, op.extent.depth);
  const size_t from = TRY(element_of(op.src)), to = TRY(element_of(op.dst));
  if (from && to && from != to)
    return refuse(Error::invalid_value, "Elements of %zu and of %zu bytes are not the same size.",
                  from, to);
  const size_t element = from ? from : to ? to : 1;
  CUDA_MEMCPY3D p{};
  TRY(say(op.src, element,
          {p.srcMemoryType, p.srcDevice, p.srcArray, p.srcXInBytes, p.srcY, p.srcZ, p.srcPitch,
           p.srcHeight}));
  TRY(say(op.dst, element,
          {p.dstMemoryType, p.dstDevice, p.dstArray, p.dstXInBytes, p.dstY, p.dstZ, p.dstPitch,
           p.dstHeight}));
  if (__builtin_mul_overflow(op.extent.width, element, &p.WidthInBytes))
    return refuse(Error::invalid_value, "The box is larger than the address space.");
  p.Height = op.extent.height;
  p.Depth = op.extent.depth;
  CopyBox box = TRY(copy_box_of(&p));
  return BatchedCopy{std::move(box.to), std::move(box.from),
                     op.srcAccessOrder == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL};
}

CUresult copy_boxes(size_t count, CUDA_MEMCPY3D_BATCH_OP* list, size_t* failed,
                    unsigned long long flags, CUstream hStream) {
  return call<CUresult>([&]() -> Result<> {
    size_t unused;
    size_t& at = failed ? *failed : unused;
    if (!hStream) TRY(find_stream(hStream));
    at = no_copy;
    const auto stream = TRY(find_stream(hStream));
    // "flags: Flags for future use, must be zero now."
    if (flags != 0) return refuse(Error::invalid_value, "Flags are 0x%llx; they must be 0.", flags);
    if (count == 0 || !list) return refuse(Error::invalid_value, "The batch is empty or null.");
    std::vector<BatchedCopy> copies;
    for (size_t i = 0; i < count; ++i) {
      auto copy = copy_of(list[i]);
      if (!copy.ok()) {
        at = i;
        return copy.error();
      }
      copies.push_back(std::move(copy).value());
    }
    return device::copy_batch(*stream, copies, call_site(), at);
  });
}

}  // namespace

extern "C" {

CUresult cuMemcpyBatchAsync(CUdeviceptr* dsts, CUdeviceptr* srcs, size_t* sizes, size_t count,
                            CUmemcpyAttributes* attrs, size_t* attrsIdxs, size_t numAttrs,
                            size_t* failIdx, CUstream hStream) {
  return copy_batch({dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs}, failIdx, hStream);
}
CUresult cuMemcpyBatchAsync_v2(CUdeviceptr* dsts, CUdeviceptr* srcs, size_t* sizes, size_t count,
                               CUmemcpyAttributes* attrs, size_t* attrsIdxs, size_t numAttrs,
                               CUstream hStream) {
  return copy_batch({dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs}, nullptr, hStream);
}

CUresult cuMemcpy3DBatchAsync(size_t numOps, CUDA_MEMCPY3D_BATCH_OP* opList, size_t* failIdx,
                              unsigned long long flags, CUstream hStream) {
  return copy_boxes(numOps, opList, failIdx, flags, hStream);
}
CUresult cuMemcpy3DBatchAsync_v2(size_t numOps, CUDA_MEMCPY3D_BATCH_OP* opList,
                                 unsigned long long flags, CUstream hStream) {
  return copy_boxes(numOps, opList, nullptr, flags, hStream);
}

}  // extern "C"
