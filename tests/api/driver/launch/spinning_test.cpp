// SPDX-License-Identifier: Apache-2.0
// Threads that wait for each other make progress, as on a GPU: kernels like those of programs
// (spinning/spinning.cu), compared with an H200's results, and random kernels. Each kind of vector
// unit and each setting has a process of its own, with two workers unless it says otherwise.
#include <cuda.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/gate.hpp"
#include "tests/api/driver/launch/spinning/random_shape.hpp"

namespace {

struct Shape {
  const char* name;
  unsigned blocks, threads;
  bool ends;  // only checks that it ends
  int results[4];
};

constexpr Shape shapes[] = {
#define SHAPE(name, blocks, threads, a, b, c, d) {#name, blocks, threads, false, {a, b, c, d}},
#define ENDS(name, blocks, threads) {#name, blocks, threads, true, {}},
#include "tests/api/driver/launch/spinning/shapes.def"
#undef SHAPE
#undef ENDS
};

CUmodule load(const std::string& text) {
  CUmodule module = nullptr;
  EXPECT_EQ(cuModuleLoadData(&module, text.c_str()), CUDA_SUCCESS);
  return module;
}

// Returns what a kernel makes of `words` zeros. If it does not end, the process does.
std::vector<uint32_t> run(CUmodule module, const char* name, unsigned blocks, unsigned threads,
                          unsigned words, const std::string& description) {
  CUfunction function = nullptr;
  CUdeviceptr memory = 0;
  std::vector<uint32_t> results(words);
  EXPECT_EQ(cuModuleGetFunction(&function, module, name), CUDA_SUCCESS) << name;
  EXPECT_EQ(cuMemAlloc(&memory, words * 4), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32(memory, 0, words), CUDA_SUCCESS);
  void* parameters[] = {&memory};
  EXPECT_EQ(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, nullptr, parameters, nullptr),
            CUDA_SUCCESS);
  if (!eventually([] { return cuStreamQuery(nullptr) != CUDA_ERROR_NOT_READY; })) {
    fprintf(stderr, "%s does not end: %s, %u blocks of %u\n", name, description.c_str(), blocks,
            threads);
    _exit(1);
  }
  EXPECT_EQ(cuMemcpyDtoH(results.data(), memory, words * 4), CUDA_SUCCESS) << description;
  EXPECT_EQ(cuMemFree(memory), CUDA_SUCCESS);
  return results;
}

void run_shapes() {
  const Scene scene;
  std::ifstream file(CUVETTE_SPINNING);
  std::stringstream text;
  text << file.rdbuf();
  const CUmodule module = load(text.str());
  for (const Shape& shape : shapes) {
    const auto results = run(module, shape.name, shape.blocks, shape.threads, 8192, shape.name);
    if (shape.ends) continue;
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(static_cast<int>(results[static_cast<size_t>(i)]), shape.results[i])
          << shape.name << ", " << shape.blocks << " blocks of " << shape.threads;
  }
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
}

void run_random(uint32_t first, uint32_t count, std::chrono::seconds at_most) {
  const Scene scene;
  const auto end = std::chrono::steady_clock::now() + at_most;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t seed = first + i;
    if (std::chrono::steady_clock::now() > end) break;
    const RandomShape shape = random_shape(seed);
    const CUmodule module = load(shape.text);
    const std::string description = "seed " + std::to_string(seed) + ": " + shape.description;
    const auto results = run(module, "spin", shape.blocks, shape.threads, shape.words, description);
    for (size_t i = 0; i < shape.results.size(); ++i)
      EXPECT_EQ(results[i], shape.results[i]) << description << " phase " << i;
    EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  }
}

class SpinningKernels : public testing::TestWithParam<const char*> {
 protected:
  // A processor without these vectors says so and uses others; the test is then skipped.
  void in_child(const std::function<void()>& body, const char* workers = "2",
                const char* schedule = nullptr) {
    const std::string said = run_in_child({{"CUVETTE_VECTORS", GetParam()},
                                           {"CUVETTE_WORKERS", workers},
                                           {"CUVETTE_SCHEDULE", schedule}},
                                          [&] {
                                            alarm(280);  // there are many kernels
                                            body();
                                          });
    if (said.find("does not have") != std::string::npos) GTEST_SKIP();
  }
};

TEST_P(SpinningKernels, EndAsOnAGpu) { in_child(run_shapes); }
TEST_P(SpinningKernels, EndWithOneWorker) { in_child(run_shapes, "1"); }
TEST_P(SpinningKernels, EndUnderASchedule) { in_child(run_shapes, "2", "eager"); }

TEST_P(SpinningKernels, DrawnAtRandomEndWithWhatTheySay) {
  in_child([] {
    uint32_t first = 1, count = 40;
    int64_t seconds = 30;
    if (const char* const longer = getenv("CUVETTE_TEST_SECONDS")) {
      alarm(0);
      seconds = atoi(longer);
      first =
          static_cast<uint32_t>(std::chrono::steady_clock::now().time_since_epoch().count() / 1000);
      count = 1u << 30;
    }
    // These once did not end: an address that moves forth and back in each turn.
    for (const uint32_t seed : {26'521'052u, 26'822'239u, 27'127'446u})
      run_random(seed, 1, std::chrono::seconds(seconds));
    run_random(first, count, std::chrono::seconds(seconds));
  });
}

INSTANTIATE_TEST_SUITE_P(Vectors, SpinningKernels, testing::Values("sse", "avx2", "avx512"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
