// SPDX-License-Identifier: Apache-2.0
// Links between devices, on a machine with two H200s and two T4s.
#include "nvml.hpp"

namespace {

void with_four_devices(const std::function<void()>& body) {
  EXPECT_EQ(run_in_child({{"CUVETTE_DEVICE", "h200,h200,t4,t4"}},
                         [&] {
                           const Library library;
                           body();
                         }),
            "");
}

nvmlGpuP2PStatus_t status(unsigned one, unsigned other, nvmlGpuP2PCapsIndex_t what) {
  nvmlGpuP2PStatus_t status = NVML_P2P_STATUS_UNKNOWN;
  EXPECT_EQ(nvmlDeviceGetP2PStatus(device_at(one), device_at(other), what, &status), NVML_SUCCESS);
  return status;
}

constexpr nvmlGpuP2PCapsIndex_t all[] = {NVML_P2P_CAPS_INDEX_READ, NVML_P2P_CAPS_INDEX_WRITE,
                                         NVML_P2P_CAPS_INDEX_NVLINK, NVML_P2P_CAPS_INDEX_ATOMICS,
                                         NVML_P2P_CAPS_INDEX_PCI};

TEST(nvmlDeviceGetP2PStatus, IsWhatTheModelsLinkCan) {
  with_four_devices([] {
    const nvmlGpuP2PStatus_t yes = NVML_P2P_STATUS_OK, no = NVML_P2P_STATUS_NOT_SUPPORTED;
    const nvmlGpuP2PStatus_t nvlink[] = {yes, yes, yes, yes, no};
    const nvmlGpuP2PStatus_t pci[] = {yes, yes, no, no, yes};
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(status(0, 1, all[i]), nvlink[i]) << i;
      EXPECT_EQ(status(1, 0, all[i]), nvlink[i]) << i;
      EXPECT_EQ(status(2, 3, all[i]), pci[i]) << i;
      EXPECT_EQ(status(0, 2, all[i]), no) << i;
      EXPECT_EQ(status(0, 0, all[i]), no) << i;  // measured
    }
    nvmlGpuP2PStatus_t out;
    EXPECT_EQ(nvmlDeviceGetP2PStatus(device_at(0), no_device(), NVML_P2P_CAPS_INDEX_READ, &out),
              NVML_ERROR_INVALID_ARGUMENT);
  });
}

TEST(nvmlDeviceGetTopologyCommonAncestor, IsTheirBridge) {
  with_four_devices([] {
    nvmlGpuTopologyLevel_t level{};
    EXPECT_EQ(nvmlDeviceGetTopologyCommonAncestor(device_at(0), device_at(3), &level),
              NVML_SUCCESS);
    EXPECT_EQ(level, NVML_TOPOLOGY_HOSTBRIDGE);
    EXPECT_EQ(nvmlDeviceGetTopologyCommonAncestor(device_at(0), device_at(0), &level),
              NVML_ERROR_NOT_SUPPORTED);  // measured
    EXPECT_EQ(nvmlDeviceGetTopologyCommonAncestor(device_at(0), no_device(), &level),
              NVML_ERROR_INVALID_ARGUMENT);
  });
}

TEST(nvmlDeviceOnSameBoard, IsItself) {
  with_four_devices([] {
    int same = 7;
    EXPECT_EQ(nvmlDeviceOnSameBoard(device_at(0), device_at(1), &same), NVML_SUCCESS);
    EXPECT_EQ(same, 0);
    EXPECT_EQ(nvmlDeviceOnSameBoard(device_at(1), device_at(1), &same), NVML_SUCCESS);
    EXPECT_EQ(same, 1);
  });
}

TEST(nvmlDeviceGetName, IsEachDevicesOwn) {
  with_four_devices([] {
    char name[NVML_DEVICE_NAME_V2_BUFFER_SIZE];
    EXPECT_EQ(nvmlDeviceGetName(device_at(2), name, sizeof name), NVML_SUCCESS);
    EXPECT_STREQ(name, "Tesla T4");
    nvmlPciInfo_t pci;
    EXPECT_EQ(nvmlDeviceGetPciInfo_v3(device_at(2), &pci), NVML_SUCCESS);
    EXPECT_EQ(pci.device, 8u);
  });
}

}  // namespace
