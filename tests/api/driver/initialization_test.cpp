// SPDX-License-Identifier: Apache-2.0
// cuInit, what works before it, and the environment that it reads. Each test is a process of its
// own.
#include <cuda.h>

#include <cstring>
#include <map>
#include <thread>
#include <vector>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/gate.hpp"

namespace {

int device_count() {
  int count = -1;
  EXPECT_EQ(cuDeviceGetCount(&count), CUDA_SUCCESS);
  return count;
}

std::string uuid_text(CUdevice device) {
  CUuuid uuid;
  EXPECT_EQ(cuDeviceGetUuid(&uuid, device), CUDA_SUCCESS);
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char digits[3];
    snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(uuid.bytes[i]));
    text += digits;
    if (i == 3 || i == 5 || i == 7 || i == 9) text += '-';
  }
  return text;
}

// Returns the UUIDs of the devices that a child with this environment sees.
std::vector<std::string> visible(Environment environment) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  run_in_child(environment, [&] {
    const CUresult result = cuInit(0);
    std::string text;
    if (result == CUDA_ERROR_NO_DEVICE) {
      text = "none\n";
    } else if (result == CUDA_ERROR_INVALID_DEVICE) {
      text = "refused\n";
    } else {
      ASSERT_EQ(result, CUDA_SUCCESS);
    }
    for (int i = 0; result == CUDA_SUCCESS && i < device_count(); ++i) text += uuid_text(i) + '\n';
    ASSERT_EQ(write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  });
  close(ends[1]);
  std::vector<std::string> uuids;
  FILE* file = fdopen(ends[0], "r");
  char line[128];
  while (fgets(line, sizeof line, file)) uuids.emplace_back(line, strlen(line) - 1);
  fclose(file);
  return uuids;
}

TEST(cuInit, RefusesFlags) {
  run_in_child({}, [] {
    EXPECT_EQ(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuInit(0x80000000), CUDA_ERROR_INVALID_VALUE);
    int count;
    EXPECT_EQ(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
    EXPECT_EQ(cuInit(1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuDeviceGetCount(&count), CUDA_SUCCESS);
  });
}

TEST(cuInit, MayComeFromManyThreadsAtOnce) {
  run_in_child({}, [] {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([] {
        EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
        EXPECT_EQ(device_count(), 1);
      });
    for (auto& thread : threads) thread.join();
  });
}

TEST(cuInit, IsNotInheritedByAForkedChild) {
  run_in_child({}, [] {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    run_in_child({}, [] {
      int count;
      CUdeviceptr memory;
      EXPECT_EQ(cuInit(0), CUDA_ERROR_NOT_INITIALIZED);
      EXPECT_EQ(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
      EXPECT_EQ(cuMemAlloc(&memory, 16), CUDA_ERROR_NOT_INITIALIZED);
      EXPECT_EQ(cuDriverGetVersion(&count), CUDA_SUCCESS);
    });
    EXPECT_EQ(device_count(), 1) << "and the parent goes on";
  });
}

TEST(cuDriverGetVersion, NeedsNoInitialisation) {
  run_in_child({}, [] {
    int version = 0;
    EXPECT_EQ(cuDriverGetVersion(&version), CUDA_SUCCESS);
    EXPECT_EQ(version, CUDA_VERSION);
    EXPECT_EQ(cuDriverGetVersion(nullptr), CUDA_ERROR_INVALID_VALUE);
  });
}

TEST(Environment, SaysHowManyDevices) {
  for (const auto& [text, count] : std::map<const char*, int>{{"1", 1}, {"3", 3}, {"16", 16}})
    run_in_child({{"CUVETTE_DEVICES", text}}, [count = count] {
      ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
      EXPECT_EQ(device_count(), count);
    });
}

TEST(Environment, RefusesWhatMakesNoSense) {
  const std::vector<std::pair<const char*, const char*>> wrong = {
      {"CUVETTE_DEVICE", "no-such-gpu"}, {"CUVETTE_DEVICE", ""},       {"CUVETTE_DEVICE", "h200,"},
      {"CUVETTE_DEVICE", "h200,gpu"},    {"CUVETTE_DEVICES", "0"},     {"CUVETTE_DEVICES", "17"},
      {"CUVETTE_DEVICES", "two"},        {"CUVETTE_MEMORY", "plenty"}, {"CUVETTE_MEMORY", "1K"},
      {"CUVETTE_FILL", "some"},          {"CUVETTE_WORKERS", "-1"},
  };
  for (const auto& knob : wrong) {
    const std::string text = run_in_child({knob}, [] {
      EXPECT_EQ(cuInit(0), CUDA_ERROR_INVALID_VALUE);
      int count;
      EXPECT_EQ(cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    });
    EXPECT_NE(text.find(knob.first), std::string::npos) << text;
    EXPECT_NE(text.find(std::string("'") + knob.second + "'"), std::string::npos) << text;
  }
}

TEST(Environment, ShowsTheDevicesThatAreNamed) {
  const auto all = visible({{"CUVETTE_DEVICES", "3"}});
  ASSERT_EQ(all.size(), 3u);
  using Uuids = std::vector<std::string>;
  const Uuids none = {"none"}, refused = {"refused"};
  const std::string by_uuid = all[2] + "," + all[0], by_prefix = all[1].substr(0, 14);
  const std::string twice = all[0] + "," + all[0];
  const std::vector<std::pair<const char*, Uuids>> cases = {
      {"0", {all[0]}},
      {"2,0", {all[2], all[0]}},
      {"1,9,2", {all[1]}},
      {"-1", none},
      {"0,-1,1", {all[0]}},
      {"", none},
      {"NoDevFiles", none},
      {"0,0", refused},
      {by_uuid.c_str(), {all[2], all[0]}},
      {by_prefix.c_str(), {all[1]}},
      {twice.c_str(), refused},
      {"GPU-ffffffff", none},
  };
  for (const auto& [list, expected] : cases)
    EXPECT_EQ(visible({{"CUVETTE_DEVICES", "3"}, {"CUDA_VISIBLE_DEVICES", list}}), expected)
        << list;
}

TEST(Environment, OrdersDevices) {
  const auto all = visible({{"CUVETTE_DEVICES", "3"}});
  for (const char* order : {"FASTEST_FIRST", "PCI_BUS_ID"})
    EXPECT_EQ(visible({{"CUVETTE_DEVICES", "3"}, {"CUDA_DEVICE_ORDER", order}}), all) << order;
  EXPECT_EQ(visible({{"CUDA_DEVICE_ORDER", "BY_TASTE"}}), (std::vector<std::string>{"refused"}));
}

TEST(Environment, SetsTheMemoryOfADevice) {
  const std::vector<std::pair<const char*, size_t>> sizes = {
      {"64M", size_t{64} << 20}, {"1G", size_t{1} << 30}, {"200G", size_t{200} << 30}};
  for (const auto& [text, size] : sizes)
    run_in_child({{"CUVETTE_MEMORY", text}}, [size = size] {
      const Scene scene;
      size_t free = 0, total = 0, device = 0;
      OK(cuMemGetInfo(&free, &total));
      OK(cuDeviceTotalMem(&device, 0));
      EXPECT_EQ(total, size);
      EXPECT_EQ(device, size);
      EXPECT_LE(free, total);
      EXPECT_GT(free, 0u);
      CUdeviceptr all = 0, more = 0;
      EXPECT_EQ(cuMemAlloc(&all, size + 1), CUDA_ERROR_OUT_OF_MEMORY);
      OK(cuMemAlloc(&all, free));
      EXPECT_EQ(cuMemAlloc(&more, size - free + 1), CUDA_ERROR_OUT_OF_MEMORY);
      OK(cuMemFree(all));
      // If the device is larger than the machine, no more is free than the machine can give.
      if (size > (size_t{1} << 30)) return;
      EXPECT_GT(free, total / 100 * 95);
      EXPECT_EQ(cuMemAlloc(&all, free + 1), CUDA_ERROR_OUT_OF_MEMORY);
    });
}

TEST(Environment, GivesEachDeviceItsMemoryAndContexts) {
  run_in_child({{"CUVETTE_DEVICES", "2"}}, [] {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    CUcontext contexts[2];
    CUdeviceptr memory[2];
    for (CUdevice device : {0, 1}) {
      OK(cuDevicePrimaryCtxRetain(&contexts[device], device));
      OK(cuCtxSetCurrent(contexts[device]));
      OK(cuMemAlloc(&memory[device], 4096));
      OK(cuMemsetD8(memory[device], static_cast<unsigned char>(device + 1), 4096));
      CUdevice current = -1;
      OK(cuCtxGetDevice(&current));
      EXPECT_EQ(current, device);
      int ordinal = -1;
      OK(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, memory[device]));
      EXPECT_EQ(ordinal, device);
    }
    EXPECT_NE(contexts[0], contexts[1]);
    unsigned char bytes[4096];
    OK(cuMemcpyPeer(memory[0], contexts[0], memory[1], contexts[1], 2048));
    OK(cuMemcpyDtoH(bytes, memory[0], 4096));
    EXPECT_EQ(bytes[0], 2);
    EXPECT_EQ(bytes[2047], 2);
    EXPECT_EQ(bytes[2048], 1);
    OK(cuDevicePrimaryCtxReset(1));
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED) << "device 1's is current";
    OK(cuCtxSetCurrent(contexts[0]));
    OK(cuMemFree(memory[0]));
    EXPECT_EQ(cuMemFree(memory[1]), CUDA_ERROR_INVALID_VALUE);
    int able = 9;
    OK(cuDeviceCanAccessPeer(&able, 0, 1));
    EXPECT_EQ(able, 1);
  });
}

}  // namespace
