// SPDX-License-Identifier: Apache-2.0
// External memory between processes that write, shrink it or die. Each test that breaks the device
// or sets a knob runs in a process of its own.
#include <cuda.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "tests/api/driver/pass_fd.hpp"
#include "tests/api/driver/shared_segment.hpp"

namespace {

// Runs the body in a new process; its failures are this test's.
#define IN_OWN_PROCESS(...)                         \
  GTEST_FLAG_SET(death_test_style, "threadsafe");   \
  EXPECT_EXIT(                                      \
      {                                             \
        (__VA_ARGS__)();                            \
        _exit(testing::Test::HasFailure() ? 1 : 0); \
      },                                            \
      testing::ExitedWithCode(0), "")

// A child that makes a segment and sends it, then calls its part for each byte that it receives,
// until 'q'.
class Exporter {
 public:
  // Called in the child with the segment, for each byte received.
  using Part = bool (*)(int fd, char* bytes, char command);

  Exporter(size_t size, unsigned flags, Part part) {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    child_ = fork();
    if (child_ == 0) {
      close(ends[0]);
      serve(ends[1], size, flags, part);
    }
    close(ends[1]);
    socket_ = ends[0];
    char byte;
    fd = receive_fd(socket_, &byte, 1);
    EXPECT_GE(fd, 0);
  }
  ~Exporter() {
    close(socket_);  // the child reads end-of-file and exits
    EXPECT_EQ(waitpid(child_, nullptr, 0), child_);
  }
  // Whether the child has carried out `command` successfully.
  bool tell(char command) {
    char answer = 0;
    return write(socket_, &command, 1) == 1 && read(socket_, &answer, 1) == 1 && answer == 'y';
  }

  int fd;

 private:
  [[noreturn]] static void serve(int socket, size_t size, unsigned flags, Part part) {
    alarm(100);
    const int fd = memfd_create("exported", flags);
    if (ftruncate(fd, static_cast<off_t>(size)) != 0 || !send_fd(socket, fd, "x", 1)) _exit(1);
    auto* bytes =
        static_cast<char*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    char command;
    while (read(socket, &command, 1) == 1) {
      const char answer = part(fd, bytes, command) ? 'y' : 'n';
      if (write(socket, &answer, 1) != 1) break;
    }
    _exit(0);
  }

  pid_t child_;
  int socket_;
};

constexpr size_t size = 1 << 20;

TEST(ExternalMemoryOfAnotherProcess, IsTheSameBytes) {
  Exporter exporter(size, MFD_ALLOW_SEALING, [](int, char* bytes, char command) {
    if (command == 'w') {
      memset(bytes, 0x11, size);
      return true;
    }
    for (size_t i = 0; i < size; ++i)
      if (bytes[i] != (i < 4096 ? 0x11 : 0x22)) return false;
    return true;
  });
  const Scene scene;
  const CUexternalMemory memory = import(exporter.fd, size);
  const CUdeviceptr all = map(memory, 0, size), rest = map(memory, 4096, size - 4096);
  ASSERT_TRUE(exporter.tell('w'));
  std::vector<char> bytes(size);
  OK(cuMemcpyDtoH(bytes.data(), all, size));
  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0x11), static_cast<long>(size));
  OK(cuMemsetD8(rest, 0x22, size - 4096));
  OK(cuCtxSynchronize());
  EXPECT_TRUE(exporter.tell('r'));
  OK(cuMemFree(all));
  OK(cuMemFree(rest));
  OK(cuDestroyExternalMemory(memory));
}

TEST(ExternalMemoryOfAnotherProcess, OutlivesThatProcess) {
  const Scene scene;
  CUexternalMemory memory;
  {
    Exporter exporter(size, 0, [](int, char* bytes, char) {
      bytes[size - 1] = 5;
      return true;
    });
    memory = import(exporter.fd, size);
    ASSERT_TRUE(exporter.tell('w'));
  }
  const CUdeviceptr buffer = map(memory, 0, size);
  char byte = 0;
  OK(cuMemcpyDtoH(&byte, buffer + size - 1, 1));
  EXPECT_EQ(byte, 5);
}

TEST(ExternalMemoryOfAnotherProcess, CannotShrinkWhereItCanBeSealed) {
  Exporter exporter(size, MFD_ALLOW_SEALING,
                    [](int fd, char*, char) { return ftruncate(fd, 4096) != 0 && errno == EPERM; });
  const Scene scene;
  const CUexternalMemory memory = import(exporter.fd, size);
  const CUdeviceptr buffer = map(memory, 0, size);
  EXPECT_TRUE(exporter.tell('s'));
  OK(cuMemsetD8(buffer, 1, size));
  OK(cuCtxSynchronize());
}

// The pages vanish under a command: the device has an error, the program survives.
void lose_pages(bool asynchronous, bool fill) {
  Exporter exporter(size, 0, [](int fd, char*, char) { return ftruncate(fd, 4096) == 0; });
  OK(cuInit(0));
  CUcontext context;
  OK(cuCtxCreate(&context, nullptr, 0, 0));
  const CUdeviceptr buffer = map(import(exporter.fd, size), 0, size);
  OK(cuMemsetD8(buffer, 1, size));
  OK(cuCtxSynchronize());
  ASSERT_TRUE(exporter.tell('s'));
  char first = 0;
  OK(cuMemcpyDtoH(&first, buffer, 1));  // what is left is still usable
  EXPECT_EQ(first, 1);
  std::vector<char> bytes(size);
  const CUstream stream = new_stream();
  CUresult answer;
  if (fill) {
    answer = cuMemsetD8Async(buffer, 2, size, stream);
  } else if (asynchronous) {
    answer = cuMemcpyHtoDAsync(buffer, bytes.data(), size, stream);
  } else {
    answer = cuMemcpyDtoH(bytes.data(), buffer, size);
  }
  if (fill || asynchronous) {
    EXPECT_EQ(answer, CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
  } else {
    EXPECT_EQ(answer, CUDA_ERROR_ILLEGAL_ADDRESS);
  }
  // The error stays.
  CUdeviceptr more;
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuMemAlloc(&more, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
  int count = 0;
  EXPECT_EQ(cuDeviceGetCount(&count), CUDA_SUCCESS);
}

TEST(ExternalMemoryThatShrinks, FailsACopy) {
  IN_OWN_PROCESS([] { lose_pages(false, false); });
}
TEST(ExternalMemoryThatShrinks, FailsAnAsynchronousCopy) {
  IN_OWN_PROCESS([] { lose_pages(true, false); });
}
TEST(ExternalMemoryThatShrinks, FailsAFill) {
  IN_OWN_PROCESS([] { lose_pages(true, true); });
}

// After an error, stream callbacks are still called, with the error code; host functions are not.
TEST(ExternalMemoryThatShrinks, IsToldToCallbacks) {
  IN_OWN_PROCESS([] {
    OK(cuInit(0));
    CUcontext context;
    OK(cuCtxCreate(&context, nullptr, 0, 0));
    SharedSegment segment(size, 0);
    const CUdeviceptr buffer = map(import(segment.duplicate(), size), 0, size);
    const CUstream stream = new_stream();
    static std::atomic<int> status{-1}, called{0};
    {
      Gate gate(stream);
      OK(cuMemsetD8Async(buffer, 1, size, stream));
      OK(cuLaunchHostFunc(
          stream, [](void*) { ++called; }, nullptr));
      OK(cuStreamAddCallback(
          stream, [](CUstream, CUresult result, void*) { status = result; }, nullptr, 0));
      ASSERT_EQ(ftruncate(segment.fd(), 4096), 0);
    }
    EXPECT_TRUE(eventually([] { return status != -1; }));
    EXPECT_EQ(status, CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_EQ(called, 0);
  });
}

// CUVETTE_CONTRACT=driver: a descriptor that is not memory is closed, too.
TEST(cuImportExternalMemory, ClosesAWrongDescriptorAsTheDriverDoes) {
  setenv("CUVETTE_CONTRACT", "driver", 1);
  IN_OWN_PROCESS([] {
    const Scene scene;
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    CUexternalMemory memory;
    const auto description = describe(ends[0], 4096);
    EXPECT_EQ(cuImportExternalMemory(&memory, &description), CUDA_ERROR_UNKNOWN);
    EXPECT_FALSE(is_open(ends[0]));
  });
  unsetenv("CUVETTE_CONTRACT");
}

// A killed importer leaves the exporter's segment as it was, and nothing else behind.
void kill_an_importer() {
  const auto files = [] {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
      if (const std::string name = entry.path().filename();
          name.find("cuvette") != std::string::npos && !name.starts_with("cuvette-register-"))
        names.push_back(entry.path());
    return names;
  };
  SharedSegment segment(size);
  const auto before = files();
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    CUcontext context;
    cuInit(0);
    cuCtxCreate(&context, nullptr, 0, 0);
    const CUdeviceptr buffer = map(import(segment.duplicate(), size), 0, size);
    cuMemsetD8(buffer, 3, size);
    cuCtxSynchronize();
    const char byte = 'r';
    if (write(ready[1], &byte, 1) != 1) _exit(1);
    for (;;) cuMemsetD8Async(buffer, 3, size, nullptr), cuCtxSynchronize();
  }
  close(ready[1]);
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status));
  close(ready[0]);
  EXPECT_EQ(files(), before);
  EXPECT_EQ(segment.bytes()[size - 1], 3);
  segment.bytes()[0] = 4;  // the segment is still ours
}

TEST(ExternalMemoryImporter, LeavesNothingWhenKilled) { IN_OWN_PROCESS(kill_an_importer); }

}  // namespace
