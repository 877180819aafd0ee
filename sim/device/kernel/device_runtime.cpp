// SPDX-License-Identifier: Apache-2.0
#include "sim/device/kernel/device_runtime.hpp"

#include <cstring>

#include "sim/device/kernel/graph_conditions.hpp"
#include "sim/device/machine/device.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/model/identity.hpp"
#include "sim/device/stream/context.hpp"

namespace cuvette::device {
namespace {

using ptx::SystemCall;

// cudaError_t
constexpr uint32_t success = 0, invalid_value = 1, allocation_failed = 2, invalid_device = 101,
                   unsupported_limit = 215;

// The place where a thread wants the result written.
class ResultPointer {
 public:
  ResultPointer(exec::Block& block, uint64_t address) : block_(block), address_(address) {}

  template <typename T>
  bool put(T value) const {
    const auto range = block_.grid->readable(block_, address_);
    if (!range || !range->writable || range->end - address_ < sizeof value) return false;
    memcpy(reinterpret_cast<void*>(address_), &value, sizeof value);
    return true;
  }

 private:
  exec::Block& block_;
  const uint64_t address_;
};

}  // namespace

uint64_t allocate_for_kernel(Context& context, exec::Block& block, uint64_t bytes,
                             const DeviceHeap::Caller& by) {
  const uint64_t address = context.heap().allocate(
      bytes, context.limit(Limit::malloc_heap_size).value(),
      {context.generation(), static_cast<uint8_t>(context.device().ordinal()), nullptr}, by);
  // Others may have had the memory before.
  if (block.watch && address != 0) block.watch->renewed(address, bytes);
  return address;
}

bool free_for_kernel(Context& context, exec::Block& block, uint64_t address,
                     const DeviceHeap::Caller& by) {
  if (address == 0) return true;
  const std::optional<size_t> bytes = context.heap().free(address, by);
  if (block.watch && bytes.value_or(0) != 0) block.watch->freed(address, *bytes);
  return bytes.has_value();
}

bool is_device_runtime(SystemCall function) {
  return function >= SystemCall::cudaGraphSetConditional && function <= SystemCall::__cudaCDP2Free;
}

const char* device_runtime_call(Context& context, GraphConditions* conditions, exec::Block& block,
                                SystemCall function, const uint64_t* parameters,
                                const DeviceHeap::Caller& by, uint64_t& result, uint64_t& address) {
  constexpr const char* no_place = "the device runtime would have to write its result there";
  const auto& devices = Machine::get().devices();
  const ResultPointer place(block, parameters[0]);
  address = parameters[0];
  result = success;
  bool written = true;
  switch (function) {
    case SystemCall::cudaGraphSetConditional:
      // "The handle must be of a conditional of the graph that the kernel belongs to."
      if (!conditions || !conditions->set_condition(address, static_cast<uint32_t>(parameters[1])))
        return "cudaGraphSetConditional() with a handle that is not a condition of a graph that "
               "contains this kernel";
      break;
    case SystemCall::__cudaCDP2DeviceGetAttribute: {
      if (parameters[2] >= devices.size()) {
        result = invalid_device;
        break;
      }
      const Device& device = *devices[parameters[2]];
      const auto value =
          attribute(device.profile(), device.identity(), static_cast<int>(device.index()),
                    static_cast<int>(parameters[1]));
      if (value)
        written = place.put(*value);
      else
        result = invalid_value;
      break;
    }
    case SystemCall::__cudaCDP2DeviceGetLimit: {
      const auto value = context.limit(static_cast<Limit>(parameters[1]));
      if (value.ok())
        written = place.put<uint64_t>(value.value());
      else
        result = unsupported_limit;
      break;
    }
    case SystemCall::__cudaCDP2GetDevice:
      written = place.put<uint32_t>(context.device().ordinal());
      break;
    case SystemCall::__cudaCDP2GetDeviceCount:
      written = place.put(static_cast<uint32_t>(devices.size()));
      break;
    case SystemCall::__cudaCDP2RuntimeGetVersion:
      written = place.put(context.device().profile().driver_version);
      break;
    // The functions here report errors by their results alone, so there is never a last error.
    case SystemCall::__cudaCDP2GetLastError:
    case SystemCall::__cudaCDP2PeekAtLastError:
      break;
    case SystemCall::__cudaCDP2Malloc: {
      const uint64_t memory = allocate_for_kernel(context, block, parameters[1], by);
      if (memory == 0) result = allocation_failed;
      written = place.put(memory);
      break;
    }
    case SystemCall::__cudaCDP2Free:
      if (!free_for_kernel(context, block, address, by))
        return "cudaFree() of memory that was not returned by cudaMalloc() in a kernel, or was "
               "already freed";
      break;
    default:
      return "a function of the device runtime that is not implemented";
  }
  return written ? nullptr : no_place;
}

}  // namespace cuvette::device
