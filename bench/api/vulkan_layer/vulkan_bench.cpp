// SPDX-License-Identifier: Apache-2.0
// Memory and semaphores that Vulkan has made, in CUDA: importing, mapping and freeing 256 MiB, and
// a hand-over from a stream to a queue and back. Floors: the system calls that mapping takes at
// least; the queue's own submit, waited for by the host, without CUDA. The first driver that
// Vulkan's loader finds is measured: VK_ICD_FILENAMES names another.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "bench/floor.hpp"
#include "examples/need.hpp"
#include "examples/wave/device.hpp"
#include "examples/wave/need_vulkan.hpp"
#include "examples/wave/shared_timeline.hpp"

namespace {

using namespace cuvette::bench;

// The device, with the layer on.
const wave::Device& device() {
  setenv("VK_ADD_LAYER_PATH", LAYER_FOLDER, 1);
  setenv("VK_INSTANCE_LAYERS", "VK_LAYER_CUVETTE_interop", 1);
  static const wave::Device& the_device = *new wave::Device;
  return the_device;
}

constexpr size_t large = size_t{256} << 20;

wave::Memory exported_memory() {
  const VkExportMemoryAllocateInfo exported{
      .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
      .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT};
  return wave::Memory(
      device(), VkMemoryAllocateInfo{
                    .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                    .pNext = &exported,
                    .allocationSize = large,
                    .memoryTypeIndex = device().memory_type(
                        UINT32_MAX, VkMemoryPropertyFlags{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT})});
}

void BM_import_map_free_256_MiB_of_Vulkan(benchmark::State& state) {
  const wave::Memory memory = exported_memory();
  const int fd = device().export_fd(memory);
  const double floor = floor_ns([&] {
    const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    struct stat file;
    fstat(copy, &file);
    void* const at = mmap(nullptr, large, PROT_READ | PROT_WRITE, MAP_SHARED, copy, 4096);
    munmap(at, large);
    close(copy);
  });
  against_floor(state, floor, [&] {
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC handle{};
    handle.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
    handle.handle.fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    handle.size = large;
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC whole{};
    whole.size = large;
    CUexternalMemory imported;
    CUdeviceptr address;
    NEED(cuImportExternalMemory(&imported, &handle));
    NEED(cuExternalMemoryGetMappedBuffer(&address, imported, &whole));
    NEED(cuMemFree(address));
    NEED(cuDestroyExternalMemory(imported));
  });
  close(fd);
}
BENCHMARK(BM_import_map_free_256_MiB_of_Vulkan)->UseRealTime();

void submit(const VkSemaphoreSubmitInfo* wait, const VkSemaphoreSubmitInfo& signal) {
  const VkSubmitInfo2 info{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
                           .waitSemaphoreInfoCount = wait ? 1u : 0u,
                           .pWaitSemaphoreInfos = wait,
                           .signalSemaphoreInfoCount = 1,
                           .pSignalSemaphoreInfos = &signal};
  NEED_VULKAN(vkQueueSubmit2(device().queue(), 1, &info, VK_NULL_HANDLE));
}

// A queue's submit of nothing, with a timeline of the driver's own that the host waits for.
double submit_and_wait() {
  const VkSemaphoreTypeCreateInfo type{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                       .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
  const wave::Semaphore own(
      device(),
      VkSemaphoreCreateInfo{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type});
  VkSemaphoreSubmitInfo signal{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                               .semaphore = own,
                               .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
  const VkSemaphoreWaitInfo wait{.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                 .semaphoreCount = 1,
                                 .pSemaphores = own.address(),
                                 .pValues = &signal.value};
  return floor_ns([&] {
    ++signal.value;
    submit(nullptr, signal);
    NEED_VULKAN(vkWaitSemaphores(device(), &wait, UINT64_MAX));
  });
}

// The stream signals, the queue waits and signals, the stream waits; after so many rounds the host
// waits for the stream.
void hand_over(benchmark::State& state, int rounds) {
  const double floor = submit_and_wait();
  CUstream stream;
  NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  const wave::SharedTimeline there(device()), back(device());
  uint64_t value = 0;
  against_floor(state, floor * rounds, [&] {
    for (int i = 0; i < rounds; ++i) {
      ++value;
      there.signal(stream, value);
      const auto wait = there.at(value, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT);
      submit(&wait, back.at(value, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT));
      back.wait(stream, value);
    }
    NEED(cuStreamSynchronize(stream));
  });
  NEED_VULKAN(vkQueueWaitIdle(device().queue()));
  NEED(cuStreamDestroy(stream));
}
void BM_CUDA_to_Vulkan_to_CUDA(benchmark::State& state) { hand_over(state, 1); }
void BM_100_hand_overs_queued(benchmark::State& state) { hand_over(state, 100); }
CUVETTE_BENCHMARK_ALSO_LOADED(BM_CUDA_to_Vulkan_to_CUDA);
CUVETTE_BENCHMARK_ALSO_LOADED(BM_100_hand_overs_queued);

}  // namespace
