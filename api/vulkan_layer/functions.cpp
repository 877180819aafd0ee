// SPDX-License-Identifier: Apache-2.0
#include "api/vulkan_layer/functions.hpp"

namespace cuvette::vulkan_layer {
namespace {

template <typename Function, typename Find>
void look_up(Function& function, const Find& find, const char* name, const char* alias) {
  function = reinterpret_cast<Function>(find(name));
  if (!function && *alias) function = reinterpret_cast<Function>(find(alias));
}

}  // namespace

void InstanceFunctions::load(VkInstance instance, PFN_vkGetInstanceProcAddr next) {
  const auto find = [&](const char* name) { return next(instance, name); };
  GetInstanceProcAddr = next;
#define INSTANCE(name, alias) look_up(name, find, "vk" #name, alias);
#define INSTANCE_CALL(name, alias) look_up(name, find, "vk" #name, alias);
#define DEVICE(name, alias)
#define OWN(name)
#define DEVICE_CALL(name, alias)
#include "api/vulkan_layer/functions.def"
#undef INSTANCE
#undef INSTANCE_CALL
#undef DEVICE
#undef OWN
#undef DEVICE_CALL
}

void DeviceFunctions::load(VkDevice device, PFN_vkGetDeviceProcAddr next) {
  const auto find = [&](const char* name) { return next(device, name); };
#define INSTANCE(name, alias)
#define INSTANCE_CALL(name, alias)
#define DEVICE(name, alias) look_up(name, find, "vk" #name, alias);
#define OWN(name) look_up(name, find, "vk" #name, "");
#define DEVICE_CALL(name, alias) look_up(name, find, "vk" #name, alias);
#include "api/vulkan_layer/functions.def"
#undef INSTANCE
#undef INSTANCE_CALL
#undef DEVICE
#undef OWN
#undef DEVICE_CALL
  GetDeviceProcAddr = next;
}

}  // namespace cuvette::vulkan_layer
