// SPDX-License-Identifier: Apache-2.0
// Copies, fills, symbols, arrays and pointers. Expected values are those of an H200 with CUDA 13.0.
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "tests/api/runtime/registered.hpp"

namespace cuvette::runtime_tests {
namespace {

struct Device {
  explicit Device(size_t bytes) { EXPECT_EQ(cudaMalloc(&pointer, bytes), cudaSuccess); }
  ~Device() { cudaFree(pointer); }
  void* pointer = nullptr;
};

std::vector<unsigned char> counting(size_t bytes) {
  std::vector<unsigned char> numbers(bytes);
  std::iota(numbers.begin(), numbers.end(), static_cast<unsigned char>(1));
  return numbers;
}

TEST(cudaMemcpy, KindsThatAreRightAndWrong) {
  Device device(64);
  const auto host = counting(64);
  std::vector<unsigned char> back(64);
  EXPECT_EQ(cudaMemcpy(device.pointer, host.data(), 64, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(back.data(), device.pointer, 64, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(back, host);
  EXPECT_EQ(cudaMemcpy(device.pointer, host.data(), 64, static_cast<cudaMemcpyKind>(9)),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpy(device.pointer, host.data(), 65, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice), cudaSuccess);
  cudaGetLastError();
}

TEST(cudaMemcpy2D, CopiesRowsAndRefusesPitchesThatAreTooSmall) {
  Device device(64);
  const auto host = counting(64);
  std::vector<unsigned char> back(64, 0);
  ASSERT_EQ(cudaMemcpy(device.pointer, host.data(), 64, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy2D(back.data(), 4, device.pointer, 8, 3, 8, cudaMemcpyDeviceToHost),
            cudaSuccess);
  for (int row = 0; row < 8; ++row)
    for (int x = 0; x < 4; ++x)
      EXPECT_EQ(back[row * 4 + x], x < 3 ? host[row * 8 + x] : 0) << row << ' ' << x;
  EXPECT_EQ(cudaMemcpy2D(back.data(), 4, device.pointer, 8, 8, 4, cudaMemcpyDeviceToHost),
            cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaMemcpy2D(back.data(), 8, device.pointer, 4, 8, 4, cudaMemcpyDeviceToHost),
            cudaErrorInvalidPitchValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidPitchValue);
}

TEST(cudaMemcpy3D, CountsElementsOfArrays) {
  cudaChannelFormatDesc two_floats{32, 32, 0, 0, cudaChannelFormatKindFloat};
  cudaArray_t array = nullptr;
  ASSERT_EQ(cudaMalloc3DArray(&array, &two_floats, cudaExtent{4, 3, 2}, 0), cudaSuccess);
  std::vector<float> in(4 * 3 * 2 * 2), out(in.size(), -1);
  std::iota(in.begin(), in.end(), 0.5f);
  cudaMemcpy3DParms to{};
  to.srcPtr = {in.data(), 4 * 8, 4, 3};
  to.dstArray = array;
  to.extent = {4, 3, 2};
  to.kind = cudaMemcpyHostToDevice;
  ASSERT_EQ(cudaMemcpy3D(&to), cudaSuccess);
  cudaMemcpy3DParms from{};
  from.srcArray = array;
  from.srcPos = {1, 1, 1};
  from.dstPtr = {out.data(), 2 * 8, 2, 2};
  from.extent = {2, 2, 1};
  from.kind = cudaMemcpyDeviceToHost;
  ASSERT_EQ(cudaMemcpy3D(&from), cudaSuccess);
  for (int y = 0; y < 2; ++y)
    for (int x = 0; x < 4; ++x)
      EXPECT_EQ(out[y * 4 + x], in[((1 * 3 + 1 + y) * 4 + 1) * 2 + x]) << y << ' ' << x;
  cudaMemcpy3DParms nothing{};
  EXPECT_EQ(cudaMemcpy3D(&nothing), cudaSuccess);
  nothing.extent = {1, 1, 1};
  EXPECT_EQ(cudaMemcpy3D(&nothing), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
  cudaGetLastError();
}

// Rows of 8 bytes and rows of 5: no piece is a whole row of both.
TEST(cudaMemcpyArrayToArray, BytesGoOnInTheNextRowOfBoth) {
  const cudaChannelFormatDesc bytes = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
  cudaArray_t wide, narrow;
  ASSERT_EQ(cudaMallocArray(&wide, &bytes, 8, 5), cudaSuccess);
  ASSERT_EQ(cudaMallocArray(&narrow, &bytes, 5, 8), cudaSuccess);
  std::vector<unsigned char> host(40), found(40);
  for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<unsigned char>(i + 1);
  ASSERT_EQ(cudaMemcpyToArray(wide, 0, 0, host.data(), 40, cudaMemcpyHostToDevice), cudaSuccess);
  const std::vector<unsigned char> none(40);
  ASSERT_EQ(cudaMemcpyToArray(narrow, 0, 0, none.data(), 40, cudaMemcpyHostToDevice), cudaSuccess);
  // From byte 13 of one array to byte 7 of the other.
  EXPECT_EQ(cudaMemcpyArrayToArray(narrow, 2, 1, wide, 5, 1, 27, cudaMemcpyDeviceToDevice),
            cudaSuccess);
  ASSERT_EQ(cudaMemcpyFromArray(found.data(), narrow, 0, 0, 40, cudaMemcpyDeviceToHost),
            cudaSuccess);
  for (size_t i = 0; i < 40; ++i)
    EXPECT_EQ(found[i], i >= 7 && i < 34 ? i - 7 + 13 + 1 : 0) << "byte " << i;
  EXPECT_EQ(cudaMemcpyArrayToArray(narrow, 0, 0, wide, 0, 0, 41, cudaMemcpyDeviceToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeArray(wide), cudaSuccess);
  EXPECT_EQ(cudaFreeArray(narrow), cudaSuccess);
}

TEST(cudaMemcpyToArray, BytesGoOnInTheNextRow) {
  cudaChannelFormatDesc byte{8, 0, 0, 0, cudaChannelFormatKindUnsigned};
  cudaArray_t array = nullptr;
  ASSERT_EQ(cudaMallocArray(&array, &byte, 16, 4, 0), cudaSuccess);
  const auto host = counting(40);
  std::vector<unsigned char> back(40);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  ASSERT_EQ(cudaMemcpyToArray(array, 5, 0, host.data(), 40, cudaMemcpyHostToDevice), cudaSuccess);
  ASSERT_EQ(cudaMemcpyFromArray(back.data(), array, 5, 0, 40, cudaMemcpyDeviceToHost), cudaSuccess);
#pragma GCC diagnostic pop
  EXPECT_EQ(back, host);
  std::vector<unsigned char> row(16);
  ASSERT_EQ(cudaMemcpy2DFromArray(row.data(), 16, array, 0, 1, 16, 1, cudaMemcpyDeviceToHost),
            cudaSuccess);
  for (int x = 0; x < 16; ++x) EXPECT_EQ(row[x], host[11 + x]);
  cudaFreeArray(array);
}

TEST(cudaMemset3D, LeavesWhatIsBetweenSlices) {
  Device device(64);
  std::vector<unsigned char> back(64);
  ASSERT_EQ(cudaMemset(device.pointer, 0, 64), cudaSuccess);
  ASSERT_EQ(cudaMemset3D(cudaPitchedPtr{device.pointer, 8, 8, 2}, 9, cudaExtent{3, 1, 4}),
            cudaSuccess);
  ASSERT_EQ(cudaMemcpy(back.data(), device.pointer, 64, cudaMemcpyDeviceToHost), cudaSuccess);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(back[i], i % 16 < 3 ? 9 : 0) << i;
}

TEST(cudaMemcpyToSymbol, ChecksBoundsAndDirections) {
  program();
  int value = 3;
  EXPECT_EQ(cudaMemcpyToSymbol(&counter, &value, 4, 0, cudaMemcpyHostToDevice), cudaSuccess);
  value = 0;
  EXPECT_EQ(cudaMemcpyFromSymbol(&value, &counter, 4, 0, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(value, 3);
  EXPECT_EQ(cudaMemcpyToSymbol(&counter, &value, 4, 1, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(&counter, &value, SIZE_MAX, 1, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(&counter, &value, 4, 0, cudaMemcpyDeviceToHost),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpyToSymbol(&counter, &value, 4, 257, cudaMemcpyDeviceToHost),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbol(&value, &value, 4, 0, cudaMemcpyDeviceToHost),
            cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaMemcpyToSymbol(&value, &value, 4, 0, cudaMemcpyHostToDevice),
            cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidSymbol);
}

TEST(cudaMemcpyToSymbolAsync, LooksAtTheDirectionBeforeTheBounds) {
  program();
  int value = 3;
  EXPECT_EQ(cudaMemcpyToSymbolAsync(&counter, &value, 4, 257, cudaMemcpyDeviceToHost, nullptr),
            cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaMemcpyToSymbolAsync(&counter, &value, 4, 257, cudaMemcpyHostToDevice, nullptr),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyToSymbolAsync(&counter, &value, 0, 257, cudaMemcpyDeviceToHost, nullptr),
            cudaSuccess);
  EXPECT_EQ(cudaMemcpyToSymbolAsync(&value, &value, 4, 257, cudaMemcpyDeviceToHost, nullptr),
            cudaErrorInvalidSymbol);
  EXPECT_EQ(cudaMemcpyFromSymbolAsync(&value, &counter, 4, 257, cudaMemcpyHostToDevice, nullptr),
            cudaErrorInvalidMemcpyDirection);
  cudaGetLastError();
}

TEST(cudaGetSymbolAddress, IsWhereKernelsFindTheVariable) {
  program();
  void* address = nullptr;
  size_t bytes = 0;
  ASSERT_EQ(cudaGetSymbolAddress(&address, &counter), cudaSuccess);
  ASSERT_EQ(cudaGetSymbolSize(&bytes, &counter), cudaSuccess);
  EXPECT_EQ(bytes, 4u);
  Device numbers(4);
  ASSERT_EQ(launch_add(1, 1, static_cast<int*>(numbers.pointer), 1), cudaSuccess);
  int value = 0;
  ASSERT_EQ(cudaMemcpy(&value, address, 4, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(value, 8);
}

TEST(__cudaInitModule, GivesManagedVariablesTheirAddresses) {
  ASSERT_TRUE(program().load());
  ASSERT_NE(managed_number, nullptr);
  EXPECT_EQ(*managed_number, 5);
  void* address = nullptr;
  EXPECT_EQ(cudaGetSymbolAddress(&address, managed_number), cudaSuccess);
  EXPECT_EQ(address, managed_number);
}

TEST(cudaPointerGetAttributes, OfEveryKindOfMemory) {
  cudaPointerAttributes attributes;
  int local = 0;
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, &local), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
  EXPECT_EQ(attributes.device, -2);
  EXPECT_EQ(attributes.devicePointer, nullptr);
  EXPECT_EQ(attributes.hostPointer, &local);
  Device device(16);
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, device.pointer), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_EQ(attributes.device, 0);
  EXPECT_EQ(attributes.devicePointer, device.pointer);
  EXPECT_EQ(attributes.hostPointer, nullptr);
  void* host = nullptr;
  ASSERT_EQ(cudaMallocHost(&host, 16), cudaSuccess);
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, host), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  EXPECT_EQ(attributes.hostPointer, host);
  cudaFreeHost(host);
  ASSERT_EQ(cudaMallocManaged(&host, 16, cudaMemAttachGlobal), cudaSuccess);
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, host), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeManaged);
  cudaFree(host);
  EXPECT_EQ(cudaPointerGetAttributes(nullptr, host), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST(cudaMallocArray, RefusesElementsThatArraysCannotHave) {
  cudaArray_t array = nullptr;
  for (const cudaChannelFormatDesc& wrong :
       {cudaChannelFormatDesc{8, 8, 8, 0, cudaChannelFormatKindUnsigned},
        cudaChannelFormatDesc{8, 16, 0, 0, cudaChannelFormatKindUnsigned},
        cudaChannelFormatDesc{64, 0, 0, 0, cudaChannelFormatKindUnsigned},
        cudaChannelFormatDesc{0, 0, 0, 0, cudaChannelFormatKindNone}})
    EXPECT_EQ(cudaMallocArray(&array, &wrong, 4, 4, 0), cudaErrorInvalidChannelDescriptor);
  EXPECT_EQ(cudaMallocArray(&array, nullptr, 4, 4, 0), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST(cudaMalloc3DArray, LooksAtTheShapeBeforeTheElements) {
  constexpr unsigned layers = cudaArrayLayered, cube = cudaArrayCubemap,
                     gather = cudaArrayTextureGather;
  const cudaChannelFormatDesc wrong{8, 8, 8, 8, static_cast<cudaChannelFormatKind>(77)};
  struct Shape {
    cudaExtent extent;
    unsigned flags;
    bool possible;
  };
  cudaArray_t array = nullptr;
  cudaMipmappedArray_t levels = nullptr;
  for (const auto& [extent, flags, possible] :
       {Shape{{28, 1, 0}, layers, false}, Shape{{16, 16, 0}, layers, false},
        Shape{{35, 0, 6}, gather, false}, Shape{{9, 33, 12}, 0x8000, false},
        Shape{{11, 0, 1}, 0, false}, Shape{{0, 4, 0}, 0, false}, Shape{{6, 5, 6}, cube, false},
        Shape{{6, 6, 7}, cube | layers, false}, Shape{{22, 33, 6}, 0, true},
        Shape{{1, 1, 12}, cube | layers, true}, Shape{{3, 1, 0}, gather, true},
        Shape{{37, 33, 1}, layers | cudaArraySurfaceLoadStore, true}, Shape{{7, 5, 0}, 0, true}}) {
    const auto error = possible ? cudaErrorInvalidChannelDescriptor : cudaErrorInvalidValue;
    EXPECT_EQ(cudaMalloc3DArray(&array, &wrong, extent, flags), error)
        << extent.width << " x " << extent.height << " x " << extent.depth << ", flags " << flags;
    if (flags != gather) {
      EXPECT_EQ(cudaMallocMipmappedArray(&levels, &wrong, extent, 1, flags), error);
    }
  }
  // It has no depth.
  EXPECT_EQ(cudaMallocArray(&array, &wrong, 6, 6, cube | layers), cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST(cudaCreateTextureObject, RefusesReadingsThatThereAreNone) {
  Device device(4096);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = device.pointer;
  resource.res.linear.desc = {32, 0, 0, 0, cudaChannelFormatKindSigned};
  resource.res.linear.sizeInBytes = 4096;
  cudaTextureDesc texture{};
  cudaTextureObject_t object = 0;
  EXPECT_EQ(cudaCreateTextureObject(&object, &resource, &texture, nullptr), cudaSuccess);
  EXPECT_EQ(cudaDestroyTextureObject(object), cudaSuccess);
  texture.readMode = cudaReadModeNormalizedFloat;
  EXPECT_EQ(cudaCreateTextureObject(&object, &resource, &texture, nullptr),
            cudaErrorInvalidNormSetting);
  texture.readMode = cudaReadModeElementType;
  texture.filterMode = cudaFilterModeLinear;
  EXPECT_EQ(cudaCreateTextureObject(&object, &resource, &texture, nullptr),
            cudaErrorInvalidFilterSetting);
  // Normalising is for integers of 8 and 16 bits: halves are floats already.
  texture.readMode = cudaReadModeNormalizedFloat;
  resource.res.linear.desc = {16, 16, 0, 0, cudaChannelFormatKindSigned};
  EXPECT_EQ(cudaCreateTextureObject(&object, &resource, &texture, nullptr), cudaSuccess);
  EXPECT_EQ(cudaDestroyTextureObject(object), cudaSuccess);
  resource.res.linear.desc.f = cudaChannelFormatKindFloat;
  EXPECT_EQ(cudaCreateTextureObject(&object, &resource, &texture, nullptr),
            cudaErrorInvalidNormSetting);
  cudaGetLastError();
}

}  // namespace
}  // namespace cuvette::runtime_tests
