// SPDX-License-Identifier: Apache-2.0
// Streams of two processes that wait for words of shared memory. Each test runs in a child, which
// first forks the other process.
#include <cuda.h>

#include <string>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/peer.hpp"
#include "tests/api/driver/virtual_memory.hpp"

namespace {

constexpr int rounds = 50;
constexpr size_t buffer_at = 4096, buffer_size = 1 << 16;

struct Offer {
  CUipcMemHandle memory;
  int fd;  // of physical memory
};

// Word 0 is the round that may begin here, word 1 the one that is done.
Peer<Offer>::Answer own_memory(Offer& offer) {
  CUcontext context;
  static CUstream stream;
  static CUdeviceptr memory, mapped;
  const auto none = CU_STREAM_WRITE_VALUE_DEFAULT;
  if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
      cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) || cuMemAlloc(&memory, granule) ||
      cuIpcGetMemHandle(&offer.memory, memory))
    return {};
  const Handle handle = created(granule);
  mapped = reserved(granule);
  if (cuMemExportToShareableHandle(&offer.fd, handle, as_fd, 0) ||
      cuMemMap(mapped, granule, 0, handle, 0) || set_access(mapped, granule, writing) ||
      cuMemsetD8(memory, 0, granule) || cuMemsetD8(mapped, 0, granule) || cuCtxSynchronize())
    return {};
  return [none](char letter) -> int {
    const CUdeviceptr at = letter == 'i' ? memory : mapped;
    if (letter == 'x') return cuStreamSynchronize(stream);
    if (letter == 'q') return cuStreamQuery(stream);
    for (unsigned i = 1; i <= rounds; ++i)
      if (cuStreamWaitValue32(stream, at, i, CU_STREAM_WAIT_VALUE_GEQ) ||
          cuMemsetD8Async(at + buffer_at, static_cast<unsigned char>(i), buffer_size, stream) ||
          cuStreamWriteValue32(stream, at + 4, i, none))
        return -1;
    return 0;
  };
}

void play(Peer<Offer>& peer, char letter, CUdeviceptr at) {
  const CUstream stream = new_stream();
  ASSERT_EQ(peer.tell(letter), 0);
  let_things_happen();
  EXPECT_EQ(peer.tell('q'), CUDA_ERROR_NOT_READY);
  unsigned char* const seen = pinned_bytes(rounds);
  for (unsigned i = 1; i <= rounds; ++i) {
    OK(cuStreamWriteValue32(stream, at, i, CU_STREAM_WRITE_VALUE_DEFAULT));
    OK(cuStreamWaitValue32(stream, at + 4, i, CU_STREAM_WAIT_VALUE_GEQ));
    OK(cuMemcpyDtoHAsync(&seen[i - 1], at + buffer_at + buffer_size - 1, 1, stream));
  }
  OK(cuStreamSynchronize(stream));
  EXPECT_EQ(peer.tell('x'), 0);
  for (unsigned i = 1; i <= rounds; ++i) EXPECT_EQ(seen[i - 1], i);
  OK(cuStreamDestroy(stream));
}

void memory_of_an_ipc_handle() {
  Peer<Offer> peer(own_memory);
  const Scene scene;
  CUdeviceptr at = 0;
  OK(cuIpcOpenMemHandle(&at, peer.offer.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  play(peer, 'i', at);
  OK(cuIpcCloseMemHandle(at));
}

void memory_of_a_shareable_handle() {
  Peer<Offer> peer(own_memory);
  const Scene scene;
  const std::string path =
      "/proc/" + std::to_string(peer.id()) + "/fd/" + std::to_string(peer.offer.fd);
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(fd, 0);
  Handle handle = 0;
  OK(cuMemImportFromShareableHandle(&handle, reinterpret_cast<void*>(static_cast<long>(fd)),
                                    as_fd));
  close(fd);
  {
    const Mapped mapped(handle, granule);
    play(peer, 'v', mapped.address);
  }
  OK(cuMemRelease(handle));
}

// The writer is gone; the wait goes on, as on the driver, until someone writes.
void writer_killed() {
  Peer<Offer> peer(own_memory);
  const Scene scene;
  CUdeviceptr at = 0;
  OK(cuIpcOpenMemHandle(&at, peer.offer.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
  const CUstream stream = new_stream(), other = new_stream();
  OK(cuStreamWaitValue32(stream, at + 4, 1, CU_STREAM_WAIT_VALUE_GEQ));
  peer.end();
  let_things_happen();
  EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  OK(cuStreamWriteValue32(other, at + 4, 1, CU_STREAM_WRITE_VALUE_DEFAULT));
  OK(cuStreamSynchronize(stream));
}

TEST(cuStreamWaitValue32, WaitsForAnotherProcessInMemoryOfAnIpcHandle) {
  for (const char* schedule : {"concurrent", "eager", "lazy", "random:5"})
    run_in_child({{"CUVETTE_SCHEDULE", schedule}}, memory_of_an_ipc_handle);
}
TEST(cuStreamWaitValue32, WaitsForAnotherProcessInMemoryOfAShareableHandle) {
  for (const char* schedule : {"concurrent", "lazy"})
    run_in_child({{"CUVETTE_SCHEDULE", schedule}}, memory_of_a_shareable_handle);
}
TEST(cuStreamWaitValue32, GoesOnWaitingWhenTheOtherProcessIsKilled) {
  run_in_child({}, writer_killed);
}

}  // namespace
