// SPDX-License-Identifier: Apache-2.0
// Host functions and callbacks: they are called in order, on one thread per context, and must not
// call CUDA.
#include <cuda.h>
#include <pthread.h>

#include <set>

#include "tests/api/driver/gate.hpp"

namespace {

TEST(cuLaunchHostFunc, ChecksItsArguments) {
  const Scene scene;
  EXPECT_EQ(cuLaunchHostFunc(new_stream(), nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLaunchHostFunc(
                reinterpret_cast<CUstream>(uintptr_t{0x123456789a0}), [](void*) {}, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuLaunchHostFunc, RunsInTheOrderOfTheStream) {
  const Scene scene;
  const CUstream stream = new_stream();
  Log log;
  std::vector<int> expected;
  for (int i = 0; i < 500; ++i) {
    log.note(stream, i);
    expected.push_back(i);
  }
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(log.entries(), expected);
}

// The function sees the work before it, and the work after it sees what the function did.
TEST(cuLaunchHostFunc, IsOrderedWithTheDevicesWork) {
  const Scene scene;
  const CUstream stream = new_stream();
  unsigned* pinned;
  OK(cuMemAllocHost(reinterpret_cast<void**>(&pinned), 4096));
  const CUdeviceptr memory = new_memory(4096);
  for (unsigned i = 1; i <= 100; ++i) {
    OK(cuMemsetD32Async(memory, i, 1024, stream));
    OK(cuMemcpyDtoHAsync(pinned, memory, 4096, stream));
    OK(cuLaunchHostFunc(
        stream,
        [](void* data) {
          auto* numbers = static_cast<unsigned*>(data);
          for (int j = 0; j < 1024; ++j) numbers[j] *= 2;
        },
        pinned));
    OK(cuMemcpyHtoDAsync(memory, pinned, 4096, stream));
    unsigned value = 0;
    OK(cuMemcpyDtoHAsync(&value, memory + 4092, 4, stream));
    OK(cuStreamSynchronize(stream));
    ASSERT_EQ(value, 2 * i);
  }
  OK(cuMemFreeHost(pinned));
}

TEST(cuLaunchHostFunc, RunsOnOneThreadOfTheContext) {
  const Scene scene;
  struct Seen {
    std::mutex mutex;
    std::set<std::thread::id> threads;
    static void look(void* data) {
      auto* seen = static_cast<Seen*>(data);
      std::lock_guard lock(seen->mutex);
      seen->threads.insert(std::this_thread::get_id());
    }
  } here, there;
  std::vector<CUstream> streams;
  for (int i = 0; i < 8; ++i) streams.push_back(new_stream(i % 2));
  for (int i = 0; i < 200; ++i) OK(cuLaunchHostFunc(streams[i % 8], Seen::look, &here));
  OK(cuLaunchHostFunc(nullptr, Seen::look, &here));
  OK(cuLaunchHostFunc(CU_STREAM_PER_THREAD, Seen::look, &here));
  OK(cuCtxSynchronize());
  EXPECT_EQ(here.threads.size(), 1u);
  EXPECT_FALSE(here.threads.contains(std::this_thread::get_id()))
      << "a thread that waits runs no host function";
  // Another context has its own thread, which is not held up by the busy one.
  Gate gate(streams[0]);
  CUcontext other;
  OK(cuCtxCreate(&other, nullptr, 0, 0));
  OK(cuLaunchHostFunc(nullptr, Seen::look, &there));
  OK(cuCtxSynchronize());
  EXPECT_EQ(there.threads.size(), 1u);
  EXPECT_NE(*here.threads.begin(), *there.threads.begin());
  OK(cuCtxDestroy(other));
}

// "Host functions must not make any CUDA API calls. Attempting to use a CUDA API may result in
// CUDA_ERROR_NOT_PERMITTED, but this is not required." Measured: queries of streams and events
// answer.
TEST(cuLaunchHostFunc, AnswersQueriesInside) {
  const Scene scene;
  struct Calls {
    CUstream own, idle;
    CUevent before, after, never;
    std::vector<CUresult> answers;
  } calls{new_stream(), new_stream(), new_event(), new_event(), new_event(), {}};
  const auto call = [](void* data) {
    auto* calls = static_cast<Calls*>(data);
    calls->answers = {cuStreamQuery(calls->own),   cuStreamQuery(calls->idle),
                      cuEventQuery(calls->before), cuEventQuery(calls->after),
                      cuEventQuery(calls->never),  cuEventQuery(fake_event(0x1230))};
  };
  OK(cuEventRecord(calls.before, calls.own));
  {
    Gate gate(calls.own);
    OK(cuLaunchHostFunc(calls.own, call, &calls));
    OK(cuEventRecord(calls.after, calls.own));
  }
  OK(cuStreamSynchronize(calls.own));
  EXPECT_EQ(calls.answers,
            (std::vector{CUDA_ERROR_NOT_READY, CUDA_SUCCESS, CUDA_SUCCESS, CUDA_ERROR_NOT_READY,
                         CUDA_SUCCESS, CUDA_ERROR_INVALID_HANDLE}));
}

TEST(cuLaunchHostFunc, RefusesCallsInside) {
  const Scene scene;
  struct Calls {
    CUcontext context;
    CUstream stream;
    CUevent event;
    std::vector<CUresult> answers;
  } calls{scene.context, new_stream(), new_event(), {}};
  const auto call = [](void* data) {
    auto* calls = static_cast<Calls*>(data);
    CUdeviceptr memory;
    CUstream stream;
    CUevent event;
    int count;
    size_t free, total;
    calls->answers = {cuMemAlloc(&memory, 4),
                      cuStreamCreate(&stream, 0),
                      cuEventCreate(&event, 0),
                      cuStreamSynchronize(calls->stream),
                      cuEventSynchronize(calls->event),
                      cuEventRecord(calls->event, calls->stream),
                      cuLaunchHostFunc(
                          calls->stream, [](void*) {}, nullptr),
                      cuCtxSetCurrent(calls->context),
                      cuCtxSynchronize(),
                      cuMemGetInfo(&free, &total),
                      cuDeviceGetCount(&count),
                      cuStreamDestroy(calls->stream),
                      cuCtxDestroy(calls->context)};
  };
  OK(cuLaunchHostFunc(calls.stream, call, &calls));
  OK(cuStreamSynchronize(calls.stream));
  ASSERT_EQ(calls.answers.size(), 13u);
  for (size_t i = 0; i < calls.answers.size(); ++i)
    EXPECT_EQ(calls.answers[i], CUDA_ERROR_NOT_PERMITTED) << "call " << i;
  OK(cuStreamDestroy(calls.stream));  // the stream was not destroyed
}

// Threads started by a host function may call CUDA.
TEST(cuLaunchHostFunc, LeavesOtherThreadsAlone) {
  const Scene scene;
  const CUstream stream = new_stream();
  struct Call {
    CUcontext context;
    CUresult answer;
  } call{scene.context, CUDA_ERROR_UNKNOWN};
  OK(cuLaunchHostFunc(
      stream,
      [](void* data) {
        auto* call = static_cast<Call*>(data);
        std::thread([call] {
          CUdeviceptr memory;
          call->answer = cuCtxSetCurrent(call->context);
          if (call->answer == CUDA_SUCCESS) call->answer = cuMemAlloc(&memory, 4);
        }).join();
      },
      &call));
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(call.answer, CUDA_SUCCESS);
}

// A host function must return. If one ends its thread instead, it counts as done: the work after it
// goes on, in its stream and in others, and in graphs.
TEST(cuLaunchHostFunc, MayNotEndItsThread) {
  const Scene scene;
  const CUstream streams[] = {new_stream(), new_stream(CU_STREAM_DEFAULT), nullptr};
  const CUhostFn ending[] = {[](void*) { pthread_exit(nullptr); },
                             [](void*) {
                               pthread_cancel(pthread_self());
                               pthread_testcancel();
                             }};
  std::atomic<int> called{0};
  const auto count = [](void* data) { ++*static_cast<std::atomic<int>*>(data); };
  const CUdeviceptr memory = new_memory(4);
  for (int i = 0; i < 20; ++i) {
    for (const CUstream stream : streams) {
      OK(cuLaunchHostFunc(stream, ending[i % 2], nullptr));
      OK(cuMemsetD32Async(memory, 7, 1, stream));
      OK(cuLaunchHostFunc(stream, count, &called));
    }
    if (i % 4 == 0) {
      OK(cuCtxSynchronize());
    }
  }
  for (const CUstream stream : streams) OK(cuStreamSynchronize(stream));
  EXPECT_EQ(called, 60);

  OK(cuStreamAddCallback(
      streams[0], [](CUstream, CUresult, void*) { pthread_exit(nullptr); }, nullptr, 0));
  OK(cuStreamSynchronize(streams[0]));

  CUgraph graph;
  CUgraphExec exec;
  OK(cuGraphCreate(&graph, 0));
  CUgraphNode last = nullptr;
  for (const CUhostFn function : {ending[0], CUhostFn(count), ending[1], CUhostFn(count)}) {
    const CUDA_HOST_NODE_PARAMS node = {function, &called};
    OK(cuGraphAddHostNode(&last, graph, last ? &last : nullptr, last ? 1 : 0, &node));
  }
  OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  OK(cuGraphLaunch(exec, streams[0]));
  OK(cuStreamSynchronize(streams[0]));
  EXPECT_EQ(called, 62);
  OK(cuGraphExecDestroy(exec));
  OK(cuGraphDestroy(graph));
  OK(cuMemFree(memory));
}

struct Called {
  CUstream stream = reinterpret_cast<CUstream>(uintptr_t{77});
  CUresult status = CUDA_ERROR_UNKNOWN;
  CUresult inside = CUDA_SUCCESS;
  std::atomic<int> times{0};

  static void CUDA_CB callback(CUstream stream, CUresult status, void* data) {
    auto* called = static_cast<Called*>(data);
    called->stream = stream;
    called->status = status;
    CUdeviceptr memory;
    called->inside = cuMemAlloc(&memory, 4);
    ++called->times;
  }
};

TEST(cuStreamAddCallback, GetsStreamStatusAndData) {
  const Scene scene;
  for (const CUstream stream : {new_stream(), new_stream(CU_STREAM_DEFAULT)}) {
    Called called;
    OK(cuStreamAddCallback(stream, Called::callback, &called, 0));
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(called.times, 1);
    EXPECT_EQ(called.stream, stream);
    EXPECT_EQ(called.status, CUDA_SUCCESS);
    EXPECT_EQ(called.inside, CUDA_ERROR_NOT_PERMITTED);
  }
}

TEST(cuStreamAddCallback, ChecksItsArguments) {
  const Scene scene;
  Called called;
  EXPECT_EQ(cuStreamAddCallback(new_stream(), nullptr, &called, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamAddCallback(new_stream(), Called::callback, &called, 1),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamAddCallback(reinterpret_cast<CUstream>(uintptr_t{0x123456789a0}),
                                Called::callback, &called, 0),
            CUDA_ERROR_INVALID_HANDLE);
  OK(cuCtxSynchronize());
  EXPECT_EQ(called.times, 0);
}

// "The callback ... will block later work in the stream until it is finished."
TEST(cuStreamAddCallback, HoldsTheStreamUp) {
  const Scene scene;
  const CUstream stream = new_stream();
  struct Door {
    std::atomic<bool> open{false};
    static void CUDA_CB wait(CUstream, CUresult, void* data) {
      while (!static_cast<Door*>(data)->open) std::this_thread::yield();
    }
  } door;
  OK(cuStreamAddCallback(stream, Door::wait, &door, 0));
  const CUevent event = new_event();
  OK(cuEventRecord(event, stream));
  let_things_happen();
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
  door.open = true;
  OK(cuEventSynchronize(event));
}

TEST(cuStreamAddCallback, KnowsTheNameOfADestroyedStream) {
  const Scene scene;
  const CUstream stream = new_stream();
  Called called;
  {
    Gate gate(stream);
    OK(cuStreamAddCallback(stream, Called::callback, &called, 0));
    OK(cuStreamDestroy(stream));
  }
  OK(cuCtxSynchronize());
  EXPECT_EQ(called.times, 1);
  EXPECT_EQ(called.stream, stream);
}

TEST(cuStreamAddCallback, MixesWithHostFunctions) {
  const Scene scene;
  const CUstream stream = new_stream();
  Log log;
  struct Entry {
    Log* log;
    int what;
    static void CUDA_CB write(CUstream, CUresult, void* data) {
      auto* entry = static_cast<Entry*>(data);
      entry->log->append(entry->what);
    }
  };
  std::vector<Entry> entries;
  std::vector<int> expected;
  for (int i = 0; i < 100; ++i) {
    entries.push_back({&log, i});
    expected.push_back(i);
  }
  for (int i = 0; i < 100; ++i) {
    if (i % 2) {
      OK(cuStreamAddCallback(stream, Entry::write, &entries[i], 0));
    } else {
      log.note(stream, i);
    }
  }
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(log.entries(), expected);
}

}  // namespace
