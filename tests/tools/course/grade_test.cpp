// SPDX-License-Identifier: Apache-2.0
// `cuvette grade`, from outside: each check fails and passes, and what is said of it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/tools/course/exercises.hpp"

namespace {

using Grade = CourseTest;

TEST_F(Grade, TellsTheMissingEdgeOfAnOrder) {
  NEEDS_CLANG();
  const Outcome outcome = shell("LC_ALL=C $C grade $E --submission $E/start.cu");
  EXPECT_EQ(outcome.status, 1);
  for (const char* const text :
       {"The copy does not wait for the kernel.", "In order ", "element 0: expected 1, got 0",
        "[1.1 fill]", "[2.1 copy]",
        "The missing edge: 2.1 (copy, start.cu:8) does not wait for 1.1",
        "cudaStreamWaitEvent in stream 2", "cuvette run --schedule=replay:1.1 -- ", "Hint 1 of 2",
        "Failed: orders. Passed before it: compile, output, reports."})
    EXPECT_TRUE(has(outcome, text)) << text << "\n" << outcome.output;
  // The line repeats it.
  const size_t at = outcome.output.find("cuvette run --schedule=replay:1.1 -- ");
  ASSERT_NE(at, std::string::npos);
  const std::string line = outcome.output.substr(at, outcome.output.find('\n', at) - at);
  const Outcome again = shell("$C" + line.substr(line.find(' ')));
  EXPECT_EQ(again.status, 1);
  EXPECT_TRUE(has(again, "element 0: expected 1, got 0")) << again.output;
}

TEST_F(Grade, CountsTheChecksOfASolution) {
  NEEDS_CLANG();
  const Outcome outcome = shell(
      "CUVETTE_CHECK=races CUVETTE_SCHEDULE=lazy $C grade $E --submission $E/solution.cu "
      "--junit junit.xml && cat junit.xml");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_TRUE(
      has(outcome, "The 4 checks of this exercise pass: compile, output, reports, orders."));
  EXPECT_TRUE(has(outcome, "tests=\"4\" failures=\"0\" errors=\"0\" skipped=\"0\""))
      << outcome.output;
}

TEST_F(Grade, KeepsThePromisesOfAnExercise) {
  NEEDS_CLANG();
  const Outcome kept = shell("$C grade --self-test --course course");
  EXPECT_EQ(kept.status, 0);
  EXPECT_TRUE(has(kept, "6 of 6 promises of 1 exercises are kept.")) << kept.output;
  EXPECT_TRUE(has(kept, "mutant beyond.cu fails by reports, illegal-address")) << kept.output;
  // Promises that are not kept.
  const Outcome broken = shell(
      "cp $E/solution.cu $E/mutants/off.cu; cp $E/start.cu $E/solution.cu; touch $E/mutants/new.cu;"
      "sed -i 's/illegal-address\"}/host-race\"}/' $E/exercise.json; $C grade $E --self-test");
  EXPECT_EQ(broken.status, 1);
  for (const char* const text :
       {"solution fails by orders: The copy", "mutant off.cu passes, and should fail by output",
        "mutant new.cu: exercise.json does not name it",
        "mutant beyond.cu fails by reports, but not by the report host-race",
        "3 of 7 promises of 1 exercises are kept."})
    EXPECT_TRUE(has(broken, text)) << text << "\n" << broken.output;
}

TEST_F(Grade, SaysWhatCannotBeGraded) {
  Outcome outcome = shell("$C grade $E --submission nothing.cu");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(has(outcome, "nothing.cu' is not a file")) << outcome.output;
  outcome = shell("$C grade nothing --course course");
  EXPECT_EQ(outcome.status, 125);
  EXPECT_TRUE(has(outcome, "'nothing' is no exercise of the course")) << outcome.output;
  outcome = shell("mkdir own; echo '{\"title\": 1}' > own/exercise.json; $C grade own");
  EXPECT_EQ(outcome.status, 125);
  EXPECT_TRUE(has(outcome, "exercise.json': title is not a text.")) << outcome.output;
  outcome = shell("head -c 4096 /dev/urandom > own/exercise.json; $C grade own");
  EXPECT_EQ(outcome.status, 125);
  EXPECT_TRUE(has(outcome, "It is not JSON.")) << outcome.output;
  EXPECT_EQ(shell("$C grade").status, 125);
}

TEST_F(Grade, CutsHugeOutputAndEndsWhatDoesNotEnd) {
  NEEDS_CLANG();
  write("long.cu", solution_with("void work", R"(#include <cstdio>
__attribute__((constructor)) static void talk() { for (;;) puts("a line that never ends"); }
void work)"));
  const Outcome outcome = shell("$C grade $E --submission long.cu");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(has(outcome, "It did not end within 5 s"));
  EXPECT_TRUE(has(outcome, "more characters were left out"));
  EXPECT_LT(outcome.output.size(), 3000u);
}

TEST_F(Grade, LooksForAliases) {
  NEEDS_CLANG();
  write("own/exercise.json", R"({"title": "t", "kind": "pass", "checks": [{"check": "output"},
    {"check": "aliases", "says": "An alias shows the old value."}]})");
  write("own/test.cu", R"(
#include <cuda_runtime.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cstdio>
#include EXERCISE
__global__ void pass_on(Number* numbers, Number* alias, int* result) {
  numbers[threadIdx.x] = 7;
  result[threadIdx.x] = alias[threadIdx.x];
}
int* map(cudaExternalMemory_t memory, size_t offset, size_t size) {
  cudaExternalMemoryBufferDesc description = {};
  description.offset = offset;
  description.size = size;
  void* buffer = nullptr;
  cudaExternalMemoryGetMappedBuffer(&buffer, memory, &description);
  return static_cast<int*>(buffer);
}
int main() {
  const size_t size = 8192;
  cudaExternalMemoryHandleDesc description = {};
  description.type = cudaExternalMemoryHandleTypeOpaqueFd;
  description.handle.fd = memfd_create("segment", MFD_CLOEXEC);
  description.size = size;
  cudaExternalMemory_t memory;
  if (ftruncate(description.handle.fd, size) != 0 ||
      cudaImportExternalMemory(&memory, &description) != cudaSuccess) return 2;
  int *whole = map(memory, 0, size), *half = map(memory, size / 2, size / 2), *result, value;
  cudaMalloc(&result, 128);
  cudaMemset(whole, 0, size);
  pass_on<<<1, 32>>>(whole + size / 8, half, result);
  cudaMemcpy(&value, result, 4, cudaMemcpyDeviceToHost);
  printf("expected 7, got %d\n", value);
  return value != 7;
}
)");
  write("plain.cu", "using Number = int;\n");
  write("volatile.cu", "using Number = volatile int;\n");
  const Outcome plain = shell("$C grade own --submission plain.cu");
  EXPECT_EQ(plain.status, 1);
  EXPECT_TRUE(has(plain, "An alias shows the old value.")) << plain.output;
  EXPECT_TRUE(has(plain, "expected 7, got 0")) << plain.output;
  EXPECT_EQ(shell("$C grade own --submission volatile.cu").status, 0);
}

TEST_F(Grade, BoundsCounts) {
  NEEDS_CLANG();
  write("own/exercise.json", R"({"title": "t", "kind": "budget", "checks": [
    {"check": "budget", "count": "sectors_per_request", "kernel": "touch", "most": 4, "says": "Far apart."},
    {"check": "budget", "count": "copies", "most": 1, "says": "Too many copies."}]})");
  write("own/test.cu", R"(
#include <cuda_runtime.h>
#include EXERCISE
__global__ void touch(int* p) { p[threadIdx.x * stride] = 1; }
int main() {
  int *p, h[64];
  cudaMalloc(&p, 32768);
  touch<<<1, 32>>>(p);
  for (int i = 0; i < copies; ++i) cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
}
)");
  write("far.cu", "constexpr int stride = 32, copies = 1;\n");
  write("often.cu", "constexpr int stride = 1, copies = 2;\n");
  write("good.cu", "constexpr int stride = 1, copies = 1;\n");
  const Outcome far = shell("$C grade own --submission far.cu");
  EXPECT_EQ(far.status, 1);
  EXPECT_TRUE(has(far, "sectors_per_request of touch: 32, and at most 4 are allowed."))
      << far.output;
  const Outcome often = shell("$C grade own --submission often.cu");
  EXPECT_EQ(often.status, 1);
  EXPECT_TRUE(has(often, "copies: 2, and at most 1 are allowed.")) << often.output;
  EXPECT_EQ(shell("$C grade own --submission good.cu").status, 0);
}

// A program that two kernels make print 2 or 3.
constexpr const char* racing = R"(
#include <cuda_runtime.h>
#include <cstdio>
__global__ void put(int* p, int v) { *p = v; }
int main() {
  int *d, h;
  cudaMalloc(&d, sizeof h);
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  put<<<1, 1, 0, a>>>(d, 2);
  put<<<1, 1, 0, b>>>(d, 3);
  cudaDeviceSynchronize();
  cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d\n", h);
  return h != 3;
}
)";

TEST_F(Grade, AcceptsAnOrderThatBreaksTheProgram) {
  NEEDS_CLANG();
  write("own/exercise.json", R"({"title": "t", "kind": "break",
    "checks": [{"check": "order", "says": "It still passes."}],
    "start": {"fails": "order"}, "mutants": {"no.txt": {"fails": "order"}}})");
  write("own/program.cu", racing);
  write("own/order.txt", "# write the order\nreplay:\n");
  write("own/solution/order.txt", "replay:1.1\n");
  write("own/mutants/no.txt", "please fail\n");
  const Outcome test = shell("$C grade own --self-test");
  EXPECT_TRUE(has(test, "3 of 3 promises")) << test.output;
  const Outcome start = shell("LC_ALL=C $C grade own --submission own/order.txt");
  EXPECT_TRUE(has(start, "In the order replay: the program passes.")) << start.output;
  EXPECT_TRUE(has(start, "[1.1 put]")) << start.output;
}

TEST_F(Grade, ComputesWhatIsPredicted) {
  NEEDS_CLANG();
  write("own/program.cu", racing);
  write("right.txt", "3\n2\n");
  write("half.txt", "3\n");
  write("own/exercise.json", R"({"title": "t", "kind": "predict", "predict": "values",
    "checks": [{"check": "answer", "says": "Not these."}]})");
  EXPECT_EQ(shell("$C grade own --answer").output, "# answer\n2\n3\n");
  EXPECT_EQ(shell("$C grade own --submission right.txt").status, 0);
  const Outcome half = shell("$C grade own --submission half.txt");
  EXPECT_EQ(half.status, 1);
  EXPECT_TRUE(has(half, "1 of 1 line is right, and 1 missing.")) << half.output;
  write("own/exercise.json", R"({"title": "t", "kind": "predict", "predict": "report",
    "checks": [{"check": "answer"}]})");
  EXPECT_EQ(shell("$C grade own --answer").output, "# answer\nleaked-memory\nunordered-access\n");
  write("own/exercise.json", R"({"title": "t", "kind": "predict", "predict": "count",
    "count": "launches", "kernel": "put", "checks": [{"check": "answer"}]})");
  EXPECT_EQ(shell("$C grade own --answer").output, "# answer\n2\n");
}

TEST_F(Grade, DoesNotGuessWhereThereAreTooManyOrders) {
  NEEDS_CLANG();
  write("own/program.cu", R"(
#include <cuda_runtime.h>
#include <cstdio>
__global__ void put(int* p, int v) { *p = *p * 3 + v; }
int main() {
  int *d, h;
  cudaMalloc(&d, sizeof h);
  cudaMemset(d, 0, sizeof h);
  cudaDeviceSynchronize();
  for (int i = 0; i < 8; ++i) {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    put<<<1, 1, 0, stream>>>(d, i);
  }
  cudaDeviceSynchronize();
  cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
  printf("%d\n", h);
}
)");
  write("own/answer.txt", "1\n");
  write("own/exercise.json", R"({"title": "t", "kind": "predict", "predict": "values",
    "checks": [{"check": "answer"}], "start": {"fails": "answer"}})");
  const Outcome outcome = shell("$C grade own --self-test");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(has(outcome, "too many orders to run them all")) << outcome.output;
}

}  // namespace
