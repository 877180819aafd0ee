// SPDX-License-Identifier: Apache-2.0
// Initialisation and shutdown, versions, and what functions answer outside these. The expected
// values were measured on an H200 with driver 580.159.04.
#include <cstring>

#include "nvml.hpp"

namespace {

using Count = nvmlReturn_t (*)(unsigned*);

TEST(nvmlInit_v2, IsCounted) {
  unsigned count = 7;
  EXPECT_EQ(nvmlDeviceGetCount_v2(&count), NVML_ERROR_UNINITIALIZED);
  EXPECT_EQ(nvmlInit_v2(), NVML_SUCCESS);
  EXPECT_EQ(nvmlInit_v2(), NVML_SUCCESS);
  EXPECT_EQ(nvmlShutdown(), NVML_SUCCESS);
  EXPECT_EQ(nvmlDeviceGetCount_v2(&count), NVML_SUCCESS);
  EXPECT_EQ(nvmlShutdown(), NVML_SUCCESS);
  EXPECT_EQ(nvmlDeviceGetCount_v2(&count), NVML_ERROR_UNINITIALIZED);
}

TEST(nvmlInit, IsTheSame) {
  EXPECT_EQ(nvmlInit(), NVML_SUCCESS);
  EXPECT_EQ(nvmlShutdown(), NVML_SUCCESS);
}

TEST(nvmlInitWithFlags, TakesAnyFlags) {
  for (const unsigned flags : {0, NVML_INIT_FLAG_NO_GPUS, NVML_INIT_FLAG_NO_ATTACH, 8}) {
    EXPECT_EQ(nvmlInitWithFlags(flags), NVML_SUCCESS) << flags;
    EXPECT_EQ(nvmlShutdown(), NVML_SUCCESS) << flags;
  }
}

TEST(nvmlShutdown, WantsAnInit) { EXPECT_EQ(nvmlShutdown(), NVML_ERROR_UNINITIALIZED); }

TEST(nvmlInit_v2, IsForgottenByAFork) {
  const Library library;
  EXPECT_EQ(run_in_child({},
                         [] {
                           unsigned count = 0;
                           EXPECT_EQ(nvmlDeviceGetCount_v2(&count), NVML_ERROR_UNINITIALIZED);
                           EXPECT_EQ(nvmlShutdown(), NVML_ERROR_UNINITIALIZED);
                           const Library again;
                           EXPECT_EQ(nvmlDeviceGetCount_v2(&count), NVML_SUCCESS);
                           EXPECT_EQ(count, 1u);
                         }),
            "");
}

TEST(nvmlErrorString, HasWordsForEachCode) {
  EXPECT_STREQ(nvmlErrorString(NVML_SUCCESS), "Success");
  EXPECT_STREQ(nvmlErrorString(NVML_ERROR_NOT_SUPPORTED), "Not Supported");
  EXPECT_STREQ(nvmlErrorString(NVML_ERROR_DEPRECATED),
               "Requested functionality has been deprecated");
  EXPECT_STREQ(nvmlErrorString(NVML_ERROR_RESET_TYPE_NOT_SUPPORTED),
               "Reset type is not supported for given device");
  for (const int unknown : {-1, 31, 999, 1000})
    EXPECT_STREQ(nvmlErrorString(static_cast<nvmlReturn_t>(unknown)), "Unknown Error") << unknown;
}

TEST(nvmlSystemGetDriverVersion, FitsOrIsNotWritten) {
  char text[NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE] = "before";
  EXPECT_EQ(nvmlSystemGetDriverVersion(text, sizeof text), NVML_ERROR_UNINITIALIZED);
  const Library library;
  EXPECT_EQ(nvmlSystemGetDriverVersion(text, 10), NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_STREQ(text, "before");
  EXPECT_EQ(nvmlSystemGetDriverVersion(nullptr, sizeof text), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nvmlSystemGetDriverVersion(text, 11), NVML_SUCCESS);
  EXPECT_STREQ(text, "580.159.04");
}

TEST(nvmlSystemGetNVMLVersion, NeedsNoInit) {
  char text[NVML_SYSTEM_NVML_VERSION_BUFFER_SIZE];
  EXPECT_EQ(nvmlSystemGetNVMLVersion(nullptr, sizeof text), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nvmlSystemGetNVMLVersion(text, 13), NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_EQ(nvmlSystemGetNVMLVersion(text, sizeof text), NVML_SUCCESS);
  EXPECT_STREQ(text, "13.580.159.04");
}

TEST(nvmlSystemGetCudaDriverVersion, IsTheDrivers) {
  const Library library;
  int version = 0;
  EXPECT_EQ(nvmlSystemGetCudaDriverVersion(&version), NVML_SUCCESS);
  EXPECT_EQ(NVML_CUDA_DRIVER_VERSION_MAJOR(version), 13);
  EXPECT_EQ(NVML_CUDA_DRIVER_VERSION_MINOR(version), 0);
}

TEST(nvmlSystemGetCudaDriverVersion_v2, IsTheSame) {
  const Library library;
  int version = 0;
  EXPECT_EQ(nvmlSystemGetCudaDriverVersion_v2(&version), NVML_SUCCESS);
  EXPECT_EQ(version, 13000);
  EXPECT_EQ(nvmlSystemGetCudaDriverVersion_v2(nullptr), NVML_ERROR_INVALID_ARGUMENT);
}

void expect_none(Count function) {
  unsigned count = 7;
  EXPECT_EQ(function(&count), NVML_ERROR_UNINITIALIZED);
  const Library library;
  EXPECT_EQ(function(nullptr), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(function(&count), NVML_SUCCESS);
  EXPECT_EQ(count, 0u);
}

extern "C" nvmlReturn_t nvmlGetBlacklistDeviceCount(unsigned*);

TEST(nvmlUnitGetCount, IsNone) { expect_none(nvmlUnitGetCount); }
TEST(nvmlGetExcludedDeviceCount, IsNone) { expect_none(nvmlGetExcludedDeviceCount); }
TEST(nvmlGetBlacklistDeviceCount, IsNone) { expect_none(nvmlGetBlacklistDeviceCount); }

// --- Functions without a body ---

TEST(ManagementStubs, SensorsAreNotSupportedAndKeepSilent) {
  EXPECT_EQ(
      run_in_child(
          {},
          [] {
            unsigned value = 7;
            nvmlUtilization_t rates;
            EXPECT_EQ(nvmlDeviceGetPowerUsage(no_device(), &value), NVML_ERROR_UNINITIALIZED);
            const Library library;
            const nvmlDevice_t device = device_at(0);
            EXPECT_EQ(nvmlDeviceGetPowerUsage(no_device(), &value), NVML_ERROR_INVALID_ARGUMENT);
            EXPECT_EQ(nvmlDeviceGetPowerUsage(nullptr, &value), NVML_ERROR_INVALID_ARGUMENT);
            EXPECT_EQ(nvmlDeviceGetPowerUsage(device, &value), NVML_ERROR_NOT_SUPPORTED);
            EXPECT_EQ(nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU, &value),
                      NVML_ERROR_NOT_SUPPORTED);
            EXPECT_EQ(nvmlDeviceGetClockInfo(device, NVML_CLOCK_SM, &value),
                      NVML_ERROR_NOT_SUPPORTED);
            EXPECT_EQ(nvmlDeviceGetUtilizationRates(device, &rates), NVML_ERROR_NOT_SUPPORTED);
            EXPECT_EQ(value, 7u);
          }),
      "");
}

TEST(ManagementStubs, WhatCannotBeSetNamesItselfOnce) {
  const std::string text = run_in_child({}, [] {
    EXPECT_EQ(nvmlDeviceSetPersistenceMode(no_device(), NVML_FEATURE_ENABLED),
              NVML_ERROR_UNINITIALIZED);
    const Library library;
    EXPECT_EQ(nvmlDeviceSetPersistenceMode(no_device(), NVML_FEATURE_ENABLED),
              NVML_ERROR_INVALID_ARGUMENT);
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(nvmlDeviceSetPersistenceMode(device_at(0), NVML_FEATURE_ENABLED),
                NVML_ERROR_NOT_SUPPORTED);
  });
  const size_t said = text.find("nvmlDeviceSetPersistenceMode is not supported");
  ASSERT_NE(said, std::string::npos) << text;
  EXPECT_EQ(text.find("nvmlDeviceSetPersistenceMode", said + 1), std::string::npos) << text;
}

}  // namespace
