// SPDX-License-Identifier: Apache-2.0
// <nvml.h> with every exported function under its own name, so that a suite can be named after it;
// and devices to query.
#pragma once

#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include <gtest/gtest.h>
#include <nvml.h>

#include "tests/api/driver/child.hpp"

// Keeps the library initialised while it lives.
class Library {
 public:
  Library() { EXPECT_EQ(nvmlInit_v2(), NVML_SUCCESS); }
  ~Library() { EXPECT_EQ(nvmlShutdown(), NVML_SUCCESS); }
  Library(const Library&) = delete;
};

inline nvmlDevice_t device_at(unsigned index) {
  nvmlDevice_t device = nullptr;
  EXPECT_EQ(nvmlDeviceGetHandleByIndex_v2(index, &device), NVML_SUCCESS);
  return device;
}

// A handle that is not one of the library's devices.
inline nvmlDevice_t no_device() {
  static char place;
  return reinterpret_cast<nvmlDevice_t>(&place);
}
