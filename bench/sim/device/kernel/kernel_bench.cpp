// SPDX-License-Identifier: Apache-2.0
// The cost of launching a kernel that does nothing. Floor: calling it.
#include "sim/device/kernel/kernel_launch.hpp"

#include <benchmark/benchmark.h>

#include "bench/floor.hpp"
#include "sim/device/graph/graph.hpp"
#include "sim/device/graph/graph_exec.hpp"
#include "sim/device/machine/device.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"

namespace cuvette::device {
namespace {

using bench::against_floor;
using bench::floor_ns;

uint32_t empty(ptx::BlockContext*, uint32_t, uint32_t) { return 0; }

uint32_t empty_with_frame(ptx::BlockContext* context, uint32_t warp, uint32_t) {
  auto& frame = *reinterpret_cast<ptx::WarpFrame*>(context->frames + warp * context->frame_stride);
  if (frame.state++ > 0) return 0;
  frame.lanes = ~0u;
  return 1;
}

struct Scene {
  explicit Scene(uint32_t blocks = 1, uint32_t threads = 32, bool barrier = false) {
    if (!Machine::start().ok()) abort();
    context = make_ref<Context>(*Machine::get().devices()[0], 0u, false);
    stream = context->make_stream(StreamKind::non_blocking, 0);
    code.entry = barrier ? empty_with_frame : empty;
    code.frame_bytes = barrier ? sizeof(ptx::WarpFrame) : 0;
    shape.grid[0] = blocks;
    shape.block[0] = threads;
  }
  ~Scene() {
    wait();
    context->tear_down();
  }
  Ref<KernelCall> call() {
    return make_ref<KernelCall>(context->device().profile(), code, shape,
                                std::span<const std::byte>(parameters));
  }
  void launch_one() {
    if (!launch(*stream, call(), nullptr).ok()) abort();
  }
  void wait() { context->wait_for(*stream, stream->submitted()); }

  Ref<Context> context;
  Ref<Stream> stream;
  CompiledCode code;
  LaunchShape shape;
  std::byte parameters[24]{};
};

double call_floor() {
  return floor_ns([] {
    auto* volatile entry = &empty;
    benchmark::DoNotOptimize(entry(nullptr, 0, 1));
  });
}

void BM_launch_queued(benchmark::State& state) {
  Scene scene;
  uint64_t since = 0;
  against_floor(state, call_floor(), [&] {
    scene.launch_one();
    // Waits now and then, as programs do.
    if (++since % 1000 == 0) scene.wait();
  });
}
BENCHMARK(BM_launch_queued)->UseRealTime();

void BM_launch_and_synchronise(benchmark::State& state) {
  Scene scene;
  against_floor(state, call_floor(), [&] {
    scene.launch_one();
    scene.wait();
  });
}
BENCHMARK(BM_launch_and_synchronise)->UseRealTime();

void BM_launch_blocks_and_synchronise(benchmark::State& state) {
  Scene scene(static_cast<uint32_t>(state.range(0)), 256, state.range(1) != 0);
  std::atomic<uint32_t> block_ns{20};
  against_floor(state, call_floor(), [&] {
    scene.launch_one();
    scene.wait();
  });
}
BENCHMARK(BM_launch_blocks_and_synchronise)
    ->ArgsProduct({{1, 64, 4096}, {0, 1}})
    ->ArgNames({"blocks", "barrier"})
    ->UseRealTime();

void BM_graph_of_100_kernels_and_synchronise(benchmark::State& state) {
  Scene scene;
  auto graph = make_ref<Graph>();
  Ref<GraphExec> exec;
  {
    MutexLock lock(graph_mutex);
    Ref<GraphNode> last;
    for (int i = 0; i < 100; ++i) {
      Dependencies after;
      if (last) after.push_back({last, {}});
      last = graph->add(NodeType::kernel, KernelWork{scene.call(), nullptr}, after).value();
    }
    GraphExec::Instantiation outcome;
    exec = GraphExec::instantiate(*graph, 0, outcome).value();
  }
  against_floor(state, call_floor(), [&] {
    if (!exec->launch(*scene.stream, nullptr).ok()) abort();
    scene.wait();
  });
}
BENCHMARK(BM_graph_of_100_kernels_and_synchronise)->UseRealTime();

}  // namespace
}  // namespace cuvette::device
