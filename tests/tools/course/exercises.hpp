// SPDX-License-Identifier: Apache-2.0
// Small exercises that tests of `cuvette grade` and `cuvette learn` write into folders of their
// own.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/tools/shell.hpp"

// A course with one lesson, in a folder with a blank in its name, which is gone at the end.
class CourseTest : public testing::Test {
 protected:
  CourseTest() {
    std::string pattern = std::filesystem::temp_directory_path() / "cuvette course XXXXXX";
    folder_ = mkdtemp(pattern.data());
    write("course/02-streams/lesson.json",
          R"({"title": "Streams", "idea": "Streams do not wait."})");
    write_wait_exercise();
  }
  ~CourseTest() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = std::filesystem::path(folder_) / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  bool exists(const std::string& name) const {
    return std::filesystem::exists(std::filesystem::path(folder_) / name);
  }

  // Runs a line of sh in the folder: $C is the command, $E the exercise about waiting.
  Outcome shell(const std::string& line) const {
    return run_line("cd '" + folder_ +
                    "' && export XDG_STATE_HOME=\"$PWD/state\" && export "
                    "XDG_CACHE_HOME=\"$PWD/cache\" && C='" CUVETTE_COMMAND
                    "' && E=course/02-streams/1-wait && {\n" +
                    line + "\n}");
  }

  // The solution, with something else in the place of a piece of it.
  static std::string solution_with(const std::string& from, const std::string& to) {
    std::string text = solution;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
  }
  static constexpr const char* wait_call =
      "  cudaEventRecord(event, a);\n  cudaStreamWaitEvent(b, event, 0);\n";

  static constexpr const char* solution = R"(
__global__ void fill(int* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = i * 3 + 1;
}
void work(int* d, int* h, int n, cudaStream_t a, cudaStream_t b, cudaEvent_t event) {
  fill<<<(n + 127) / 128, 128, 0, a>>>(d, n);
  cudaEventRecord(event, a);
  cudaStreamWaitEvent(b, event, 0);
  cudaMemcpyAsync(h, d, n * sizeof(int), cudaMemcpyDeviceToHost, b);
}
)";

 private:
  void write_wait_exercise() const {
    const std::string folder = "course/02-streams/1-wait/";
    write(folder + "test.cu", R"(
#include <cuda_runtime.h>
#include <cstdio>
#include EXERCISE
int main() {
  const int n = 1000;
  int bad = 0, *d, *h;
  cudaMalloc(&d, n * sizeof(int));
  cudaMallocHost(&h, n * sizeof(int));
  cudaMemset(d, 0, n * sizeof(int));
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEvent_t event;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaDeviceSynchronize();
  work(d, h, n, a, b, event);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; ++i)
    if (h[i] != i * 3 + 1 && bad++ < 3) printf("element %d: expected %d, got %d\n", i, i * 3 + 1, h[i]);
  cudaFree(d);
  cudaFreeHost(h);
  cudaStreamDestroy(a);
  cudaStreamDestroy(b);
  cudaEventDestroy(event);
  if (bad == 0) printf("all right\n");
  return bad != 0;
}
)");
    write(folder + "README.md", "Wait.\n");
    write(folder + "solution.cu", solution);
    write(folder + "start.cu", solution_with(wait_call, ""));
    write(folder + "mutants/off.cu", solution_with("* 3 + 1", "* 3"));
    write(folder + "mutants/beyond.cu", solution_with("i < n", "i < n + 5"));
    write(folder + "mutants/broken.cu", "int main( {\n");
    write(folder + "exercise.json", R"({
  "title": "Wait for the kernel", "kind": "orders", "minutes": 10, "seconds": 5,
  "checks": [
    {"check": "compile", "says": "exercise.cu does not compile yet."},
    {"check": "output", "says": "The values are wrong."},
    {"check": "reports", "checks": "memory,host,api",
     "says": {"illegal-address": "The kernel leaves its memory.", "*": "Cuvette reports a mistake."}},
    {"check": "orders", "says": "The copy does not wait for the kernel."}],
  "hints": ["Who waits?", "An event."],
  "explanation": "An event orders two streams.",
  "question": {"asks": "Which lines can it print?", "predict": "values", "program": "start"},
  "start": {"fails": "orders", "report": null},
  "mutants": {"off.cu": {"fails": "output"}, "broken.cu": {"fails": "compile"},
              "beyond.cu": {"fails": "reports", "report": "illegal-address"}}})");
  }

  std::string folder_;
};

#define NEEDS_CLANG()                                                                 \
  if (run_line("command -v clang++ clang++-19 clang++-18 clang++-14").output.empty()) \
    GTEST_SKIP() << "there is no clang";                                              \
  if (CUVETTE_SANITIZED) GTEST_SKIP() << "programs would need the sanitizer's runtime"
