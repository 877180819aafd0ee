// SPDX-License-Identifier: Apache-2.0
// The import path: descriptors of all kinds with descriptions of all kinds, mapped, used, freed and
// destroyed in any order; and semaphores, unchanged, changed or unrelated. Nothing may crash, and
// no descriptor may leak.
#include <cuda.h>
#include <cuvetteSemaphore.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tests/fuzz/input.hpp"

namespace {

void set_scene() {
  static bool up = false;
  if (up) return;
  CUcontext context;
  if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context)) std::abort();
  // Silences the driver's explanations of refusals on stderr. The fuzzer and the sanitizers keep
  // theirs.
  stderr = std::fopen("/dev/null", "w");
  up = true;
}

// Memory behind lavapipe's header, which may be damaged.
int lavapipe_fd(Input& input) {
  const int fd = memfd_create("llvmpipe memory fd", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  constexpr uint64_t page = 4096;
  uint64_t words[] = {page + input.size() % (1 << 20), page, page};
  if (ftruncate(fd, static_cast<off_t>(words[0])) != 0) std::abort();
  if (input.flip()) fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW);
  if (input.flip()) words[input.below(3)] = input.flip() ? input.number() : page * input.byte();
  if (pwrite(fd, words, 16, 0) != 16 || pwrite(fd, &words[2], 8, page - 8) != 8) std::abort();
  return fd;
}

int memory_fd(Input& input) {
  const int fd = memfd_create("fuzz", MFD_CLOEXEC | (input.flip() ? MFD_ALLOW_SEALING : 0));
  if (ftruncate(fd, static_cast<off_t>(input.size() % (1 << 22))) != 0) return fd;
  if (input.below(4) == 0) fcntl(fd, F_ADD_SEALS, input.below(32));
  return fd;
}

// A semaphore, or a file that differs from one in a few bytes.
int semaphore_fd(Input& input) {
  const auto kind =
      static_cast<cuvetteSemaphoreKind>(input.below(8) ? 1 + input.below(2) : input.byte());
  const int made = cuvetteSemaphoreCreate(kind, input.number());
  if (input.below(3) != 0) return made;
  char bytes[64] = {};
  if (pread(made, bytes, sizeof bytes, 0) != sizeof bytes) std::abort();
  close(made);
  const int fd = memfd_create(input.flip() ? "fuzz" : "SwiftShader.Semaphore.1",
                              MFD_CLOEXEC | (input.flip() ? MFD_ALLOW_SEALING : 0));
  if (ftruncate(fd, input.below(4) ? 4096 : 4096 + input.byte()) != 0) std::abort();
  for (unsigned i = input.below(4); i > 0; --i)
    bytes[input.below(64)] = static_cast<char>(input.byte());
  if (pwrite(fd, bytes, sizeof bytes, 0) != sizeof bytes) std::abort();
  if (input.below(4) == 0) fcntl(fd, F_ADD_SEALS, input.below(32));
  return fd;
}

int some_fd(Input& input) {
  int pair[2];
  switch (input.below(14)) {
    case 0:
      return -1;
    case 1:
      return 900;
    case 2:
      return open("/dev/null", O_RDWR);
    case 3:
      return open("/", O_RDONLY | O_DIRECTORY);
    case 4:
      return open("/proc/self/status", O_RDONLY);
    case 5:
      return open("/", O_PATH);
    case 6:
      return eventfd(0, 0);
    case 7:
      if (input.flip() ? pipe(pair) : socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) std::abort();
      close(pair[1]);
      return pair[0];
    case 8:
    case 9:
      return semaphore_fd(input);
    case 10:
    case 11:
      return lavapipe_fd(input);
    default:
      return memory_fd(input);
  }
}

unsigned open_descriptors() {
  unsigned count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder)) ++count;
  closedir(folder);
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  set_scene();
  const unsigned before = open_descriptors();
  Input input(data, size);
  std::vector<CUexternalMemory> memories;
  std::vector<CUdeviceptr> mappings;
  std::vector<CUmipmappedArray> arrays;
  const auto memory_of = [&] {
    return memories.empty() || input.below(8) == 0
               ? reinterpret_cast<CUexternalMemory>(input.number())
               : memories[input.below(static_cast<unsigned>(memories.size()))];
  };
  std::vector<CUexternalSemaphore> semaphores;
  const auto semaphore = [&] {
    return semaphores.empty() || input.below(8) == 0
               ? reinterpret_cast<CUexternalSemaphore>(input.number())
               : semaphores[input.below(static_cast<unsigned>(semaphores.size()))];
  };
  while (!input.empty()) {
    switch (input.below(12)) {
      case 10: {
        CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC description{};
        const auto extent = [&] { return input.below(4) ? input.byte() : input.size(); };
        description.offset = extent();
        description.arrayDesc.Width = extent();
        description.arrayDesc.Height = extent();
        description.arrayDesc.Depth = input.below(3) ? 0 : extent();
        description.arrayDesc.Format =
            static_cast<CUarray_format>(input.below(4) ? 1 + input.below(3) : input.byte());
        description.arrayDesc.NumChannels = input.below(8) ? 1u << input.below(3) : input.byte();
        description.arrayDesc.Flags = input.below(3) ? 0 : input.byte();
        description.numLevels = input.below(4) ? 1 : input.byte();
        CUmipmappedArray array;
        if (cuExternalMemoryGetMappedMipmappedArray(&array, memory_of(), &description) ==
            CUDA_SUCCESS)
          arrays.push_back(array);
        break;
      }
      case 11: {
        CUarray level;
        unsigned char byte = 0;
        if (!arrays.empty() &&
            cuMipmappedArrayGetLevel(&level, arrays.back(), input.below(4)) == CUDA_SUCCESS)
          cuMemcpyAtoH(&byte, level, input.size(), 1);
        break;
      }
      case 0:
      case 1: {
        CUDA_EXTERNAL_MEMORY_HANDLE_DESC description{};
        description.type = input.below(8) ? CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD
                                          : static_cast<CUexternalMemoryHandleType>(input.byte());
        const int fd = description.handle.fd = some_fd(input);
        description.size = input.size();
        if (input.below(8) == 0) description.flags = input.byte();
        if (input.below(8) == 0) description.reserved[input.below(16)] = input.byte();
        CUexternalMemory memory;
        if (cuImportExternalMemory(&memory, &description) == CUDA_SUCCESS) {
          memories.push_back(memory);
        } else if (fd >= 0 && fd != 900 && close(fd) != 0) {
          std::abort();  // after a failure the descriptor is still the caller's
        }
        break;
      }
      case 2: {
        CUDA_EXTERNAL_MEMORY_BUFFER_DESC description{};
        description.offset = input.size();
        description.size = input.size();
        if (input.below(8) == 0) description.flags = input.byte();
        CUdeviceptr address;
        if (cuExternalMemoryGetMappedBuffer(&address, memory_of(), &description) == CUDA_SUCCESS)
          mappings.push_back(address);
        break;
      }
      case 3:
        if (!mappings.empty())
          cuMemsetD8Async(mappings.back() + input.size(), input.byte(), input.size(), nullptr);
        break;
      case 4:
        if (!mappings.empty()) {
          const auto at = input.below(static_cast<unsigned>(mappings.size()));
          cuMemFree(mappings[at] + (input.below(8) ? 0 : input.byte()));
          if (input.flip()) cuMemFree(mappings[at]);  // twice must not crash
        }
        break;
      case 6: {
        CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC description{};
        description.type =
            input.below(8)
                ? (input.flip() ? CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD
                                : CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD)
                : static_cast<CUexternalSemaphoreHandleType>(input.byte());
        const int fd = description.handle.fd = input.flip() ? semaphore_fd(input) : some_fd(input);
        if (input.below(8) == 0) description.flags = input.byte();
        if (input.below(8) == 0) description.reserved[input.below(16)] = input.byte();
        CUexternalSemaphore made;
        if (cuImportExternalSemaphore(&made, &description) == CUDA_SUCCESS) {
          semaphores.push_back(made);
        } else if (fd >= 0 && fd != 900 && close(fd) != 0) {
          std::abort();
        }
        break;
      }
      case 7: {
        const CUexternalSemaphore both[] = {semaphore(), semaphore()};
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS parameters[2] = {};
        parameters[0].params.fence.value = input.number();
        parameters[1].flags = input.below(8) ? 0 : input.byte();
        cuSignalExternalSemaphoresAsync(both, parameters, input.below(3), nullptr);
        break;
      }
      case 8: {
        // A wait that may never be satisfied would hold up everything after it, so this one follows
        // its own signal.
        const CUexternalSemaphore one = semaphore();
        CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS parameters{};
        CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS awaited{};
        parameters.params.fence.value = awaited.params.fence.value = input.number();
        if (cuSignalExternalSemaphoresAsync(&one, &parameters, 1, nullptr) == CUDA_SUCCESS &&
            cuWaitExternalSemaphoresAsync(&one, &awaited, 1, nullptr) != CUDA_SUCCESS)
          std::abort();
        break;
      }
      case 9:
        if (!semaphores.empty()) cuDestroyExternalSemaphore(semaphore());
        break;
      case 5:
        if (!memories.empty())
          cuDestroyExternalMemory(memories[input.below(static_cast<unsigned>(memories.size()))]);
        break;
    }
  }
  for (const CUdeviceptr mapping : mappings) cuMemFree(mapping);
  for (const CUmipmappedArray array : arrays) cuMipmappedArrayDestroy(array);
  for (const CUexternalMemory memory : memories) cuDestroyExternalMemory(memory);
  for (const CUexternalSemaphore one : semaphores) cuDestroyExternalSemaphore(one);
  cuCtxSynchronize();
  if (open_descriptors() != before) std::abort();
  return 0;
}
