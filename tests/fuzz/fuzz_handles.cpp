// SPDX-License-Identifier: Apache-2.0
// Input from other processes: handles of memory and of events, and descriptors of physical memory,
// unchanged, changed or unrelated, which are opened, used and closed in any order. Nothing may
// crash, and no descriptor may leak.
#include <cuda.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/fuzz/input.hpp"

namespace {

constexpr size_t granule = size_t{2} << 20;
constexpr auto as_fd = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

struct Offer {
  CUipcMemHandle memory;
  CUipcEventHandle event;
} offer;
int exported = -1;  // a descriptor of physical memory

void begin() {
  CUcontext context;
  if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context)) std::abort();
}

// The other process: it owns what is offered, and ends with this one.
void fork_exporter() {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  if (fork() == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(ends[0]);
    begin();
    CUdeviceptr memory;
    CUevent event;
    if (cuMemAlloc(&memory, 1 << 16) || cuIpcGetMemHandle(&offer.memory, memory) ||
        cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING) ||
        cuIpcGetEventHandle(&offer.event, event) ||
        write(ends[1], &offer, sizeof offer) != sizeof offer)
      _exit(1);
    for (;;) pause();
  }
  close(ends[1]);
  if (read(ends[0], &offer, sizeof offer) != sizeof offer) std::abort();
  close(ends[0]);
}

void set_scene() {
  static bool up = false;
  if (up) return;
  fork_exporter();
  begin();
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.requestedHandleTypes = as_fd;
  CUmemGenericAllocationHandle handle;
  if (cuMemCreate(&handle, granule, &properties, 0) ||
      cuMemExportToShareableHandle(&exported, handle, as_fd, 0))
    std::abort();
  // Silences the driver's explanations of refusals on stderr. The fuzzer and the sanitizers keep
  // theirs.
  stderr = std::fopen("/dev/null", "w");
  up = true;
}

// The handle as it was made, with some bytes changed, or overwritten.
template <typename Handle>
Handle changed(const Handle& made, Input& input) {
  Handle handle = made;
  if (input.below(4) == 0) memset(&handle, input.byte(), sizeof handle);
  for (unsigned i = input.below(4); i > 0; --i)
    handle.reserved[input.below(64)] = static_cast<char>(input.byte());
  return handle;
}

// A file of the right size whose label is that of physical memory, exactly or nearly.
int imitation(Input& input) {
  const int fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  std::vector<unsigned char> label(128);
  if (ftruncate(fd, static_cast<off_t>(granule + (64 << 10) * input.below(3))) != 0 ||
      pread(exported, label.data(), label.size(), granule) < 0)
    std::abort();
  for (unsigned i = input.below(4); i > 0; --i) label[input.below(128)] = input.byte();
  if (pwrite(fd, label.data(), label.size(), granule) < 0) std::abort();
  if (input.flip()) fcntl(fd, F_ADD_SEALS, input.below(32));
  return fd;
}

unsigned open_descriptors() {
  unsigned count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder)) ++count;
  closedir(folder);
  return count;
}

void import_physical(Input& input) {
  const unsigned which = input.below(4);
  const int fd = which == 0   ? static_cast<int>(input.number())
                 : which == 1 ? dup(exported)
                              : imitation(input);
  CUmemGenericAllocationHandle handle;
  const CUresult result = cuMemImportFromShareableHandle(
      &handle, reinterpret_cast<void*>(static_cast<intptr_t>(fd)),
      input.below(8) ? as_fd : static_cast<CUmemAllocationHandleType>(input.byte()));
  if (which != 0) close(fd);
  if (result != CUDA_SUCCESS) return;
  CUdeviceptr address = 0;
  const size_t size = input.below(4) ? granule : input.size();
  CUmemAccessDesc rights{{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  const CUdeviceptr wish = input.below(4) ? 0 : input.number();
  if (cuMemAddressReserve(&address, granule, 0, wish, 0) == CUDA_SUCCESS) {
    if (cuMemMap(address, size, input.below(8) ? 0 : input.size(), handle, 0) == CUDA_SUCCESS) {
      cuMemSetAccess(address, size, &rights, 1);
      cuMemsetD8(address + input.size(), input.byte(), input.size());
      cuMemUnmap(address, size);
    }
    if (cuMemAddressFree(address, granule) != CUDA_SUCCESS) std::abort();
  }
  if (cuMemRelease(handle) != CUDA_SUCCESS) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  set_scene();
  const unsigned before = open_descriptors();
  Input input(data, size);
  std::vector<CUevent> events;
  std::vector<CUdeviceptr> memories;
  const auto any_event = [&] {
    return events.empty() || input.below(8) == 0
               ? reinterpret_cast<CUevent>(input.number())
               : events[input.below(static_cast<unsigned>(events.size()))];
  };
  while (!input.empty()) {
    switch (input.below(8)) {
      case 0: {
        CUevent event;
        if (cuIpcOpenEventHandle(&event, changed(offer.event, input)) == CUDA_SUCCESS)
          events.push_back(event);
        break;
      }
      case 1: {
        CUdeviceptr memory;
        if (cuIpcOpenMemHandle(&memory, changed(offer.memory, input),
                               input.below(8) ? unsigned{CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS}
                                              : input.byte()) == CUDA_SUCCESS)
          memories.push_back(memory);
        break;
      }
      case 2:
        import_physical(input);
        break;
      case 3:
        cuEventRecord(any_event(), nullptr);
        break;
      case 4:
        cuStreamWaitEvent(nullptr, any_event(), 0);
        break;
      case 5:
        cuEventSynchronize(any_event());
        break;
      case 6: {
        CUipcEventHandle handle;
        if (cuIpcGetEventHandle(&handle, any_event()) == CUDA_SUCCESS) std::abort();
        break;
      }
      case 7:
        if (!memories.empty())
          cuMemsetD8Async(memories.back() + input.size(), 1, input.size(), nullptr);
        break;
    }
  }
  for (const CUevent event : events)
    if (cuEventDestroy(event) != CUDA_SUCCESS) std::abort();
  for (const CUdeviceptr memory : memories)
    if (cuIpcCloseMemHandle(memory) != CUDA_SUCCESS) std::abort();
  cuCtxSynchronize();
  // The last record of an event keeps the event's file open until it has run.
  for (int i = 0; open_descriptors() != before; ++i) {
    if (i == 1000) std::abort();
    usleep(1000);
  }
  return 0;
}
