// SPDX-License-Identifier: Apache-2.0
// `fault_programs NAME wrong|repaired` runs one of the programs in faults.def and prints what the
// wait for its context returns.
#include <cuda.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/need.hpp"
#include "tests/wrong/ptx_module.hpp"

namespace {

constexpr unsigned threads = 256;
constexpr size_t size = threads * sizeof(int);

// A context of its own, which the mistake may break.
struct Scene {
  Scene() {
    NEED(cuInit(0));
    NEED(cuCtxCreate(&context, nullptr, 0, 0));
    NEED(cuMemAlloc(&data, size));
    NEED(cuMemAlloc(&work, size));
    NEED(cuMemsetD32(data, 1, threads));
    NEED(cuMemsetD32(work, 0, threads));
    NEED(cuCtxSynchronize());
  }
  // Returns what the wait for the context returned. In a broken one nothing can be freed.
  CUresult end() const {
    const CUresult result = cuCtxSynchronize();
    if (result == CUDA_SUCCESS) {
      NEED(cuMemFree(data));
      NEED(cuMemFree(work));
    }
    NEED(cuCtxDestroy(context));
    return result;
  }
  void launch(const std::string& name, void** parameters) const {
    NEED(cuLaunchKernel(function_of(load_ptx(FAULTS_PTX), name), 1, 1, 1, threads, 1, 1, 0, nullptr,
                        parameters, nullptr));
  }

  CUcontext context = nullptr;
  CUdeviceptr data = 0, work = 0;
};

CUresult run(const std::string& name, bool repaired) {
  Scene scene;
  void* parameters[] = {&scene.data, &scene.work};
  scene.launch(name + (repaired ? "_repaired" : "_wrong"), parameters);
  return scene.end();
}

CUresult reads_a_destroyed_texture(bool repaired) {
  Scene scene;
  CUDA_RESOURCE_DESC memory{};
  memory.resType = CU_RESOURCE_TYPE_LINEAR;
  memory.res.linear.devPtr = scene.data;
  memory.res.linear.format = CU_AD_FORMAT_SIGNED_INT32;
  memory.res.linear.numChannels = 1;
  memory.res.linear.sizeInBytes = size;
  CUDA_TEXTURE_DESC way{};
  way.flags = CU_TRSF_READ_AS_INTEGER;
  CUtexObject texture = 0;
  NEED(cuTexObjectCreate(&texture, &memory, &way, nullptr));
  void* parameters[] = {&texture, &scene.work};
  if (!repaired) NEED(cuTexObjectDestroy(texture));
  scene.launch("reads_a_texture", parameters);
  NEED(cuCtxSynchronize());
  if (repaired) NEED(cuTexObjectDestroy(texture));
  return scene.end();
}

// The exporter cannot be kept from it where the segment is not sealed.
CUresult copies_from_a_segment_that_shrank(bool repaired) {
  Scene scene;
  constexpr size_t bytes = 65536;
  const int segment = memfd_create("cuvette-faults", MFD_CLOEXEC);
  if (segment < 0 || ftruncate(segment, bytes) != 0) _Exit(4);
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC description{};
  description.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  description.handle.fd = dup(segment);
  description.size = bytes;
  CUexternalMemory memory = nullptr;
  NEED(cuImportExternalMemory(&memory, &description));
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer{};
  buffer.size = bytes;
  CUdeviceptr mapped = 0;
  NEED(cuExternalMemoryGetMappedBuffer(&mapped, memory, &buffer));
  if (!repaired && ftruncate(segment, 4096) != 0) _Exit(4);
  NEED(cuMemcpyDtoDAsync(scene.data, mapped + 8192, size, nullptr));
  if (cuCtxSynchronize() == CUDA_SUCCESS) NEED(cuMemFree(mapped));
  NEED(cuDestroyExternalMemory(memory));
  close(segment);
  return scene.end();
}

// The smallest buffer has 512 KiB. What is printed does not matter here.
CUresult prints_more_than_fits(bool repaired) {
  Scene scene;
  NEED(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, repaired ? 1 << 20 : 1));
  const int out = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY);
  if (out < 0 || dup2(nowhere, STDOUT_FILENO) < 0) _Exit(4);
  scene.launch("prints_at_length", nullptr);
  const CUresult result = scene.end();
  fflush(stdout);
  if (dup2(out, STDOUT_FILENO) < 0) _Exit(4);
  return result;
}

CUresult ends_its_thread_in_a_host_function(bool repaired) {
  Scene scene;
  const CUhostFn ends = [](void*) { pthread_exit(nullptr); };
  const CUhostFn returns = [](void*) {};
  NEED(cuLaunchHostFunc(nullptr, repaired ? returns : ends, nullptr));
  return scene.end();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3) {
    const bool repaired = strcmp(argv[2], "repaired") == 0;
#define FAULTY_KERNEL(name, report, result) \
  if (strcmp(argv[1], #name) == 0) return printf("%d\n", run(#name, repaired)), 0;
#define FAULTY_PROGRAM(name, report, result) \
  if (strcmp(argv[1], #name) == 0) return printf("%d\n", name(repaired)), 0;
#include "tests/wrong/faults/faults.def"
#undef FAULTY_PROGRAM
#undef FAULTY_KERNEL
  }
  fprintf(stderr, "usage: %s NAME wrong|repaired\n", argv[0]);
  return 2;
}
