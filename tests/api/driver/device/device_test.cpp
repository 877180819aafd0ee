// SPDX-License-Identifier: Apache-2.0
// Devices: their names, UUIDs and attributes.
#include <cuda.h>

#include <cstring>
#include <string>

#include "tests/api/driver/gate.hpp"

// Programs that use this name get the second version from <cuda.h>.
#undef cuDeviceGetUuid
extern "C" CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice dev);
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace {

constexpr CUdevice nowhere[] = {-1, 1, 1000, 0x7fffffff};

int attribute(CUdevice_attribute number) {
  int value = -1;
  EXPECT_EQ(cuDeviceGetAttribute(&value, number, 0), CUDA_SUCCESS) << number;
  return value;
}

TEST(cuDeviceGet, GivesOrdinals) {
  OK(cuInit(0));
  CUdevice device = 77;
  OK(cuDeviceGet(&device, 0));
  EXPECT_EQ(device, 0);
  device = 77;
  for (const int ordinal : nowhere)
    EXPECT_EQ(cuDeviceGet(&device, ordinal), CUDA_ERROR_INVALID_DEVICE) << ordinal;
  EXPECT_EQ(device, 77);
  EXPECT_EQ(cuDeviceGet(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGet(nullptr, 1000), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuDeviceGetCount, IsOneUnlessToldOtherwise) {
  OK(cuInit(0));
  int count = 0;
  OK(cuDeviceGetCount(&count));
  EXPECT_EQ(count, 1);
  EXPECT_EQ(cuDeviceGetCount(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuDeviceGetName, CutsWhatDoesNotFit) {
  OK(cuInit(0));
  char name[64];
  OK(cuDeviceGetName(name, sizeof name, 0));
  const std::string whole = name;
  EXPECT_EQ(whole, "NVIDIA H200");
  for (int size = 1; size <= static_cast<int>(whole.size()) + 2; ++size) {
    memset(name, '#', sizeof name);
    OK(cuDeviceGetName(name, size, 0));
    EXPECT_EQ(name, whole.substr(0, static_cast<size_t>(size) - 1));
    EXPECT_EQ(name[size], '#');
  }
  EXPECT_EQ(cuDeviceGetName(name, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetName(name, -1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetName(nullptr, 8, 0), CUDA_ERROR_INVALID_VALUE);
  for (const CUdevice device : nowhere)
    EXPECT_EQ(cuDeviceGetName(name, 8, device), CUDA_ERROR_INVALID_DEVICE);
}

TEST(cuDeviceGetAttribute, AnswersEveryAttribute) {
  OK(cuInit(0));
  for (int number = 1; number < CU_DEVICE_ATTRIBUTE_MAX; ++number) {
    int value = 0x5a5a5a5a;
    const CUresult result =
        cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(number), 0);
    if (result == CUDA_SUCCESS) {
      EXPECT_NE(value, 0x5a5a5a5a) << number;
    } else {
      EXPECT_EQ(result, CUDA_ERROR_INVALID_VALUE) << number;
    }
  }
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE), 32);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING), 1);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), 9);
  int value = 77;
  for (const int number : {0, -1, int{CU_DEVICE_ATTRIBUTE_MAX}, 10000})
    EXPECT_EQ(cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(number), 0),
              CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(value, 77);
  EXPECT_EQ(cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1000),
            CUDA_ERROR_INVALID_VALUE);
  for (const CUdevice device : nowhere)
    EXPECT_EQ(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device),
              CUDA_ERROR_INVALID_DEVICE);
}

TEST(cuDeviceTotalMem, IsTheProfiles) {
  OK(cuInit(0));
  size_t total = 0;
  OK(cuDeviceTotalMem(&total, 0));
  EXPECT_GE(total, size_t{139} << 30);
  EXPECT_LT(total, size_t{142} << 30);
  EXPECT_EQ(cuDeviceTotalMem(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceTotalMem(nullptr, 1000), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceTotalMem(&total, 1), CUDA_ERROR_INVALID_DEVICE);
}

TEST(cuDeviceComputeCapability, IsTheAttributes) {
  OK(cuInit(0));
  int major = 0, minor = -1;
  OK(cuDeviceComputeCapability(&major, &minor, 0));
  EXPECT_EQ(major, attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
  EXPECT_EQ(minor, attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  EXPECT_EQ(cuDeviceComputeCapability(nullptr, &minor, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceComputeCapability(&major, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceComputeCapability(&major, &minor, 1000), CUDA_ERROR_INVALID_DEVICE);
}

TEST(cuDeviceGetProperties, AreTheAttributes) {
  OK(cuInit(0));
  CUdevprop properties;
  memset(&properties, 0x5a, sizeof properties);
  OK(cuDeviceGetProperties(&properties, 0));
  EXPECT_EQ(properties.maxThreadsPerBlock, attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  EXPECT_EQ(properties.maxThreadsDim[0], attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X));
  EXPECT_EQ(properties.maxThreadsDim[1], attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y));
  EXPECT_EQ(properties.maxThreadsDim[2], attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z));
  EXPECT_EQ(properties.maxGridSize[0], attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X));
  EXPECT_EQ(properties.maxGridSize[1], attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y));
  EXPECT_EQ(properties.maxGridSize[2], attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z));
  EXPECT_EQ(properties.sharedMemPerBlock,
            attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
  EXPECT_EQ(properties.totalConstantMemory, attribute(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY));
  EXPECT_EQ(properties.SIMDWidth, attribute(CU_DEVICE_ATTRIBUTE_WARP_SIZE));
  EXPECT_EQ(properties.memPitch, attribute(CU_DEVICE_ATTRIBUTE_MAX_PITCH));
  EXPECT_EQ(properties.regsPerBlock, attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK));
  EXPECT_EQ(properties.clockRate, attribute(CU_DEVICE_ATTRIBUTE_CLOCK_RATE));
  EXPECT_EQ(properties.textureAlign, attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT));
  EXPECT_EQ(cuDeviceGetProperties(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetProperties(&properties, 1), CUDA_ERROR_INVALID_DEVICE);
}

TEST(cuDeviceGetUuid, IsTheSameInBothVersions) {
  OK(cuInit(0));
  CUuuid first, second, zero{};
  OK(cuDeviceGetUuid(&first, 0));
  OK(cuDeviceGetUuid_v2(&second, 0));
  EXPECT_EQ(memcmp(&first, &second, sizeof first), 0);
  EXPECT_NE(memcmp(&first, &zero, sizeof first), 0);
}

TEST(cuDeviceGetUuid_v2, ChecksItsArguments) {
  OK(cuInit(0));
  CUuuid uuid;
  EXPECT_EQ(cuDeviceGetUuid(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetUuid_v2(nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetUuid(&uuid, 1000), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceGetUuid_v2(&uuid, -1), CUDA_ERROR_INVALID_DEVICE);
}

TEST(cuDeviceGetLuid, IsNotSupportedOnLinux) {
  OK(cuInit(0));
  char luid[8];
  unsigned mask;
  EXPECT_EQ(cuDeviceGetLuid(luid, &mask, 0), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuDeviceGetLuid(nullptr, &mask, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetLuid(luid, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetLuid(luid, &mask, 1000), CUDA_ERROR_INVALID_DEVICE);
}

TEST(cuDeviceGetPCIBusId, NamesTheAttributes) {
  OK(cuInit(0));
  char text[32], expected[32];
  OK(cuDeviceGetPCIBusId(text, sizeof text, 0));
  snprintf(expected, sizeof expected, "%04x:%02x:%02x.0",
           attribute(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID), attribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID),
           attribute(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID));
  EXPECT_STREQ(text, expected);
  OK(cuDeviceGetPCIBusId(text, 5, 0));
  EXPECT_EQ(text, std::string(expected, 4));
  EXPECT_EQ(cuDeviceGetPCIBusId(text, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetPCIBusId(nullptr, 13, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetPCIBusId(text, 13, 1000), CUDA_ERROR_INVALID_DEVICE);
}

TEST(cuDeviceGetByPCIBusId, FindsWhatIsNamed) {
  OK(cuInit(0));
  char text[32];
  OK(cuDeviceGetPCIBusId(text, sizeof text, 0));
  const std::string whole = text, without_domain = whole.substr(5),
                    without_function = whole.substr(0, 10);
  for (const std::string& name : {whole, without_domain, without_function}) {
    CUdevice device = 77;
    EXPECT_EQ(cuDeviceGetByPCIBusId(&device, name.c_str()), CUDA_SUCCESS) << name;
    EXPECT_EQ(device, 0);
  }
  CUdevice device = 77;
  for (const char* name : {"", "zz", "0", ":", "GPU-0"})
    EXPECT_EQ(cuDeviceGetByPCIBusId(&device, name), CUDA_ERROR_INVALID_VALUE) << name;
  for (const char* name : {"0000:ff:1f.0", "ffff:00:00.0"})
    EXPECT_EQ(cuDeviceGetByPCIBusId(&device, name), CUDA_ERROR_INVALID_DEVICE) << name;
  EXPECT_EQ(cuDeviceGetByPCIBusId(&device, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetByPCIBusId(nullptr, text), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(device, 77);
}

}  // namespace
