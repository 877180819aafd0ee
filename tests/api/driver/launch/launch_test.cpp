// SPDX-License-Identifier: Apache-2.0
// Launches, including the functions from before CUDA 4.0.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <cuda.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "tests/api/driver/kernels.hpp"

namespace {

void expect_numbers(const Kernels& kernels, uint32_t value, unsigned blocks, unsigned threads) {
  const auto numbers = kernels.read(blocks * threads);
  for (unsigned i = 0; i < blocks * threads; ++i) ASSERT_EQ(numbers[i], value + i % threads) << i;
}

TEST(cuLaunchKernel, RunsEachThread) {
  const Kernels kernels;
  CUdeviceptr memory = kernels.memory;
  for (uint32_t value : {1u, 100u}) {
    OK(launch(kernels["number"], 8, 100, {&memory, &value}));
    expect_numbers(kernels, value, 8, 100);
  }
}

// CUDA's samples wait for a time by counting ticks, converted with the device's clock rate.
TEST(cuLaunchKernel, CountsTicksOfTheClockRate) {
  const Kernels kernels;
  CUmodule module;
  OK(cuModuleLoadData(&module,
                      ".version 8.0\n.target sm_50\n.address_size 64\n"
                      ".visible .entry ticks(.param .u64 out) {\n"
                      " .reg .b64 %d<3>; .reg .b32 %r;\n"
                      " ld.param.u64 %d0,[out]; mov.u64 %d1,%clock64; mov.u32 %r,%clock;\n"
                      " st.global.u64 [%d0],%d1; st.global.u32 [%d0+8],%r; ret; }\n"));
  CUfunction ticks;
  OK(cuModuleGetFunction(&ticks, module, "ticks"));
  int khz = 0;
  OK(cuDeviceGetAttribute(&khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 0));
  CUdeviceptr memory = kernels.memory;
  struct Reading {
    std::chrono::steady_clock::time_point before, after;
    uint64_t long_one;
    uint32_t short_one;
  };
  const auto read = [&](Reading& reading) {
    reading.before = std::chrono::steady_clock::now();
    OK(launch(ticks, 1, 1, {&memory}));
    OK(cuCtxSynchronize());
    reading.after = std::chrono::steady_clock::now();
    OK(cuMemcpyDtoH(&reading.long_one, memory, 8));
    OK(cuMemcpyDtoH(&reading.short_one, memory + 8, 4));
  };
  Reading first{}, second{};
  read(first);  // compiles the kernel
  read(first);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  read(second);
  const auto ms = [](auto time) { return std::chrono::duration<double, std::milli>(time).count(); };
  const auto passed = static_cast<double>(second.long_one - first.long_one);
  EXPECT_GE(passed, 0.999 * khz * ms(second.before - first.after));
  EXPECT_LE(passed, 1.001 * khz * ms(second.after - first.before));
  // %clock, the lower half of the counter, was read a moment later.
  EXPECT_LT(second.short_one - static_cast<uint32_t>(second.long_one), 1u << 31);
  OK(cuModuleUnload(module));
}

TEST(cuLaunchKernel, RunsEachBlockOfEachRow) {
  const Kernels kernels;
  CUdeviceptr memory = kernels.memory;
  uint32_t bad = UINT32_MAX;
  void* arguments[] = {&memory, &bad};
  // Once the block times are known, workers take several blocks at a time.
  constexpr unsigned times = 4, blocks = 9 * 8 * 7;
  for (unsigned i = 0; i < times; ++i)
    OK(cuLaunchKernel(kernels["count_block"], 9, 8, 7, 96, 1, 1, 0, nullptr, arguments, nullptr));
  const auto seen = kernels.read(512 + blocks);
  int processors = 0;
  OK(cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
  for (unsigned block = 0; block < blocks; ++block) {
    ASSERT_EQ(seen[block], times) << block;
    ASSERT_EQ(seen[512 + block], block % static_cast<unsigned>(processors)) << block;
  }
}

// Breaks the process for good, so it runs in a death test.
[[noreturn]] void trap_in_block(uint32_t bad) {
  const Kernels kernels;
  CUdeviceptr memory = kernels.memory;
  void* arguments[] = {&memory, &bad};
  cuLaunchKernel(kernels["count_block"], 9, 8, 7, 96, 1, 1, 0, nullptr, arguments, nullptr);
  _exit(cuCtxSynchronize() == CUDA_ERROR_LAUNCH_FAILED ? 0 : 1);
}

TEST(cuLaunchKernelDeathTest, SaysWhichBlockOfARowHadTheFault) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(trap_in_block(9 * 8 * 2 + 9 * 5 + 4), testing::ExitedWithCode(0),
              "block: \\(4, 5, 2\\)");
}

TEST(cuLaunchKernel, TakesAParameterBuffer) {
  const Kernels kernels;
  char buffer[12];
  const uint32_t value = 7;
  memcpy(buffer, &kernels.memory, 8);
  memcpy(buffer + 8, &value, 4);
  size_t size = sizeof buffer;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  OK(cuLaunchKernel(kernels["number"], 2, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra));
  expect_numbers(kernels, 7, 2, 32);
  void* values[] = {buffer, buffer + 8};
  EXPECT_EQ(cuLaunchKernel(kernels["number"], 2, 1, 1, 32, 1, 1, 0, nullptr, values, extra),
            CUDA_ERROR_INVALID_VALUE);
  void* unknown[] = {reinterpret_cast<void*>(9), buffer, CU_LAUNCH_PARAM_END};
  EXPECT_EQ(cuLaunchKernel(kernels["number"], 2, 1, 1, 32, 1, 1, 0, nullptr, nullptr, unknown),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(cuLaunchKernel, ParametersAreTakenAtTheCall) {
  const Kernels kernels;
  const CUstream stream = new_stream();
  Gate gate(stream);
  CUdeviceptr memory = kernels.memory;
  uint32_t value = 5;
  OK(launch(kernels["number"], 1, 32, {&memory, &value}, stream));
  value = 6;
  memory = 0;
  gate.open();
  OK(cuStreamSynchronize(stream));
  expect_numbers(kernels, 5, 1, 32);
}

TEST(cuLaunchKernel, ParametersHaveGenericAddresses) {
  const Kernels kernels;
  uint32_t numbers[64];
  for (uint32_t i = 0; i < 64; ++i) numbers[i] = 1000 + i;
  CUdeviceptr memory = kernels.memory;
  OK(launch(kernels["upper_half"], 1, 32, {numbers, &memory}));
  expect_numbers(kernels, 1032, 1, 32);
}

TEST(cuLaunchKernel, RefusesShapes) {
  const Kernels kernels;
  EXPECT_EQ(launch(kernels["none"], 0, 1, {}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(kernels["none"], 1, 0, {}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(kernels["none"], 1, 1025, {}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch(kernels["most"], 1, 129, {}), CUDA_ERROR_INVALID_VALUE);
  OK(launch(kernels["most"], 1, 128, {}));
  EXPECT_EQ(launch(nullptr, 1, 1, {}), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLaunchKernel(kernels["some_shared"], 1, 1, 1, 1, 1, 1, 49152 - 9999, nullptr, nullptr,
                           nullptr),
            CUDA_ERROR_INVALID_VALUE);
  OK(cuLaunchKernel(kernels["some_shared"], 1, 1, 1, 1, 1, 1, 49152 - 10000, nullptr, nullptr,
                    nullptr));
  OK(cuCtxSynchronize());
}

TEST(cuLaunchKernel, IsCaptured) {
  const Kernels kernels;
  const CUstream stream = new_stream();
  CUdeviceptr memory = kernels.memory;
  uint32_t value = 3;
  CUgraph graph;
  CUgraphExec exec;
  OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  OK(launch(kernels["number"], 4, 32, {&memory, &value}, stream));
  OK(cuStreamEndCapture(stream, &graph));
  EXPECT_EQ(kernels.read(1)[0], 0u);
  OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  OK(cuGraphLaunch(exec, stream));
  OK(cuStreamSynchronize(stream));
  expect_numbers(kernels, 3, 4, 32);
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(graph));
}

TEST(cuLaunchKernel, MayWaitForTheHostWhileOthersGoOn) {
  const Kernels kernels;
  uint32_t* flag;
  OK(cuMemAllocHost(reinterpret_cast<void**>(&flag), 4));
  *flag = 0;
  CUdeviceptr address = reinterpret_cast<CUdeviceptr>(flag);
  std::vector<CUstream> streams;
  for (int i = 0; i < 8; ++i) {
    streams.push_back(new_stream());
    OK(launch(kernels["wait_for"], 3, 64, {&address}, streams.back()));
  }
  const CUstream other = new_stream();
  CUdeviceptr memory = kernels.memory;
  uint32_t value = 9;
  OK(launch(kernels["number"], 1, 32, {&memory, &value}, other));
  OK(cuStreamSynchronize(other));
  for (const CUstream stream : streams) EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  reinterpret_cast<std::atomic<uint32_t>*>(flag)->store(1);
  OK(cuCtxSynchronize());
  expect_numbers(kernels, 9, 1, 32);
  OK(cuMemFreeHost(flag));
}

TEST(cuLaunchKernelEx, TakesAttributes) {
  const Kernels kernels;
  CUlaunchAttribute attributes[3] = {};
  attributes[0].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attributes[0].value.cooperative = 1;
  attributes[1].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attributes[1].value.programmaticStreamSerializationAllowed = 1;
  attributes[2].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  attributes[2].value.clusterDim = {1, 1, 1};
  CUlaunchConfig config = {4, 1, 1, 32, 1, 1, 0, nullptr, attributes, 3};
  CUdeviceptr memory = kernels.memory;
  uint32_t value = 2;
  void* values[] = {&memory, &value};
  OK(cuLaunchKernelEx(&config, kernels["number"], values, nullptr));
  expect_numbers(kernels, 2, 4, 32);

  attributes[2].value.clusterDim = {2, 1, 1};
  EXPECT_EQ(cuLaunchKernelEx(&config, kernels["number"], values, nullptr),
            CUDA_ERROR_NOT_SUPPORTED);
  attributes[2].value.clusterDim = {3, 1, 1};
  EXPECT_EQ(cuLaunchKernelEx(&config, kernels["number"], values, nullptr),
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
  // Measured: a cluster can only be preferred to another.
  attributes[2].id = CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION;
  attributes[2].value.preferredClusterDim = {1, 1, 1};
  EXPECT_EQ(cuLaunchKernelEx(&config, kernels["number"], values, nullptr),
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
  attributes[2].id = CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW;
  CUaccessPolicyWindow& window = attributes[2].value.accessPolicyWindow;
  window = {reinterpret_cast<void*>(memory), 256, 0.5f, CU_ACCESS_PROPERTY_PERSISTING,
            CU_ACCESS_PROPERTY_STREAMING};
  OK(cuLaunchKernelEx(&config, kernels["number"], values, nullptr));
  window.missProp = CU_ACCESS_PROPERTY_PERSISTING;
  EXPECT_EQ(cuLaunchKernelEx(&config, kernels["number"], values, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  window.missProp = CU_ACCESS_PROPERTY_NORMAL;
  window.num_bytes = size_t{1} << 40;
  EXPECT_EQ(cuLaunchKernelEx(&config, kernels["number"], values, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  attributes[2].id = static_cast<CUlaunchAttributeID>(99);
  EXPECT_EQ(cuLaunchKernelEx(&config, kernels["number"], values, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLaunchKernelEx(nullptr, kernels["number"], values, nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(cuLaunchCooperativeKernel, NeedsAllBlocksAtOnce) {
  const Kernels kernels;
  OK(cuLaunchCooperativeKernel(kernels["none"], 132 * 16, 1, 1, 128, 1, 1, 0, nullptr, nullptr));
  EXPECT_EQ(cuLaunchCooperativeKernel(kernels["none"], 132 * 16 + 1, 1, 1, 128, 1, 1, 0, nullptr,
                                      nullptr),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  // Measured: more shared memory than a block may have is too much for a cooperative grid.
  EXPECT_EQ(cuLaunchCooperativeKernel(kernels["none"], 1, 1, 1, 1, 1, 1, 49153, nullptr, nullptr),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  EXPECT_EQ(cuLaunchKernel(kernels["none"], 1, 1, 1, 1, 1, 1, 49153, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  OK(cuCtxSynchronize());
}

// "The width, height, and depth values must either all be 0 or all be positive. The validity of the
// cluster dimensions is checked at launch time."
TEST(cuFuncSetAttribute, ARequiredClusterHasAllItsDimensions) {
  const Kernels kernels;
  const CUfunction f = kernels["none"];
  const auto launch = [f] {
    return cuLaunchKernel(f, 2, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr);
  };
  OK(launch());
  OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 2));
  EXPECT_EQ(launch(), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT, 1));
  OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH, 1));
  EXPECT_EQ(launch(), CUDA_ERROR_NOT_SUPPORTED) << "it counts";
  OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 3));
  EXPECT_EQ(launch(), CUDA_ERROR_INVALID_CLUSTER_SIZE);
  OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, 1));
  OK(launch());
  OK(cuCtxSynchronize());
}

// --- Before CUDA 4.0 -----------------------------------------------------------------------------

void set_parameters(const Kernels& kernels, CUfunction f, uint32_t value) {
  CUdeviceptr memory = kernels.memory;
  OK(cuParamSetSize(f, 12));
  OK(cuParamSetv(f, 0, &memory, 8));
  OK(cuParamSeti(f, 8, value));
}

TEST(cuLaunch, RunsOneBlock) {
  const Kernels kernels;
  const CUfunction f = kernels["number"];
  set_parameters(kernels, f, 4);
  OK(cuLaunch(f));
  expect_numbers(kernels, 4, 1, 1);
  OK(cuFuncSetBlockShape(f, 32, 1, 1));
  OK(cuLaunch(f));
  expect_numbers(kernels, 4, 1, 32);
}

TEST(cuLaunchGrid, RunsAGrid) {
  const Kernels kernels;
  const CUfunction f = kernels["number"];
  set_parameters(kernels, f, 4);
  OK(cuFuncSetBlockShape(f, 64, 1, 1));
  EXPECT_EQ(cuLaunchGrid(f, 0, 1), CUDA_ERROR_INVALID_VALUE);
  OK(cuLaunchGrid(f, 3, 1));
  expect_numbers(kernels, 4, 3, 64);
}

TEST(cuLaunchGridAsync, RunsInTheStream) {
  const Kernels kernels;
  const CUfunction f = kernels["number"];
  const CUstream stream = new_stream();
  set_parameters(kernels, f, 8);
  OK(cuFuncSetBlockShape(f, 64, 1, 1));
  OK(cuLaunchGridAsync(f, 3, 1, stream));
  OK(cuStreamSynchronize(stream));
  expect_numbers(kernels, 8, 3, 64);
}

TEST(cuFuncSetBlockShape, ChecksTheShape) {
  const Kernels kernels;
  EXPECT_EQ(cuFuncSetBlockShape(kernels["none"], 0, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetBlockShape(kernels["none"], 1024, 2, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetBlockShape(nullptr, 1, 1, 1), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuFuncSetSharedSize, CountsAtTheLaunch) {
  const Kernels kernels;
  const CUfunction f = kernels["none"];
  OK(cuFuncSetBlockShape(f, 32, 1, 1));
  EXPECT_EQ(cuFuncSetSharedSize(f, 1 << 20), CUDA_ERROR_INVALID_VALUE);
  OK(cuFuncSetSharedSize(f, 50'000));
  EXPECT_EQ(cuLaunch(f), CUDA_ERROR_INVALID_VALUE) << "more than a launch may have";
  OK(cuFuncSetSharedSize(f, 1000));
  OK(cuLaunch(f));
  OK(cuCtxSynchronize());
}

TEST(cuParamSetSize, HasALimit) {
  const Kernels kernels;
  EXPECT_EQ(cuParamSetSize(kernels["number"], 32'765), CUDA_ERROR_INVALID_VALUE);
}
TEST(cuParamSetv, HasALimit) {
  const Kernels kernels;
  char value[8] = {};
  EXPECT_EQ(cuParamSetv(kernels["number"], 32'760, value, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuParamSetv(kernels["number"], 0, nullptr, 8), CUDA_ERROR_INVALID_VALUE);
}
TEST(cuParamSeti, HasALimit) {
  const Kernels kernels;
  EXPECT_EQ(cuParamSeti(kernels["number"], -1, 1), CUDA_ERROR_INVALID_VALUE);
}
TEST(cuParamSetf, SetsTheBits) {
  const Kernels kernels;
  const CUfunction f = kernels["number"];
  set_parameters(kernels, f, 0);
  OK(cuParamSetf(f, 8, 1.0f));
  OK(cuFuncSetBlockShape(f, 1, 1, 1));
  OK(cuLaunch(f));
  EXPECT_EQ(kernels.read(1)[0], 0x3f800000u);
}

}  // namespace
