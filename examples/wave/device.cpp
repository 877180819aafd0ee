// SPDX-License-Identifier: Apache-2.0
#include "examples/wave/device.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "examples/need.hpp"
#include "examples/wave/need_vulkan.hpp"

namespace wave {
namespace {

constexpr const char* extensions[] = {VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,
                                      VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME};

// What to do on a machine without a GPU.
constexpr const char* advice =
    " Without a GPU, run this program by `cuvette run`, whose Vulkan layer gives a driver made of "
    "software what it lacks.";

}  // namespace

Device::Device() {
  create_instance();
  find_gpu();
  check_extensions();
  create_device();
  get_memory_fd_ =
      reinterpret_cast<PFN_vkGetMemoryFdKHR>(vkGetDeviceProcAddr(device_, "vkGetMemoryFdKHR"));
  get_semaphore_fd_ = reinterpret_cast<PFN_vkGetSemaphoreFdKHR>(
      vkGetDeviceProcAddr(device_, "vkGetSemaphoreFdKHR"));
}

Device::~Device() {
  vkDestroyDevice(device_, nullptr);
  vkDestroyInstance(instance_, nullptr);
  cuDevicePrimaryCtxRelease(cuda_);
}

void Device::create_instance() {
  const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                      .pApplicationName = "wave",
                                      .apiVersion = VK_API_VERSION_1_3};
  const VkInstanceCreateInfo create{.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                    .pApplicationInfo = &application};
  const VkResult result = vkCreateInstance(&create, nullptr, &instance_);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
    fail(
        "there is no Vulkan driver here. The package mesa-vulkan-drivers has one that needs no "
        "GPU.");
  NEED_VULKAN(result);
}

// Both APIs say a GPU's UUID; their numbers say nothing of each other.
void Device::find_gpu() {
  NEED(cuInit(0));
  uint32_t count = 0;
  NEED_VULKAN(vkEnumeratePhysicalDevices(instance_, &count, nullptr));
  std::vector<VkPhysicalDevice> candidates(count);
  NEED_VULKAN(vkEnumeratePhysicalDevices(instance_, &count, candidates.data()));
  for (VkPhysicalDevice candidate : candidates) {
    VkPhysicalDeviceIDProperties identity{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 properties{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                           .pNext = &identity};
    vkGetPhysicalDeviceProperties2(candidate, &properties);
    if (properties.properties.apiVersion < VK_API_VERSION_1_3) continue;
    if (!open_in_cuda(identity.deviceUUID)) continue;
    physical_ = candidate;
    name_in_vulkan_ = properties.properties.deviceName;
    return;
  }
  fail(std::string("no device of Vulkan 1.3 has the UUID of a CUDA device.") + advice);
}

// Returns false if CUDA does not know the GPU.
bool Device::open_in_cuda(const uint8_t* uuid) {
  int count;
  NEED(cuDeviceGetCount(&count));
  for (int i = 0; i < count; ++i) {
    CUuuid own;
    NEED(cuDeviceGet(&cuda_, i));
    NEED(cuDeviceGetUuid(&own, cuda_));
    if (std::memcmp(uuid, &own, VK_UUID_SIZE) != 0) continue;
    char name[256];
    NEED(cuDeviceGetName(name, sizeof name, cuda_));
    name_in_cuda_ = name;
    CUcontext context;
    NEED(cuDevicePrimaryCtxRetain(&context, cuda_));
    NEED(cuCtxSetCurrent(context));
    return true;
  }
  return false;
}

void Device::check_extensions() const {
  uint32_t count = 0;
  NEED_VULKAN(vkEnumerateDeviceExtensionProperties(physical_, nullptr, &count, nullptr));
  std::vector<VkExtensionProperties> there(count);
  NEED_VULKAN(vkEnumerateDeviceExtensionProperties(physical_, nullptr, &count, there.data()));
  for (const char* name : extensions) {
    const auto same = [&](const auto& one) { return std::strcmp(one.extensionName, name) == 0; };
    if (std::any_of(there.begin(), there.end(), same)) continue;
    fail(name_in_vulkan_ + " lacks " + name + "." + advice);
  }
}

void Device::create_device() {
  uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical_, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(physical_, &count, families.data());
  const auto draws = [](const auto& family) { return family.queueFlags & VK_QUEUE_GRAPHICS_BIT; };
  const auto family = std::find_if(families.begin(), families.end(), draws);
  if (family == families.end()) fail("the GPU does not draw");
  queue_family_ = static_cast<uint32_t>(family - families.begin());

  const float priority = 1;
  const VkDeviceQueueCreateInfo queue{.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                      .queueFamilyIndex = queue_family_,
                                      .queueCount = 1,
                                      .pQueuePriorities = &priority};
  // Every device of Vulkan 1.3 has these features.
  VkPhysicalDeviceVulkan13Features of_1_3{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
      .synchronization2 = VK_TRUE,
      .dynamicRendering = VK_TRUE};
  const VkPhysicalDeviceVulkan12Features of_1_2{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
      .pNext = &of_1_3,
      .timelineSemaphore = VK_TRUE};
  const VkDeviceCreateInfo create{.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                  .pNext = &of_1_2,
                                  .queueCreateInfoCount = 1,
                                  .pQueueCreateInfos = &queue,
                                  .enabledExtensionCount = std::size(extensions),
                                  .ppEnabledExtensionNames = extensions};
  NEED_VULKAN(vkCreateDevice(physical_, &create, nullptr, &device_));
  vkGetDeviceQueue(device_, queue_family_, 0, &queue_);
}

uint32_t Device::memory_type(uint32_t allowed, VkMemoryPropertyFlags wanted) const {
  VkPhysicalDeviceMemoryProperties properties;
  vkGetPhysicalDeviceMemoryProperties(physical_, &properties);
  for (uint32_t i = 0; i < properties.memoryTypeCount; ++i)
    if (allowed >> i & 1 && (properties.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
  fail("the GPU has no memory of the type that is needed");
}

int Device::export_fd(VkDeviceMemory memory) const {
  const VkMemoryGetFdInfoKHR get{.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
                                 .memory = memory,
                                 .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  int fd = -1;
  NEED_VULKAN(get_memory_fd_(device_, &get, &fd));
  return fd;
}

int Device::export_fd(VkSemaphore semaphore) const {
  const VkSemaphoreGetFdInfoKHR get{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
                                    .semaphore = semaphore,
                                    .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
  int fd = -1;
  NEED_VULKAN(get_semaphore_fd_(device_, &get, &fd));
  return fd;
}

}  // namespace wave
