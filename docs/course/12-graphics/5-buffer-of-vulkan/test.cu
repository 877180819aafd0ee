// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>
#include <vulkan/vulkan.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#define CHECK(call)                                             \
  if (const cudaError_t error = (call); error != cudaSuccess) { \
    std::printf("%s: %s\n", #call, cudaGetErrorString(error));  \
    std::exit(1);                                               \
  }

#define CHECK_VULKAN(call)                                    \
  if (const VkResult result = (call); result != VK_SUCCESS) { \
    std::printf("%s: VkResult %d\n", #call, result);          \
    std::exit(1);                                             \
  }

__global__ void double_all(int* numbers, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) numbers[i] *= 2;
}

#include EXERCISE

// A device of Vulkan that can export memory.
class Vulkan {
 public:
  Vulkan() {
    VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_1;
    VkInstanceCreateInfo instance = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    instance.pApplicationInfo = &application;
    CHECK_VULKAN(vkCreateInstance(&instance, nullptr, &instance_));
    uint32_t count = 1;
    const VkResult found = vkEnumeratePhysicalDevices(instance_, &count, &physical_);
    if ((found != VK_SUCCESS && found != VK_INCOMPLETE) || count == 0) std::exit(1);
    const float priority = 1;
    VkDeviceQueueCreateInfo queue = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    const char* extension = VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME;
    VkDeviceCreateInfo device = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    device.queueCreateInfoCount = 1;
    device.pQueueCreateInfos = &queue;
    device.enabledExtensionCount = 1;
    device.ppEnabledExtensionNames = &extension;
    CHECK_VULKAN(vkCreateDevice(physical_, &device, nullptr, &device_));
  }
  ~Vulkan() {
    vkDestroyDevice(device_, nullptr);
    vkDestroyInstance(instance_, nullptr);
  }

  VkDevice device() const { return device_; }

  // A type of memory that the host can map; bit i of `allowed` says whether type i will do.
  uint32_t host_memory(uint32_t allowed) const {
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(physical_, &memory);
    const VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
      if (allowed >> i & 1 && (memory.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
    std::exit(1);
  }

 private:
  VkInstance instance_;
  VkPhysicalDevice physical_;
  VkDevice device_;
};

// Memory of Vulkan, with a buffer for numbers somewhere in it.
class Buffer {
 public:
  Buffer(const Vulkan& vulkan, int count, int alignments) : device_(vulkan.device()) {
    VkExternalMemoryBufferCreateInfo external = {
        VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
    external.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    VkBufferCreateInfo buffer = {VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, &external};
    buffer.size = count * sizeof(int);
    buffer.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    CHECK_VULKAN(vkCreateBuffer(device_, &buffer, nullptr, &buffer_));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device_, buffer_, &needs);
    offset = alignments * needs.alignment;
    size = offset + needs.size + 4096;

    VkExportMemoryAllocateInfo exported = {VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
    exported.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    VkMemoryAllocateInfo allocation = {VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &exported};
    allocation.allocationSize = size;
    allocation.memoryTypeIndex = vulkan.host_memory(needs.memoryTypeBits);
    CHECK_VULKAN(vkAllocateMemory(device_, &allocation, nullptr, &memory_));
    CHECK_VULKAN(vkBindBufferMemory(device_, buffer_, memory_, offset));
    void* bytes;
    CHECK_VULKAN(vkMapMemory(device_, memory_, 0, VK_WHOLE_SIZE, 0, &bytes));
    numbers = reinterpret_cast<int*>(static_cast<char*>(bytes) + offset);
  }
  ~Buffer() {
    vkDestroyBuffer(device_, buffer_, nullptr);
    vkFreeMemory(device_, memory_, nullptr);
  }

  // A new descriptor, which belongs to the caller.
  int descriptor() const {
    VkMemoryGetFdInfoKHR what = {VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR};
    what.memory = memory_;
    what.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    const auto get =
        reinterpret_cast<PFN_vkGetMemoryFdKHR>(vkGetDeviceProcAddr(device_, "vkGetMemoryFdKHR"));
    int fd;
    CHECK_VULKAN(get(device_, &what, &fd));
    return fd;
  }

  size_t offset, size;
  int* numbers;  // as Vulkan's side sees them

 private:
  VkDevice device_;
  VkBuffer buffer_;
  VkDeviceMemory memory_;
};

int main() {
  const Vulkan vulkan;
  int wrong = 0;
  for (const int count : {128, 1, 1000}) {
    const Buffer buffer(vulkan, count, count % 7 + 1);
    std::vector<int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1);  // no two are equal
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937(count));
    std::copy(numbers.begin(), numbers.end(), buffer.numbers);

    double_by_cuda(buffer.descriptor(), buffer.size, buffer.offset, count);

    const std::vector<int> seen(buffer.numbers, buffer.numbers + count);
    for (int i = 0; i < count; ++i) {
      if (seen[i] == 2 * numbers[i]) continue;
      if (++wrong <= 3)
        std::printf("%d numbers at byte %zu, element %d: expected %d, Vulkan sees %d\n", count,
                    buffer.offset, i, 2 * numbers[i], seen[i]);
    }
  }
  if (wrong) return 1;
  CHECK(cudaDeviceReset());  // what is not given back by now is leaked
  std::printf("Vulkan sees all numbers doubled.\n");
}
