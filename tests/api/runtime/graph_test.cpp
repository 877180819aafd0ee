// SPDX-License-Identifier: Apache-2.0
// Captures and graphs. Expected values are those of an H200 with CUDA 13.0.
#include <gtest/gtest.h>

#include <vector>

#include "tests/api/runtime/registered.hpp"

namespace cuvette::runtime_tests {
namespace {

struct Stream {
  Stream() { EXPECT_EQ(cudaStreamCreate(&handle), cudaSuccess); }
  ~Stream() { cudaStreamDestroy(handle); }
  cudaStream_t handle = nullptr;
};

TEST(cudaStreamBeginCapture, WhatIsSubmittedBecomesAGraph) {
  Stream stream;
  int* numbers = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&numbers), 16), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream.handle, cudaStreamCaptureModeRelaxed), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(numbers, 0, 16, stream.handle), cudaSuccess);
  ASSERT_EQ(launch_add(1, 4, numbers, 5, stream.handle), cudaSuccess);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream.handle, &graph), cudaSuccess);
  cudaGraphNode_t nodes[2];
  size_t count = 2;
  ASSERT_EQ(cudaGraphGetNodes(graph, nodes, &count), cudaSuccess);
  ASSERT_EQ(count, 2u);
  cudaKernelNodeParams kernel{};
  ASSERT_EQ(cudaGraphKernelNodeGetParams(nodes[1], &kernel), cudaSuccess);
  EXPECT_EQ(kernel.func, reinterpret_cast<void*>(&add));
  EXPECT_EQ(kernel.blockDim.x, 4u);
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec, stream.handle), cudaSuccess);
  std::vector<int> host(4);
  ASSERT_EQ(cudaStreamSynchronize(stream.handle), cudaSuccess);
  ASSERT_EQ(cudaMemcpy(host.data(), numbers, 16, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(host, std::vector<int>(4, 5));
  EXPECT_EQ(cudaGraphExecDestroy(exec), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST(cudaMalloc, InvalidatesAGlobalCapture) {
  Stream stream;
  ASSERT_EQ(cudaFree(nullptr), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCapture(stream.handle, cudaStreamCaptureModeGlobal), cudaSuccess);
  void* pointer = nullptr;
  EXPECT_EQ(cudaMalloc(&pointer, 4), cudaErrorStreamCaptureUnsupported);
  cudaStreamCaptureStatus status{};
  EXPECT_EQ(cudaStreamIsCapturing(stream.handle, &status), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusInvalidated);
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream.handle, &graph), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(graph, nullptr);
  cudaGetLastError();
}

TEST(cudaGraphAddKernelNode, RefusesAFunctionThatIsNone) {
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  int none = 0;
  cudaKernelNodeParams parameters{};
  parameters.func = &none;
  parameters.gridDim = parameters.blockDim = 1;
  cudaGraphNode_t node = nullptr;
  EXPECT_EQ(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters),
            cudaErrorInvalidResourceHandle);
  program();
  parameters.func = reinterpret_cast<void*>(&nothing);
  EXPECT_EQ(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters), cudaSuccess);
  cudaGraphDestroy(graph);
  cudaGetLastError();
}

TEST(cudaGraphAddNode, AddsNodesOfEveryType) {
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  int* numbers = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&numbers), 16), cudaSuccess);
  program();
  cudaGraphNodeParams fill{};
  fill.type = cudaGraphNodeTypeMemset;
  fill.memset.dst = numbers;
  fill.memset.elementSize = 4;
  fill.memset.value = 7;
  fill.memset.width = 4;
  fill.memset.height = 1;
  cudaGraphNode_t first = nullptr, second = nullptr, third = nullptr;
  ASSERT_EQ(cudaGraphAddNode(&first, graph, nullptr, nullptr, 0, &fill), cudaSuccess);
  int value = 4;
  void* arguments[] = {&numbers, &value};
  cudaGraphNodeParams kernel{};
  kernel.type = cudaGraphNodeTypeKernel;
  kernel.kernel.func = reinterpret_cast<void*>(&add);
  kernel.kernel.gridDim = 1;
  kernel.kernel.blockDim = 4;
  kernel.kernel.kernelParams = arguments;
  ASSERT_EQ(cudaGraphAddNode(&second, graph, &first, nullptr, 1, &kernel), cudaSuccess);
  std::vector<int> host(4);
  cudaGraphNodeParams copy{};
  copy.type = cudaGraphNodeTypeMemcpy;
  copy.memcpy.copyParams.srcPtr = {numbers, 16, 16, 1};
  copy.memcpy.copyParams.dstPtr = {host.data(), 16, 16, 1};
  copy.memcpy.copyParams.extent = {16, 1, 1};
  copy.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
  ASSERT_EQ(cudaGraphAddNode(&third, graph, &second, nullptr, 1, &copy), cudaSuccess);
  cudaGraphExec_t exec = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(exec, nullptr), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(host, std::vector<int>(4, 11));
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}

TEST(cudaGraphAddMemcpyNode1D, TellsWhatItCopies) {
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  void* device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 4), cudaSuccess);
  int host = 0;
  cudaGraphNode_t node = nullptr;
  EXPECT_EQ(
      cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, device, &host, 0, cudaMemcpyHostToDevice),
      cudaErrorInvalidValue);
  ASSERT_EQ(
      cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, device, &host, 4, cudaMemcpyHostToDevice),
      cudaSuccess);
  cudaMemcpy3DParms parameters{};
  ASSERT_EQ(cudaGraphMemcpyNodeGetParams(node, &parameters), cudaSuccess);
  EXPECT_EQ(parameters.kind, cudaMemcpyHostToDevice);
  EXPECT_EQ(parameters.extent.width, 4u);
  EXPECT_EQ(parameters.extent.height, 1u);
  EXPECT_EQ(parameters.srcPtr.ptr, &host);
  EXPECT_EQ(parameters.dstPtr.ptr, device);
  cudaGraphDestroy(graph);
  cudaGetLastError();
}

TEST(cudaGraphNodeGetType, HasNoNumberForABatch) {
  unsigned* word = nullptr;
  ASSERT_EQ(cudaMalloc(reinterpret_cast<void**>(&word), 8), cudaSuccess);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  CUstreamBatchMemOpParams operation{};
  operation.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  operation.writeValue.address = reinterpret_cast<CUdeviceptr>(word);
  CUDA_BATCH_MEM_OP_NODE_PARAMS parameters{};
  ASSERT_EQ(cuCtxGetCurrent(&parameters.ctx), CUDA_SUCCESS);
  parameters.count = 1;
  parameters.paramArray = &operation;
  cudaGraphNode_t batch = nullptr, empty = nullptr;
  ASSERT_EQ(cuGraphAddBatchMemOpNode(&batch, graph, nullptr, 0, &parameters), CUDA_SUCCESS);
  ASSERT_EQ(cudaGraphAddEmptyNode(&empty, graph, nullptr, 0), cudaSuccess);
  auto type = static_cast<cudaGraphNodeType>(99);
  EXPECT_EQ(cudaGraphNodeGetType(batch, &type), cudaErrorUnknown);
  EXPECT_EQ(type, 99);
  EXPECT_EQ(cudaGetLastError(), cudaErrorUnknown);
  EXPECT_EQ(cudaGraphNodeGetType(empty, &type), cudaSuccess);
  EXPECT_EQ(type, cudaGraphNodeTypeEmpty);
  EXPECT_EQ(cudaGraphNodeGetType(empty, nullptr), cudaErrorInvalidValue);
  cudaGraphDestroy(graph);
  cudaFree(word);
  cudaGetLastError();
}

}  // namespace
}  // namespace cuvette::runtime_tests
