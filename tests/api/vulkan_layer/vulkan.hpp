// SPDX-License-Identifier: Apache-2.0
// A Vulkan device of a software driver with the layer on, and semaphores of it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define VK_OK(call) ASSERT_EQ(call, VK_SUCCESS)
#define VK_EXPECT(call) EXPECT_EQ(call, VK_SUCCESS)

inline constexpr const char* lavapipe = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";
inline constexpr const char* swiftshader = "/usr/lib/chromium/vk_swiftshader_icd.json";
inline constexpr const char* layer = "VK_LAYER_CUVETTE_interop";

// Which driver and which layers the next instance gets. False if the driver is not installed.
inline bool choose(const char* driver, const std::string& layers = layer) {
  setenv("VK_ICD_FILENAMES", driver, 1);
  setenv("VK_DRIVER_FILES", driver, 1);
  setenv("VK_ADD_LAYER_PATH", LAYER_FOLDER, 1);
  setenv("VK_INSTANCE_LAYERS", layers.c_str(), 1);
  return access(driver, R_OK) == 0;
}

#define NEED_DRIVER(driver)                                       \
  do {                                                            \
    if (!choose(driver)) GTEST_SKIP() << driver << " is missing"; \
  } while (0)

struct Options {
  uint32_t api_version = VK_API_VERSION_1_3;
  std::vector<const char*> instance_extensions;
  std::vector<const char*> instance_layers;  // below those of choose()
  std::vector<const char*> extensions = {VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME};
  const void* instance_chain = nullptr;
  const void* chain = nullptr;  // of the device
  bool features = true;         // enable timelines and vkQueueSubmit2 by features of its own
};

class Vulkan {
 public:
  explicit Vulkan(const Options& options = {}) {
    VkApplicationInfo application{};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.apiVersion = options.api_version;
    VkInstanceCreateInfo create{};
    create.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    create.pNext = options.instance_chain;
    create.pApplicationInfo = &application;
    create.enabledExtensionCount = static_cast<uint32_t>(options.instance_extensions.size());
    create.ppEnabledExtensionNames = options.instance_extensions.data();
    create.enabledLayerCount = static_cast<uint32_t>(options.instance_layers.size());
    create.ppEnabledLayerNames = options.instance_layers.data();
    VK_EXPECT(vkCreateInstance(&create, nullptr, &instance));
    uint32_t count = 1;
    EXPECT_GE(vkEnumeratePhysicalDevices(instance, &count, &physical), 0);
    EXPECT_EQ(count, 1u);
    device_result = create_device(options);
    if (device_result != VK_SUCCESS) return;
    vkGetDeviceQueue(device, 0, 0, &queue);
    look_up(get_fd, "vkGetSemaphoreFdKHR");
    look_up(import_fd, "vkImportSemaphoreFdKHR");
    look_up(counter_value, "vkGetSemaphoreCounterValue", "vkGetSemaphoreCounterValueKHR");
    look_up(wait_semaphores, "vkWaitSemaphores", "vkWaitSemaphoresKHR");
    look_up(signal_semaphore, "vkSignalSemaphore", "vkSignalSemaphoreKHR");
    look_up(submit2, "vkQueueSubmit2", "vkQueueSubmit2KHR");
  }
  ~Vulkan() {
    if (device) {
      if (pool) vkDestroyCommandPool(device, pool, nullptr);
      vkDestroyDevice(device, nullptr);
    }
    vkDestroyInstance(instance, nullptr);
  }
  Vulkan(const Vulkan&) = delete;
  Vulkan& operator=(const Vulkan&) = delete;

  // A semaphore that can be exported, or an ordinary one.
  VkSemaphore semaphore(bool timeline, uint64_t initial = 0, bool exported = true) {
    VkExportSemaphoreCreateInfo as_fd{VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO, nullptr,
                                      VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                   exported ? &as_fd : nullptr, VK_SEMAPHORE_TYPE_TIMELINE,
                                   initial};
    VkSemaphoreCreateInfo create{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, nullptr, 0};
    create.pNext = timeline ? static_cast<const void*>(&type) : exported ? &as_fd : nullptr;
    VkSemaphore made = VK_NULL_HANDLE;
    VK_EXPECT(vkCreateSemaphore(device, &create, nullptr, &made));
    return made;
  }
  VkSemaphore timeline(uint64_t initial = 0) { return semaphore(true, initial); }
  VkSemaphore binary() { return semaphore(false); }
  void destroy(VkSemaphore semaphore) { vkDestroySemaphore(device, semaphore, nullptr); }

  int fd_of(VkSemaphore semaphore) {
    const VkSemaphoreGetFdInfoKHR get{VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR, nullptr,
                                      semaphore, VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    int fd = -1;
    VK_EXPECT(get_fd(device, &get, &fd));
    return fd;
  }
  VkResult import(VkSemaphore semaphore, int fd, bool temporary = false) {
    const VkImportSemaphoreFdInfoKHR import{
        VK_STRUCTURE_TYPE_IMPORT_SEMAPHORE_FD_INFO_KHR,
        nullptr,
        semaphore,
        temporary ? VkSemaphoreImportFlags{VK_SEMAPHORE_IMPORT_TEMPORARY_BIT} : 0,
        VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT,
        fd};
    return import_fd(device, &import);
  }
  uint64_t value_of(VkSemaphore semaphore) {
    uint64_t value = 0;
    VK_EXPECT(counter_value(device, semaphore, &value));
    return value;
  }
  VkResult signal(VkSemaphore semaphore, uint64_t value) {
    const VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, semaphore,
                                       value};
    return signal_semaphore(device, &signal);
  }
  VkResult wait(VkSemaphore semaphore, uint64_t value, uint64_t timeout = 30'000'000'000) {
    const VkSemaphoreWaitInfo wait{
        VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &semaphore, &value};
    return wait_semaphores(device, &wait, timeout);
  }

  struct Point {
    VkSemaphore semaphore;
    uint64_t value = 0;  // of a timeline
  };
  VkResult submit(const std::vector<Point>& waits, const std::vector<Point>& signals,
                  VkCommandBuffer commands = VK_NULL_HANDLE, VkFence fence = VK_NULL_HANDLE) {
    std::vector<VkSemaphore> to_wait, to_signal;
    std::vector<uint64_t> wait_values, signal_values;
    for (const Point& point : waits) {
      to_wait.push_back(point.semaphore);
      wait_values.push_back(point.value);
    }
    for (const Point& point : signals) {
      to_signal.push_back(point.semaphore);
      signal_values.push_back(point.value);
    }
    const std::vector<VkPipelineStageFlags> stages(waits.size(),
                                                   VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    VkTimelineSemaphoreSubmitInfo values{};
    values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO;
    values.waitSemaphoreValueCount = static_cast<uint32_t>(waits.size());
    values.pWaitSemaphoreValues = wait_values.data();
    values.signalSemaphoreValueCount = static_cast<uint32_t>(signals.size());
    values.pSignalSemaphoreValues = signal_values.data();
    bool any = false;
    for (const uint64_t value : wait_values) any |= value != 0;
    for (const uint64_t value : signal_values) any |= value != 0;
    VkSubmitInfo submit{};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.pNext = any ? &values : nullptr;
    submit.waitSemaphoreCount = static_cast<uint32_t>(waits.size());
    submit.pWaitSemaphores = to_wait.data();
    submit.pWaitDstStageMask = stages.data();
    submit.signalSemaphoreCount = static_cast<uint32_t>(signals.size());
    submit.pSignalSemaphores = to_signal.data();
    submit.commandBufferCount = commands ? 1 : 0;
    submit.pCommandBuffers = &commands;
    return vkQueueSubmit(queue, 1, &submit, fence);
  }
  VkResult submit_2(const std::vector<Point>& waits, const std::vector<Point>& signals,
                    VkCommandBuffer commands = VK_NULL_HANDLE) {
    const auto infos = [](const std::vector<Point>& points) {
      std::vector<VkSemaphoreSubmitInfo> list;
      for (const Point& point : points)
        list.push_back({VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, point.semaphore,
                        point.value, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, 0});
      return list;
    };
    const auto to_wait = infos(waits), to_signal = infos(signals);
    const VkCommandBufferSubmitInfo buffer{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr,
                                           commands, 0};
    VkSubmitInfo2 submit{};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
    submit.waitSemaphoreInfoCount = static_cast<uint32_t>(to_wait.size());
    submit.pWaitSemaphoreInfos = to_wait.data();
    submit.signalSemaphoreInfoCount = static_cast<uint32_t>(to_signal.size());
    submit.pSignalSemaphoreInfos = to_signal.data();
    submit.commandBufferInfoCount = commands ? 1 : 0;
    submit.pCommandBufferInfos = &buffer;
    return submit2(queue, 1, &submit, VK_NULL_HANDLE);
  }
  // Returns a command buffer that is ready to be recorded.
  VkCommandBuffer record() {
    if (!pool) {
      const VkCommandPoolCreateInfo create{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0,
                                           0};
      VK_EXPECT(vkCreateCommandPool(device, &create, nullptr, &pool));
    }
    const VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                               nullptr, pool, VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    VkCommandBuffer commands = VK_NULL_HANDLE;
    VK_EXPECT(vkAllocateCommandBuffers(device, &allocate, &commands));
    VkCommandBufferBeginInfo begin{};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    VK_EXPECT(vkBeginCommandBuffer(commands, &begin));
    return commands;
  }

  // The first of the memory types in `bits` that the host sees as it is.
  uint32_t host_visible_type(uint32_t bits) const {
    VkPhysicalDeviceMemoryProperties properties;
    vkGetPhysicalDeviceMemoryProperties(physical, &properties);
    const VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    for (uint32_t i = 0; i < properties.memoryTypeCount; ++i)
      if ((bits >> i & 1) && (properties.memoryTypes[i].propertyFlags & wanted) == wanted) return i;
    ADD_FAILURE() << "no memory for the host";
    return 0;
  }

  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkResult device_result = VK_SUCCESS;
  VkQueue queue = VK_NULL_HANDLE;
  VkCommandPool pool = VK_NULL_HANDLE;
  PFN_vkGetSemaphoreFdKHR get_fd = nullptr;
  PFN_vkImportSemaphoreFdKHR import_fd = nullptr;
  PFN_vkGetSemaphoreCounterValue counter_value = nullptr;
  PFN_vkWaitSemaphores wait_semaphores = nullptr;
  PFN_vkSignalSemaphore signal_semaphore = nullptr;
  PFN_vkQueueSubmit2 submit2 = nullptr;

 private:
  VkResult create_device(const Options& options) {
    const float priority = 1;
    VkDeviceQueueCreateInfo queues{};
    queues.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queues.queueCount = 1;
    queues.pQueuePriorities = &priority;
    VkPhysicalDeviceVulkan13Features newer{};
    newer.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    newer.synchronization2 = VK_TRUE;
    VkPhysicalDeviceVulkan12Features features{};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    features.pNext = &newer;
    features.timelineSemaphore = VK_TRUE;
    VkDeviceCreateInfo create{};
    create.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    create.pNext = options.chain ? options.chain : options.features ? &features : nullptr;
    create.queueCreateInfoCount = 1;
    create.pQueueCreateInfos = &queues;
    create.enabledExtensionCount = static_cast<uint32_t>(options.extensions.size());
    create.ppEnabledExtensionNames = options.extensions.data();
    return vkCreateDevice(physical, &create, nullptr, &device);
  }
  template <typename Function>
  void look_up(Function& function, const char* name, const char* alias = nullptr) {
    function = reinterpret_cast<Function>(vkGetDeviceProcAddr(device, name));
    if (!function && alias)
      function = reinterpret_cast<Function>(vkGetDeviceProcAddr(device, alias));
  }
};
