// SPDX-License-Identifier: Apache-2.0
// Programs that use oneTBB themselves, with limits of their own, beside the workers of the device.
// The test program itself never calls cuInit: each test is a child.
#include <cuda.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/gate.hpp"

namespace {

using Limit = tbb::global_control;

size_t parallelism() { return Limit::active_value(Limit::max_allowed_parallelism); }

// Fills memory in a stream and reads it back, as often as a program's loop would.
void use_a_stream(CUcontext context, unsigned char value) {
  OK(cuCtxSetCurrent(context));
  const CUstream stream = new_stream();
  constexpr size_t size = 1 << 20;
  const CUdeviceptr memory = new_memory(size), copy = new_memory(size);
  std::vector<unsigned char> bytes(size);
  for (int i = 0; i < 4; ++i) {
    OK(cuMemsetD8Async(memory, value, size, stream));
    OK(cuMemcpyDtoDAsync(copy, memory, size, stream));
    OK(cuMemcpyDtoHAsync(bytes.data(), copy, size, stream));
    OK(cuStreamSynchronize(stream));
    ASSERT_EQ(std::count(bytes.begin(), bytes.end(), value), static_cast<long>(size));
  }
  OK(cuMemFree(memory));
  OK(cuMemFree(copy));
  OK(cuStreamDestroy(stream));
}

// The program computes with oneTBB; some of its tasks use the device.
void compute_beside_the_device(CUcontext context) {
  tbb::parallel_for(0, 24,
                    [&](int i) { use_a_stream(context, static_cast<unsigned char>(i + 1)); });
  const long sum = tbb::parallel_reduce(
      tbb::blocked_range<long>(0, 1'000'000), 0L,
      [](const tbb::blocked_range<long>& range, long part) {
        for (long i = range.begin(); i < range.end(); ++i) part += i;
        return part;
      },
      std::plus<>());
  EXPECT_EQ(sum, 499'999'500'000);
}

void run_with(size_t program_threads, const char* workers, bool limit_first) {
  run_in_child({{"CUVETTE_WORKERS", workers}}, [&] {
    std::unique_ptr<Limit> limit;
    const auto set_limit = [&] {
      if (program_threads > 0)
        limit = std::make_unique<Limit>(Limit::max_allowed_parallelism, program_threads);
    };
    if (limit_first) set_limit();
    const Scene scene;
    if (!limit_first) set_limit();
    compute_beside_the_device(scene.context);
    if (program_threads > 0) {
      EXPECT_EQ(parallelism(), program_threads);
    }
    limit.reset();
    EXPECT_GE(parallelism(), static_cast<size_t>(tbb::info::default_concurrency()));
    compute_beside_the_device(scene.context);
  });
}

TEST(ProgramWithTbb, ComputesBesideTheDevice) {
#if defined(CUVETTE_THREAD_SANITIZER)
  GTEST_SKIP() << "ThreadSanitizer does not see how oneTBB hands over the tasks of this program.";
#endif
  for (const size_t threads : {0u, 1u, 16u})
    for (const char* workers : {"1", "4", "40"})
      for (const bool limit_first : {true, false}) run_with(threads, workers, limit_first);
}

TEST(ProgramWithTbb, KeepsItsOwnParallelism) {
  run_in_child({{"CUVETTE_WORKERS", "1"}}, [] {
    const size_t before = parallelism();
    const int slots = tbb::this_task_arena::max_concurrency();
    const Scene scene;
    use_a_stream(scene.context, 7);
    EXPECT_GE(parallelism(), before);
    EXPECT_EQ(tbb::this_task_arena::max_concurrency(), slots);
  });
}

// All of oneTBB's threads wait for the device, by polling, so none is left to do its work.
TEST(ProgramWithTbb, MayKeepAllThreadsWaiting) {
#if defined(CUVETTE_THREAD_SANITIZER)
  GTEST_SKIP() << "ThreadSanitizer does not see how oneTBB hands over the tasks of this program.";
#endif
  for (const size_t threads : {1u, 3u, 16u})
    run_in_child({{"CUVETTE_WORKERS", "2"}}, [&] {
      const Limit limit(Limit::max_allowed_parallelism, threads);
      const Scene scene;
      const int tasks = static_cast<int>(threads);
      tbb::task_arena arena(tasks);
      std::atomic<int> inside{0};
      std::atomic<bool> submitted{false};
      tbb::task_group group;
      const CUevent done = new_event();
      // The calling thread has one of the slots.
      for (int i = 1; i < tasks; ++i)
        arena.execute([&] {
          group.run([&] {
            ++inside;
            EXPECT_TRUE(eventually([&] { return submitted.load(); }));
            EXPECT_TRUE(eventually([&] { return cuEventQuery(done) == CUDA_SUCCESS; }));
          });
        });
      EXPECT_TRUE(eventually([&] { return inside == tasks - 1; }));
      const CUstream stream = new_stream();
      const CUdeviceptr memory = new_memory(4096);
      OK(cuMemsetD8Async(memory, 1, 4096, stream));
      OK(cuEventRecord(done, stream));
      submitted = true;
      EXPECT_TRUE(eventually([&] { return cuEventQuery(done) == CUDA_SUCCESS; }));
      arena.execute([&] { group.wait(); });
    });
}

}  // namespace
