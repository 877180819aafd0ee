// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"
#include "sim/device/machine/device.hpp"
#include "sim/device/pools/memory_pool.hpp"
#include "sim/device/stream/peer_access.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using memory::AllocationKind;

namespace {

Ref<memory::Allocation> find_allocation(CUdeviceptr ptr) {
  return device::Machine::get().memory().find(ptr);
}

// Whether an attribute is answered, or refused with an answer of 0, or needs a lock.
enum class Known { yes, refused, later };

// The value of an attribute: the first bytes of a word, as many as the attribute's type has.
struct Answer {
  uint64_t value;
  bool whole;  // all eight bytes of it, else four

  template <typename Value>
  Known is(Value given) {
    static_assert(sizeof given == sizeof(uint32_t) || sizeof given == sizeof(uint64_t));
    // The word is stored in one go, or a load of all of it would have to wait.
    uint64_t word = 0;
    std::memcpy(&word, &given, sizeof given);
    value = word;
    whole = sizeof given == sizeof(uint64_t);
    return Known::yes;
  }
  // Measured: a boolean attribute has four bytes.
  Known is(bool given) { return is(unsigned{given}); }

  void write_to(void* data) const {
    if (whole) {
      std::memcpy(data, &value, sizeof(uint64_t));
    } else {
      std::memcpy(data, &value, sizeof(uint32_t));
    }
  }
};

// Returns whether GPUDirect RDMA could reach the memory. For memory of cuMemCreate its creator says
// so. Measured: it cannot reach a module's variables and memory of pools.
bool rdma_capable(const memory::Allocation& allocation) {
  const bool wanted = allocation.physical ? allocation.physical->properties().rdma != 0
                                          : allocation.kind == AllocationKind::device;
  if (!wanted || allocation.managed() || allocation.host_accessible()) return false;
  const auto& device = *device::Machine::get().devices()[allocation.device];
  return device.profile().value(device::Attribute::GPU_DIRECT_RDMA_SUPPORTED) != 0;
}

CUmemoryPool pool_handle_of(const memory::Allocation& allocation) {
  const auto pool = device::MemoryPool::of(allocation);
  if (!pool) return nullptr;
  const auto handle = give_handle(*pool);
  return handle.ok() ? handle.value() : nullptr;
}

unsigned long long allowed_handle_types(const memory::Allocation& allocation) {
  if (allocation.physical) return allocation.flags;
  const auto pool = device::MemoryPool::of(allocation);
  return pool && pool->shareable() ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
                                   : CU_MEM_HANDLE_TYPE_NONE;
}

// Returns the range of addresses that the memory lies in: its reservation, or its own.
const memory::Allocation& range_of(const memory::Allocation& allocation) {
  return allocation.reservation ? *allocation.reservation : allocation;
}

// Answers for an address that has no memory; it may be reserved.
Result<> attribute_without_memory(void* data, CUpointer_attribute attribute, CUdeviceptr ptr) {
  const auto range = device::Machine::get().memory().virtual_memory().range_at(ptr);
  if (!range) return Error::invalid_value;
  Answer answer;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      answer.is(static_cast<CUdeviceptr>(range->address));
      break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      answer.is(range->size);
      break;
    // "a boolean that indicates if this pointer is in a valid address range that is mapped to a
    // backing allocation"
    case CU_POINTER_ATTRIBUTE_MAPPED:
      answer.is(false);
      break;
    default:
      return Error::invalid_value;
  }
  answer.write_to(data);
  return {};
}

// Answers, as an H200 does for each kind of memory, if that takes no lock. Most calls are about
// memory of the current context, and are answered here.
[[gnu::always_inline]] inline Known answer_at_once(Answer& answer, CUpointer_attribute attribute,
                                                   CUdeviceptr ptr,
                                                   const memory::Allocation& allocation) {
  const bool managed = allocation.managed();
  const device::Context* const current = device::Thread::current().context();
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      if (!current || !current->alive() || current->generation() != allocation.owner)
        return Known::later;
      return answer.is(handle_of(*current));
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      // A device can always reach its own memory.
      if (current && (allocation.device != current->device().ordinal() ||
                      allocation.pool_memory == memory::PoolMemory::host))
        return Known::later;
      return answer.is(ptr);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (!allocation.host_accessible()) {
        answer.is(CUdeviceptr{0});
        return Known::refused;
      }
      return answer.is(ptr);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return answer.is(static_cast<unsigned>(
          allocation.host_accessible() && !managed ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE));
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      return answer.is(managed || allocation.sync_memops.load(std::memory_order_relaxed));
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return answer.is(static_cast<unsigned long long>(allocation.buffer_id));
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return answer.is(managed);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return answer.is(static_cast<int>(allocation.device));
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      return answer.is(allocation.kind == AllocationKind::device);
    // "Note that this is not necessarily the size of the mapped region, but the size of the
    // mappable address range ptr references (e.g. from cuMemAddressReserve)."
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return answer.is(static_cast<CUdeviceptr>(range_of(allocation).address));
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return answer.is(range_of(allocation).size);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return answer.is(true);
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      return answer.is(rdma_capable(allocation));
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return answer.is(static_cast<int>(current
                                            ? allocation.access_of(current->device().ordinal())
                                            : allocation.access.load(std::memory_order_relaxed)));
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      return answer.is(allocation.size);
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      return answer.is(static_cast<CUdeviceptr>(allocation.address));
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return answer.is(static_cast<unsigned long long>(allocation.buffer_id));
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
      return answer.is(false);
    default:
      return Known::later;
  }
}

// Answers, or refuses, any attribute.
Result<> attribute(void* data, CUpointer_attribute attribute, CUdeviceptr ptr,
                   const memory::Allocation& allocation) {
  Answer answer;
  switch (answer_at_once(answer, attribute, ptr, allocation)) {
    case Known::yes:
      answer.write_to(data);
      return {};
    case Known::refused:
      answer.write_to(data);
      return refuse(Error::invalid_value, "0x%llx is device memory, which the host cannot access.",
                    ptr);
    case Known::later:
      break;
  }
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: {
      const auto owner = device::Context::of_generation(allocation.owner);
      answer.is(owner ? handle_of(*owner) : CUcontext{});
      break;
    }
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: {
      // Measured: null in a context that cannot reach the memory.
      const device::Context* const context = device::Thread::current().context();
      if (context && !device::may_access(*context, allocation)) {
        std::memset(data, 0, sizeof(CUdeviceptr));
        return refuse(Error::invalid_value,
                      "0x%llx belongs to device %u, which the current context cannot access.", ptr,
                      static_cast<unsigned>(allocation.device));
      }
      answer.is(ptr);
      break;
    }
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      answer.is(allowed_handle_types(allocation));
      break;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      answer.is(pool_handle_of(allocation));
      break;
    default:
      return refuse(Error::invalid_value, "%d is not a pointer attribute that can be queried.",
                    static_cast<int>(attribute));
  }
  answer.write_to(data);
  return {};
}

// Returns how many bytes an attribute's answer has; 0 for an attribute that does not exist.
size_t answer_size(CUpointer_attribute attribute) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return 8;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_MAPPED:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
      return 4;
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
      break;
  }
  return 0;
}

// Does what cuPointerGetAttributes does, if none of a few attributes takes a lock. The program's
// memory is touched without a lock, since that may fault.
bool answer_all_at_once(unsigned count, const CUpointer_attribute* attributes, void** data,
                        CUdeviceptr ptr) {
  constexpr unsigned few = 8;
  if (count > few || std::find(data, data + count, nullptr) != data + count) return false;
  std::array<CUpointer_attribute, few> asked;
  std::copy_n(attributes, count, asked.begin());
  std::array<Answer, few> answers;
  unsigned known = 0;
  device::Machine::get().memory().look_at(ptr, [&](const memory::Allocation& allocation) {
    while (known < count &&
           answer_at_once(answers[known], asked[known], ptr, allocation) != Known::later)
      ++known;
  });
  if (known != count) return false;
  for (unsigned i = 0; i < count; ++i) answers[i].write_to(data[i]);
  return true;
}

}  // namespace

extern "C" {

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr ptr) {
  return call<CUresult>([&]() -> Result<> {
    if (!data) return Error::invalid_value;
    Answer answer;
    bool answered = false;
    const bool found =
        device::Machine::get().memory().look_at(ptr, [&](const memory::Allocation& allocation) {
          answered = answer_at_once(answer, attribute, ptr, allocation) == Known::yes;
        });
    // The program's memory is touched without a lock, since that may fault.
    if (answered) {
      answer.write_to(data);
      return {};
    }
    const auto allocation = found ? find_allocation(ptr) : nullptr;
    // Not explained as a refusal: programs use this call to test whether an address is theirs or
    // CUDA's.
    if (!allocation) return attribute_without_memory(data, attribute, ptr);
    return ::attribute(data, attribute, ptr, *allocation);
  });
}

// "... unlike cuPointerGetAttribute, this function will not return an error when the ptr
// encountered is not a valid CUDA pointer. Instead, the attributes are assigned default NULL
// values".
CUresult cuPointerGetAttributes(unsigned int numAttributes, CUpointer_attribute* attributes,
                                void** data, CUdeviceptr ptr) {
  return call<CUresult>([&]() -> Result<> {
    if (numAttributes == 0 || !attributes || !data) return Error::invalid_value;
    if (answer_all_at_once(numAttributes, attributes, data, ptr)) return {};
    const auto allocation = find_allocation(ptr);
    constexpr int no_device = CU_DEVICE_INVALID;
    for (unsigned i = 0; i < numAttributes; ++i) {
      // Measured: the attributes before it are written.
      if (!data[i] || answer_size(attributes[i]) == 0)
        return refuse(Error::invalid_value, "%d is not a pointer attribute that can be queried.",
                      static_cast<int>(attributes[i]));
      const Result<> answered = allocation ? ::attribute(data[i], attributes[i], ptr, *allocation)
                                           : attribute_without_memory(data[i], attributes[i], ptr);
      if (answered.ok()) continue;
      std::memset(data[i], 0, answer_size(attributes[i]));
      // Measured.
      if (!allocation && attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
        std::memcpy(data[i], &no_device, sizeof no_device);
    }
    return {};
  });
}

CUresult cuPointerSetAttribute(const void* value, CUpointer_attribute attribute, CUdeviceptr ptr) {
  return call<CUresult>([&]() -> Result<> {
    if (!value) return Error::invalid_value;
    if (attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
      return refuse(Error::invalid_value,
                    "Pointer attribute %d cannot be set; only SYNC_MEMOPS can.",
                    static_cast<int>(attribute));
    const auto allocation = find_allocation(ptr);
    if (!allocation)
      return refuse(Error::invalid_value, "0x%llx is not inside memory that a device can reach.",
                    ptr);
    if (allocation->kind == AllocationKind::mapping)  // measured
      return refuse(Error::not_supported,
                    "0x%llx is memory of cuMemMap, for which SYNC_MEMOPS cannot be set.", ptr);
    allocation->sync_memops.store(*static_cast<const unsigned*>(value) != 0,
                                  std::memory_order_relaxed);
    return {};
  });
}

}  // extern "C"
