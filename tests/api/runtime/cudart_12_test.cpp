// SPDX-License-Identifier: Apache-2.0
// libcudart.so.12: what CUDA 12 declares differently from CUDA 13. This file is compiled with
// CUVETTE_CUDART_MAJOR=12 and uses the names that programs of CUDA 12 use.
#include <cuda_runtime.h>
#include <cuvetteSemaphore.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <vector>

#include "tests/api/runtime/registered.hpp"

static_assert(CUDART_VERSION / 1000 == 12);

extern "C" {
// The older forms, which have no name in the header.
cudaError_t old_properties(cudaDeviceProp*, int) __asm__("cudaGetDeviceProperties");
cudaError_t old_capture_info(cudaStream_t, cudaStreamCaptureStatus*,
                             unsigned long long*) __asm__("cudaStreamGetCaptureInfo");
}

namespace {

TEST(cudaRuntimeGetVersion, IsThatOfItsMajorVersion) {
  int version = 0;
  EXPECT_EQ(cudaRuntimeGetVersion(&version), cudaSuccess);
  EXPECT_EQ(version, CUDART_VERSION);
}

// Members that CUDA 13 has removed agree with the attributes.
TEST(cudaGetDeviceProperties_v2, HasWhatCuda13HasRemoved) {
  cudaDeviceProp properties{};
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  const auto attribute = [](cudaDeviceAttr which) {
    int value = -1;
    EXPECT_EQ(cudaDeviceGetAttribute(&value, which, 0), cudaSuccess);
    return value;
  };
  EXPECT_GT(properties.clockRate, 0);
  EXPECT_EQ(properties.clockRate, attribute(cudaDevAttrClockRate));
  EXPECT_EQ(properties.memoryClockRate, attribute(cudaDevAttrMemoryClockRate));
  EXPECT_EQ(properties.computeMode, attribute(cudaDevAttrComputeMode));
  EXPECT_EQ(properties.deviceOverlap, attribute(cudaDevAttrGpuOverlap));
  EXPECT_EQ(properties.warpSize, 32);
  EXPECT_EQ(properties.major, attribute(cudaDevAttrComputeCapabilityMajor));
  EXPECT_NE(std::strlen(properties.name), 0u);
}

// A program from before CUDA 12 has a smaller structure: nothing is written beyond its end.
TEST(cudaGetDeviceProperties, WritesTheOlderStructureAlone) {
  cudaDeviceProp all{}, older;
  ASSERT_EQ(cudaGetDeviceProperties(&all, 0), cudaSuccess);
  std::memset(static_cast<void*>(&older), 0x5a, sizeof older);
  ASSERT_EQ(old_properties(&older, 0), cudaSuccess);
  const size_t end = offsetof(cudaDeviceProp, reservedSharedMemPerBlock) + sizeof(size_t);
  EXPECT_EQ(std::memcmp(&older, &all, end), 0);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&older);
  for (size_t i = end; i < sizeof older; ++i) ASSERT_EQ(bytes[i], 0x5a) << i;
  EXPECT_EQ(old_properties(nullptr, 0), cudaErrorInvalidValue);
  EXPECT_EQ(old_properties(&older, 99), cudaErrorInvalidDevice);
}

TEST(cudaMemPrefetchAsync, NamesAPlaceByItsDevice) {
  int* numbers = nullptr;
  ASSERT_EQ(cudaMallocManaged(&numbers, 1 << 16), cudaSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync(numbers, 1 << 16, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync(numbers, 1 << 16, cudaCpuDeviceId, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync(numbers, 1 << 16, 77, nullptr), cudaErrorInvalidDevice);
  const cudaMemLocation host = {cudaMemLocationTypeHost, 0};
  EXPECT_EQ(cudaMemPrefetchAsync_v2(numbers, 1 << 16, host, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemAdvise(numbers, 1 << 16, cudaMemAdviseSetPreferredLocation, 0), cudaSuccess);
  int place = -7;
  EXPECT_EQ(cudaMemRangeGetAttribute(&place, sizeof place, cudaMemRangeAttributePreferredLocation,
                                     numbers, 1 << 16),
            cudaSuccess);
  EXPECT_EQ(place, 0);
  EXPECT_EQ(cudaMemAdvise(numbers, 1 << 16, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId),
            cudaSuccess);
  EXPECT_EQ(cudaMemRangeGetAttribute(&place, sizeof place, cudaMemRangeAttributePreferredLocation,
                                     numbers, 1 << 16),
            cudaSuccess);
  EXPECT_EQ(place, cudaCpuDeviceId);
  EXPECT_EQ(cudaFree(numbers), cudaSuccess);
  cudaGetLastError();
}

TEST(cudaMemcpyBatchAsync, CopiesAndSaysWhatItRefused) {
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  void* device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 8), cudaSuccess);
  int in[2] = {3, 4}, out[2] = {};
  void* to[] = {device};
  void* from[] = {in};
  size_t sizes[] = {8}, first[] = {0}, refused = 55;
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  EXPECT_EQ(cudaMemcpyBatchAsync(to, from, sizes, 1, &attributes, first, 1, &refused, stream),
            cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(out, device, 8, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(out[1], 4);
  EXPECT_NE(cudaMemcpyBatchAsync(nullptr, from, sizes, 1, &attributes, first, 1, &refused, stream),
            cudaSuccess);
  EXPECT_EQ(refused, SIZE_MAX);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  cudaGetLastError();
}

TEST(cudaGraphAddDependencies, HasNoDataOfEdges) {
  cudaGraph_t graph;
  cudaGraphNode_t a, b, from, to;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddEmptyNode(&a, graph, nullptr, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddEmptyNode(&b, graph, nullptr, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphAddDependencies(graph, &a, &b, 1), cudaSuccess);
  size_t count = 1;
  EXPECT_EQ(cudaGraphGetEdges(graph, &from, &to, &count), cudaSuccess);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(from, a);
  EXPECT_EQ(to, b);
  cudaGraphEdgeData data{};
  EXPECT_EQ(cudaGraphGetEdges_v2(graph, &from, &to, &data, &count), cudaSuccess);
  EXPECT_EQ(data.type, cudaGraphDependencyTypeDefault);
  EXPECT_EQ(cudaGraphNodeGetDependencies(b, &from, &count), cudaSuccess);
  EXPECT_EQ(from, a);
  EXPECT_EQ(cudaGraphNodeGetDependentNodes(a, &to, &count), cudaSuccess);
  EXPECT_EQ(to, b);
  EXPECT_EQ(cudaGraphRemoveDependencies(graph, &a, &b, 1), cudaSuccess);
  EXPECT_EQ(cudaGraphGetEdges(graph, nullptr, nullptr, &count), cudaSuccess);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST(cudaStreamGetCaptureInfo, HasThreeForms) {
  cudaStream_t stream;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaSuccess);
  cudaStreamCaptureStatus status{};
  unsigned long long oldest = 0, second = 0, third = 0;
  cudaGraph_t graph = nullptr, same = nullptr;
  const cudaGraphNode_t* nodes = nullptr;
  size_t count = 7;
  EXPECT_EQ(old_capture_info(stream, &status, &oldest), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  EXPECT_EQ(cudaStreamGetCaptureInfo(stream, &status, &second, &graph, &nodes, &count),
            cudaSuccess);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(cudaStreamGetCaptureInfo_v3(stream, &status, &third, &same, nullptr, nullptr, nullptr),
            cudaSuccess);
  EXPECT_EQ(oldest, second);
  EXPECT_EQ(oldest, third);
  EXPECT_EQ(graph, same);
  cudaGraphNode_t node;
  ASSERT_EQ(cudaGraphAddEmptyNode(&node, graph, nullptr, 0), cudaSuccess);
  EXPECT_EQ(cudaStreamUpdateCaptureDependencies(stream, &node, 1, cudaStreamSetCaptureDependencies),
            cudaSuccess);
  EXPECT_EQ(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &nodes, &count),
            cudaSuccess);
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(nodes[0], node);
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST(cudaSignalExternalSemaphoresAsync_v2, WorksByItsNameWithoutAVersion) {
  cudaExternalSemaphoreHandleDesc description{};
  description.type = cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd;
  description.handle.fd = cuvetteSemaphoreCreate(CUVETTE_SEMAPHORE_TIMELINE, 0);
  cuvetteSemaphore* const host = cuvetteSemaphoreMap(description.handle.fd);
  ASSERT_NE(host, nullptr);
  cudaExternalSemaphore_t semaphore;
  ASSERT_EQ(cudaImportExternalSemaphore(&semaphore, &description), cudaSuccess);
  cudaExternalSemaphoreSignalParams signal{};
  signal.params.fence.value = 3;
  EXPECT_EQ(cudaSignalExternalSemaphoresAsync(&semaphore, &signal, 1, nullptr), cudaSuccess);
  cudaExternalSemaphoreWaitParams wait{};
  wait.params.fence.value = 3;
  EXPECT_EQ(cudaWaitExternalSemaphoresAsync(&semaphore, &wait, 1, nullptr), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cuvetteSemaphoreValue(host), 3u);
  EXPECT_EQ(cudaDestroyExternalSemaphore(semaphore), cudaSuccess);
  cuvetteSemaphoreUnmap(host);
}

TEST(cudaThreadSynchronize, IsTheDevicesOldName) {
  EXPECT_EQ(cudaThreadSynchronize(), cudaSuccess);
  size_t now = 0, old = 1;
  EXPECT_EQ(cudaThreadSetLimit(cudaLimitStackSize, 2048), cudaSuccess);
  EXPECT_EQ(cudaThreadGetLimit(&old, cudaLimitStackSize), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetLimit(&now, cudaLimitStackSize), cudaSuccess);
  EXPECT_EQ(old, now);
  EXPECT_EQ(cudaThreadExit(), cudaSuccess);
}

TEST(cudaSetDoubleForDevice, LeavesDoublesAsTheyAre) {
  double number = 1.5;
  EXPECT_EQ(cudaSetDoubleForDevice(&number), cudaSuccess);
  EXPECT_EQ(cudaSetDoubleForHost(&number), cudaSuccess);
  EXPECT_EQ(number, 1.5);
}

TEST(cudaLaunchCooperativeKernelMultiDevice, LaunchesOnOneDevice) {
  cuvette::runtime_tests::program();
  int* numbers = nullptr;
  cudaStream_t stream;
  ASSERT_EQ(cudaMalloc(&numbers, 8 * sizeof(int)), cudaSuccess);
  ASSERT_EQ(cudaMemset(numbers, 0, 8 * sizeof(int)), cudaSuccess);
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  int value = 3;
  void* arguments[] = {&numbers, &value};
  cudaLaunchParams launch{
      reinterpret_cast<void*>(&cuvette::runtime_tests::add), 1, 8, arguments, 0, stream};
  EXPECT_EQ(cudaLaunchCooperativeKernelMultiDevice(&launch, 1, 0), cudaSuccess);
  EXPECT_EQ(cudaLaunchCooperativeKernelMultiDevice(&launch, 1, 3), cudaSuccess);
  std::vector<int> host(8);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(host.data(), numbers, 8 * sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(host, std::vector<int>(8, 6));
  EXPECT_EQ(cudaLaunchCooperativeKernelMultiDevice(nullptr, 1, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaLaunchCooperativeKernelMultiDevice(&launch, 0, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaLaunchCooperativeKernelMultiDevice(&launch, 1, 4), cudaErrorInvalidValue);
  EXPECT_EQ(cudaLaunchCooperativeKernelMultiDevice(&launch, 99, 0), cudaErrorInvalidValue);
  launch.stream = nullptr;
  EXPECT_EQ(cudaLaunchCooperativeKernelMultiDevice(&launch, 1, 0), cudaErrorInvalidResourceHandle);
  launch.stream = stream;
  launch.gridDim = 1 << 20;  // more blocks than can be there at a time
  EXPECT_EQ(cudaLaunchCooperativeKernelMultiDevice(&launch, 1, 0),
            cudaErrorCooperativeLaunchTooLarge);
  cudaGetLastError();
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaFree(numbers), cudaSuccess);
}

}  // namespace
