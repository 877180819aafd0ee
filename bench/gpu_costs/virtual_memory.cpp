// SPDX-License-Identifier: Apache-2.0
// Memory and addresses apart, shared as file descriptors; and memory and events of another process.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "bench/gpu_costs/costs.hpp"

namespace cuvette::bench {
namespace {

CUmemAllocationProp shareable() {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  return properties;
}

void measure_size(Costs& costs, size_t size) {
  const CUmemAllocationProp properties = shareable();
  CUmemAccessDesc access{};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  const auto at = static_cast<double>(size);
  costs.repeat(15, .3, [&] {
    CUmemGenericAllocationHandle memory = 0, imported = 0;
    CUdeviceptr address = 0;
    int fd = -1;
    if (!costs.timed({"cuMemCreate", "", "byte"}, at,
                     [&] { return cuMemCreate(&memory, size, &properties, 0); }))
      return;
    costs.timed({"cuMemAddressReserve", "", "byte"}, at,
                [&] { return cuMemAddressReserve(&address, size, 0, 0, 0); });
    costs.timed({"cuMemMap", "", "byte"}, at,
                [&] { return cuMemMap(address, size, 0, memory, 0); });
    costs.timed({"cuMemSetAccess", "", "byte"}, at,
                [&] { return cuMemSetAccess(address, size, &access, 1); });
    costs.timed({"cuMemUnmap", "", "byte"}, at, [&] { return cuMemUnmap(address, size); });
    costs.timed({"cuMemAddressFree", "", "byte"}, at,
                [&] { return cuMemAddressFree(address, size); });
    costs.timed({"cuMemExportToShareableHandle", "", "byte"}, at, [&] {
      return cuMemExportToShareableHandle(&fd, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
    });
    costs.timed({"cuMemImportFromShareableHandle", "", "byte"}, at, [&] {
      return cuMemImportFromShareableHandle(&imported,
                                            reinterpret_cast<void*>(static_cast<intptr_t>(fd)),
                                            CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    });
    costs.timed({"cuMemRelease", "imported", "byte"}, at, [&] { return cuMemRelease(imported); });
    measure_import(costs, "", fd, size, size);
    costs.timed({"cuMemRelease", "", "byte"}, at, [&] { return cuMemRelease(memory); });
  });
}

}  // namespace

void measure_import(Costs& costs, const std::string& classes, int fd, size_t size, size_t mapped) {
  const auto at = static_cast<double>(mapped);
  const std::string blank = classes.empty() ? "" : " ";
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC handle{};
  handle.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  handle.handle.fd = fd;
  handle.size = size;
  CUexternalMemory memory = nullptr;
  if (!costs.timed({"cuImportExternalMemory", classes, "byte"}, static_cast<double>(size),
                   [&] { return cuImportExternalMemory(&memory, &handle); })) {
    close(fd);
    return;
  }
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer{};
  buffer.size = mapped;
  CUdeviceptr address = 0;
  if (costs.timed({"cuExternalMemoryGetMappedBuffer", classes, "byte"}, at,
                  [&] { return cuExternalMemoryGetMappedBuffer(&address, memory, &buffer); }))
    costs.timed({"cuMemFree", "imported" + blank + classes, "byte"}, at,
                [&] { return cuMemFree(address); });
  costs.timed({"cuDestroyExternalMemory", classes, "byte"}, static_cast<double>(size),
              [&] { return cuDestroyExternalMemory(memory); });
}

void measure_sharing(Costs& costs, const std::string& classes) {
  const CUmemAllocationProp properties = shareable();
  for (const size_t size : {2 * mib, 16 * mib, 64 * mib, 256 * mib}) {
    const auto at = static_cast<double>(size);
    CUmemGenericAllocationHandle memory = 0;
    NEED(cuMemCreate(&memory, size, &properties, 0));
    costs.repeat(15, .3, [&] {
      int fd = -1;
      if (costs.timed({"cuMemExportToShareableHandle", classes, "byte"}, at, [&] {
            return cuMemExportToShareableHandle(&fd, memory,
                                                CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
          }))
        measure_import(costs, classes, fd, size, size);
    });
    cuMemRelease(memory);
  }
}

void measure_virtual_memory(Costs& costs) {
  const CUmemAllocationProp properties = shareable();
  size_t granularity = 0;
  costs.repeat(50, .1, [&] {
    costs.timed({"cuMemGetAllocationGranularity", ""}, 1, [&] {
      return cuMemGetAllocationGranularity(&granularity, &properties,
                                           CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    });
  });
  for (const size_t size : {2, 4, 16, 64, 256, 1024}) measure_size(costs, size * mib);
}

// The other process: opens what the first has written to the folder, and writes its own times
// there.
int interprocess_child(const char* folder) {
  const std::string path = folder;
  NEED(cuInit(0));
  CUcontext context = nullptr;
  NEED(cuDevicePrimaryCtxRetain(&context, 0));
  NEED(cuCtxSetCurrent(context));
  CUipcMemHandle memory;
  CUipcEventHandle event;
  FILE* file = std::fopen((path + "/handles").c_str(), "r");
  if (!file || std::fread(&memory, sizeof memory, 1, file) != 1 ||
      std::fread(&event, sizeof event, 1, file) != 1)
    return 1;
  std::fclose(file);
  file = std::fopen((path + "/times").c_str(), "w");
  if (!file) return 1;
  for (int i = 0; i < 22; ++i) {
    CUdeviceptr address = 0;
    CUevent opened = nullptr;
    double times[4], begin = now_ns();
    NEED(cuIpcOpenMemHandle(&address, memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    times[0] = now_ns() - begin;
    begin = now_ns();
    NEED(cuIpcCloseMemHandle(address));
    times[1] = now_ns() - begin;
    begin = now_ns();
    NEED(cuIpcOpenEventHandle(&opened, event));
    times[2] = now_ns() - begin;
    begin = now_ns();
    NEED(cuEventDestroy(opened));
    times[3] = now_ns() - begin;
    if (i > 1) std::fprintf(file, "%f %f %f %f\n", times[0], times[1], times[2], times[3]);
  }
  return std::fclose(file);
}

void measure_interprocess(Costs& costs) {
  char folder[] = "/tmp/gpu_costs.XXXXXX";
  if (!mkdtemp(folder)) return costs.skip("cuIpcOpenMemHandle", "no folder for temporary files");
  const std::string path = folder;
  CUdeviceptr address = 0;
  CUevent event = nullptr;
  CUipcMemHandle memory;
  CUipcEventHandle other;
  NEED(cuMemAlloc(&address, 16 * mib));
  NEED(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS));
  bool may = true;
  costs.repeat(20, .1, [&] {
    may = may && costs.timed({"cuIpcGetMemHandle", ""}, 1,
                             [&] { return cuIpcGetMemHandle(&memory, address); });
    may = may && costs.timed({"cuIpcGetEventHandle", ""}, 1,
                             [&] { return cuIpcGetEventHandle(&other, event); });
  });
  FILE* file = std::fopen((path + "/handles").c_str(), "w");
  if (file && may) {
    std::fwrite(&memory, sizeof memory, 1, file);
    std::fwrite(&other, sizeof other, 1, file);
    std::fclose(file);
    const pid_t child = fork();
    if (child == 0) {
      execl("/proc/self/exe", "gpu_costs", "--interprocess-child", folder, nullptr);
      _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    double times[4];
    file = std::fopen((path + "/times").c_str(), "r");
    while (file &&
           std::fscanf(file, "%lf %lf %lf %lf", times, times + 1, times + 2, times + 3) == 4) {
      costs.add({"cuIpcOpenMemHandle", ""}, 1, times[0] - costs.clock());
      costs.add({"cuIpcCloseMemHandle", ""}, 1, times[1] - costs.clock());
      costs.add({"cuIpcOpenEventHandle", ""}, 1, times[2] - costs.clock());
      costs.add({"cuEventDestroy", "interprocess"}, 1, times[3] - costs.clock());
    }
    if (file) std::fclose(file);
    if (status) costs.skip("cuIpcOpenMemHandle", "the other process failed");
  }
  unlink((path + "/handles").c_str());
  unlink((path + "/times").c_str());
  rmdir(folder);
  cuEventDestroy(event);
  cuMemFree(address);
}

}  // namespace cuvette::bench
