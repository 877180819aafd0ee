// SPDX-License-Identifier: Apache-2.0
// Programs that go on with memory of another process when that has freed it.
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "tests/wrong/api/api.hpp"

namespace {

// A process that exports memory, and frees it when it is told to. Made before CUDA is used here.
class Exporter {
 public:
  using Serve = void (*)(int socket);
  explicit Exporter(Serve serve) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) _Exit(4);
    child_ = fork();
    if (child_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      close(ends[0]);
      NEED(cuInit(0));
      CUcontext context = nullptr;
      NEED(cuDevicePrimaryCtxRetain(&context, 0));
      NEED(cuCtxSetCurrent(context));
      serve(ends[1]);
      _exit(0);
    }
    close(ends[1]);
    socket_ = ends[0];
  }
  ~Exporter() {
    close(socket_);
    waitpid(child_, nullptr, 0);
  }
  Exporter(const Exporter&) = delete;
  Exporter& operator=(const Exporter&) = delete;

  void free_it() const {
    char byte = 0;
    if (write(socket_, &byte, 1) != 1 || read(socket_, &byte, 1) != 1) _Exit(4);
  }
  void end() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  int socket() const { return socket_; }

 private:
  pid_t child_ = 0;
  int socket_ = -1;
};

void wait_and_free(int socket, CUdeviceptr memory) {
  char byte = 0;
  if (read(socket, &byte, 1) != 1) return;
  NEED(cuMemFree(memory));
  if (write(socket, &byte, 1) != 1 || read(socket, &byte, 1) < 0) return;
}

void serve_memory(int socket) {
  const CUdeviceptr memory = new_memory();
  CUipcMemHandle handle;
  NEED(cuIpcGetMemHandle(&handle, memory));
  if (write(socket, &handle, sizeof handle) != sizeof handle) return;
  wait_and_free(socket, memory);
}

CUdeviceptr open_memory(const Exporter& exporter) {
  CUipcMemHandle handle;
  if (read(exporter.socket(), &handle, sizeof handle) != sizeof handle) _Exit(4);
  CUdeviceptr memory = 0;
  NEED(cuIpcOpenMemHandle(&memory, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  return memory;
}

// --- A pool's descriptor goes through the socket, too ---

constexpr auto pool_handle = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

struct Message {
  explicit Message(CUmemPoolPtrExportData& data) : bytes{&data, sizeof data} {
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
  }
  iovec bytes;
  msghdr message = {};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
};

void serve_pool(int socket) {
  CUmemPoolProps props = {};
  props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  props.handleTypes = pool_handle;
  props.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  CUmemoryPool pool = nullptr;
  NEED(cuMemPoolCreate(&pool, &props));
  CUdeviceptr memory = 0;
  NEED(cuMemAllocFromPoolAsync(&memory, size, pool, nullptr));
  NEED(cuCtxSynchronize());
  int fd = -1;
  NEED(cuMemPoolExportToShareableHandle(&fd, pool, pool_handle, 0));
  CUmemPoolPtrExportData data;
  NEED(cuMemPoolExportPointer(&data, memory));
  Message sent(data);
  cmsghdr* const header = CMSG_FIRSTHDR(&sent.message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof fd);
  memcpy(CMSG_DATA(header), &fd, sizeof fd);
  if (sendmsg(socket, &sent.message, 0) < 0) return;
  wait_and_free(socket, memory);
}

struct ImportedPool {
  explicit ImportedPool(const Exporter& exporter) {
    CUmemPoolPtrExportData data;
    Message received(data);
    if (recvmsg(exporter.socket(), &received.message, MSG_CMSG_CLOEXEC) < 0) _Exit(4);
    int fd = -1;
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&received.message)), sizeof fd);
    NEED(cuMemPoolImportFromShareableHandle(
        &pool, reinterpret_cast<void*>(static_cast<intptr_t>(fd)), pool_handle, 0));
    close(fd);
    NEED(cuMemPoolImportPointer(&memory, pool, &data));
  }
  CUmemoryPool pool = nullptr;
  CUdeviceptr memory = 0;
};

}  // namespace

void fills_memory_that_its_exporter_has_freed(Twin twin) {
  const Exporter exporter(serve_memory);
  const Program program;
  const CUdeviceptr memory = open_memory(exporter);
  if (twin == Twin::wrong) exporter.free_it();
  NEED(MISTAKE(cuMemsetD8(memory, 1, size)));
  NEED(cuCtxSynchronize());
  NEED(cuIpcCloseMemHandle(memory));
  if (twin == Twin::repaired) exporter.free_it();
}

void copies_memory_whose_exporter_has_ended(Twin twin) {
  Exporter exporter(serve_memory);
  const Program program;
  const CUdeviceptr memory = open_memory(exporter);
  if (twin == Twin::wrong) exporter.end();
  char byte = 0;
  NEED(MISTAKE(cuMemcpyDtoH(&byte, memory, 1)));
  NEED(cuIpcCloseMemHandle(memory));
}

void launches_a_kernel_on_memory_that_its_exporter_has_freed(Twin twin) {
  const Exporter exporter(serve_memory);
  const Program program;
  CUdeviceptr memory = open_memory(exporter);
  void* parameters[] = {&memory};
  const CUfunction function = store_kernel();
  if (twin == Twin::wrong) exporter.free_it();
  NEED(MISTAKE(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr)));
  NEED(cuCtxSynchronize());
  NEED(cuIpcCloseMemHandle(memory));
  if (twin == Twin::repaired) exporter.free_it();
}

void fills_memory_of_a_pool_that_its_exporter_has_freed(Twin twin) {
  const Exporter exporter(serve_pool);
  const Program program;
  const ImportedPool imported(exporter);
  if (twin == Twin::wrong) exporter.free_it();
  NEED(MISTAKE(cuMemsetD8(imported.memory, 1, size)));
  NEED(cuCtxSynchronize());
  NEED(cuMemFree(imported.memory));
  if (twin == Twin::repaired) exporter.free_it();
  NEED(cuMemPoolDestroy(imported.pool));
}
