// SPDX-License-Identifier: Apache-2.0
// Handles, and what an H200 says about itself: each value was measured on one, except the UUID.
#include <cstring>

#include "nvml.hpp"

namespace {

template <typename Value, typename Function>
Value ask(Function function, nvmlDevice_t device) {
  Value value{};
  EXPECT_EQ(function(no_device(), &value), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(function(device, nullptr), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(function(device, &value), NVML_SUCCESS);
  return value;
}

template <typename Function>
unsigned ask_number(Function function) {
  const Library library;
  return ask<unsigned>(function, device_at(0));
}

std::string uuid_of(nvmlDevice_t device) {
  char text[NVML_DEVICE_UUID_V2_BUFFER_SIZE] = "";
  EXPECT_EQ(nvmlDeviceGetUUID(device, text, sizeof text), NVML_SUCCESS);
  return text;
}

TEST(nvmlDeviceGetCount_v2, CountsAll) {
  const Library library;
  unsigned count = 0;
  EXPECT_EQ(nvmlDeviceGetCount_v2(nullptr), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nvmlDeviceGetCount_v2(&count), NVML_SUCCESS);
  EXPECT_EQ(count, 1u);
}

TEST(nvmlDeviceGetCount, IsTheSame) {
  const Library library;
  unsigned count = 0;
  EXPECT_EQ(nvmlDeviceGetCount(&count), NVML_SUCCESS);
  EXPECT_EQ(count, 1u);
}

TEST(nvmlDeviceGetHandleByIndex_v2, RefusesWhatIsNotThere) {
  const Library library;
  nvmlDevice_t device = nullptr;
  EXPECT_EQ(nvmlDeviceGetHandleByIndex_v2(0, nullptr), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nvmlDeviceGetHandleByIndex_v2(1, &device), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nvmlDeviceGetHandleByIndex_v2(99, &device), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(device, nullptr);
  EXPECT_EQ(nvmlDeviceGetHandleByIndex_v2(0, &device), NVML_SUCCESS);
  EXPECT_NE(device, nullptr);
}

TEST(nvmlDeviceGetHandleByIndex, IsTheSame) {
  const Library library;
  nvmlDevice_t device = nullptr;
  EXPECT_EQ(nvmlDeviceGetHandleByIndex(0, &device), NVML_SUCCESS);
  EXPECT_EQ(device, device_at(0));
}

// A handle stays valid when the program shuts the library down and initialises it again.
TEST(nvmlDeviceGetHandleByIndex_v2, GivesHandlesThatStay) {
  nvmlDevice_t device;
  {
    const Library library;
    device = device_at(0);
  }
  const Library library;
  EXPECT_EQ(device, device_at(0));
}

TEST(nvmlDeviceGetHandleByUUID, TakesItInFullAlone) {
  const Library library;
  const std::string uuid = uuid_of(device_at(0));
  nvmlDevice_t device = nullptr;
  for (const std::string& text : {uuid, uuid.substr(4)}) {
    device = nullptr;
    EXPECT_EQ(nvmlDeviceGetHandleByUUID(text.c_str(), &device), NVML_SUCCESS) << text;
    EXPECT_EQ(device, device_at(0));
  }
  std::string large = uuid;
  for (char& letter : large) letter = static_cast<char>(toupper(letter));
  for (const std::string& text : {large, uuid.substr(0, 10), uuid + " ", std::string(), "x" + uuid})
    EXPECT_EQ(nvmlDeviceGetHandleByUUID(text.c_str(), &device), NVML_ERROR_NOT_FOUND) << text;
  EXPECT_EQ(nvmlDeviceGetHandleByUUID(nullptr, &device), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nvmlDeviceGetHandleByUUID(uuid.c_str(), nullptr), NVML_ERROR_INVALID_ARGUMENT);
}

TEST(nvmlDeviceGetHandleByPciBusId_v2, ReadsAddressesAsTheDriverDoes) {
  const Library library;
  nvmlDevice_t device = nullptr;
  for (const char* text : {"0000:00:06.0", "00000000:00:06.0", "00:06.0", "0:0:6", " 0:0:6.0x"}) {
    device = nullptr;
    EXPECT_EQ(nvmlDeviceGetHandleByPciBusId_v2(text, &device), NVML_SUCCESS) << text;
    EXPECT_EQ(device, device_at(0)) << text;
  }
  for (const char* text : {"0:0:6.1", "00:06", "x", ""})
    EXPECT_EQ(nvmlDeviceGetHandleByPciBusId_v2(text, &device), NVML_ERROR_INVALID_ARGUMENT) << text;
  EXPECT_EQ(nvmlDeviceGetHandleByPciBusId_v2("0000:00:99.0", &device), NVML_ERROR_NOT_FOUND);
}

TEST(nvmlDeviceGetHandleByPciBusId, IsTheSame) {
  const Library library;
  nvmlDevice_t device = nullptr;
  EXPECT_EQ(nvmlDeviceGetHandleByPciBusId("0000:00:06.0", &device), NVML_SUCCESS);
  EXPECT_EQ(device, device_at(0));
}

TEST(nvmlDeviceGetHandleBySerial, FindsNone) {
  const Library library;
  nvmlDevice_t device = nullptr;
  EXPECT_EQ(nvmlDeviceGetHandleBySerial("1654124046237", &device), NVML_ERROR_NOT_FOUND);
  EXPECT_EQ(nvmlDeviceGetHandleBySerial(nullptr, &device), NVML_ERROR_INVALID_ARGUMENT);
}

TEST(nvmlDeviceGetName, FitsOrIsNotWritten) {
  const Library library;
  char name[NVML_DEVICE_NAME_V2_BUFFER_SIZE] = "before";
  EXPECT_EQ(nvmlDeviceGetName(device_at(0), name, 11), NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_STREQ(name, "before");
  EXPECT_EQ(nvmlDeviceGetName(device_at(0), name, 12), NVML_SUCCESS);
  EXPECT_STREQ(name, "NVIDIA H200");
  EXPECT_EQ(nvmlDeviceGetName(no_device(), name, sizeof name), NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(nvmlDeviceGetName(device_at(0), nullptr, sizeof name), NVML_ERROR_INVALID_ARGUMENT);
}

TEST(nvmlDeviceGetUUID, FitsOrIsNotWritten) {
  const Library library;
  char uuid[NVML_DEVICE_UUID_V2_BUFFER_SIZE] = "before";
  EXPECT_EQ(nvmlDeviceGetUUID(device_at(0), uuid, 40), NVML_ERROR_INSUFFICIENT_SIZE);
  EXPECT_STREQ(uuid, "before");
  EXPECT_EQ(nvmlDeviceGetUUID(device_at(0), uuid, 41), NVML_SUCCESS);
  EXPECT_EQ(std::strlen(uuid), 40u);
  EXPECT_EQ(std::string(uuid, 4), "GPU-");
}

TEST(nvmlDeviceGetIndex, IsItsPlace) { EXPECT_EQ(ask_number(nvmlDeviceGetIndex), 0u); }
TEST(nvmlDeviceGetMinorNumber, IsItsPlace) { EXPECT_EQ(ask_number(nvmlDeviceGetMinorNumber), 0u); }
TEST(nvmlDeviceGetMultiGpuBoard, IsNone) { EXPECT_EQ(ask_number(nvmlDeviceGetMultiGpuBoard), 0u); }
TEST(nvmlDeviceGetArchitecture, IsHopper) {
  EXPECT_EQ(ask_number(nvmlDeviceGetArchitecture), NVML_DEVICE_ARCH_HOPPER);
}
TEST(nvmlDeviceGetNumGpuCores, IsTheH200s) {
  EXPECT_EQ(ask_number(nvmlDeviceGetNumGpuCores), 16896u);
}
TEST(nvmlDeviceGetMemoryBusWidth, IsTheH200s) {
  EXPECT_EQ(ask_number(nvmlDeviceGetMemoryBusWidth), 6016u);
}
TEST(nvmlDeviceGetMaxMigDeviceCount, IsNone) {
  EXPECT_EQ(ask_number(nvmlDeviceGetMaxMigDeviceCount), 0u);
}
TEST(nvmlDeviceIsMigDeviceHandle, IsNone) {
  EXPECT_EQ(ask_number(nvmlDeviceIsMigDeviceHandle), 0u);
}

TEST(nvmlDeviceGetBrand, IsTheH200s) {
  const Library library;
  EXPECT_EQ(ask<nvmlBrandType_t>(nvmlDeviceGetBrand, device_at(0)), NVML_BRAND_NVIDIA);
}

TEST(nvmlDeviceGetComputeMode, IsForAll) {
  const Library library;
  EXPECT_EQ(ask<nvmlComputeMode_t>(nvmlDeviceGetComputeMode, device_at(0)),
            NVML_COMPUTEMODE_DEFAULT);
}

TEST(nvmlDeviceGetDisplayActive, IsNot) {
  const Library library;
  EXPECT_EQ(ask<nvmlEnableState_t>(nvmlDeviceGetDisplayActive, device_at(0)),
            NVML_FEATURE_DISABLED);
}

TEST(nvmlDeviceGetCudaComputeCapability, IsTheH200s) {
  const Library library;
  int major = 0, minor = 7;
  EXPECT_EQ(nvmlDeviceGetCudaComputeCapability(device_at(0), &major, &minor), NVML_SUCCESS);
  EXPECT_EQ(major, 9);
  EXPECT_EQ(minor, 0);
  EXPECT_EQ(nvmlDeviceGetCudaComputeCapability(device_at(0), &major, nullptr),
            NVML_ERROR_INVALID_ARGUMENT);
}

TEST(nvmlDeviceGetEccMode, IsOn) {
  const Library library;
  nvmlEnableState_t current{}, pending{};
  EXPECT_EQ(nvmlDeviceGetEccMode(device_at(0), &current, &pending), NVML_SUCCESS);
  EXPECT_EQ(current, NVML_FEATURE_ENABLED);
  EXPECT_EQ(pending, NVML_FEATURE_ENABLED);
}

TEST(nvmlDeviceGetMaxClockInfo, IsTheH200s) {
  const Library library;
  const struct {
    nvmlClockType_t type;
    unsigned clock;
  } clocks[] = {{NVML_CLOCK_GRAPHICS, 1980}, {NVML_CLOCK_SM, 1980}, {NVML_CLOCK_MEM, 3201}};
  unsigned clock = 0;
  for (const auto& [type, expected] : clocks) {
    EXPECT_EQ(nvmlDeviceGetMaxClockInfo(device_at(0), type, &clock), NVML_SUCCESS);
    EXPECT_EQ(clock, expected);
  }
  EXPECT_EQ(nvmlDeviceGetMaxClockInfo(device_at(0), NVML_CLOCK_VIDEO, &clock),
            NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(nvmlDeviceGetMaxClockInfo(device_at(0), NVML_CLOCK_COUNT, &clock),
            NVML_ERROR_INVALID_ARGUMENT);
}

// Fills the struct with '!', calls the function and returns how many bytes at the end it left
// unchanged.
size_t left_alone(nvmlReturn_t (*function)(nvmlDevice_t, nvmlPciInfo_t*), nvmlPciInfo_t* info) {
  std::memset(info, '!', sizeof *info);
  EXPECT_EQ(function(device_at(0), info), NVML_SUCCESS);
  EXPECT_STREQ(info->busIdLegacy, "0000:00:06.0");
  EXPECT_EQ(info->domain, 0u);
  EXPECT_EQ(info->bus, 0u);
  EXPECT_EQ(info->device, 6u);
  EXPECT_EQ(info->pciDeviceId, 0x233510deu);
  const char* bytes = reinterpret_cast<const char*>(info);
  size_t count = 0;
  while (count < sizeof *info && bytes[sizeof *info - 1 - count] == '!') ++count;
  return count;
}

TEST(nvmlDeviceGetPciInfo_v3, WritesAll) {
  const Library library;
  nvmlPciInfo_t info;
  left_alone(nvmlDeviceGetPciInfo_v3, &info);
  EXPECT_EQ(info.pciSubSystemId, 0x18bf10deu);
  EXPECT_STREQ(info.busId, "00000000:00:06.0");
  EXPECT_EQ(nvmlDeviceGetPciInfo_v3(device_at(0), nullptr), NVML_ERROR_INVALID_ARGUMENT);
}

TEST(nvmlDeviceGetPciInfo_v2, EndsBeforeTheBusId) {
  const Library library;
  nvmlPciInfo_t info;
  EXPECT_EQ(left_alone(nvmlDeviceGetPciInfo_v2, &info),
            sizeof info - offsetof(nvmlPciInfo_t, busId));
  EXPECT_EQ(info.pciSubSystemId, 0x18bf10deu);
}

TEST(nvmlDeviceGetPciInfo, EndsBeforeTheSubSystem) {
  const Library library;
  nvmlPciInfo_t info;
  EXPECT_EQ(left_alone(nvmlDeviceGetPciInfo, &info),
            sizeof info - offsetof(nvmlPciInfo_t, pciSubSystemId));
}

TEST(nvmlDeviceGetFieldValues, EachSaysWhetherItIsThere) {
  const Library library;
  nvmlFieldValue_t values[4] = {};
  values[0].fieldId = NVML_FI_DEV_ECC_CURRENT;
  values[2].fieldId = NVML_FI_MAX;
  values[3].fieldId = NVML_FI_MAX - 1;
  EXPECT_EQ(nvmlDeviceGetFieldValues(device_at(0), 4, values), NVML_SUCCESS);
  EXPECT_EQ(values[0].nvmlReturn, NVML_SUCCESS);
  EXPECT_EQ(values[0].valueType, NVML_VALUE_TYPE_UNSIGNED_LONG_LONG);
  EXPECT_EQ(values[0].value.ullVal, 1u);
  EXPECT_EQ(values[1].nvmlReturn, NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(values[2].nvmlReturn, NVML_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(values[3].nvmlReturn, NVML_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(nvmlDeviceGetFieldValues(device_at(0), 4, nullptr), NVML_ERROR_INVALID_ARGUMENT);
}

}  // namespace
