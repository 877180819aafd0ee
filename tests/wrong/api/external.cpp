// SPDX-License-Identifier: Apache-2.0
// Programs that go on with external memory when they have given it back to its exporter.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/wrong/api/api.hpp"

namespace {

// A buffer in memory of somebody else.
struct Imported {
  Imported() {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC description{};
    description.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    description.handle.fd = memfd_create("cuvette-api", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    description.size = size;
    if (ftruncate(description.handle.fd, size) != 0) _Exit(4);
    NEED(cuImportExternalMemory(&memory, &description));
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC whole{};
    whole.size = size;
    NEED(cuExternalMemoryGetMappedBuffer(&buffer, memory, &whole));
  }
  CUexternalMemory memory = nullptr;
  CUdeviceptr buffer = 0;
};

}  // namespace

// Freeing what is mapped is what may still be done.
void fills_a_buffer_of_a_destroyed_object(Twin twin) {
  const Program program;
  const Imported imported;
  if (twin == Twin::wrong) NEED(cuDestroyExternalMemory(imported.memory));
  NEED(MISTAKE(cuMemsetD8(imported.buffer, 1, size)));
  NEED(cuCtxSynchronize());
  if (twin == Twin::repaired) NEED(cuDestroyExternalMemory(imported.memory));
  NEED(cuMemFree(imported.buffer));
}

// The launch uses it, and not the capture.
void launches_a_graph_with_a_destroyed_object(Twin twin) {
  const Program program;
  const Imported imported;
  const CUstream stream = new_stream();
  NEED(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  NEED(cuMemsetD8Async(imported.buffer, 1, size, stream));
  CUgraph graph = nullptr;
  NEED(cuStreamEndCapture(stream, &graph));
  CUgraphExec launchable = nullptr;
  NEED(cuGraphInstantiate(&launchable, graph, 0));
  if (twin == Twin::wrong) NEED(cuDestroyExternalMemory(imported.memory));
  NEED(MISTAKE(cuGraphLaunch(launchable, stream)));
  NEED(cuStreamSynchronize(stream));
  if (twin == Twin::repaired) NEED(cuDestroyExternalMemory(imported.memory));
  NEED(cuGraphExecDestroy(launchable));
  NEED(cuGraphDestroy(graph));
  NEED(cuMemFree(imported.buffer));
  NEED(cuStreamDestroy(stream));
}

void launches_a_kernel_with_a_destroyed_object(Twin twin) {
  const Program program;
  const Imported imported, other;
  const CUfunction function = store_kernel();
  CUdeviceptr address = imported.buffer;
  void* parameters[] = {&address};
  NEED(cuDestroyExternalMemory(twin == Twin::wrong ? imported.memory : other.memory));
  NEED(MISTAKE(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr)));
  NEED(cuCtxSynchronize());
  NEED(cuDestroyExternalMemory(twin == Twin::wrong ? other.memory : imported.memory));
  NEED(cuMemFree(imported.buffer));
  NEED(cuMemFree(other.buffer));
}
