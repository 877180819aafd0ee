// SPDX-License-Identifier: Apache-2.0
// Programs that go on with external memory when they have given it back to its exporter.
#include <cuvetteSemaphore.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/wrong/api/api.hpp"

namespace {

int new_descriptor() {
  const int fd = memfd_create("cuvette-api", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (ftruncate(fd, size) != 0) _Exit(4);
  return fd;
}

CUDA_EXTERNAL_MEMORY_HANDLE_DESC description_of(int fd) {
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC description{};
  description.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  description.handle.fd = fd;
  description.size = size;
  return description;
}

CUexternalMemory import(int fd) {
  const CUDA_EXTERNAL_MEMORY_HANDLE_DESC description = description_of(fd);
  CUexternalMemory memory = nullptr;
  NEED(cuImportExternalMemory(&memory, &description));
  return memory;
}

// A buffer in memory of somebody else.
struct Imported {
  Imported() {
    memory = import(new_descriptor());
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

// --- What an import has taken over ---

// An own descriptor of the same file may be closed.
void closes_an_imported_descriptor(Twin twin) {
  const Program program;
  const int own = new_descriptor(), fd = fcntl(own, F_DUPFD_CLOEXEC, 100);
  const CUexternalMemory memory = MISTAKE(import(fd));
  close(twin == Twin::wrong ? fd : own);
  NEED(cuDestroyExternalMemory(memory));
}

void closes_the_descriptor_of_a_semaphore(Twin twin) {
  const Program program;
  CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC description{};
  description.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
  description.handle.fd = cuvetteSemaphoreCreate(CUVETTE_SEMAPHORE_TIMELINE, 0);
  CUexternalSemaphore semaphore = nullptr;
  NEED(MISTAKE(cuImportExternalSemaphore(&semaphore, &description)));
  if (twin == Twin::wrong) close(description.handle.fd);
  NEED(cuDestroyExternalSemaphore(semaphore));
}

void closes_a_descriptor_after_the_object(Twin twin) {
  const Program program;
  const int fd = new_descriptor();
  NEED(cuDestroyExternalMemory(MISTAKE(import(fd))));
  if (twin == Twin::wrong) close(fd);
}

// The next descriptor has the number, and is taken over, too.
void closes_a_descriptor_and_imports_another(Twin twin) {
  const Program program;
  const int fd = new_descriptor();
  const CUexternalMemory first = MISTAKE(import(fd));
  if (twin == Twin::wrong) close(fd);
  const int next = new_descriptor();
  if ((next == fd) != (twin == Twin::wrong)) fprintf(stderr, "unexpected: %d\n", next);
  NEED(cuDestroyExternalMemory(import(next)));
  NEED(cuDestroyExternalMemory(first));
}

void opens_a_file_in_place_of_a_descriptor(Twin twin) {
  const Program program;
  const int fd = new_descriptor();
  const CUexternalMemory memory = MISTAKE(import(fd));
  const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (twin == Twin::wrong) dup2(file, fd);
  close(file);
  NEED(cuDestroyExternalMemory(memory));
}

void imports_a_descriptor_twice(Twin twin) {
  const Program program;
  const int fd = new_descriptor(), own = dup(fd);
  const CUexternalMemory first = import(fd);
  const CUDA_EXTERNAL_MEMORY_HANDLE_DESC description =
      description_of(twin == Twin::wrong ? fd : own);
  CUexternalMemory second = nullptr;
  const CUresult result = MISTAKE(cuImportExternalMemory(&second, &description));
  if ((result == CUDA_SUCCESS) != (twin == Twin::repaired))
    fprintf(stderr, "unexpected: %d\n", result);
  if (second) NEED(cuDestroyExternalMemory(second));
  NEED(cuDestroyExternalMemory(first));
}
