// SPDX-License-Identifier: Apache-2.0
// Streams that wait for words of memory and write them.
#include <cuda.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/api/driver/gate.hpp"

namespace {

using Operation = CUstreamBatchMemOpParams;

Operation wait_32(CUdeviceptr at, cuuint32_t value, unsigned flags = CU_STREAM_WAIT_VALUE_EQ) {
  Operation one{};
  one.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  one.waitValue.address = at;
  one.waitValue.value = value;
  one.waitValue.flags = flags;
  return one;
}
Operation write_32(CUdeviceptr at, cuuint32_t value) {
  Operation one{};
  one.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  one.writeValue.address = at;
  one.writeValue.value = value;
  return one;
}
Operation write_64(CUdeviceptr at, cuuint64_t value) {
  Operation one{};
  one.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
  one.writeValue.address = at;
  one.writeValue.value64 = value;
  return one;
}
Operation barrier() {
  Operation one{};
  one.memoryBarrier.operation = CU_STREAM_MEM_OP_BARRIER;
  return one;
}

CUdeviceptr zeros(size_t size = 64) {
  const CUdeviceptr memory = new_memory(size);
  EXPECT_EQ(cuMemsetD8(memory, 0, size), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  return memory;
}
uint32_t word_at(CUdeviceptr memory) {
  uint32_t word = 0;
  EXPECT_EQ(cuMemcpyDtoH(&word, memory, sizeof word), CUDA_SUCCESS);
  return word;
}

// Host memory that streams can wait for.
template <typename Word = uint32_t>
struct Pinned {
  Pinned() {
    void* memory = nullptr;
    EXPECT_EQ(cuMemHostAlloc(&memory, 64, 0), CUDA_SUCCESS);
    word = new (memory) std::atomic<Word>(0);
    address = reinterpret_cast<CUdeviceptr>(memory);
  }
  ~Pinned() { EXPECT_EQ(cuMemFreeHost(word), CUDA_SUCCESS); }
  std::atomic<Word>* word;
  CUdeviceptr address;
};

TEST(cuStreamWaitValue32, ChecksItsArguments) {
  const Scene scene;
  const CUdeviceptr p = zeros();
  const CUstream s = new_stream();
  EXPECT_EQ(cuStreamWaitValue32(s, p + 1, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWaitValue32(s, p, 0, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWaitValue32(s, p, 0, 0x80000000u), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWaitValue32(s, p, 0, CU_STREAM_WAIT_VALUE_FLUSH), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuStreamWaitValue32(s, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWaitValue32(s, p + 64, 0, 0), CUDA_ERROR_INVALID_VALUE) << "past its end";
  EXPECT_EQ(cuStreamWaitValue32(reinterpret_cast<CUstream>(0x1230), p, 0, 0),
            CUDA_ERROR_INVALID_HANDLE);
  OK(cuStreamWaitValue32(s, p, 0, CU_STREAM_WAIT_VALUE_GEQ));
  OK(cuStreamWaitValue32(nullptr, p, 0, CU_STREAM_WAIT_VALUE_EQ));
  OK(cuCtxSynchronize());
}

TEST(cuStreamWaitValue32, EndsWithAnotherStreamsWrite) {
  const Scene scene;
  const CUdeviceptr p = zeros();
  const CUstream waiting = new_stream(), writing = new_stream();
  OK(cuStreamWaitValue32(waiting, p, 5, CU_STREAM_WAIT_VALUE_GEQ));
  OK(cuMemsetD32Async(p + 4, 77, 1, waiting));
  EXPECT_EQ(cuStreamQuery(waiting), CUDA_ERROR_NOT_READY);
  OK(cuStreamWriteValue32(writing, p, 4, 0));
  OK(cuStreamSynchronize(writing));
  let_things_happen();
  EXPECT_EQ(cuStreamQuery(waiting), CUDA_ERROR_NOT_READY) << "4 is less than 5";
  OK(cuStreamWriteValue32(writing, p, 7, 0));
  OK(cuStreamSynchronize(waiting));
  EXPECT_EQ(word_at(p + 4), 77u);
}

TEST(cuStreamWaitValue32, EndsWithACopyAndWithAFill) {
  const Scene scene;
  const CUdeviceptr p = zeros();
  const CUstream waiting = new_stream(), writing = new_stream();
  OK(cuStreamWaitValue32(waiting, p + 8, 9, CU_STREAM_WAIT_VALUE_EQ));
  OK(cuMemsetD32Async(p, 9, 4, writing));
  OK(cuStreamSynchronize(waiting));
  OK(cuStreamWaitValue32(waiting, p + 8, 3, CU_STREAM_WAIT_VALUE_EQ));
  const uint32_t three = 3;
  OK(cuMemcpyHtoDAsync(p + 8, &three, 4, writing));
  OK(cuStreamSynchronize(waiting));
}

TEST(cuStreamWaitValue32, EndsWithAHostThreadsStore) {
  const Scene scene;
  Pinned pinned;
  const CUstream s = new_stream();
  for (uint32_t round = 1; round <= 50; ++round) {
    OK(cuStreamWaitValue32(s, pinned.address, round, CU_STREAM_WAIT_VALUE_EQ));
    std::thread other([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(37 * round));
      pinned.word->store(round, std::memory_order_release);
    });
    const CUresult result = cuStreamSynchronize(s);
    other.join();
    OK(result);
  }
}

TEST(cuStreamWaitValue32, IsLookedAtWhenItsStreamGetsThere) {
  const Scene scene;
  const CUdeviceptr p = zeros();
  const CUstream s = new_stream();
  OK(cuStreamWriteValue32(s, p, 1, 0));
  OK(cuStreamWriteValue32(s, p, 2, 0));
  OK(cuStreamWaitValue32(s, p, 2, CU_STREAM_WAIT_VALUE_EQ));
  OK(cuStreamWriteValue32(s, p, 3, 0));
  OK(cuStreamSynchronize(s));
  EXPECT_EQ(word_at(p), 3u);
}

TEST(cuStreamWaitValue32, HoldsNoWorker) {
  const Scene scene;
  const CUdeviceptr p = zeros();
  Pinned pinned;
  std::vector<CUstream> waiting;
  for (int i = 0; i < 200; ++i) {
    waiting.push_back(new_stream());
    OK(cuStreamWaitValue32(waiting.back(), pinned.address, 1, CU_STREAM_WAIT_VALUE_EQ));
  }
  const CUstream s = new_stream();
  OK(cuMemsetD32Async(p, 5, 4, s));
  OK(cuStreamSynchronize(s));
  EXPECT_EQ(word_at(p), 5u);
  for (const CUstream one : waiting) EXPECT_EQ(cuStreamQuery(one), CUDA_ERROR_NOT_READY);
  pinned.word->store(1);
  for (const CUstream one : waiting) OK(cuStreamSynchronize(one));
}

// Whether all other threads of this process are asleep.
bool others_sleep() {
  const std::string own = std::to_string(gettid());
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string stat;
    std::getline(std::ifstream(task.path() / "stat"), stat);
    if (task.path().filename() != own && stat.find(") S ") == std::string::npos) return false;
  }
  return true;
}

TEST(cuStreamWaitValue32, SleepsWhileItLasts) {
  const Scene scene;
  Pinned pinned;
  const CUstream s = new_stream();
  OK(cuStreamWaitValue32(s, pinned.address, 1, CU_STREAM_WAIT_VALUE_EQ));
  // A thread that polled without pause would never sleep.
  EXPECT_TRUE(eventually(others_sleep));
  pinned.word->store(1);
  OK(cuStreamSynchronize(s));
}

TEST(cuStreamWaitValue32, EventsAndDestroyedStreamsWaitWithIt) {
  const Scene scene;
  Pinned pinned;
  const CUstream first = new_stream(), second = new_stream();
  const CUevent event = new_event();
  OK(cuStreamWaitValue32(first, pinned.address, 1, CU_STREAM_WAIT_VALUE_AND));
  OK(cuEventRecord(event, first));
  OK(cuStreamWaitEvent(second, event, 0));
  OK(cuStreamDestroy(first));
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuStreamQuery(second), CUDA_ERROR_NOT_READY);
  pinned.word->store(3);
  OK(cuEventSynchronize(event));
  OK(cuStreamSynchronize(second));
}

TEST(cuStreamWaitValue32, DoesNotKeepTheProcessFromItsExit) {
  EXPECT_EXIT(
      {
        alarm(30);
        cuInit(0);
        CUcontext context = nullptr;
        cuDevicePrimaryCtxRetain(&context, 0);
        cuCtxSetCurrent(context);
        CUdeviceptr p = 0;
        cuMemAlloc(&p, 64);
        cuMemsetD8(p, 0, 64);
        cuStreamWaitValue32(nullptr, p, 1, CU_STREAM_WAIT_VALUE_EQ);
        std::exit(7);
      },
      testing::ExitedWithCode(7), "");
}

TEST(cuStreamWaitValue64, ComparesAllBits) {
  const Scene scene;
  Pinned<uint64_t> pinned;
  const CUstream s = new_stream();
  constexpr uint64_t high = uint64_t{1} << 40;
  EXPECT_EQ(cuStreamWaitValue64(s, pinned.address + 4, 0, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuStreamWaitValue64(s, pinned.address, high + 1, CU_STREAM_WAIT_VALUE_EQ));
  pinned.word->store(1);
  let_things_happen();
  EXPECT_EQ(cuStreamQuery(s), CUDA_ERROR_NOT_READY);
  pinned.word->store(high + 1);
  OK(cuStreamSynchronize(s));
}

TEST(cuStreamWriteValue32, ChecksItsArguments) {
  const Scene scene;
  const CUdeviceptr p = zeros();
  const CUstream s = new_stream();
  EXPECT_EQ(cuStreamWriteValue32(s, p, 1, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWriteValue32(s, p, 1, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWriteValue32(s, p + 2, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWriteValue32(s, p + 64, 1, 0), CUDA_ERROR_INVALID_VALUE);
  static uint32_t own = 0;
  EXPECT_EQ(cuStreamWriteValue32(s, reinterpret_cast<CUdeviceptr>(&own), 1, 0),
            CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr managed = 0;
  OK(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
  EXPECT_EQ(cuStreamWriteValue32(s, managed, 1, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuCtxSynchronize());
  EXPECT_EQ(word_at(p), 0u);
}

// Measured.
TEST(cuStreamWriteValue32, IsNotForMemoryOfPools) {
  const Scene scene;
  const CUstream s = new_stream();
  CUdeviceptr p = 0;
  OK(cuMemAllocAsync(&p, 4096, s));
  EXPECT_EQ(cuStreamWriteValue32(s, p, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWriteValue64(s, p + 8, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWaitValue32(s, p, 0, CU_STREAM_WAIT_VALUE_EQ), CUDA_ERROR_INVALID_VALUE);
  Operation write = write_32(p, 1);
  EXPECT_EQ(cuStreamBatchMemOp(s, 1, &write, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFreeAsync(p, s));
  OK(cuStreamSynchronize(s));
}

TEST(cuStreamWriteValue32, WritesItsFourBytes) {
  const Scene scene;
  Pinned<uint64_t> pinned;
  pinned.word->store(~uint64_t{0});
  const CUstream s = new_stream();
  OK(cuStreamWriteValue32(s, pinned.address, 0x12345678, 0));
  OK(cuStreamSynchronize(s));
  EXPECT_EQ(pinned.word->load(), 0xffffffff12345678u);
}

// Whoever has seen the value also sees what the stream wrote before it, and vice versa.
TEST(cuStreamWriteValue32, ComesAfterTheWorkBeforeIt) {
  const Scene scene;
  Pinned flag, data;
  const CUstream s = new_stream();
  for (uint32_t round = 1; round <= 200; ++round) {
    OK(cuMemsetD32Async(data.address, round, 1, s));
    OK(cuStreamWriteValue32(s, flag.address, round, 0));
    while (flag.word->load(std::memory_order_acquire) != round) std::this_thread::yield();
    ASSERT_EQ(data.word->load(std::memory_order_relaxed), round);
  }
}

TEST(cuStreamWriteValue64, WritesItsEightBytes) {
  const Scene scene;
  Pinned<uint64_t> pinned;
  const CUstream s = new_stream();
  EXPECT_EQ(cuStreamWriteValue64(s, pinned.address + 4, 1, 0), CUDA_ERROR_INVALID_VALUE);
  OK(cuStreamWriteValue64(s, pinned.address, 0x123456789abcdef0u, 0));
  OK(cuStreamSynchronize(s));
  EXPECT_EQ(pinned.word->load(), 0x123456789abcdef0u);
}

TEST(cuStreamBatchMemOp, DoesItsOperationsInOrder) {
  const Scene scene;
  const CUdeviceptr p = zeros();
  Pinned pinned;
  const CUstream s = new_stream();
  Operation operations[] = {write_32(p, 1), barrier(), wait_32(pinned.address, 1), write_32(p, 2),
                            write_64(p + 8, uint64_t{3} << 32)};
  OK(cuStreamBatchMemOp(s, 5, operations, 0));
  EXPECT_TRUE(eventually([&] { return word_at(p) == 1; }));
  let_things_happen();
  EXPECT_EQ(word_at(p), 1u);
  pinned.word->store(1);
  OK(cuStreamSynchronize(s));
  EXPECT_EQ(word_at(p), 2u);
  EXPECT_EQ(word_at(p + 12), 3u);
}

TEST(cuStreamBatchMemOp, DoesAllOrNothing) {
  const Scene scene;
  const CUdeviceptr p = zeros();
  const CUstream s = new_stream();
  std::vector<Operation> operations(256, write_32(p, 1));
  OK(cuStreamBatchMemOp(s, 0, nullptr, 0));
  EXPECT_EQ(cuStreamBatchMemOp(s, 1, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamBatchMemOp(s, 1, operations.data(), 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamBatchMemOp(s, 256, operations.data(), 0), CUDA_ERROR_INVALID_VALUE);
  operations[1] = write_32(p + 1, 1);
  EXPECT_EQ(cuStreamBatchMemOp(s, 2, operations.data(), 0), CUDA_ERROR_INVALID_VALUE);
  operations[1] = barrier();
  operations[1].memoryBarrier.flags = 2;
  EXPECT_EQ(cuStreamBatchMemOp(s, 2, operations.data(), 0), CUDA_ERROR_INVALID_VALUE);
  operations[1].operation = static_cast<CUstreamBatchMemOpType>(7);
  EXPECT_EQ(cuStreamBatchMemOp(s, 2, operations.data(), 0), CUDA_ERROR_INVALID_VALUE);
  operations[1] = {};
  operations[1].operation = CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES;
  EXPECT_EQ(cuStreamBatchMemOp(s, 2, operations.data(), 0), CUDA_ERROR_NOT_SUPPORTED);
  operations[1].flushRemoteWrites.flags = 1;
  EXPECT_EQ(cuStreamBatchMemOp(s, 2, operations.data(), 0), CUDA_ERROR_NOT_SUPPORTED);
  OK(cuStreamSynchronize(s));
  EXPECT_EQ(word_at(p), 0u);
  OK(cuStreamBatchMemOp(s, 1, operations.data(), 0));
  OK(cuStreamSynchronize(s));
  EXPECT_EQ(word_at(p), 1u);
}

// --- In graphs -----------------------------------------------------------------------------------

struct BatchGraph {
  BatchGraph() { EXPECT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS); }
  ~BatchGraph() { EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS); }
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
};

TEST(cuGraphAddBatchMemOpNode, ChecksItsArguments) {
  const Scene scene;
  BatchGraph g;
  const CUdeviceptr p = zeros();
  std::vector<Operation> operations(256, write_32(p, 1));
  CUDA_BATCH_MEM_OP_NODE_PARAMS parameters{nullptr, 2, operations.data(), 0};
  EXPECT_EQ(cuGraphAddBatchMemOpNode(&g.node, g.graph, nullptr, 0, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphAddBatchMemOpNode(&g.node, g.graph, nullptr, 0, &parameters),
            CUDA_ERROR_INVALID_VALUE);
  for (const CUDA_BATCH_MEM_OP_NODE_PARAMS& bad :
       {CUDA_BATCH_MEM_OP_NODE_PARAMS{scene.context, 2, nullptr, 0},
        CUDA_BATCH_MEM_OP_NODE_PARAMS{scene.context, 2, operations.data(), 1},
        CUDA_BATCH_MEM_OP_NODE_PARAMS{scene.context, 256, operations.data(), 0}})
    EXPECT_EQ(cuGraphAddBatchMemOpNode(&g.node, g.graph, nullptr, 0, &bad),
              CUDA_ERROR_INVALID_VALUE);
  parameters = {scene.context, 0, operations.data(), 0};
  OK(cuGraphAddBatchMemOpNode(&g.node, g.graph, nullptr, 0, &parameters));
}

TEST(cuGraphAddBatchMemOpNode, WaitsWithoutAThreadAndInEveryLaunch) {
  const Scene scene;
  BatchGraph g;
  const CUdeviceptr p = zeros();
  Pinned pinned;
  const CUstream s = new_stream();
  Operation operations[] = {write_32(p, 1), wait_32(pinned.address, 1), write_32(p, 2),
                            wait_32(pinned.address, 2), write_32(p, 3)};
  CUDA_BATCH_MEM_OP_NODE_PARAMS parameters{scene.context, 5, operations, 0};
  OK(cuGraphAddBatchMemOpNode(&g.node, g.graph, nullptr, 0, &parameters));
  CUgraphExec exec = nullptr;
  OK(cuGraphInstantiate(&exec, g.graph, 0));
  for (int launch = 0; launch < 2; ++launch) {
    pinned.word->store(0);
    OK(cuGraphLaunch(exec, s));
    EXPECT_TRUE(eventually([&] { return word_at(p) == 1; }));
    pinned.word->store(1);
    EXPECT_TRUE(eventually([&] { return word_at(p) == 2; }));
    EXPECT_EQ(cuStreamQuery(s), CUDA_ERROR_NOT_READY);
    pinned.word->store(2);
    OK(cuStreamSynchronize(s));
    EXPECT_EQ(word_at(p), 3u);
  }
  OK(cuGraphExecDestroy(exec));
}

TEST(cuGraphBatchMemOpNodeGetParams, TellsWhatWasSet) {
  const Scene scene;
  BatchGraph g;
  const CUdeviceptr p = zeros();
  Operation operations[] = {write_32(p, 1), wait_32(p, 1)};
  const CUDA_BATCH_MEM_OP_NODE_PARAMS parameters{scene.context, 2, operations, 0};
  OK(cuGraphAddBatchMemOpNode(&g.node, g.graph, nullptr, 0, &parameters));
  CUDA_BATCH_MEM_OP_NODE_PARAMS told{};
  EXPECT_EQ(cuGraphBatchMemOpNodeGetParams(g.node, nullptr), CUDA_ERROR_INVALID_VALUE);
  OK(cuGraphBatchMemOpNodeGetParams(g.node, &told));
  EXPECT_EQ(told.ctx, scene.context);
  ASSERT_EQ(told.count, 2u);
  EXPECT_NE(told.paramArray, operations) << "the node has its own";
  EXPECT_EQ(told.paramArray[1].operation, CU_STREAM_MEM_OP_WAIT_VALUE_32);
  EXPECT_EQ(told.paramArray[1].waitValue.address, p);
  CUgraphNode empty = nullptr;
  OK(cuGraphAddEmptyNode(&empty, g.graph, nullptr, 0));
  EXPECT_EQ(cuGraphBatchMemOpNodeGetParams(empty, &told), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuGraphBatchMemOpNodeSetParams, ChangesWhatIsInstantiatedLater) {
  const Scene scene;
  BatchGraph g;
  const CUdeviceptr p = zeros();
  Operation operations[] = {write_32(p, 1), write_32(p + 4, 2), write_32(p + 8, 3)};
  CUDA_BATCH_MEM_OP_NODE_PARAMS parameters{scene.context, 1, operations, 0};
  OK(cuGraphAddBatchMemOpNode(&g.node, g.graph, nullptr, 0, &parameters));
  parameters.count = 3;
  OK(cuGraphBatchMemOpNodeSetParams(g.node, &parameters));
  EXPECT_EQ(cuGraphBatchMemOpNodeSetParams(g.node, nullptr), CUDA_ERROR_INVALID_VALUE);
  CUgraphExec exec = nullptr;
  OK(cuGraphInstantiate(&exec, g.graph, 0));
  OK(cuGraphLaunch(exec, nullptr));
  OK(cuCtxSynchronize());
  EXPECT_EQ(word_at(p + 8), 3u);
  OK(cuGraphExecDestroy(exec));
}

TEST(cuGraphExecBatchMemOpNodeSetParams, ChangesAddressesAndValuesOnly) {
  const Scene scene;
  BatchGraph g;
  const CUdeviceptr p = zeros();
  Operation operations[] = {write_32(p, 1), write_32(p + 4, 2)};
  CUDA_BATCH_MEM_OP_NODE_PARAMS parameters{scene.context, 2, operations, 0};
  OK(cuGraphAddBatchMemOpNode(&g.node, g.graph, nullptr, 0, &parameters));
  CUgraphExec exec = nullptr;
  OK(cuGraphInstantiate(&exec, g.graph, 0));
  parameters.count = 1;
  EXPECT_EQ(cuGraphExecBatchMemOpNodeSetParams(exec, g.node, &parameters),
            CUDA_ERROR_INVALID_VALUE);
  parameters.count = 2;
  operations[1] = wait_32(p, 1);
  EXPECT_EQ(cuGraphExecBatchMemOpNodeSetParams(exec, g.node, &parameters),
            CUDA_ERROR_INVALID_VALUE);
  operations[1] = write_32(p + 12, 9);
  OK(cuGraphExecBatchMemOpNodeSetParams(exec, g.node, &parameters));
  OK(cuGraphLaunch(exec, nullptr));
  OK(cuCtxSynchronize());
  EXPECT_EQ(word_at(p + 4), 0u);
  EXPECT_EQ(word_at(p + 12), 9u);
  OK(cuGraphExecDestroy(exec));
}

TEST(cuStreamBatchMemOp, IsCapturedAsANode) {
  const Scene scene;
  const CUdeviceptr p = zeros();
  const CUstream s = new_stream();
  Operation operations[] = {write_32(p, 1), wait_32(p, 1)};
  OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
  OK(cuStreamWriteValue32(s, p + 4, 5, 0));
  OK(cuStreamBatchMemOp(s, 2, operations, 0));
  OK(cuStreamBatchMemOp(s, 0, operations, 0));
  CUgraph graph = nullptr;
  OK(cuStreamEndCapture(s, &graph));
  CUgraphNode nodes[4] = {};
  size_t count = 4;
  OK(cuGraphGetNodes(graph, nodes, &count));
  ASSERT_EQ(count, 3u);
  for (unsigned i = 0; i < 3; ++i) {
    CUgraphNodeType type{};
    OK(cuGraphNodeGetType(nodes[i], &type));
    EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
    CUDA_BATCH_MEM_OP_NODE_PARAMS told{};
    OK(cuGraphBatchMemOpNodeGetParams(nodes[i], &told));
    EXPECT_EQ(told.count, i == 2 ? 0 : i + 1);
  }
  EXPECT_EQ(word_at(p + 4), 0u);
  CUgraphExec exec = nullptr;
  OK(cuGraphInstantiate(&exec, graph, 0));
  OK(cuGraphLaunch(exec, s));
  OK(cuStreamSynchronize(s));
  EXPECT_EQ(word_at(p + 4), 5u);
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(graph));
}

}  // namespace
