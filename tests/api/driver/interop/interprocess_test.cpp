// SPDX-License-Identifier: Apache-2.0
// Another process's device memory. The test program itself never calls cuInit: each test runs in a
// child, which first forks the exporter.
#include <cuda.h>
#include <fcntl.h>
#include <sys/prctl.h>

#include <cstring>
#include <random>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/gate.hpp"
#include "tests/api/driver/peer.hpp"
#include "tests/api/driver/virtual_memory.hpp"

namespace {

constexpr unsigned lazy = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS;
constexpr size_t size = 5 << 20;

struct Offer {
  CUipcMemHandle large, small;
};

// A process that has memory and takes commands of one letter. It ends with this one.
class Exporter {
 public:
  Exporter() {
    int down[2], up[2];
    EXPECT_EQ(pipe2(down, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(up, O_CLOEXEC), 0);
    child_ = fork();
    if (child_ == 0) {
      close(down[1]);
      close(up[0]);
      serve(down[0], up[1]);
    }
    close(down[0]);
    close(up[1]);
    tell_ = down[1];
    hear_ = up[0];
    EXPECT_EQ(read(hear_, &offer, sizeof offer), static_cast<ssize_t>(sizeof offer));
  }
  ~Exporter() { kill_it(); }
  // Sends a letter. The exporter answers 'r' with a byte of its memory, and the others with a
  // CUresult.
  int tell(char what) {
    char answer = 0;
    if (write(tell_, &what, 1) != 1 || read(hear_, &answer, 1) != 1) return -1;
    return answer;
  }
  void kill_it() {
    if (child_ == 0) return;
    kill(child_, SIGKILL);
    EXPECT_EQ(waitpid(child_, nullptr, 0), child_);
    close(tell_);
    close(hear_);
    child_ = 0;
  }

  Offer offer{};

 private:
  [[noreturn]] static void serve(int hear, int tell) {
    alarm(60);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const pid_t test = getppid();
    CUcontext context;
    CUdeviceptr large, small;
    Offer offer;
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
        cuMemAlloc(&large, size) || cuMemAlloc(&small, 1000) || cuMemsetD8(large, 1, size) ||
        cuMemsetD8(small, 2, 1000) || cuCtxSynchronize() ||
        cuIpcGetMemHandle(&offer.large, large) || cuIpcGetMemHandle(&offer.small, small + 10) ||
        write(tell, &offer, sizeof offer) != sizeof offer)
      _exit(1);
    for (char byte; read(hear, &byte, 1) == 1;) {
      char answer = 0;
      if (byte == 'r') cuMemcpyDtoH(&answer, large, 1);
      if (byte == 'f') answer = static_cast<char>(cuMemFree(large));
      if (byte == 'a')
        answer = static_cast<char>(cuMemAlloc(&large, size) | cuMemsetD8(large, 7, size) |
                                   cuCtxSynchronize());
      if (byte == 'd') answer = static_cast<char>(cuDevicePrimaryCtxReset(0));
      // A child that outlives the exporter: it knows the socket's number, but does not have the
      // socket.
      if (byte == 'c' && fork() == 0) {
        for (int fd = 0; fd < 100; ++fd) close(fd);  // also the pipe that the test reads
        alarm(60);
        while (kill(test, 0) == 0) usleep(10'000);
        _exit(0);
      }
      if (write(tell, &answer, 1) != 1) break;
    }
    _exit(0);
  }

  pid_t child_;
  int tell_, hear_;
};

void own_memory() {
  const Scene scene;
  const CUdeviceptr p = new_memory(1000), q = new_memory(1000);
  CUipcMemHandle one, two;
  OK(cuIpcGetMemHandle(&one, p));
  OK(cuIpcGetMemHandle(&two, p + 16));
  EXPECT_EQ(memcmp(&one, &two, sizeof one), 0);
  OK(cuIpcGetMemHandle(&two, q));
  EXPECT_NE(memcmp(&one, &two, sizeof one), 0);
  EXPECT_EQ(cuIpcGetMemHandle(nullptr, p), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuIpcGetMemHandle(&two, 16), CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr managed = 0, address = 0;
  void* pinned = nullptr;
  OK(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
  OK(cuMemAllocHost(&pinned, 4096));
  EXPECT_EQ(cuIpcGetMemHandle(&two, managed), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuIpcGetMemHandle(&two, reinterpret_cast<CUdeviceptr>(pinned)),
            CUDA_ERROR_INVALID_VALUE);
  {
    const Handle handle = created(granule);
    const Mapped mapped(handle, granule);
    EXPECT_EQ(cuIpcGetMemHandle(&two, mapped.address), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemRelease(handle));
  }
  // Measured: a process cannot open its own memory.
  EXPECT_EQ(cuIpcOpenMemHandle(&address, one, lazy), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuIpcOpenMemHandle(&address, one, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuIpcOpenMemHandle(nullptr, one, lazy), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuIpcCloseMemHandle(p), CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFree(p));
  EXPECT_EQ(cuIpcGetMemHandle(&two, p), CUDA_ERROR_INVALID_VALUE);
}
TEST(cuIpcGetMemHandle, NamesMemoryOfCuMemAlloc) { run_in_child({}, own_memory); }

void share() {
  Exporter exporter;
  const Scene scene;
  const int descriptors = open_descriptors();
  CUdeviceptr large = 0, small = 0, again = 0;
  OK(cuIpcOpenMemHandle(&large, exporter.offer.large, lazy));
  OK(cuIpcOpenMemHandle(&small, exporter.offer.small, lazy));
  EXPECT_EQ(byte_at(large + size - 1), 1);
  EXPECT_EQ(byte_at(small + 999), 2);
  OK(cuMemsetD8(large, 9, 16));
  OK(cuCtxSynchronize());
  EXPECT_EQ(exporter.tell('r'), 9);
  CUdeviceptr base = 0;
  size_t bytes = 0;
  OK(cuMemGetAddressRange(&base, &bytes, large + 77));
  EXPECT_EQ(base, large);
  EXPECT_EQ(bytes, size);
  unsigned able = 9;
  OK(cuPointerGetAttribute(&able, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, large));
  EXPECT_EQ(able, 0u);
  EXPECT_EQ(cuMemsetD8(large, 9, size + 1), CUDA_ERROR_INVALID_VALUE);
  CUipcMemHandle handle;
  EXPECT_EQ(cuIpcGetMemHandle(&handle, large), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree(large), CUDA_ERROR_INVALID_VALUE);
  // "... the reference count on the handle is incremented by 1 and the existing device pointer is
  // returned."
  OK(cuIpcOpenMemHandle(&again, exporter.offer.large, lazy));
  EXPECT_EQ(again, large);
  EXPECT_EQ(cuIpcCloseMemHandle(large + 1), CUDA_ERROR_INVALID_VALUE);
  OK(cuIpcCloseMemHandle(large));
  EXPECT_EQ(byte_at(large), 9);
  OK(cuIpcCloseMemHandle(large));
  EXPECT_EQ(byte_at(large), -CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuIpcCloseMemHandle(large), CUDA_ERROR_INVALID_VALUE);
  OK(cuIpcCloseMemHandle(small));
  EXPECT_TRUE(eventually([&] { return open_descriptors() == descriptors; }));
}
TEST(cuIpcOpenMemHandle, GivesTheOtherProcesssBytes) { run_in_child({}, share); }

void stale() {
  Exporter exporter;
  const Scene scene;
  CUdeviceptr address = 0, open = 0;
  OK(cuIpcOpenMemHandle(&open, exporter.offer.small, lazy));
  EXPECT_EQ(exporter.tell('f'), CUDA_SUCCESS);
  EXPECT_EQ(cuIpcOpenMemHandle(&address, exporter.offer.large, lazy), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(exporter.tell('d'), CUDA_SUCCESS);
  // The pages, and what is in them, stay until the importer closes them.
  EXPECT_EQ(byte_at(open), 2);
  OK(cuIpcCloseMemHandle(open));
  EXPECT_EQ(cuIpcOpenMemHandle(&address, exporter.offer.small, lazy), CUDA_ERROR_INVALID_HANDLE);
}
TEST(cuIpcOpenMemHandle, RefusesMemoryThatIsFreed) { run_in_child({}, stale); }

// What this process has open is not given out again meanwhile.
void freed_and_allocated() {
  Exporter exporter;
  const Scene scene;
  CUdeviceptr open = 0;
  OK(cuIpcOpenMemHandle(&open, exporter.offer.large, lazy));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(exporter.tell('f'), CUDA_SUCCESS);
    EXPECT_EQ(exporter.tell('a'), CUDA_SUCCESS);
    EXPECT_EQ(exporter.tell('r'), 7);
    for (const CUdeviceptr at : {open, open + size / 2, open + size - 1}) EXPECT_EQ(byte_at(at), 1);
  }
  OK(cuMemsetD8(open, 3, size));
  OK(cuCtxSynchronize());
  EXPECT_EQ(exporter.tell('r'), 7);
  OK(cuIpcCloseMemHandle(open));
}
TEST(cuIpcOpenMemHandle, KeepsWhatItsExporterFrees) { run_in_child({}, freed_and_allocated); }

void killed() {
  Exporter exporter;
  const Scene scene;
  const int descriptors = open_descriptors();
  CUdeviceptr open = 0, address = 0;
  OK(cuIpcOpenMemHandle(&open, exporter.offer.large, lazy));
  EXPECT_EQ(exporter.tell('c'), CUDA_SUCCESS);
  exporter.kill_it();
  EXPECT_EQ(byte_at(open), 1);
  OK(cuMemsetD8(open, 4, size));
  OK(cuCtxSynchronize());
  EXPECT_EQ(cuIpcOpenMemHandle(&address, exporter.offer.small, lazy), CUDA_ERROR_INVALID_HANDLE)
      << "its memory was freed with it";
  OK(cuIpcCloseMemHandle(open));
  // The two pipe ends to the exporter are gone. Other threads may have files open for a moment.
  EXPECT_TRUE(eventually([&] { return open_descriptors() == descriptors - 2; }));
}
TEST(cuIpcOpenMemHandle, OutlivesAnExporterThatIsKilled) { run_in_child({}, killed); }

// Changing any of the 64 bytes gives an error, never a crash.
void garbage() {
  Exporter exporter;
  const Scene scene;
  CUdeviceptr address = 0;
  CUipcMemHandle handle;
  std::mt19937 random(1);
  for (size_t at = 0; at < sizeof handle; ++at) {
    handle = exporter.offer.large;
    handle.reserved[at] = static_cast<char>(handle.reserved[at] ^ (1 << random() % 8));
    EXPECT_EQ(cuIpcOpenMemHandle(&address, handle, lazy), CUDA_ERROR_INVALID_VALUE) << at;
  }
  for (int i = 0; i < 1000; ++i) {
    for (char& byte : handle.reserved) byte = static_cast<char>(random());
    EXPECT_EQ(cuIpcOpenMemHandle(&address, handle, lazy), CUDA_ERROR_INVALID_VALUE);
  }
  memset(&handle, 0, sizeof handle);
  EXPECT_EQ(cuIpcOpenMemHandle(&address, handle, lazy), CUDA_ERROR_INVALID_VALUE);
  OK(cuIpcOpenMemHandle(&address, exporter.offer.large, lazy));
  OK(cuIpcCloseMemHandle(address));
}
TEST(cuIpcOpenMemHandle, TakesNoOtherBytes) { run_in_child({}, garbage); }

void close_waits() {
  Exporter exporter;
  const Scene scene;
  CUdeviceptr address = 0;
  OK(cuIpcOpenMemHandle(&address, exporter.offer.large, lazy));
  const CUstream stream = new_stream();
  Gate gate(stream);
  OK(cuMemsetD8Async(address, 7, size, stream));
  std::atomic<bool> closed{false};
  std::thread thread([&] {
    EXPECT_EQ(cuCtxSetCurrent(scene.context), CUDA_SUCCESS);
    EXPECT_EQ(cuIpcCloseMemHandle(address), CUDA_SUCCESS);
    closed = true;
  });
  let_things_happen();
  EXPECT_FALSE(closed);
  gate.open();
  thread.join();
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(exporter.tell('r'), 7);
}
TEST(cuIpcCloseMemHandle, WaitsForWhatUsesTheMemory) { run_in_child({}, close_waits); }

void many_threads() {
  Exporter exporter;
  const Scene scene;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      EXPECT_EQ(cuCtxSetCurrent(scene.context), CUDA_SUCCESS);
      for (int i = 0; i < 50; ++i) {
        CUdeviceptr address = 0;
        OK(cuIpcOpenMemHandle(&address, exporter.offer.large, lazy));
        EXPECT_EQ(byte_at(address), 1);
        OK(cuIpcCloseMemHandle(address));
      }
    });
  for (std::thread& thread : threads) thread.join();
}
TEST(cuIpcCloseMemHandle, CountsWhatThreadsOpen) { run_in_child({}, many_threads); }

// Physical memory through a descriptor that is inherited by a fork before either process begins.
void virtual_memory_of_another_process() {
  int ends[2], ready[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    CUcontext context;
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context)) _exit(1);
    const Handle handle = created(granule);
    int fd = -1;
    cuMemExportToShareableHandle(&fd, handle, as_fd, 0);
    const CUdeviceptr address = reserved(granule);
    cuMemMap(address, granule, 0, handle, 0);
    set_access(address, granule, writing);
    cuMemsetD8(address, 5, granule);
    cuCtxSynchronize();
    const int message[2] = {getpid(), fd};
    if (write(ready[1], message, sizeof message) != sizeof message) _exit(1);
    char byte = 0;
    if (read(ends[0], &byte, 1) != 1) _exit(1);
    _exit(byte_at(address) == 6 ? 0 : 2);
  }
  const Scene scene;
  int message[2];
  ASSERT_EQ(read(ready[0], message, sizeof message), static_cast<ssize_t>(sizeof message));
  const std::string path =
      "/proc/" + std::to_string(message[0]) + "/fd/" + std::to_string(message[1]);
  const int fd = open(path.c_str(), O_RDWR);
  ASSERT_GE(fd, 0);
  Handle handle = 0;
  OK(cuMemImportFromShareableHandle(&handle, reinterpret_cast<void*>(static_cast<long>(fd)),
                                    as_fd));
  close(fd);
  {
    const Mapped mapped(handle, granule);
    EXPECT_EQ(byte_at(mapped.address + granule - 1), 5);
    OK(cuMemsetD8(mapped.address, 6, granule));
    OK(cuCtxSynchronize());
    ASSERT_EQ(write(ends[1], "x", 1), 1);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(byte_at(mapped.address), 6);
  }
  OK(cuMemRelease(handle));
}
TEST(VirtualMemoryOfAnotherProcess, IsTheSameBytes) {
  run_in_child({}, virtual_memory_of_another_process);
}

}  // namespace
