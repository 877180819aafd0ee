// SPDX-License-Identifier: Apache-2.0
// Effects of the environment. It is read once, so each test has a process of its own.
#include "nvml.hpp"

namespace {

TEST(nvmlInit_v2, SaysWhatIsWrongWithTheEnvironment) {
  const struct {
    Environment environment;
    const char* said;
  } mistakes[] = {{{{"CUVETTE_DEVICE", "gtx"}}, "CUVETTE_DEVICE is 'gtx'"},
                  {{{"CUVETTE_DEVICES", "17"}}, "CUVETTE_DEVICES"}};
  for (const auto& [environment, said] : mistakes) {
    const std::string text =
        run_in_child(environment, [] { EXPECT_EQ(nvmlInit_v2(), NVML_ERROR_DRIVER_NOT_LOADED); });
    EXPECT_NE(text.find(said), std::string::npos) << text;
  }
}

// Devices that are hidden from CUDA still count here.
TEST(nvmlDeviceGetCount_v2, DoesNotLookAtVisibleDevices) {
  EXPECT_EQ(run_in_child({{"CUVETTE_DEVICES", "3"}, {"CUDA_VISIBLE_DEVICES", "1"}},
                         [] {
                           const Library library;
                           unsigned count = 0;
                           EXPECT_EQ(nvmlDeviceGetCount_v2(&count), NVML_SUCCESS);
                           EXPECT_EQ(count, 3u);
                         }),
            "");
}

TEST(nvmlDeviceGetMigMode, IsOffWhereThereIsOne) {
  const auto ask_mode = [](nvmlReturn_t expected) {
    return [expected] {
      const Library library;
      unsigned current = 7, pending = 7;
      EXPECT_EQ(nvmlDeviceGetMigMode(device_at(0), &current, &pending), expected);
      EXPECT_EQ(current, expected == NVML_SUCCESS ? NVML_DEVICE_MIG_DISABLE : 7u);
      EXPECT_EQ(pending, expected == NVML_SUCCESS ? NVML_DEVICE_MIG_DISABLE : 7u);
    };
  };
  EXPECT_EQ(run_in_child({}, ask_mode(NVML_SUCCESS)), "");
  EXPECT_EQ(run_in_child({{"CUVETTE_DEVICE", "a100-80gb"}}, ask_mode(NVML_SUCCESS)), "");
  EXPECT_EQ(run_in_child({{"CUVETTE_DEVICE", "t4"}}, ask_mode(NVML_ERROR_NOT_SUPPORTED)), "");
}

}  // namespace
