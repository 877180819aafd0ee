// SPDX-License-Identifier: Apache-2.0
// `vulkan_programs NAME wrong|repaired` runs one of the programs in vulkan.def, on lavapipe.
#include <atomic>

#include "tests/api/no_leak_check.hpp"
#include "tests/api/vulkan_layer/both.hpp"
#include "tests/api/vulkan_layer/shared_buffer.hpp"
#include "tests/wrong/primary_context.hpp"

enum class Twin { repaired, wrong };

#define PROGRAM(name) void name(Twin twin);
#include "tests/wrong/vulkan/vulkan.def"
#undef PROGRAM

namespace {

constexpr const char* text = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry store(.param .u64 to) {
  .reg .u64 %p;
  ld.param.u64 %p, [to];
  st.global.u32 [%p], 1;
  ret;
}
)";

// A buffer of both APIs, which Vulkan has acquired and filled, and a stream of CUDA's.
struct Program {
  Program() {
    NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    const VkCommandBuffer commands = vulkan.record();
    hand_over(commands, Way::acquire, buffer.vk());
    vkCmdFillBuffer(commands, buffer.vk(), 0, VK_WHOLE_SIZE, 1);
    run(vulkan, ended(commands));
  }
  ~Program() {
    NEED(cuStreamSynchronize(stream));
    NEED(cuStreamDestroy(stream));
    vkDeviceWaitIdle(vulkan.device);
  }
  VkCommandBuffer release() { return recorded(vulkan, Way::release, buffer.vk()); }

  const PrimaryContext context;
  Vulkan vulkan{exporting()};
  SharedBuffer buffer{vulkan};
  CUstream stream = nullptr;
};

}  // namespace

void fills_what_vulkan_has_acquired(Twin twin) {
  Program program;
  if (twin == Twin::repaired) run(program.vulkan, program.release());
  NEED(cuMemsetD8Async(program.buffer.address, 0, 4096, program.stream));
}

void launches_a_kernel_before_the_release(Twin twin) {
  Program program;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  NEED(cuModuleLoadData(&module, text));
  NEED(cuModuleGetFunction(&function, module, "store"));
  if (twin == Twin::repaired) run(program.vulkan, program.release());
  void* parameters[] = {&program.buffer.address};
  NEED(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, program.stream, parameters, nullptr));
  NEED(cuStreamSynchronize(program.stream));
  if (twin == Twin::wrong) run(program.vulkan, program.release());
  NEED(cuModuleUnload(module));
}

void launches_a_graph_before_the_release(Twin twin) {
  Program program;
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  NEED(cuStreamBeginCapture(program.stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  NEED(cuMemsetD8Async(program.buffer.address, 0, 4096, program.stream));
  NEED(cuStreamEndCapture(program.stream, &graph));
  NEED(cuGraphInstantiate(&executable, graph, 0));
  if (twin == Twin::repaired) run(program.vulkan, program.release());
  NEED(cuGraphLaunch(executable, program.stream));
  NEED(cuStreamSynchronize(program.stream));
  NEED(cuGraphExecDestroy(executable));
  NEED(cuGraphDestroy(graph));
}

// The release comes behind something else, which takes as long as the host likes.
void does_not_wait_for_the_release(Twin twin) {
  Program program;
  Vulkan& vulkan = program.vulkan;
  const VkSemaphore later = vulkan.semaphore(true, 0, false);
  {
    const Both released(vulkan, true);
    NEED(vulkan.submit({{later, 1}}, {{released.vk, 1}}, program.release()));
    if (twin == Twin::repaired) {
      NEED(wait(released.cuda, 1, program.stream));
      NEED(vulkan.signal(later, 1));
    }
    NEED(cuMemsetD8Async(program.buffer.address, 0, 4096, program.stream));
    NEED(cuStreamSynchronize(program.stream));
    if (twin == Twin::wrong) NEED(vulkan.signal(later, 1));
    NEED(vkQueueWaitIdle(vulkan.queue));
  }
  vulkan.destroy(later);
}

// CUDA's fill comes behind something else; Vulkan must wait for the semaphore behind the fill.
void lets_vulkan_acquire_too_early(Twin twin) {
  Program program;
  Vulkan& vulkan = program.vulkan;
  run(vulkan, program.release());
  const Both filled(vulkan, true);
  std::atomic<bool> open{false};
  NEED(cuLaunchHostFunc(
      program.stream,
      [](void* flag) {
        while (!static_cast<std::atomic<bool>*>(flag)->load()) let_things_happen();
      },
      &open));
  NEED(cuMemsetD8Async(program.buffer.address, 0, 4096, program.stream));
  NEED(signal(filled.cuda, 1, program.stream));
  std::vector<Vulkan::Point> waits;
  if (twin == Twin::repaired) waits.push_back({filled.vk, 1});
  NEED(vulkan.submit(waits, {}, recorded(vulkan, Way::acquire, program.buffer.vk())));
  if (twin == Twin::wrong) NEED(vkQueueWaitIdle(vulkan.queue));
  open = true;
  NEED(vkQueueWaitIdle(vulkan.queue));
  NEED(cuStreamSynchronize(program.stream));
}

int main(int argc, char** argv) {
  if (argc == 3 && choose(lavapipe)) {
    const Twin twin = strcmp(argv[2], "wrong") == 0 ? Twin::wrong : Twin::repaired;
#define PROGRAM(name) \
  if (strcmp(argv[1], #name) == 0) return name(twin), 0;
#include "tests/wrong/vulkan/vulkan.def"
#undef PROGRAM
  }
  fprintf(stderr, "usage: %s NAME wrong|repaired, where lavapipe is installed\n", argv[0]);
  return 2;
}
