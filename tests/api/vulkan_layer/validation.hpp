// SPDX-License-Identifier: Apache-2.0
// Khronos's validation layer, and what it complains about.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "vulkan.hpp"

class Complaints {
 public:
  static constexpr const char* layer = "VK_LAYER_KHRONOS_validation";

  static bool can_be_heard() {
    uint32_t count = 0;
    vkEnumerateInstanceLayerProperties(&count, nullptr);
    std::vector<VkLayerProperties> layers(count);
    vkEnumerateInstanceLayerProperties(&count, layers.data());
    for (const VkLayerProperties& one : layers)
      if (!strcmp(one.layerName, layer)) return true;
    return false;
  }

  Complaints() {
    messenger_.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
    messenger_.messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT |
                                 VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT;
    messenger_.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
    messenger_.pfnUserCallback = note;
    messenger_.pUserData = &text_;
  }
  Complaints(const Complaints&) = delete;
  Complaints& operator=(const Complaints&) = delete;

  // Hears what is said while an instance with these options is made and destroyed. `wanted`: the
  // layer that the instance asks for.
  void hear(Options& options, const char* wanted) const {
    options.instance_extensions = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
    options.instance_chain = &messenger_;
    options.instance_layers = {wanted};
  }
  // Hears the rest, too, until stop() is called.
  void listen(Vulkan& vulkan) {
    const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(vulkan.instance, "vkCreateDebugUtilsMessengerEXT"));
    VK_EXPECT(create(vulkan.instance, &messenger_, nullptr, &listener_));
  }
  void stop(Vulkan& vulkan) {
    reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(vkGetInstanceProcAddr(
        vulkan.instance, "vkDestroyDebugUtilsMessengerEXT"))(vulkan.instance, listener_, nullptr);
  }

  const std::string& text() const { return text_; }

 private:
  static VKAPI_ATTR VkBool32 VKAPI_CALL note(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                             VkDebugUtilsMessageTypeFlagsEXT,
                                             const VkDebugUtilsMessengerCallbackDataEXT* message,
                                             void* text) {
    // A bug of the validation layer's, as the message itself says (docs/vulkan.md).
    if (message->pMessageIdName && strstr(message->pMessageIdName, "-state-timeout"))
      return VK_FALSE;
    *static_cast<std::string*>(text) += std::string(message->pMessage) + "\n";
    return VK_FALSE;
  }

  std::string text_;
  VkDebugUtilsMessengerCreateInfoEXT messenger_{};
  VkDebugUtilsMessengerEXT listener_ = VK_NULL_HANDLE;
};
