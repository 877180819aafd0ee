// SPDX-License-Identifier: Apache-2.0
// The layer's entry points, by name, for the loader and the application.
#include <vulkan/vk_layer.h>

#include <string_view>

#include "api/vulkan_layer/entry_points.hpp"

namespace cuvette::vulkan_layer {
namespace {

struct Row {
  std::string_view name, alias;
  PFN_vkVoidFunction function;
  bool own;      // there even if the driver has no such function
  bool watched;  // only for devices with watched memory
};

template <typename Function>
PFN_vkVoidFunction address(Function* function) {
  return reinterpret_cast<PFN_vkVoidFunction>(function);
}

const Row instance_rows[] = {
#define INSTANCE(name, alias) {"vk" #name, alias, address(entry::name), false, false},
#define DEVICE(name, alias)
#define OWN(name)
#define INSTANCE_CALL(name, alias)
#define DEVICE_CALL(name, alias)
#include "api/vulkan_layer/functions.def"
#undef INSTANCE
#undef DEVICE
#undef OWN
};

const Row device_rows[] = {
#define INSTANCE(name, alias)
#define DEVICE(name, alias) {"vk" #name, alias, address(entry::name), false, false},
#define WATCHED(name, alias) {"vk" #name, alias, address(entry::name), false, true},
#define OWN(name) {"vk" #name, "", address(entry::name), true, false},
#include "api/vulkan_layer/functions.def"
#undef INSTANCE
#undef DEVICE
#undef OWN
#undef INSTANCE_CALL
#undef DEVICE_CALL
};

template <size_t count>
const Row* find(const Row (&rows)[count], std::string_view name) {
  for (const Row& row : rows)
    if (name == row.name || (!row.alias.empty() && name == row.alias)) return &row;
  return nullptr;
}

}  // namespace

namespace entry {

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* pName) {
  const Device& found = Device::all().find(device);
  const PFN_vkVoidFunction next = found.next().GetDeviceProcAddr(device, pName);
  const Row* const row = find(device_rows, pName);
  if (!row) return next;
  const bool always = row->function == address(entry::GetDeviceProcAddr) ||
                      row->function == address(entry::DestroyDevice);
  const bool watched = found.watch() != nullptr;
  if (row->watched ? !watched : !found.shares() && !watched && !always) return next;
  return next || row->own ? row->function : nullptr;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance instance,
                                                             const char* pName) {
  const std::string_view name(pName);
  if (name == "vkGetInstanceProcAddr") return address(entry::GetInstanceProcAddr);
  if (name == "vkCreateInstance") return address(entry::CreateInstance);
  if (!instance) return nullptr;
  const PFN_vkVoidFunction next =
      Instance::all().find(instance).next().GetInstanceProcAddr(instance, pName);
  const Row* row = find(instance_rows, name);
  if (!row) row = find(device_rows, name);
  if (!row || (row->watched && !OwnershipWatch::is_wanted())) return next;
  return next || row->own ? row->function : nullptr;
}

}  // namespace entry
}  // namespace cuvette::vulkan_layer

extern "C" VK_LAYER_EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* pVersionStruct) {
  if (!pVersionStruct || pVersionStruct->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT ||
      pVersionStruct->loaderLayerInterfaceVersion < 2)
    return VK_ERROR_INITIALIZATION_FAILED;
  pVersionStruct->loaderLayerInterfaceVersion = 2;
  pVersionStruct->pfnGetInstanceProcAddr = cuvette::vulkan_layer::entry::GetInstanceProcAddr;
  pVersionStruct->pfnGetDeviceProcAddr = cuvette::vulkan_layer::entry::GetDeviceProcAddr;
  pVersionStruct->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
