// SPDX-License-Identifier: Apache-2.0
// What the layer adds to a driver's devices.
#include <cuda.h>

#include <algorithm>

#include "vulkan.hpp"

namespace {

constexpr const char* shared = VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME;

std::vector<VkExtensionProperties> extensions(VkPhysicalDevice device) {
  uint32_t count = 0;
  VK_EXPECT(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr));
  std::vector<VkExtensionProperties> list(count);
  VK_EXPECT(vkEnumerateDeviceExtensionProperties(device, nullptr, &count, list.data()));
  return list;
}

size_t times_listed(VkPhysicalDevice device, const char* name) {
  const auto list = extensions(device);
  return static_cast<size_t>(std::count_if(
      list.begin(), list.end(), [&](const auto& one) { return !strcmp(one.extensionName, name); }));
}

TEST(vkEnumerateDeviceExtensionProperties, ListsTheExtensionOnce) {
  NEED_DRIVER(lavapipe);
  Vulkan vulkan;
  EXPECT_EQ(times_listed(vulkan.physical, shared), 1u);
  EXPECT_EQ(times_listed(vulkan.physical, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME), 1u);
}

TEST(vkEnumerateDeviceExtensionProperties, TellsOfATooSmallArray) {
  NEED_DRIVER(lavapipe);
  Vulkan vulkan;
  const auto all = static_cast<uint32_t>(extensions(vulkan.physical).size());
  std::vector<VkExtensionProperties> list(all);
  uint32_t count = all - 1;
  EXPECT_EQ(vkEnumerateDeviceExtensionProperties(vulkan.physical, nullptr, &count, list.data()),
            VK_INCOMPLETE);
  EXPECT_EQ(count, all - 1);
}

TEST(vkGetPhysicalDeviceProperties2, HasTheUuidOfCudasDevice) {
  NEED_DRIVER(lavapipe);
  Vulkan vulkan;
  CUuuid uuid;
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(cuDeviceGetUuid(&uuid, 0), CUDA_SUCCESS);
  VkPhysicalDeviceVulkan11Properties all{};
  all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &all;
  vkGetPhysicalDeviceProperties2(vulkan.physical, &properties);
  EXPECT_EQ(memcmp(all.deviceUUID, &uuid, 16), 0);

  VkPhysicalDeviceIDProperties identity{};
  identity.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
  properties.pNext = &identity;
  vkGetPhysicalDeviceProperties2(vulkan.physical, &properties);
  EXPECT_EQ(memcmp(identity.deviceUUID, &uuid, 16), 0);
  EXPECT_EQ(memcmp(identity.driverUUID, all.driverUUID, 16), 0);
}

TEST(vkGetPhysicalDeviceExternalSemaphoreProperties, CanShareBothTypes) {
  NEED_DRIVER(lavapipe);
  Vulkan vulkan;
  for (const VkSemaphoreType kind : {VK_SEMAPHORE_TYPE_BINARY, VK_SEMAPHORE_TYPE_TIMELINE}) {
    const VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                         kind, 0};
    VkPhysicalDeviceExternalSemaphoreInfo question{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO, &type,
        VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkExternalSemaphoreProperties answer{};
    answer.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES;
    vkGetPhysicalDeviceExternalSemaphoreProperties(vulkan.physical, &question, &answer);
    EXPECT_EQ(answer.externalSemaphoreFeatures,
              VkExternalSemaphoreFeatureFlags{VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT |
                                              VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT});
    EXPECT_EQ(answer.compatibleHandleTypes,
              VkExternalSemaphoreHandleTypeFlags{VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT});
    EXPECT_EQ(answer.exportFromImportedHandleTypes, answer.compatibleHandleTypes);
    question.handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_WIN32_BIT;
    vkGetPhysicalDeviceExternalSemaphoreProperties(vulkan.physical, &question, &answer);
    EXPECT_EQ(answer.externalSemaphoreFeatures, 0u);
  }
}

// Exports and imports a semaphore that queues use.
void expect_sharing(Vulkan& vulkan, bool timeline = true) {
  VK_OK(vulkan.device_result);
  const VkSemaphore one = vulkan.semaphore(timeline), other = vulkan.semaphore(timeline);
  VK_EXPECT(vulkan.import(other, vulkan.fd_of(one)));
  VK_EXPECT(vulkan.submit({}, {{one, timeline}}));
  VK_EXPECT(vulkan.submit({{other, timeline}}, {}));
  VK_EXPECT(vkQueueWaitIdle(vulkan.queue));
  vulkan.destroy(one);
  vulkan.destroy(other);
}

TEST(vkCreateDevice, WithoutTheExtensionLeavesAllAsItIs) {
  NEED_DRIVER(lavapipe);
  Options options;
  options.extensions = {};
  Vulkan vulkan(options);
  VK_OK(vulkan.device_result);
  EXPECT_EQ(vulkan.get_fd, nullptr);
  const VkSemaphore semaphore = vulkan.semaphore(true, 5, false);
  EXPECT_EQ(vulkan.value_of(semaphore), 5u);
  VK_EXPECT(vulkan.submit({}, {{semaphore, 6}}));
  VK_EXPECT(vulkan.wait(semaphore, 6));
  vulkan.destroy(semaphore);
}

TEST(vkCreateDevice, SwitchesTimelinesOnWhereNothingIsSaid) {
  NEED_DRIVER(lavapipe);
  Options options;
  options.features = false;
  Vulkan vulkan(options);
  expect_sharing(vulkan, false);
}

TEST(vkCreateDevice, SwitchesTimelinesOnInACopyOfTheChain) {
  NEED_DRIVER(lavapipe);
  VkPhysicalDeviceTimelineSemaphoreFeatures off{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, nullptr, VK_FALSE};
  VkPhysicalDeviceVulkan12Features all_off{};
  all_off.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  for (void* last : {static_cast<void*>(&off), static_cast<void*>(&all_off)}) {
    VkPhysicalDeviceVulkan11Features before{};
    before.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    before.pNext = last;
    Options options;
    options.chain = &before;
    Vulkan vulkan(options);
    expect_sharing(vulkan, false);
    EXPECT_EQ(before.pNext, last);
  }
  EXPECT_EQ(off.timelineSemaphore, VK_FALSE);
  EXPECT_EQ(all_off.timelineSemaphore, VK_FALSE);
}

TEST(vkCreateDevice, EnablesTheTimelinesThatOlderVersionsLack) {
  NEED_DRIVER(lavapipe);
  Options options;
  options.features = false;
  options.api_version = VK_API_VERSION_1_1;
  Vulkan newer(options);
  expect_sharing(newer, false);

  options.api_version = VK_API_VERSION_1_0;
  options.instance_extensions = {VK_KHR_GET_PHYSICAL_DEVICE_PROPERTIES_2_EXTENSION_NAME,
                                 VK_KHR_EXTERNAL_SEMAPHORE_CAPABILITIES_EXTENSION_NAME};
  options.extensions.push_back(VK_KHR_EXTERNAL_SEMAPHORE_EXTENSION_NAME);
  Vulkan oldest(options);
  expect_sharing(oldest, false);

  VkPhysicalDeviceTimelineSemaphoreFeatures on{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, nullptr, VK_TRUE};
  options.extensions.push_back(VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME);
  options.chain = &on;
  Vulkan with_extension(options);
  expect_sharing(with_extension, true);
}

TEST(vkCreateDevice, RefusesWhatNobodyHas) {
  NEED_DRIVER(lavapipe);
  Options options;
  options.extensions = {shared, "VK_CUVETTE_no_such_extension"};
  Vulkan vulkan(options);
  EXPECT_EQ(vulkan.device_result, VK_ERROR_EXTENSION_NOT_PRESENT);
}

}  // namespace
