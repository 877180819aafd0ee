// SPDX-License-Identifier: Apache-2.0
// Memory and semaphores that Vulkan has made. Vulkan's loader is looked for when the program runs.
#include "bench/gpu_costs/costs.hpp"

#if !__has_include(<vulkan/vulkan.h>)
namespace cuvette::bench {
void measure_vulkan(Costs& costs) { costs.skip("Vulkan", "built without its headers"); }
void measure_first_vulkan(Costs&) {}
}  // namespace cuvette::bench
#else

#include <dlfcn.h>
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <cstring>

namespace cuvette::bench {
namespace {

#define CUVETTE_VULKAN_FUNCTIONS(f)                                                             \
  f(vkEnumeratePhysicalDevices) f(vkGetPhysicalDeviceProperties2) f(vkCreateDevice)             \
      f(vkGetPhysicalDeviceMemoryProperties) f(vkAllocateMemory) f(vkFreeMemory)                \
          f(vkGetMemoryFdKHR) f(vkCreateSemaphore) f(vkDestroySemaphore) f(vkGetSemaphoreFdKHR) \
              f(vkSignalSemaphore) f(vkDestroyDevice) f(vkDestroyInstance)

class Vulkan {
 public:
  // Returns why there is none; empty if there is.
  std::string open();
  ~Vulkan() {
    if (device_) vkDestroyDevice(device_, nullptr);
    if (instance_) vkDestroyInstance(instance_, nullptr);
  }
  // An allocation of Vulkan's, and its size.
  VkDeviceMemory allocate(size_t size);
  int descriptor(VkDeviceMemory memory);
  void release(VkDeviceMemory memory) { vkFreeMemory(device_, memory, nullptr); }
  VkSemaphore semaphore(bool timeline);
  int descriptor(VkSemaphore semaphore);
  void release(VkSemaphore semaphore) { vkDestroySemaphore(device_, semaphore, nullptr); }
  void signal(VkSemaphore semaphore, uint64_t value) {
    VkSemaphoreSignalInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO;
    info.semaphore = semaphore;
    info.value = value;
    vkSignalSemaphore(device_, &info);
  }

 private:
  bool find_gpu();
  std::string make_device();

  VkInstance instance_ = nullptr;
  VkPhysicalDevice gpu_ = nullptr;
  VkDevice device_ = nullptr;
  uint32_t type_ = 0;
  PFN_vkGetInstanceProcAddr find_ = nullptr;
#define CUVETTE_DECLARE(name) PFN_##name name = nullptr;
  CUVETTE_VULKAN_FUNCTIONS(CUVETTE_DECLARE)
#undef CUVETTE_DECLARE
};

std::string Vulkan::open() {
  void* const loader = dlopen("libvulkan.so.1", RTLD_NOW);
  if (!loader) return "no libvulkan.so.1";
  find_ = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(loader, "vkGetInstanceProcAddr"));
  const auto create = reinterpret_cast<PFN_vkCreateInstance>(find_(nullptr, "vkCreateInstance"));
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  if (create(&info, nullptr, &instance_) != VK_SUCCESS) return "no driver of Vulkan";
#define CUVETTE_FIND(name) name = reinterpret_cast<PFN_##name>(find_(instance_, #name));
  CUVETTE_VULKAN_FUNCTIONS(CUVETTE_FIND)
#undef CUVETTE_FIND
  if (!find_gpu()) return "no device has the UUID of CUDA's";
  return make_device();
}

bool Vulkan::find_gpu() {
  CUuuid wanted;
  NEED(cuDeviceGetUuid(&wanted, 0));
  uint32_t count = 0;
  vkEnumeratePhysicalDevices(instance_, &count, nullptr);
  std::vector<VkPhysicalDevice> devices(count);
  vkEnumeratePhysicalDevices(instance_, &count, devices.data());
  for (VkPhysicalDevice each : devices) {
    VkPhysicalDeviceIDProperties identity{};
    identity.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &identity;
    vkGetPhysicalDeviceProperties2(each, &properties);
    if (std::memcmp(identity.deviceUUID, wanted.bytes, VK_UUID_SIZE) != 0) continue;
    gpu_ = each;
    return true;
  }
  return false;
}

std::string Vulkan::make_device() {
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkPhysicalDeviceVulkan12Features features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  features.timelineSemaphore = VK_TRUE;
  const char* const extensions[] = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
                                    VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME};
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = 2;
  info.ppEnabledExtensionNames = extensions;
  if (vkCreateDevice(gpu_, &info, nullptr, &device_) != VK_SUCCESS)
    return "the device shares no memory and semaphores by file descriptors";
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(gpu_, &memory);
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
    if (memory.memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) {
      type_ = i;
      return "";
    }
  return "the device has no memory of its own";
}

VkDeviceMemory Vulkan::allocate(size_t size) {
  VkExportMemoryAllocateInfo exported{};
  exported.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
  exported.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.pNext = &exported;
  info.allocationSize = size;
  info.memoryTypeIndex = type_;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  vkAllocateMemory(device_, &info, nullptr, &memory);
  return memory;
}

int Vulkan::descriptor(VkDeviceMemory memory) {
  VkMemoryGetFdInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR;
  info.memory = memory;
  info.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  int fd = -1;
  vkGetMemoryFdKHR(device_, &info, &fd);
  return fd;
}

VkSemaphore Vulkan::semaphore(bool timeline) {
  VkSemaphoreTypeCreateInfo type{};
  type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO;
  type.semaphoreType = timeline ? VK_SEMAPHORE_TYPE_TIMELINE : VK_SEMAPHORE_TYPE_BINARY;
  VkExportSemaphoreCreateInfo exported{};
  exported.sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO;
  exported.pNext = &type;
  exported.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  info.pNext = &exported;
  VkSemaphore semaphore = VK_NULL_HANDLE;
  vkCreateSemaphore(device_, &info, nullptr, &semaphore);
  return semaphore;
}

int Vulkan::descriptor(VkSemaphore semaphore) {
  VkSemaphoreGetFdInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR;
  info.semaphore = semaphore;
  info.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  int fd = -1;
  vkGetSemaphoreFdKHR(device_, &info, &fd);
  return fd;
}

void memory(Costs& costs, Vulkan& vulkan) {
  for (const size_t size :
       {64 * kib, mib, 2 * mib, 4 * mib, 16 * mib, 64 * mib, 256 * mib, 1024 * mib}) {
    const VkDeviceMemory made = vulkan.allocate(size);
    if (!made) continue;
    costs.repeat(15, .2,
                 [&] { measure_import(costs, "vulkan", vulkan.descriptor(made), size, size); });
    if (size == 256 * mib)
      for (const size_t part : {64 * kib, 2 * mib, 16 * mib})
        costs.repeat(10, .1, [&] {
          measure_import(costs, "vulkan part", vulkan.descriptor(made), size, part);
        });
    vulkan.release(made);
  }
}

void semaphores(Costs& costs, Vulkan& vulkan, bool timeline) {
  const std::string kind = timeline ? "timeline" : "binary";
  const VkSemaphore made = vulkan.semaphore(timeline);
  CUstream stream = nullptr;
  NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  const auto import = [&] {
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC handle{};
    handle.type = timeline ? CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD
                           : CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
    handle.handle.fd = vulkan.descriptor(made);
    CUexternalSemaphore semaphore = nullptr;
    costs.timed({"cuImportExternalSemaphore", kind}, 1,
                [&] { return cuImportExternalSemaphore(&semaphore, &handle); });
    return semaphore;
  };
  costs.repeat(20, .2, [&] {
    const CUexternalSemaphore semaphore = import();
    if (!semaphore) return;
    costs.timed({"cuDestroyExternalSemaphore", kind}, 1,
                [&] { return cuDestroyExternalSemaphore(semaphore); });
  });
  if (const CUexternalSemaphore semaphore = import()) {
    uint64_t value = 0;
    costs.repeat(40, .2, [&] {
      CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal{};
      CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait{};
      wait.params.fence.value = signal.params.fence.value = ++value;
      costs.timed({"cuSignalExternalSemaphoresAsync", kind}, 1,
                  [&] { return cuSignalExternalSemaphoresAsync(&semaphore, &signal, 1, stream); });
      costs.timed({"cuWaitExternalSemaphoresAsync", kind}, 1,
                  [&] { return cuWaitExternalSemaphoresAsync(&semaphore, &wait, 1, stream); });
      cuStreamSynchronize(stream);
      if (!timeline) return;
      // A value that has been there for long, and one that the host signals later.
      costs.timed({"cuWaitExternalSemaphoresAsync", kind + " reached"}, 1,
                  [&] { return cuWaitExternalSemaphoresAsync(&semaphore, &wait, 1, stream); });
      cuStreamSynchronize(stream);
      wait.params.fence.value = ++value;
      costs.timed({"cuWaitExternalSemaphoresAsync", kind + " pending"}, 1,
                  [&] { return cuWaitExternalSemaphoresAsync(&semaphore, &wait, 1, stream); });
      vulkan.signal(made, value);
      cuStreamSynchronize(stream);
    });
    cuDestroyExternalSemaphore(semaphore);
  }
  cuStreamDestroy(stream);
  vulkan.release(made);
}

}  // namespace

void measure_vulkan(Costs& costs) {
  Vulkan vulkan;
  const std::string why = vulkan.open();
  if (!why.empty()) return costs.skip("Vulkan", why);
  memory(costs, vulkan);
  semaphores(costs, vulkan, true);
  semaphores(costs, vulkan, false);
}

void measure_first_vulkan(Costs& costs) {
  NEED(cuInit(0));
  CUcontext context = nullptr;
  NEED(cuDevicePrimaryCtxRetain(&context, 0));
  NEED(cuCtxSetCurrent(context));
  Vulkan vulkan;
  if (!vulkan.open().empty()) return;  // measure_vulkan() says why
  Firsts firsts(costs);
  const VkSemaphore made = vulkan.semaphore(true);
  CUstream stream = nullptr;
  NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  for (uint64_t i = 1; i < 7; ++i) {
    CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC handle{};
    handle.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
    handle.handle.fd = vulkan.descriptor(made);
    CUexternalSemaphore semaphore = nullptr;
    firsts.timed("cuImportExternalSemaphore",
                 [&] { return cuImportExternalSemaphore(&semaphore, &handle); });
    if (!semaphore) break;
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal{};
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait{};
    wait.params.fence.value = signal.params.fence.value = i;
    firsts.timed("cuSignalExternalSemaphoresAsync",
                 [&] { return cuSignalExternalSemaphoresAsync(&semaphore, &signal, 1, stream); });
    firsts.timed("cuWaitExternalSemaphoresAsync",
                 [&] { return cuWaitExternalSemaphoresAsync(&semaphore, &wait, 1, stream); });
    cuStreamSynchronize(stream);
    firsts.timed("cuDestroyExternalSemaphore",
                 [&] { return cuDestroyExternalSemaphore(semaphore); });
  }
  vulkan.release(made);
}

}  // namespace cuvette::bench
#endif
