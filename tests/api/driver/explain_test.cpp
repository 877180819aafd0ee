// SPDX-License-Identifier: Apache-2.0
// Explanations of calls that fail: CUVETTE_EXPLAIN=1, and the message to programs that use NVIDIA's
// runtime.
#include <cuda.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/gate.hpp"

namespace {

const Environment explained = {{"CUVETTE_EXPLAIN", "1"}};

size_t lines(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(Explain, NamesTheFunctionThePlaceAndTheError) {
  const std::string text = run_in_child(explained, [] {
    const Scene scene;
    CUdeviceptr memory = 0;
    EXPECT_EQ(cuMemAlloc(&memory, 0), CUDA_ERROR_INVALID_VALUE);
    CUfunction none = nullptr;
    EXPECT_EQ(cuLaunchKernel(none, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
              CUDA_ERROR_INVALID_HANDLE);
    char byte;
    OK(cuMemAlloc(&memory, 16));
    EXPECT_EQ(cuMemcpyDtoH(&byte, memory + 16, 17), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamDestroy(reinterpret_cast<CUstream>(0x1230)), CUDA_ERROR_INVALID_HANDLE);
    OK(cuMemFree(memory));
  });
  for (const char* piece : {"cuvette: cuMemcpyDtoH_v2, called at ",
                            "cuvette: cuStreamDestroy",  // exported under two names
                            "is refused with CUDA_ERROR_INVALID_VALUE: ",
                            "is refused with CUDA_ERROR_INVALID_HANDLE: ", "driver_explain_test"})
    EXPECT_NE(text.find(piece), std::string::npos) << piece << "\n" << text;
}

// Calls that succeed print nothing, even if something was tried and given up on the way: here the
// kernel is missing from the cache the first time.
TEST(Explain, SaysNothingOfCallsThatGoWell) {
  char folder[] = "/tmp/cuvette-explain-XXXXXX";
  ASSERT_TRUE(mkdtemp(folder));
  for (int time = 0; time < 2; ++time) {
    const std::string text =
        run_in_child({{"CUVETTE_EXPLAIN", "1"}, {"CUVETTE_CACHE", folder}}, [] {
          const Scene scene;
          CUmodule module;
          CUfunction kernel;
          OK(cuModuleLoadData(&module,
                              ".version 8.1\n.target sm_70\n.address_size 64\n"
                              ".visible .entry nothing() { ret; }\n"));
          OK(cuModuleGetFunction(&kernel, module, "nothing"));
          OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
          OK(cuCtxSynchronize());
        });
    EXPECT_EQ(text, "") << time;
  }
  EXPECT_EQ(std::system(("rm -r " + std::string(folder)).c_str()), 0);
}

// "Is this address yours?": UCX, MPI and Python's buffers ask this of every address they get.
TEST(Explain, TakesQuestionsForNoRefusals) {
  const std::string text = run_in_child(explained, [] {
    const Scene scene;
    int number = 0;
    unsigned type = 0;
    const auto address = reinterpret_cast<CUdeviceptr>(&number);
    EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuStreamQuery(nullptr), CUDA_SUCCESS);
    void* function = nullptr;
    CUdriverProcAddressQueryResult found;
    OK(cuGetProcAddress("cuNoSuchFunction", &function, 12000, 0, &found));
  });
  EXPECT_EQ(text, "");
}

TEST(Explain, KeepsTheSentenceOfTheCallThatFails) {
  const std::string text = run_in_child(explained, [] {
    const Scene scene;
    char byte = 0;
    // Both fail with the same error; only the first has a sentence of its own.
    EXPECT_EQ(cuMemcpyDtoH(&byte, 64, 1), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuDeviceGetCount(nullptr), CUDA_ERROR_INVALID_VALUE);
  });
  EXPECT_EQ(lines(text), 1u) << text;
}

CUresult table_of(std::initializer_list<unsigned char> bytes, const void** table) {
  CUuuid identifier;
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<unsigned char*>(identifier.bytes));
  return cuGetExportTable(table, &identifier);
}

// NVIDIA's runtime checks the driver by this table. The message comes once.
TEST(cuGetExportTable, SaysWhatToDoWithoutNvidiasRuntime) {
  const std::string text = run_in_child({}, [] {
    for (int time = 0; time < 2; ++time) {
      const void* table = &table;
      EXPECT_EQ(table_of({0xd4, 0x08, 0x20, 0x55, 0xbd, 0xe6, 0x70, 0x4b, 0x8d, 0x34, 0xba, 0x12,
                          0x3c, 0x66, 0xe1, 0xf2},
                         &table),
                CUDA_ERROR_NOT_SUPPORTED);
      EXPECT_EQ(table, nullptr);
    }
  });
  EXPECT_TRUE(text.starts_with("cuvette: [not-on-cuvette] ")) << text;
  EXPECT_EQ(text.find("[not-on-cuvette]"), text.rfind("[not-on-cuvette]")) << "once\n" << text;
  EXPECT_NE(text.find("-cudart=shared"), std::string::npos) << text;
}

TEST(cuGetExportTable, SaysNothingToProbes) {
  const std::string text = run_in_child({}, [] {
    const void* table = nullptr;
    // The table for tools, and one that does not exist.
    EXPECT_EQ(table_of({0x42, 0xd8, 0x5a, 0x81, 0x23, 0xf6, 0xcb, 0x47, 0x82, 0x98, 0xf6, 0xe7,
                        0x8a, 0x3a, 0xec, 0xdc},
                       &table),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(table_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, &table),
              CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGetExportTable(&table, nullptr), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(cuGetExportTable(nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  });
  EXPECT_EQ(text, "");
}

// A misspelt knob is reported once, however often cuInit is called.
TEST(cuInit, RefusesKnobsThatThereAreNot) {
  const std::string text = run_in_child({{"CUVETTE_CHECK", "race"}}, [] {
    for (int time = 0; time < 3; ++time) EXPECT_EQ(cuInit(0), CUDA_ERROR_INVALID_VALUE);
  });
  EXPECT_EQ(lines(text), 1u) << text;
  EXPECT_NE(text.find("did you mean 'races'?"), std::string::npos) << text;
  for (const Environment& wrong :
       {Environment{{"CUVETTE_CHEKC", "races"}}, Environment{{"CUVETTE_CONTRACT", "drivr"}},
        Environment{{"CUVETTE_SUPPRESS", "host-acess"}}, Environment{{"CUVETTE_HOST_ACCESS", "no"}},
        Environment{{"CUVETTE_EXPLAIN", "yes"}}, Environment{{"CUVETTE_DEVICE", "gtx"}},
        Environment{{"CUVETTE_SCHEDULE", "lasy"}}})
    EXPECT_NE(run_in_child(wrong, [] { EXPECT_EQ(cuInit(0), CUDA_ERROR_INVALID_VALUE); }), "")
        << wrong.front().first;
  // An empty value counts as unset.
  EXPECT_EQ(
      run_in_child({{"CUVETTE_CONTRACT", ""}, {"CUVETTE_CHECK", ""}, {"CUVETTE_TEST_OWN", "1"}},
                   [] { EXPECT_EQ(cuInit(0), CUDA_SUCCESS); }),
      "");
}

// %p in the name of the order log is the process id, as in the name of the report file.
TEST(OrderLog, MayBeNamedByTheProcess) {
  char folder[] = "/tmp/cuvette-order-XXXXXX";
  ASSERT_TRUE(mkdtemp(folder));
  const std::string name = std::string(folder) + "/order-%p.txt";
  run_in_child({{"CUVETTE_ORDER_LOG", name.c_str()}}, [&] {
    const Scene scene;
    CUdeviceptr memory;
    OK(cuMemAlloc(&memory, 16));
    OK(cuMemsetD8(memory, 1, 16));
    OK(cuCtxSynchronize());
    EXPECT_EQ(
        access((std::string(folder) + "/order-" + std::to_string(getpid()) + ".txt").c_str(), R_OK),
        0);
  });
  EXPECT_EQ(std::system(("rm -r " + std::string(folder)).c_str()), 0);
}

// A command, and a step of a graph.
TEST(OrderLog, NamesKernels) {
  char name[] = "/tmp/cuvette-order-XXXXXX";
  const int file = mkstemp(name);
  ASSERT_GE(file, 0);
  close(file);
  run_in_child({{"CUVETTE_ORDER_LOG", name}, {"CUVETTE_SCHEDULE", "eager"}}, [] {
    const Scene scene;
    CUmodule module;
    CUfunction kernel;
    OK(cuModuleLoadData(&module,
                        ".version 8.1\n.target sm_70\n.address_size 64\n"
                        ".visible .entry _Z3addPii(.param .u64 a, .param .u32 b) { ret; }\n"));
    OK(cuModuleGetFunction(&kernel, module, "_Z3addPii"));
    CUdeviceptr memory = 0;
    int value = 0;
    void* parameters[] = {&memory, &value};
    CUstream stream;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr));
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr));
    CUgraph graph;
    OK(cuStreamEndCapture(stream, &graph));
    CUgraphExec launchable;
    OK(cuGraphInstantiate(&launchable, graph, 0));
    OK(cuGraphLaunch(launchable, stream));
    OK(cuCtxSynchronize());
  });
  std::ifstream in(name);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  for (const char* line :
       {"queued\t1.1\tkernel add(int*, int)\tnon-blocking\t", "queued\t1.2\tgraph\tnon-blocking\t",
        "queued\t1.2.1\tkernel add(int*, int)\tnon-blocking\t"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  std::remove(name);
}

}  // namespace
