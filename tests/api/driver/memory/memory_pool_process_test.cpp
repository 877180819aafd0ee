// SPDX-License-Identifier: Apache-2.0
// A memory pool shared between processes: the exporter is a new process, and this one imports. What
// the exporter wrote stays here even if it is killed.
#include <cuda.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/api/driver/memory_pool_scene.hpp"
#include "tests/api/driver/pass_fd.hpp"

namespace {

constexpr auto posix_fd = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

#define NEED(call) \
  if ((call) != CUDA_SUCCESS) _exit(__LINE__ % 200 + 1)

// The exporter: fills 3000 bytes with 21, exports them, and serves until its socket is closed.
[[noreturn]] void export_pool(int socket) {
  alarm(60);
  NEED(cuInit(0));
  CUcontext context;
  NEED(cuDevicePrimaryCtxRetain(&context, 0));
  NEED(cuCtxSetCurrent(context));
  CUmemPoolProps properties = pool_properties(posix_fd);
  CUmemoryPool pool;
  NEED(cuMemPoolCreate(&pool, &properties));
  CUdeviceptr other, address;
  NEED(cuMemAllocFromPoolAsync(&other, 70000, pool, nullptr));
  NEED(cuMemAllocFromPoolAsync(&address, 3000, pool, nullptr));
  NEED(cuMemsetD8(address, 21, 3000));
  NEED(cuCtxSynchronize());
  int fd = -1;
  NEED(cuMemPoolExportToShareableHandle(&fd, pool, posix_fd, 0));
  CUmemPoolPtrExportData data;
  NEED(cuMemPoolExportPointer(&data, address));
  if (!send_fd(socket, fd, &data, sizeof data)) _exit(99);
  char order = 0;
  // The importer's writes are visible here.
  while (read(socket, &order, 1) == 1) {
    unsigned char byte = 0;
    NEED(cuMemcpyDtoH(&byte, address + 2999, 1));
    if (write(socket, &byte, 1) != 1) _exit(98);
  }
  NEED(cuMemPoolDestroy(pool));
  _exit(0);
}

// Must be forked before this process has called cuInit: afterwards a child cannot use CUDA.
class Exporter {
 public:
  Exporter() {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends_), 0);
    process_ = fork();
    if (process_ == 0) {
      close(ends_[0]);
      export_pool(ends_[1]);
    }
    close(ends_[1]);
    fd = receive_fd(ends_[0], &data, sizeof data);
    EXPECT_GE(fd, 0);
  }
  ~Exporter() {
    if (fd >= 0) close(fd);
    close(ends_[0]);
    if (process_ > 0) kill();
  }
  void kill() {
    ::kill(process_, SIGKILL);
    EXPECT_EQ(waitpid(process_, nullptr, 0), process_);
    process_ = 0;
  }
  unsigned char ask() {
    char order = '?';
    unsigned char answer = 0;
    EXPECT_EQ(write(ends_[0], &order, 1), 1);
    EXPECT_EQ(read(ends_[0], &answer, 1), 1);
    return answer;
  }

  int fd = -1;
  CUmemPoolPtrExportData data;

 private:
  int ends_[2];
  pid_t process_ = 0;
};

// Runs `body` in a process of its own, which has not called cuInit yet.
void alone(void (*body)()) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    body();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

CUmemoryPool import(const Exporter& exporter) {
  CUmemoryPool pool = nullptr;
  EXPECT_EQ(cuMemPoolImportFromShareableHandle(
                &pool, reinterpret_cast<void*>(intptr_t{exporter.fd}), posix_fd, 0),
            CUDA_SUCCESS);
  return pool;
}

TEST(MemoryPoolProcesses, SeeEachOthersBytes) {
  alone([] {
    Exporter exporter;
    const Scene scene;
    const CUmemoryPool pool = import(exporter);
    CUdeviceptr address;
    OK(cuMemPoolImportPointer(&address, pool, &exporter.data));
    unsigned char bytes[3000] = {};
    OK(cuMemcpyDtoH(bytes, address, 3000));
    EXPECT_EQ(bytes[0], 21);
    EXPECT_EQ(bytes[2999], 21);
    OK(cuMemsetD8(address + 2999, 42, 1));
    OK(cuCtxSynchronize());
    EXPECT_EQ(exporter.ask(), 42);
    EXPECT_EQ(cuMemsetD8(address, 42, 3001), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(address));
    EXPECT_EQ(exporter.ask(), 42) << "freeing an import frees nothing of the exporter's";
    OK(cuMemPoolDestroy(pool));
  });
}

TEST(MemoryPoolProcesses, KeepWhatAKilledExporterWrote) {
  alone([] {
    Exporter exporter;
    exporter.kill();
    const Scene scene;
    const CUmemoryPool pool = import(exporter);
    CUdeviceptr address;
    OK(cuMemPoolImportPointer(&address, pool, &exporter.data));
    OK(cuMemPoolDestroy(pool));
    unsigned char byte = 0;
    OK(cuMemcpyDtoH(&byte, address + 1500, 1));
    EXPECT_EQ(byte, 21);
    OK(cuMemFreeAsync(address, nullptr));
    EXPECT_EQ(cuMemcpyDtoH(&byte, address, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuCtxSynchronize());
  });
}

}  // namespace
