// SPDX-License-Identifier: Apache-2.0
// External semaphores in streams: their effects. Results for invalid arguments are in
// tests/conformance, as a real driver gave them.
#include <cuda.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "tests/api/driver/gate.hpp"
#include "tests/api/driver/semaphores.hpp"

namespace {

bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

// Checks that the stream has not gone on, and does not.
bool waits(CUstream stream) {
  let_things_happen();
  return cuStreamQuery(stream) == CUDA_ERROR_NOT_READY;
}

unsigned read(CUdeviceptr at) {
  unsigned value = 0;
  EXPECT_EQ(cuMemcpyDtoH(&value, at, sizeof value), CUDA_SUCCESS);
  return value;
}

// --- Importing -----------------------------------------------------------------------------------

TEST(cuImportExternalSemaphore, TakesTheDescriptorOver) {
  const Scene scene;
  const Timeline timeline;
  const int fd = dup(timeline.fd());
  CUexternalSemaphore semaphore = nullptr;
  OK(import_fd(&semaphore, fd, as_timeline));
  EXPECT_FALSE(is_open(fd));
  EXPECT_TRUE(is_open(timeline.fd()));
  OK(cuDestroyExternalSemaphore(semaphore));
}

TEST(cuImportExternalSemaphore, LeavesTheDescriptorOfWhatItRefuses) {
  const Scene scene;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int memory = memfd_create("memory", MFD_CLOEXEC), folder = open("/", O_RDONLY),
            small = memfd_create("small", MFD_CLOEXEC), empty = memfd_create("empty", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(memory, 1 << 20), 0);
  ASSERT_EQ(ftruncate(small, CUVETTE_SEMAPHORE_SIZE), 0);
  CUexternalSemaphore semaphore = nullptr;
  for (const int fd : {ends[0], ends[1], memory, folder, small, empty})
    for (const auto type : {as_binary, as_timeline}) {
      EXPECT_EQ(import_fd(&semaphore, fd, type), CUDA_ERROR_UNKNOWN);
      EXPECT_TRUE(is_open(fd));
    }
  for (const int fd : {ends[0], ends[1], memory, folder, small, empty}) close(fd);
  EXPECT_EQ(import_fd(&semaphore, small, as_binary), CUDA_ERROR_UNKNOWN) << "it is closed";
  EXPECT_EQ(import_fd(&semaphore, -1, as_timeline), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(semaphore, nullptr);
}

TEST(cuImportExternalSemaphore, TellsSemaphoresOfOtherKindsFromMemory) {
  const Scene scene;
  const Timeline timeline;
  const Binary binary;
  CUexternalSemaphore semaphore = nullptr;
  testing::internal::CaptureStderr();
  EXPECT_EQ(import_fd(&semaphore, timeline.fd(), as_binary), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(import_fd(&semaphore, binary.fd(), as_timeline), CUDA_ERROR_UNKNOWN);
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC description{};
  description.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  description.handle.fd = binary.fd();
  description.size = 64;
  CUexternalMemory memory = nullptr;
  EXPECT_EQ(cuImportExternalMemory(&memory, &description), CUDA_ERROR_UNKNOWN);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("it is a timeline semaphore"), std::string::npos) << said;
  EXPECT_NE(said.find("it is a binary semaphore"), std::string::npos) << said;
  EXPECT_NE(said.find("cuImportExternalSemaphore takes"), std::string::npos) << said;
  EXPECT_TRUE(is_open(timeline.fd()) && is_open(binary.fd()));
}

// The version, kind or seal is unknown.
TEST(cuImportExternalSemaphore, RefusesWhatOnlyLooksLikeOne) {
  const Scene scene;
  const auto imitation = [](uint32_t version, uint32_t kind, unsigned seals) {
    const int fd = memfd_create("imitation", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    cuvetteSemaphore words{CUVETTE_SEMAPHORE_MAGIC, version, kind, 0, 0, 0};
    EXPECT_EQ(write(fd, &words, sizeof words), static_cast<ssize_t>(sizeof words));
    EXPECT_EQ(ftruncate(fd, CUVETTE_SEMAPHORE_SIZE), 0);
    EXPECT_EQ(fcntl(fd, F_ADD_SEALS, seals), 0);
    return fd;
  };
  CUexternalSemaphore semaphore = nullptr;
  for (const int fd : {imitation(2, CUVETTE_SEMAPHORE_BINARY, F_SEAL_SHRINK),
                       imitation(CUVETTE_SEMAPHORE_VERSION, 3, F_SEAL_SHRINK),
                       imitation(CUVETTE_SEMAPHORE_VERSION, CUVETTE_SEMAPHORE_BINARY, F_SEAL_SEAL),
                       imitation(CUVETTE_SEMAPHORE_VERSION, CUVETTE_SEMAPHORE_BINARY,
                                 F_SEAL_SHRINK | F_SEAL_WRITE)}) {
    EXPECT_EQ(import_fd(&semaphore, fd, as_binary), CUDA_ERROR_UNKNOWN);
    close(fd);
  }
  // A semaphore must be sealed against shrinking.
  const int fd = imitation(CUVETTE_SEMAPHORE_VERSION, CUVETTE_SEMAPHORE_BINARY, 0), copy = dup(fd);
  OK(import_fd(&semaphore, fd, as_binary));
  EXPECT_NE(ftruncate(copy, 0), 0);
  OK(cuDestroyExternalSemaphore(semaphore));
  close(copy);
}

TEST(cuImportExternalSemaphore, GivesOneSemaphoreSeveralHandles) {
  const Scene scene;
  const Binary binary;
  const CUexternalSemaphore first = binary.import(), second = binary.import();
  EXPECT_NE(first, second);
  const CUstream stream = new_stream();
  OK(signal(first, 0, stream));
  OK(cuDestroyExternalSemaphore(first));
  OK(wait(second, 0, stream));
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(signal(first, 0, stream), CUDA_ERROR_INVALID_VALUE);
  OK(cuDestroyExternalSemaphore(second));
  EXPECT_EQ(cuDestroyExternalSemaphore(second), CUDA_ERROR_INVALID_HANDLE);
}

// --- Waits and signals ---------------------------------------------------------------------------

TEST(cuWaitExternalSemaphoresAsync, HoldsUpItsStreamAloneUntilTheHostSignals) {
  const Scene scene;
  Timeline timeline(3);
  const CUexternalSemaphore semaphore = timeline.import();
  const CUstream stream = new_stream(), other = new_stream();
  const CUdeviceptr memory = new_memory(8);
  OK(cuMemsetD32(memory, 0, 2));
  OK(cuCtxSynchronize());
  OK(wait(semaphore, 3, stream));
  OK(cuStreamSynchronize(stream));
  OK(wait(semaphore, 10, stream));
  OK(cuMemsetD32Async(memory, 1, 1, stream));
  OK(cuMemsetD32Async(memory + 4, 2, 1, other));
  OK(cuStreamSynchronize(other));
  EXPECT_TRUE(waits(stream));
  timeline.signal(9);
  EXPECT_TRUE(waits(stream));
  EXPECT_EQ(read(memory), 0u);
  timeline.signal(12);
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(read(memory), 1u);
  EXPECT_EQ(timeline.value(), 12u) << "a timeline is not changed by waits";
}

TEST(cuWaitExternalSemaphoresAsync, TakesTheSignalOfABinarySemaphore) {
  const Scene scene;
  Binary binary(1);
  const CUexternalSemaphore semaphore = binary.import();
  const CUstream stream = new_stream();
  OK(wait(semaphore, 99, stream));
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(binary.value(), 0u);
  OK(wait(semaphore, 0, stream));
  EXPECT_TRUE(waits(stream));
  binary.signal();
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(binary.value(), 0u);
}

TEST(cuWaitExternalSemaphoresAsync, LetsOneOfTwoGoForEachSignal) {
  const Scene scene;
  Binary binary;
  const CUexternalSemaphore semaphore = binary.import();
  const CUstream one = new_stream(), other = new_stream();
  OK(wait(semaphore, 0, one));
  OK(wait(semaphore, 0, other));
  binary.signal();
  const auto gone = [&] {
    return (cuStreamQuery(one) == CUDA_SUCCESS) + (cuStreamQuery(other) == CUDA_SUCCESS);
  };
  EXPECT_TRUE(eventually([&] { return gone() == 1; }));
  let_things_happen();
  EXPECT_EQ(gone(), 1);
  binary.signal();
  OK(cuStreamSynchronize(one));
  OK(cuStreamSynchronize(other));
}

TEST(cuWaitExternalSemaphoresAsync, WaitsForAllOfAList) {
  const Scene scene;
  Timeline timeline;
  Binary binary;
  const CUexternalSemaphore both[] = {timeline.import(), binary.import()};
  const Wait parameters[] = {wait_of(2), wait_of(0)};
  const CUstream stream = new_stream();
  OK(cuWaitExternalSemaphoresAsync(both, parameters, 2, stream));
  binary.signal();
  EXPECT_TRUE(waits(stream));
  timeline.signal(2);
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(binary.value(), 0u);
}

TEST(cuSignalExternalSemaphoresAsync, ComesAfterTheWorkBeforeIt) {
  const Scene scene;
  Timeline timeline;
  Binary binary;
  const CUexternalSemaphore both[] = {timeline.import(), binary.import()};
  const Signal parameters[] = {signal_of(4), signal_of(0)};
  const CUstream stream = new_stream();
  {
    Gate gate(stream);
    OK(cuSignalExternalSemaphoresAsync(both, parameters, 2, stream));
    let_things_happen();
    EXPECT_EQ(timeline.value(), 0u);
    EXPECT_EQ(binary.value(), 0u);
  }
  EXPECT_TRUE(timeline.wait(4));
  EXPECT_TRUE(binary.wait());
  OK(cuStreamSynchronize(stream));
}

TEST(cuSignalExternalSemaphoresAsync, EndsTheWaitOfAnotherStream) {
  const Scene scene;
  for (const bool binary : {false, true}) {
    const HostSemaphore host(binary ? CUVETTE_SEMAPHORE_BINARY : CUVETTE_SEMAPHORE_TIMELINE);
    const CUexternalSemaphore there = host.import(), back = Binary().import();
    const CUstream stream = new_stream(), other = new_stream();
    const CUdeviceptr memory = new_memory(4);
    constexpr unsigned rounds = 200;
    for (unsigned i = 1; i <= rounds; ++i) {
      // Alternates: the wait first, or the signal first.
      if (i % 2) {
        OK(wait(there, i, other));
      }
      OK(cuMemsetD32Async(memory, i, 1, stream));
      OK(signal(there, i, stream));
      if (i % 2 == 0) {
        OK(wait(there, i, other));
      }
      OK(signal(back, 0, other));
      OK(wait(back, 0, stream));
    }
    OK(cuStreamSynchronize(stream));
    OK(cuStreamSynchronize(other));
    EXPECT_EQ(read(memory), rounds);
    EXPECT_EQ(host.value(), binary ? 0 : rounds);
  }
}

TEST(cuSignalExternalSemaphoresAsync, NeverTakesATimelineBack) {
  const Scene scene;
  Timeline timeline(20);
  const CUexternalSemaphore semaphore = timeline.import();
  const CUstream stream = new_stream();
  OK(signal(semaphore, 15, stream));
  OK(signal(semaphore, 20, stream));
  OK(wait(semaphore, 20, stream));
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(timeline.value(), 20u);
  OK(signal(semaphore, UINT64_MAX, stream));
  OK(wait(semaphore, UINT64_MAX, stream));
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(timeline.value(), UINT64_MAX);
}

TEST(cuSignalExternalSemaphoresAsync, GoesFromManyThreadsToMany) {
  const Scene scene;
  constexpr unsigned threads = 4, rounds = 100;
  std::vector<std::unique_ptr<Timeline>> timelines;
  std::vector<CUexternalSemaphore> semaphores;
  for (unsigned i = 0; i < threads; ++i) {
    timelines.push_back(std::make_unique<Timeline>());
    semaphores.push_back(timelines[i]->import());
  }
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < threads; ++i)
    workers.emplace_back([&, i] {
      EXPECT_EQ(cuCtxSetCurrent(scene.context), CUDA_SUCCESS);
      const CUstream stream = new_stream();
      for (unsigned round = 1; round <= rounds; ++round) {
        EXPECT_EQ(signal(semaphores[i], round, stream), CUDA_SUCCESS);
        EXPECT_EQ(wait(semaphores[(i + 1) % threads], round, stream), CUDA_SUCCESS);
      }
      EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
    });
  for (std::thread& worker : workers) worker.join();
  for (const auto& timeline : timelines) EXPECT_EQ(timeline->value(), rounds);
}

TEST(cuWaitExternalSemaphoresAsync, NeedsNoCurrentContextForAStreamThatWasCreated) {
  const Scene scene;
  Timeline timeline(1);
  const CUexternalSemaphore semaphore = timeline.import();
  const CUstream stream = new_stream();
  OK(cuCtxSetCurrent(nullptr));
  EXPECT_EQ(wait(semaphore, 1, nullptr), CUDA_ERROR_INVALID_CONTEXT);
  OK(wait(semaphore, 1, stream));
  OK(signal(semaphore, 2, stream));
  EXPECT_TRUE(timeline.wait(2));
  OK(cuCtxSetCurrent(scene.context));
}

TEST(cuWaitExternalSemaphoresAsync, IsOrderedByTheLegacyStream) {
  const Scene scene;
  Timeline timeline;
  const CUexternalSemaphore semaphore = timeline.import();
  const CUstream blocking = new_stream(CU_STREAM_DEFAULT);
  OK(wait(semaphore, 1, nullptr));
  OK(signal(semaphore, 2, blocking));
  EXPECT_TRUE(waits(blocking));
  EXPECT_EQ(timeline.value(), 0u);
  timeline.signal(1);
  OK(cuStreamSynchronize(blocking));
  EXPECT_EQ(timeline.value(), 2u);
}

// --- The end of things ---------------------------------------------------------------------------

TEST(cuDestroyExternalSemaphore, LeavesTheWorkThatIsQueued) {
  const Scene scene;
  Timeline timeline;
  const CUexternalSemaphore semaphore = timeline.import();
  const CUstream stream = new_stream();
  OK(wait(semaphore, 1, stream));
  OK(signal(semaphore, 2, stream));
  OK(cuDestroyExternalSemaphore(semaphore));
  EXPECT_TRUE(waits(stream));
  timeline.signal(1);
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(timeline.value(), 2u);
}

TEST(cuDestroyExternalSemaphore, RefusesWhatIsNone) {
  const Scene scene;
  EXPECT_EQ(cuDestroyExternalSemaphore(nullptr), CUDA_ERROR_INVALID_VALUE);
  const CUstream stream = new_stream();
  for (const uintptr_t number : {8ul, 0x1230ul, reinterpret_cast<uintptr_t>(stream), ~7ul}) {
    const auto handle = reinterpret_cast<CUexternalSemaphore>(number);
    EXPECT_EQ(cuDestroyExternalSemaphore(handle), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(wait(handle, 0, stream), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(signal(handle, 0, stream), CUDA_ERROR_INVALID_VALUE);
  }
}

// Destroying a context does not wait for semaphores that nobody signals; the commands behind such a
// wait do not run.
TEST(cuWaitExternalSemaphoresAsync, IsGivenUpWithItsContext) {
  const Scene scene;
  Timeline timeline;
  const CUexternalSemaphore semaphore = timeline.import();
  CUcontext own = nullptr;
  OK(cuCtxCreate(&own, nullptr, 0, 0));
  const CUstream stream = new_stream();
  OK(wait(semaphore, 1, stream));
  OK(signal(semaphore, 2, stream));
  testing::internal::CaptureStderr();
  OK(cuCtxDestroy(own));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("abandoned"), std::string::npos) << said;
  EXPECT_EQ(timeline.value(), 0u);
  OK(cuCtxSetCurrent(scene.context));
  const CUstream other = new_stream();
  OK(signal(semaphore, 5, other));
  OK(wait(semaphore, 5, other));
  OK(cuStreamSynchronize(other)) << "another context of the device is unharmed";
}

// It does wait for a signal that another stream of the context is still going to make.
TEST(cuWaitExternalSemaphoresAsync, IsNotGivenUpWhereAnotherStreamSignals) {
  const Scene scene;
  Timeline timeline;
  const CUexternalSemaphore semaphore = timeline.import();
  CUcontext own = nullptr;
  OK(cuCtxCreate(&own, nullptr, 0, 0));
  const CUstream stream = new_stream(), other = new_stream();
  OK(cuLaunchHostFunc(
      other, [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(900)); }, nullptr));
  OK(signal(semaphore, 1, other));
  OK(wait(semaphore, 1, stream));
  OK(signal(semaphore, 2, stream));
  OK(cuCtxDestroy(own));
  EXPECT_EQ(timeline.value(), 2u);
  OK(cuCtxSetCurrent(scene.context));
}

// --- SwiftShader's format ------------------------------------------------------------------------

// The memory that SwiftShader exports: a memfd with a mutex and a condition variable in it.
class Swift {
 public:
  struct Words {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    int references;
    bool signalled;
  };
  Swift() : fd_(memfd_create("SwiftShader.Semaphore.7", MFD_CLOEXEC)) {
    static_assert(offsetof(Words, references) == 88 && offsetof(Words, signalled) == 92);
    EXPECT_EQ(ftruncate(fd_, 4096), 0);
    words = static_cast<Words*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0));
    pthread_mutexattr_t shared_mutex;
    pthread_mutexattr_init(&shared_mutex);
    pthread_mutexattr_setpshared(&shared_mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&words->mutex, &shared_mutex);
    pthread_condattr_t shared_condition;
    pthread_condattr_init(&shared_condition);
    pthread_condattr_setpshared(&shared_condition, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&words->condition, &shared_condition);
    words->references = 1;
  }
  ~Swift() {
    munmap(words, 4096);
    close(fd_);
  }
  Swift(const Swift&) = delete;
  Swift& operator=(const Swift&) = delete;

  int fd() const { return fd_; }
  CUexternalSemaphore import() const {
    CUexternalSemaphore semaphore = nullptr;
    EXPECT_EQ(import_fd(&semaphore, dup(fd_), as_binary), CUDA_SUCCESS);
    return semaphore;
  }
  int references() {
    pthread_mutex_lock(&words->mutex);
    const int count = words->references;
    pthread_mutex_unlock(&words->mutex);
    return count;
  }
  void signal() {
    pthread_mutex_lock(&words->mutex);
    words->signalled = true;
    pthread_cond_broadcast(&words->condition);
    pthread_mutex_unlock(&words->mutex);
  }
  void wait() {
    pthread_mutex_lock(&words->mutex);
    while (!words->signalled) pthread_cond_wait(&words->condition, &words->mutex);
    words->signalled = false;
    pthread_mutex_unlock(&words->mutex);
  }

  Words* words;

 private:
  const int fd_;
};

TEST(cuImportExternalSemaphore, RecognisesSwiftShaders) {
  const Scene scene;
  Swift there, back;
  CUexternalSemaphore first = nullptr;
  EXPECT_EQ(import_fd(&first, there.fd(), as_timeline), CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(there.references(), 1);
  first = there.import();
  const CUexternalSemaphore again = there.import(), second = back.import();
  EXPECT_EQ(there.references(), 2) << "a process has it once";
  const CUstream stream = new_stream();
  constexpr int rounds = 50;
  std::thread renderer([&] {
    for (int i = 0; i < rounds; ++i) {
      there.wait();
      back.signal();
    }
  });
  for (int i = 0; i < rounds; ++i) {
    OK(signal(i % 2 ? again : first, 0, stream));
    OK(wait(second, 0, stream));
  }
  OK(cuStreamSynchronize(stream));
  renderer.join();
  EXPECT_FALSE(there.words->signalled || back.words->signalled);
  for (const CUexternalSemaphore semaphore : {first, again, second})
    OK(cuDestroyExternalSemaphore(semaphore));
  EXPECT_TRUE(eventually([&] { return there.references() == 1 && back.references() == 1; }));
}

// While the mutex is held elsewhere, the stream waits, but no thread does.
TEST(cuSignalExternalSemaphoresAsync, WaitsForSwiftShadersMutexWithoutAThread) {
  const Scene scene;
  Swift swift;
  const CUexternalSemaphore semaphore = swift.import();
  const CUstream stream = new_stream(), other = new_stream();
  const CUdeviceptr memory = new_memory(4);
  pthread_mutex_lock(&swift.words->mutex);
  OK(signal(semaphore, 0, stream));
  for (int i = 0; i < 4; ++i) OK(wait(semaphore, 0, new_stream()));
  OK(cuMemsetD32Async(memory, 1, 1, other));
  OK(cuStreamSynchronize(other)) << "it is not held up by the others";
  EXPECT_TRUE(waits(stream));
  pthread_mutex_unlock(&swift.words->mutex);
  OK(cuStreamSynchronize(stream));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(eventually([&] { return !swift.words->signalled; }));
    swift.signal();
  }
}

TEST(cuImportExternalSemaphore, RefusesSwiftShadersWithoutAMutex) {
  const Scene scene;
  CUexternalSemaphore semaphore = nullptr;
  const int fd = memfd_create("SwiftShader.Semaphore.8", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(fd, 4096), 0);
  EXPECT_EQ(import_fd(&semaphore, fd, as_binary), CUDA_ERROR_UNKNOWN);
  ASSERT_EQ(ftruncate(fd, 4095), 0);
  EXPECT_EQ(import_fd(&semaphore, fd, as_binary), CUDA_ERROR_UNKNOWN);
  close(fd);
  Swift locked;
  pthread_mutex_lock(&locked.words->mutex);
  EXPECT_EQ(import_fd(&semaphore, locked.fd(), as_binary), CUDA_ERROR_UNKNOWN);
  pthread_mutex_unlock(&locked.words->mutex);
  EXPECT_TRUE(is_open(locked.fd()));
}

// The context gets an error; nothing crashes.
TEST(cuWaitExternalSemaphoresAsync, FailsWhereSwiftShadersMemoryIsCutOff) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        cuInit(0);
        CUcontext context;
        cuDevicePrimaryCtxRetain(&context, 0);
        cuCtxSetCurrent(context);
        Swift swift;
        const CUexternalSemaphore semaphore = swift.import();
        const CUstream stream = new_stream();
        if (wait(semaphore, 0, stream) != CUDA_SUCCESS) _exit(1);
        if (ftruncate(swift.fd(), 0) != 0) _exit(2);
        if (cuStreamSynchronize(stream) != CUDA_ERROR_EXTERNAL_DEVICE) _exit(3);
        if (signal(semaphore, 0, stream) != CUDA_ERROR_EXTERNAL_DEVICE) _exit(4);
        if (cuDestroyExternalSemaphore(semaphore) != CUDA_SUCCESS) _exit(5);
        _exit(0);
      },
      testing::ExitedWithCode(0), "the memory of an external semaphore is gone");
}

}  // namespace
