// SPDX-License-Identifier: Apache-2.0
#include "api/driver/stream/value_operations.hpp"

namespace cuvette::driver {

using device::Comparison;
using device::ValueOperation;

namespace {

// CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES is 0 for every device.
Error no_flush() { return refuse(Error::not_supported, "The device cannot flush remote writes."); }

}  // namespace

static_assert(static_cast<unsigned>(Comparison::cyclic_geq) == CU_STREAM_WAIT_VALUE_GEQ);
static_assert(static_cast<unsigned>(Comparison::equal) == CU_STREAM_WAIT_VALUE_EQ);
static_assert(static_cast<unsigned>(Comparison::any_bit) == CU_STREAM_WAIT_VALUE_AND);
static_assert(static_cast<unsigned>(Comparison::any_clear) == CU_STREAM_WAIT_VALUE_NOR);

Result<ValueOperation> wait_operation(CUdeviceptr address, uint64_t value, uint8_t bytes,
                                      unsigned flags) {
  const unsigned comparison = flags & ~static_cast<unsigned>(CU_STREAM_WAIT_VALUE_FLUSH);
  if (comparison > CU_STREAM_WAIT_VALUE_NOR)
    return refuse(Error::invalid_value, "Flags 0x%x are not one of CU_STREAM_WAIT_VALUE_*.", flags);
  if (flags & CU_STREAM_WAIT_VALUE_FLUSH) return no_flush();
  return ValueOperation{
      ValueOperation::Kind::wait, bytes, static_cast<Comparison>(comparison), true, address, value};
}

Result<ValueOperation> write_operation(CUdeviceptr address, uint64_t value, uint8_t bytes,
                                       unsigned flags) {
  // CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER: "This flag is not supported in the v2 API."
  if (flags != CU_STREAM_WRITE_VALUE_DEFAULT)
    return refuse(Error::invalid_value, "Flags 0x%x of a write must be 0.", flags);
  return ValueOperation{ValueOperation::Kind::write, bytes, {}, true, address, value};
}

Result<std::vector<ValueOperation>> operations_of(const CUstreamBatchMemOpParams* array,
                                                  unsigned count, unsigned flags) {
  if (flags != 0) return refuse(Error::invalid_value, "Flags 0x%x of a batch must be 0.", flags);
  if (count >= 256)
    return refuse(Error::invalid_value, "The batch has %u operations; it can have at most 255.",
                  count);
  if (count > 0 && !array) return refuse(Error::invalid_value, "The array of operations is null.");
  std::vector<ValueOperation> operations;
  for (unsigned i = 0; i < count; ++i) {
    const auto& wait = array[i].waitValue;
    const auto& write = array[i].writeValue;
    switch (array[i].operation) {
      case CU_STREAM_MEM_OP_WAIT_VALUE_32:
        operations.push_back(TRY(wait_operation(wait.address, wait.value, 4, wait.flags)));
        continue;
      case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        operations.push_back(TRY(wait_operation(wait.address, wait.value64, 8, wait.flags)));
        continue;
      case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        operations.push_back(TRY(write_operation(write.address, write.value, 4, write.flags)));
        continue;
      case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        operations.push_back(TRY(write_operation(write.address, write.value64, 8, write.flags)));
        continue;
      case CU_STREAM_MEM_OP_BARRIER: {
        const unsigned scope = array[i].memoryBarrier.flags;
        if (scope != CU_STREAM_MEMORY_BARRIER_TYPE_SYS &&
            scope != CU_STREAM_MEMORY_BARRIER_TYPE_GPU)
          return refuse(Error::invalid_value, "%u is not a type of memory barrier.", scope);
        ValueOperation barrier;
        barrier.value = scope;
        operations.push_back(barrier);
        continue;
      }
      case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
        return no_flush();  // measured: whatever its flags are
    }
    return refuse(Error::invalid_value, "%d is not an operation.",
                  static_cast<int>(array[i].operation));
  }
  return operations;
}

CUstreamBatchMemOpParams parameters_of(const ValueOperation& operation) {
  CUstreamBatchMemOpParams p{};
  const bool wide = operation.bytes == 8;
  switch (operation.kind) {
    case ValueOperation::Kind::wait:
      p.waitValue.operation =
          wide ? CU_STREAM_MEM_OP_WAIT_VALUE_64 : CU_STREAM_MEM_OP_WAIT_VALUE_32;
      p.waitValue.address = operation.address;
      p.waitValue.value64 = operation.value;
      p.waitValue.flags = static_cast<unsigned>(operation.comparison);
      break;
    case ValueOperation::Kind::write:
      p.writeValue.operation =
          wide ? CU_STREAM_MEM_OP_WRITE_VALUE_64 : CU_STREAM_MEM_OP_WRITE_VALUE_32;
      p.writeValue.address = operation.address;
      p.writeValue.value64 = operation.value;
      break;
    case ValueOperation::Kind::barrier:
      p.memoryBarrier.operation = CU_STREAM_MEM_OP_BARRIER;
      p.memoryBarrier.flags = static_cast<unsigned>(operation.value);
      break;
  }
  return p;
}

}  // namespace cuvette::driver
