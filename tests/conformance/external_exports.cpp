// SPDX-License-Identifier: Apache-2.0
// Memory of cuMemCreate, exported by CUDA and imported by Vulkan: both sides see the same bytes.
#include "external.hpp"

namespace {

constexpr size_t size = 4 << 20, used = 1 << 20;

struct Exported {
  CUmemGenericAllocationHandle handle = 0;
  CUdeviceptr address = 0;

  Exported() {
    CUmemAllocationProp properties;
    memset(&properties, 0, sizeof properties);
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    PREPARE(cuMemCreate(&handle, size, &properties, 0));
    PREPARE(cuMemAddressReserve(&address, size, 0, 0, 0));
    PREPARE(cuMemMap(address, size, 0, handle, 0));
    CUmemAccessDesc access;
    access.location = properties.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    PREPARE(cuMemSetAccess(address, size, &access, 1));
  }
  int descriptor() const {
    int fd = -1;
    PREPARE(cuMemExportToShareableHandle(&fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    return fd;
  }
  // Returns how many of the words that Vulkan uses are not `word`.
  unsigned other_than(unsigned word) const {
    std::vector<unsigned> words(used / 4);
    PREPARE(cuMemcpyDtoH(words.data(), address, used));
    unsigned count = 0;
    for (const unsigned one : words) count += one != word;
    return count;
  }
};

// Imports the memory and binds a buffer at its beginning. Vulkan owns the descriptor if it
// succeeds.
VkResult import_buffer(int fd, Shared& shared) {
  VkExternalMemoryBufferCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
  external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkBufferCreateInfo create{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, &external};
  create.size = used;
  create.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
  VKN(vkCreateBuffer(vk.dev, &create, nullptr, &shared.buf));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(vk.dev, shared.buf, &needs);
  VkImportMemoryFdInfoKHR import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR};
  import.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  import.fd = fd;
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &import};
  allocate.allocationSize = shared.size = size;
  allocate.memoryTypeIndex = type_index(needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  if (const VkResult result = vkAllocateMemory(vk.dev, &allocate, nullptr, &shared.mem))
    return result;
  return vkBindBufferMemory(vk.dev, shared.buf, shared.mem, 0);
}

void fill(const Shared& shared, unsigned word) {
  const VkCommandBuffer commands = begin();
  vkCmdFillBuffer(commands, shared.buf, 0, used, word);
  submit(commands, VK_NULL_HANDLE, 0, VK_NULL_HANDLE, 0, false);
}

// Returns how many words of the buffer are not `word`, as Vulkan sees them.
unsigned other_than(const Shared& shared, unsigned word) {
  const Shared host = shared_buffer(
      used, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  const VkCommandBuffer commands = begin();
  const VkBufferCopy copy{0, 0, used};
  vkCmdCopyBuffer(commands, shared.buf, host.buf, 1, &copy);
  submit(commands, VK_NULL_HANDLE, 0, VK_NULL_HANDLE, 0, false);
  void* mapped = nullptr;
  VKN(vkMapMemory(vk.dev, host.mem, 0, VK_WHOLE_SIZE, 0, &mapped));
  unsigned count = 0;
  for (size_t i = 0; i < used / 4; ++i) count += static_cast<unsigned*>(mapped)[i] != word;
  return count;
}

}  // namespace

CASE(exports_are_imported) {
  vk_scene();
  const Exported memory;
  Shared shared{};
  ASK(static_cast<int>(import_buffer(memory.descriptor(), shared)));
  fill(shared, 0x11223344);
  ASK(memory.other_than(0x11223344));
  PREPARE(cuMemsetD32(memory.address, 0x55667788, size / 4));
  PREPARE(cuCtxSynchronize());
  ASK(other_than(shared, 0x55667788));
}

CASE(exports_are_imported_twice) {
  vk_scene();
  const Exported memory;
  Shared one{}, other{};
  ASK(static_cast<int>(import_buffer(memory.descriptor(), one)));
  ASK(static_cast<int>(import_buffer(memory.descriptor(), other)));
  fill(one, 7);
  ASK(other_than(other, 7));
}

// Vulkan's import keeps the memory alive.
CASE(exports_end_before_vulkan) {
  vk_scene();
  const Exported memory;
  Shared shared{};
  ASK(static_cast<int>(import_buffer(memory.descriptor(), shared)));
  PREPARE(cuMemsetD32(memory.address, 21, size / 4));
  PREPARE(cuCtxSynchronize());
  ASK(cuMemUnmap(memory.address, size));
  ASK(cuMemRelease(memory.handle));
  ASK(cuMemAddressFree(memory.address, size));
  ASK(other_than(shared, 21));
}

CASE(exports_outlive_vulkan) {
  vk_scene();
  const Exported memory;
  Shared shared{};
  ASK(static_cast<int>(import_buffer(memory.descriptor(), shared)));
  fill(shared, 22);
  vkDestroyBuffer(vk.dev, shared.buf, nullptr);
  vkFreeMemory(vk.dev, shared.mem, nullptr);
  ASK(memory.other_than(22));
}

// A third party: the memory that Vulkan uses, imported into CUDA again.
CASE(exports_come_back) {
  vk_scene();
  const Exported memory;
  Shared shared{};
  ASK(static_cast<int>(import_buffer(memory.descriptor(), shared)));
  CUexternalMemory again = nullptr;
  CUresult imported;
  again = import(memory.descriptor(), size, &imported);
  ASK(imported);
  CUdeviceptr address = 0;
  ASK(map(&address, again, 4096, 8192));
  PREPARE(cuMemsetD32(address, 99, 2048));
  PREPARE(cuCtxSynchronize());
  ASK(other_than(shared, 99) == used / 4 - 2048);
  CUmemGenericAllocationHandle handle = 0;
  ASK(cuMemImportFromShareableHandle(&handle,
                                     reinterpret_cast<void*>(uintptr_t(memory.descriptor())),
                                     CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  CUresult larger;
  import(memory.descriptor(), size + 4096, &larger);
  ASK(larger);
}

int main(int count, char** names) {
  if (vulkan_is_here()) return conformance::run(count, names);
  fprintf(stderr, "skipped: there is no Vulkan device\n");
  return 77;
}
