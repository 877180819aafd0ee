// SPDX-License-Identifier: Apache-2.0
// A headless Vulkan device with exportable memory: the one whose UUID is that of CUDA's device 0,
// or else the first.
#pragma once

#include <vulkan/vulkan.h>

#include "scene.hpp"

struct Vk {
  VkInstance inst;
  VkPhysicalDevice pd;
  VkDevice dev;
  VkQueue q;
  uint32_t qf = 0;
  bool uuid_match = false, sem_fd = false;
  PFN_vkGetMemoryFdKHR get_memory_fd;
  PFN_vkGetSemaphoreFdKHR get_semaphore_fd = nullptr;
};
inline Vk vk;
#define VKN(C)                                   \
  do {                                           \
    VkResult vr = (C);                           \
    if (vr) {                                    \
      char b[200];                               \
      snprintf(b, 200, "%s -> %d", #C, vr);      \
      conformance::answer("cannot be asked", b); \
      _exit(3);                                  \
    }                                            \
  } while (0)
inline void vk_scene() {
  scene();
  VkApplicationInfo ai{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  ai.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo ici{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  ici.pApplicationInfo = &ai;
  VKN(vkCreateInstance(&ici, nullptr, &vk.inst));
  uint32_t n = 16;
  VkPhysicalDevice pds[16];
  VKN(vkEnumeratePhysicalDevices(vk.inst, &n, pds));
  if (!n) {
    conformance::answer("cannot be asked", "no Vulkan device");
    _exit(3);
  }
  vk.pd = pds[0];
  CUuuid id;
  cuDeviceGetUuid(&id, dev);
  for (uint32_t i = 0; i < n; ++i) {
    VkPhysicalDeviceIDProperties ip{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceProperties2 p{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &ip};
    vkGetPhysicalDeviceProperties2(pds[i], &p);
    if (!memcmp(ip.deviceUUID, &id, 16)) {
      vk.pd = pds[i];
      vk.uuid_match = true;
      fprintf(stderr, "Vulkan: %s\n", p.properties.deviceName);
    }
  }
  VkExtensionProperties ex[512];
  n = 512;
  vkEnumerateDeviceExtensionProperties(vk.pd, nullptr, &n, ex);
  for (uint32_t i = 0; i < n; ++i)
    vk.sem_fd |= !strcmp(ex[i].extensionName, "VK_KHR_external_semaphore_fd");
  float pr = 1;
  VkDeviceQueueCreateInfo qc{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  qc.queueCount = 1;
  qc.pQueuePriorities = &pr;
  const char* names[] = {"VK_KHR_external_memory_fd", "VK_KHR_external_semaphore_fd"};
  VkPhysicalDeviceVulkan12Features f{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
  f.timelineSemaphore = 1;
  VkDeviceCreateInfo dc{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &f};
  dc.queueCreateInfoCount = 1;
  dc.pQueueCreateInfos = &qc;
  dc.enabledExtensionCount = vk.sem_fd ? 2 : 1;
  dc.ppEnabledExtensionNames = names;
  VKN(vkCreateDevice(vk.pd, &dc, nullptr, &vk.dev));
  vkGetDeviceQueue(vk.dev, 0, 0, &vk.q);
  vk.get_memory_fd = (PFN_vkGetMemoryFdKHR)vkGetDeviceProcAddr(vk.dev, "vkGetMemoryFdKHR");
  if (vk.sem_fd)
    vk.get_semaphore_fd =
        (PFN_vkGetSemaphoreFdKHR)vkGetDeviceProcAddr(vk.dev, "vkGetSemaphoreFdKHR");
}
inline uint32_t type_index(uint32_t bits, VkMemoryPropertyFlags want) {
  VkPhysicalDeviceMemoryProperties mp;
  vkGetPhysicalDeviceMemoryProperties(vk.pd, &mp);
  for (uint32_t i = 0; i < mp.memoryTypeCount; ++i)
    if ((bits >> i & 1) && (mp.memoryTypes[i].propertyFlags & want) == want) return i;
  return 0;
}
struct Shared {
  VkBuffer buf;
  VkDeviceMemory mem;
  VkDeviceSize size;
};
inline Shared shared_buffer(VkDeviceSize bytes,
                            VkMemoryPropertyFlags want = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) {
  Shared s;
  VkExternalMemoryBufferCreateInfo xb{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
  xb.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkBufferCreateInfo bc{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, &xb};
  bc.size = bytes;
  bc.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
             VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  VKN(vkCreateBuffer(vk.dev, &bc, nullptr, &s.buf));
  VkMemoryRequirements mr;
  vkGetBufferMemoryRequirements(vk.dev, s.buf, &mr);
  VkExportMemoryAllocateInfo em{VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO};
  em.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkMemoryAllocateInfo ma{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &em};
  ma.allocationSize = mr.size;
  ma.memoryTypeIndex = type_index(mr.memoryTypeBits, want);
  VKN(vkAllocateMemory(vk.dev, &ma, nullptr, &s.mem));
  VKN(vkBindBufferMemory(vk.dev, s.buf, s.mem, 0));
  s.size = mr.size;
  return s;
}
inline int export_fd(VkDeviceMemory m) {
  VkMemoryGetFdInfoKHR g{VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR};
  g.memory = m;
  g.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
  int fd = -1;
  VKN(vk.get_memory_fd(vk.dev, &g, &fd));
  return fd;
}
inline VkCommandBuffer begin() {
  static VkCommandPool pool = VK_NULL_HANDLE;
  if (!pool) {
    VkCommandPoolCreateInfo pc{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VKN(vkCreateCommandPool(vk.dev, &pc, nullptr, &pool));
  }
  VkCommandBufferAllocateInfo ca{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  ca.commandPool = pool;
  ca.commandBufferCount = 1;
  VkCommandBuffer cb;
  VKN(vkAllocateCommandBuffers(vk.dev, &ca, &cb));
  VkCommandBufferBeginInfo bi{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  VKN(vkBeginCommandBuffer(cb, &bi));
  return cb;
}
inline void submit(VkCommandBuffer cb, VkSemaphore wait, uint64_t wv, VkSemaphore sig, uint64_t sv,
                   bool timeline, bool block = true) {
  if (cb) VKN(vkEndCommandBuffer(cb));
  VkTimelineSemaphoreSubmitInfo ts{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO};
  ts.waitSemaphoreValueCount = wait ? 1 : 0;
  ts.pWaitSemaphoreValues = &wv;
  ts.signalSemaphoreValueCount = sig ? 1 : 0;
  ts.pSignalSemaphoreValues = &sv;
  VkPipelineStageFlags st = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkSubmitInfo si{VK_STRUCTURE_TYPE_SUBMIT_INFO, timeline ? &ts : nullptr};
  if (wait) {
    si.waitSemaphoreCount = 1;
    si.pWaitSemaphores = &wait;
    si.pWaitDstStageMask = &st;
  }
  if (sig) {
    si.signalSemaphoreCount = 1;
    si.pSignalSemaphores = &sig;
  }
  if (cb) {
    si.commandBufferCount = 1;
    si.pCommandBuffers = &cb;
  }
  VKN(vkQueueSubmit(vk.q, 1, &si, VK_NULL_HANDLE));
  if (block) VKN(vkQueueWaitIdle(vk.q));
}
inline VkSemaphore semaphore(bool timeline, uint64_t initial = 0) {
  VkExportSemaphoreCreateInfo es{VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO};
  es.handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  VkSemaphoreTypeCreateInfo tc{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, &es};
  tc.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  tc.initialValue = initial;
  VkSemaphoreCreateInfo sc{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
                           timeline ? (void*)&tc : (void*)&es};
  VkSemaphore s;
  VKN(vkCreateSemaphore(vk.dev, &sc, nullptr, &s));
  return s;
}
inline int semaphore_fd(VkSemaphore s) {
  VkSemaphoreGetFdInfoKHR g{VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR};
  g.semaphore = s;
  g.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
  int fd = -1;
  VKN(vk.get_semaphore_fd(vk.dev, &g, &fd));
  return fd;
}

// Whether there is a Vulkan device. A child process checks, so that the cases start without
// Vulkan's threads.
inline bool vulkan_is_here() {
  const pid_t child = fork();
  if (child == 0) {
    VkApplicationInfo ai{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    ai.apiVersion = VK_API_VERSION_1_2;
    VkInstanceCreateInfo ici{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    ici.pApplicationInfo = &ai;
    VkInstance instance;
    uint32_t count = 0;
    _exit(vkCreateInstance(&ici, nullptr, &instance) == VK_SUCCESS &&
                  vkEnumeratePhysicalDevices(instance, &count, nullptr) == VK_SUCCESS && count > 0
              ? 0
              : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
