// SPDX-License-Identifier: Apache-2.0
// `thread_programs NAME wrong|repaired` launches one of the kernels in threads.def, meetings.def or
// aliases.def. For the latter it prints how many threads have seen what they wrote.
#include <cuda.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "tests/need.hpp"
#include "tests/wrong/ptx_module.hpp"

namespace {

constexpr size_t size = 32768;

struct Launch {
  const char *name, *file;
  unsigned blocks, threads;
  bool aliased;  // both arrays are the same memory, at two addresses
};
const Launch launches[] = {
#define THREADS(name, blocks, threads) {#name, "threads.ptx", blocks, threads, false},
#include "tests/wrong/threads/threads.def"
#undef THREADS
#define MEETINGS(name, report) {#name, "meetings.ptx", 1, 256, false},
#include "tests/wrong/threads/meetings.def"
#undef MEETINGS
#define ALIASES(name) {#name, "aliases.ptx", 1, 256, true},
#include "tests/wrong/threads/aliases.def"
#undef ALIASES
};

// Memory that is mapped at several addresses.
class Aliases {
 public:
  Aliases() {
    properties_.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties_.location = {CU_MEM_LOCATION_TYPE_DEVICE, {0}};
    NEED(cuMemGetAllocationGranularity(&bytes_, &properties_, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    NEED(cuMemCreate(&handle_, bytes_, &properties_, 0));
  }
  ~Aliases() { NEED(cuMemRelease(handle_)); }
  CUdeviceptr map() const {
    CUdeviceptr address = 0;
    NEED(cuMemAddressReserve(&address, bytes_, 0, 0, 0));
    NEED(cuMemMap(address, bytes_, 0, handle_, 0));
    const CUmemAccessDesc access{properties_.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    NEED(cuMemSetAccess(address, bytes_, &access, 1));
    return address;
  }
  void unmap(CUdeviceptr address) const {
    NEED(cuMemUnmap(address, bytes_));
    NEED(cuMemAddressFree(address, bytes_));
  }

 private:
  CUmemAllocationProp properties_{};
  size_t bytes_ = 0;
  CUmemGenericAllocationHandle handle_ = 0;
};

void run(const Launch& launch, const std::string& twin) {
  NEED(cuInit(0));
  CUcontext context = nullptr;
  NEED(cuDevicePrimaryCtxRetain(&context, 0));
  NEED(cuCtxSetCurrent(context));
  const CUfunction function = function_of(load_ptx(std::string(THREADS_PTX "/") + launch.file),
                                          std::string(launch.name) + "_" + twin);
  const auto call = [&](CUdeviceptr data, CUdeviceptr work) {
    void* parameters[] = {&data, &work};
    NEED(cuLaunchCooperativeKernel(function, launch.blocks, 1, 1, launch.threads, 1, 1, 1024,
                                   nullptr, parameters));
    NEED(cuCtxSynchronize());
  };
  if (launch.aliased) {
    const Aliases memory;
    const CUdeviceptr data = memory.map(), work = memory.map();
    NEED(cuMemsetD32(data, 0, size / 4));
    call(data, work);
    int seen = 0;
    NEED(cuMemcpyDtoH(&seen, data + 4096 * sizeof seen, sizeof seen));
    printf("%d\n", seen);
    memory.unmap(data);
    memory.unmap(work);
    return;
  }
  CUdeviceptr data = 0, work = 0;
  NEED(cuMemAlloc(&data, size));
  NEED(cuMemAlloc(&work, size));
  NEED(cuMemsetD32(data, 1, size / 4));  // the same everywhere: values tell nothing
  NEED(cuMemsetD32(work, 0, size / 4));
  call(data, work);
  NEED(cuMemFree(data));
  NEED(cuMemFree(work));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3)
    for (const Launch& launch : launches)
      if (strcmp(argv[1], launch.name) == 0) return run(launch, argv[2]), 0;
  fprintf(stderr, "usage: %s NAME wrong|repaired\n", argv[0]);
  return 2;
}
