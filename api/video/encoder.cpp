// SPDX-License-Identifier: Apache-2.0
// libnvidia-encode.so.1: its two functions answer what they do on a machine with a GPU that cannot
// encode. They are declared without parameters, which they do not look at.
#include "api/video/refusal.hpp"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr int no_encode_device = 1;  // NV_ENC_ERR_NO_ENCODE_DEVICE

int refuse(const char* name, std::atomic<bool>& said) {
  cuvette::video::refuse(name, said);
  return no_encode_device;
}

}  // namespace

EXPORT int NvEncodeAPIGetMaxSupportedVersion() {
  static constinit std::atomic<bool> said{false};
  return refuse("NvEncodeAPIGetMaxSupportedVersion", said);
}

EXPORT int NvEncodeAPICreateInstance() {
  static constinit std::atomic<bool> said{false};
  return refuse("NvEncodeAPICreateInstance", said);
}
