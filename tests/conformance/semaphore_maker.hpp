// SPDX-License-Identifier: Apache-2.0
// Semaphores made outside CUDA: by Vulkan for NVIDIA's driver, and by <cuvetteSemaphore.h> for
// Cuvette.
#pragma once

#include "harness.hpp"

#if CUVETTE_BACKEND_LIBCUDA
#include <vulkan/vulkan.h>
#else
#include <cuvetteSemaphore.h>
#endif

namespace conformance {

#if CUVETTE_BACKEND_LIBCUDA

inline void vulkan_needs(const char* what, VkResult result) {
  if (result == VK_SUCCESS) return;
  answer((std::string("cannot be asked: ") + what).c_str(), static_cast<int>(result));
  _exit(3);
}
#define VULKAN(call) conformance::vulkan_needs(#call, (call))

// A Vulkan device on the GPU of CUDA's device 0.
class Vulkan {
 public:
  static Vulkan& get() {
    static Vulkan vulkan;
    return vulkan;
  }

  VkDevice device;
  VkQueue queue;
  PFN_vkGetSemaphoreFdKHR get_semaphore_fd;
  PFN_vkGetMemoryFdKHR get_memory_fd;

 private:
  Vulkan() {
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_2;
    VkInstanceCreateInfo wanted{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    wanted.pApplicationInfo = &application;
    VkInstance instance;
    VULKAN(vkCreateInstance(&wanted, nullptr, &instance));
    uint32_t count = 16;
    VkPhysicalDevice all[16], physical = VK_NULL_HANDLE;
    VULKAN(vkEnumeratePhysicalDevices(instance, &count, all));
    CUuuid uuid;
    PREPARE(cuDeviceGetUuid(&uuid, 0));
    for (uint32_t i = 0; i < count; ++i) {
      VkPhysicalDeviceIDProperties id{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
      VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &id};
      vkGetPhysicalDeviceProperties2(all[i], &properties);
      if (memcmp(id.deviceUUID, &uuid, sizeof uuid) == 0) physical = all[i];
    }
    if (!physical) vulkan_needs("the same GPU", VK_ERROR_DEVICE_LOST);
    const float priority = 1;
    VkDeviceQueueCreateInfo one{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    one.queueCount = 1;
    one.pQueuePriorities = &priority;
    const char* const extensions[] = {"VK_KHR_external_memory_fd", "VK_KHR_external_semaphore_fd"};
    VkPhysicalDeviceVulkan12Features features{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    features.timelineSemaphore = VK_TRUE;
    VkDeviceCreateInfo description{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
    description.queueCreateInfoCount = 1;
    description.pQueueCreateInfos = &one;
    description.enabledExtensionCount = 2;
    description.ppEnabledExtensionNames = extensions;
    VULKAN(vkCreateDevice(physical, &description, nullptr, &device));
    vkGetDeviceQueue(device, 0, 0, &queue);
    get_semaphore_fd = reinterpret_cast<PFN_vkGetSemaphoreFdKHR>(
        vkGetDeviceProcAddr(device, "vkGetSemaphoreFdKHR"));
    get_memory_fd =
        reinterpret_cast<PFN_vkGetMemoryFdKHR>(vkGetDeviceProcAddr(device, "vkGetMemoryFdKHR"));
  }
};

class Semaphore {
 public:
  Semaphore(bool timeline, uint64_t initial) : timeline_(timeline) {
    VkExportSemaphoreCreateInfo exported{VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO};
    exported.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, &exported};
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
    type.initialValue = initial;
    VkSemaphoreCreateInfo description{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    description.pNext = timeline ? static_cast<const void*>(&type) : &exported;
    VULKAN(vkCreateSemaphore(Vulkan::get().device, &description, nullptr, &semaphore_));
  }

  // Returns a new descriptor of the semaphore.
  int descriptor() const {
    VkSemaphoreGetFdInfoKHR wanted{VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR};
    wanted.semaphore = semaphore_;
    wanted.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
    int fd = -1;
    VULKAN(Vulkan::get().get_semaphore_fd(Vulkan::get().device, &wanted, &fd));
    return fd;
  }

  void signal(uint64_t value) {
    if (timeline_) {
      VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO};
      signal.semaphore = semaphore_;
      signal.value = value;
      VULKAN(vkSignalSemaphore(Vulkan::get().device, &signal));
      return;
    }
    VkSubmitInfo work{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    work.signalSemaphoreCount = 1;
    work.pSignalSemaphores = &semaphore_;
    VULKAN(vkQueueSubmit(Vulkan::get().queue, 1, &work, VK_NULL_HANDLE));
    VULKAN(vkQueueWaitIdle(Vulkan::get().queue));
  }

  // The value of a timeline semaphore.
  uint64_t value() const {
    uint64_t value = 0;
    VULKAN(vkGetSemaphoreCounterValue(Vulkan::get().device, semaphore_, &value));
    return value;
  }

 private:
  const bool timeline_;
  VkSemaphore semaphore_;
};

// Returns a descriptor of 1 MiB of memory.
inline int memory_descriptor() {
  VkExportMemoryAllocateInfo exported{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
  exported.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkMemoryAllocateInfo wanted{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &exported};
  wanted.allocationSize = 1 << 20;
  VkDeviceMemory memory;
  VULKAN(vkAllocateMemory(Vulkan::get().device, &wanted, nullptr, &memory));
  VkMemoryGetFdInfoKHR info{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR};
  info.memory = memory;
  info.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  int fd = -1;
  VULKAN(Vulkan::get().get_memory_fd(Vulkan::get().device, &info, &fd));
  return fd;
}

#else

class Semaphore {
 public:
  Semaphore(bool timeline, uint64_t initial)
      : fd_(cuvetteSemaphoreCreate(timeline ? CUVETTE_SEMAPHORE_TIMELINE : CUVETTE_SEMAPHORE_BINARY,
                                   initial)),
        mapped_(cuvetteSemaphoreMap(fd_)) {
    if (!mapped_) prepared("cuvetteSemaphoreMap", CUDA_ERROR_OPERATING_SYSTEM);
  }
  ~Semaphore() {
    cuvetteSemaphoreUnmap(mapped_);
    close(fd_);
  }
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;

  int descriptor() const { return dup(fd_); }
  void signal(uint64_t value) { cuvetteSemaphoreSignal(mapped_, value); }
  uint64_t value() const { return cuvetteSemaphoreValue(mapped_); }

 private:
  const int fd_;
  cuvetteSemaphore* const mapped_;
};

inline int memory_descriptor() {
  const int fd = memfd_create("memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0 || ftruncate(fd, 1 << 20) != 0) _exit(4);
  return fd;
}

#endif

}  // namespace conformance
