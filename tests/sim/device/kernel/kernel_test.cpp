// SPDX-License-Identifier: Apache-2.0
// Kernels as commands, with hand-written entries in place of compiled code.
#include "sim/device/kernel/kernel_launch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "sim/device/graph/graph.hpp"
#include "sim/device/graph/graph_exec.hpp"
#include "sim/device/kernel/kernel_system_calls.hpp"
#include "sim/device/machine/device.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/model/occupancy.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/observer.hpp"
#include "sim/device/stream/transfer.hpp"
#include "tests/sim/exec/row_of.hpp"

namespace cuvette::device {
namespace {

using ptx::BlockContext;
using ptx::Status;
using ptx::WarpFrame;

constexpr auto finished = static_cast<uint32_t>(Status::finished);
constexpr auto yielded = static_cast<uint32_t>(Status::yielded);

// Keeps the last fault that observers are told of.
class Faults final : public Observer {
 public:
  void kernel_faulted(const Stream&, uint64_t number, const Operation& operation,
                      const exec::GridFault& fault) override {
    EXPECT_EQ(operation.kind, OperationKind::kernel);
    last = fault;
    last_number = number;
    ++count;
  }
  exec::GridFault last;
  uint64_t last_number = 0;
  int count = 0;
};

class KernelLaunchTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_TRUE(Machine::start().ok()); }

  // Not the device's primary context, which a fault would break for good.
  KernelLaunchTest()
      : context_(make_ref<Context>(*Machine::get().devices()[0], 0u, false)),
        stream_(context_->make_stream(StreamKind::non_blocking, 0)) {
    observers().attach(faults_);
  }
  ~KernelLaunchTest() override {
    context_->tear_down();
    observers().detach(faults_);
  }

  template <typename Parameters>
  Ref<KernelCall> call(ptx::KernelEntry* entry, const Parameters& parameters,
                       LaunchShape shape = {}, uint32_t frame_bytes = 0) {
    CompiledCode code;
    code.entry = entry;
    code.frame_bytes = frame_bytes;
    std::vector<std::byte> bytes(sizeof parameters);
    memcpy(bytes.data(), &parameters, sizeof parameters);
    return make_ref<KernelCall>(context_->device().profile(), code, shape, bytes);
  }
  void launch_call(Ref<KernelCall> call) {
    ASSERT_TRUE(launch(*stream_, std::move(call), nullptr).ok());
  }
  void wait() { context_->wait_for(*stream_, stream_->submitted()); }

  memory::DevicePtr allocate(size_t size) {
    auto allocation = Machine::get().memory().allocate(size, {context_->generation(), 0, nullptr});
    EXPECT_TRUE(allocation.ok());
    return allocation.value()->address;
  }
  template <typename T>
  T read(memory::DevicePtr from) {
    T value{};
    EXPECT_TRUE(copy({*context_, *stream_, false, nullptr},
                     {memory::Region::linear(reinterpret_cast<uint64_t>(&value), sizeof value),
                      MemoryType::host},
                     {memory::Region::linear(from, sizeof value), MemoryType::device})
                    .ok());
    return value;
  }

  // Gets the faults of what runs while the test lives.
  static Faults faults_;
  const Ref<Context> context_;
  const Ref<Stream> stream_;
};
Faults KernelLaunchTest::faults_;

template <typename T>
const T& parameters_of(const BlockContext* context) {
  return *reinterpret_cast<const T*>(context->parameters);
}

bool eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

struct Store {
  uint64_t address;
  uint32_t value, bytes;
};

// A st.global, with the test that compiled code makes first.
uint32_t store(BlockContext* context, uint32_t, uint32_t) {
  const auto& parameters = parameters_of<Store>(context);
  const uint64_t offset = parameters.address - context->window_base;
  if (offset >= context->window_bytes || context->window_bytes - offset < 4 ||
      parameters.address % 4 != 0) {
    uint64_t addresses[32] = {parameters.address};
    if (const uint32_t status = context->helpers->check(
            context, addresses, 1, 4 | ptx::access_write, 0, ptx::location_of(9, 0, 0)))
      return status;
  }
  *reinterpret_cast<uint32_t*>(parameters.address) = parameters.value;
  return finished;
}

TEST_F(KernelLaunchTest, WritesDeviceMemory) {
  const auto memory = allocate(64);
  launch_call(call(store, Store{memory + 4, 77, 0}));
  wait();
  EXPECT_EQ(read<uint32_t>(memory + 4), 77u);
  EXPECT_FALSE(context_->error());
  EXPECT_FALSE(context_->kernels.any());
}

TEST_F(KernelLaunchTest, ComesInTheStreamsOrder) {
  const auto memory = allocate(4);
  for (uint32_t i = 0; i < 100; ++i) launch_call(call(store, Store{memory, i, 0}));
  EXPECT_EQ(read<uint32_t>(memory), 99u);
}

TEST_F(KernelLaunchTest, FindsItsShape) {
  static std::atomic<uint32_t> blocks;
  blocks = 0;
  LaunchShape shape;
  shape.grid[0] = 2;
  shape.grid[2] = 3;
  shape.block[1] = 7;
  shape.dynamic_shared = 100;
  launch_call(call(
      [](BlockContext* context, uint32_t, uint32_t) {
        EXPECT_EQ(context->ntid[1], 7u);
        EXPECT_EQ(context->nctaid[2], 3u);
        EXPECT_EQ(context->dynamic_shared_bytes, 100u);
        EXPECT_EQ(context->shared_bytes, 128u) << "in whole units";
        EXPECT_EQ(context->nsmid, 132u);
        EXPECT_GT(context->grid_id, 0u);
        blocks += context->row_blocks;
        return finished;
      },
      0, shape));
  wait();
  EXPECT_EQ(blocks, 6u);
}

TEST_F(KernelLaunchTest, TakesManyParameters) {
  struct Many {
    uint32_t numbers[1000];
  };
  Many many;
  for (uint32_t i = 0; i < 1000; ++i) many.numbers[i] = i * i;
  launch_call(call(
      [](BlockContext* context, uint32_t, uint32_t) {
        for (uint32_t i = 0; i < 1000; ++i)
          EXPECT_EQ(parameters_of<Many>(context).numbers[i], i * i);
        return finished;
      },
      many));
  wait();
}

// --- Memory --------------------------------------------------------------------------------------

TEST_F(KernelLaunchTest, ReachesWhatHostAndDeviceShare) {
  for (const auto kind : {memory::AllocationKind::pinned, memory::AllocationKind::managed}) {
    auto allocation =
        Machine::get().memory().allocate_host(kind, 4096, 0, {context_->generation(), 0, nullptr});
    ASSERT_TRUE(allocation.ok());
    launch_call(call(store, Store{allocation.value()->address, 7, 0}));
    wait();
    EXPECT_FALSE(context_->error());
    EXPECT_EQ(*reinterpret_cast<uint32_t*>(allocation.value()->address), 7u);
  }
}

TEST_F(KernelLaunchTest, DoesNotReachTheHostsOwnMemory) {
  static uint32_t own = 0;
  const int before = faults_.count;
  launch_call(call(store, Store{reinterpret_cast<uint64_t>(&own), 7, 0}));
  wait();
  EXPECT_EQ(context_->error(), Error::illegal_address);
  EXPECT_EQ(own, 0u);
  EXPECT_EQ(faults_.count, before + 1);
  EXPECT_EQ(faults_.last.kind, exec::GridFault::Kind::illegal_address);
  EXPECT_EQ(faults_.last.address, reinterpret_cast<uint64_t>(&own));
  EXPECT_EQ(faults_.last.location, ptx::location_of(9, 0, 0));
}

TEST_F(KernelLaunchTest, AlignmentMatters) {
  const auto memory = allocate(64);
  launch_call(call(store, Store{memory + 1, 7, 0}));
  wait();
  EXPECT_EQ(context_->error(), Error::misaligned_address);
}

TEST_F(KernelLaunchTest, NothingRunsAfterAFault) {
  const auto memory = allocate(64);
  launch_call(call(store, Store{memory, 1, 0}));
  launch_call(call(store, Store{0x10, 7, 0}));
  launch_call(call(store, Store{memory, 2, 0}));
  wait();
  EXPECT_EQ(context_->error(), Error::illegal_address);
}

// --- Faults --------------------------------------------------------------------------------------

TEST_F(KernelLaunchTest, TrapsFailTheLaunch) {
  launch_call(call([](BlockContext* context, uint32_t,
                      uint32_t) { return context->helpers->trap(context, 1, 0, 0); },
                   0));
  wait();
  EXPECT_EQ(context_->error(), Error::launch_failed);
}

// --- Waiting -------------------------------------------------------------------------------------

uint32_t wait_for_flag(BlockContext* context, uint32_t, uint32_t) {
  return parameters_of<const std::atomic<bool>*>(context)->load() ? finished : yielded;
}

TEST_F(KernelLaunchTest, WaitsForTheHostWithoutHoldingUpOthers) {
  std::atomic<bool> flag{false};
  LaunchShape shape;
  shape.grid[0] = 20;
  for (int i = 0; i < 20; ++i) {
    // There are more of these streams than workers.
    const Ref<Stream> other = context_->make_stream(StreamKind::non_blocking, 0);
    ASSERT_TRUE(launch(*other, call(wait_for_flag, &flag, shape, sizeof(WarpFrame)), nullptr).ok());
  }
  const auto memory = allocate(4);
  for (uint32_t i = 1; i <= 50; ++i) launch_call(call(store, Store{memory, i, 0}));
  ASSERT_TRUE(eventually([&] { return stream_->idle(); }));
  EXPECT_TRUE(context_->kernels.any());
  flag = true;
  context_->synchronise();
  EXPECT_FALSE(context_->kernels.any());
}

TEST_F(KernelLaunchTest, AFaultElsewhereEndsOneThatWaits) {
  std::atomic<bool> never{false};
  launch_call(call(wait_for_flag, &never, {}, sizeof(WarpFrame)));
  const Ref<Stream> other = context_->make_stream(StreamKind::non_blocking, 0);
  ASSERT_TRUE(launch(*other, call(store, Store{0x10, 7, 0}), nullptr).ok());
  context_->synchronise();
  EXPECT_EQ(context_->error(), Error::illegal_address);
}

// --- Graphs --------------------------------------------------------------------------------------

TEST_F(KernelLaunchTest, RunsInGraphs) {
  const auto memory = allocate(16);
  std::atomic<bool> flag{false};
  auto graph = make_ref<Graph>();
  Ref<GraphExec> exec;
  {
    MutexLock lock(graph_mutex);
    auto first =
        graph->add(NodeType::kernel,
                   KernelWork{call(wait_for_flag, &flag, {}, sizeof(WarpFrame)), nullptr}, {});
    ASSERT_TRUE(first.ok());
    auto second =
        graph->add(NodeType::kernel, KernelWork{call(store, Store{memory, 5, 0}), nullptr},
                   {{first.value(), {}}});
    ASSERT_TRUE(second.ok());
    GraphExec::Instantiation outcome;
    auto made = GraphExec::instantiate(*graph, 0, outcome);
    ASSERT_TRUE(made.ok());
    exec = made.value();
  }
  for (int i = 0; i < 3; ++i) {
    flag = false;
    ASSERT_TRUE(exec->launch(*stream_, nullptr).ok());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_FALSE(stream_->idle());
    flag = true;
    wait();
    EXPECT_EQ(read<uint32_t>(memory), 5u);
  }
}

// --- System calls --------------------------------------------------------------------------------

uint32_t allocate_and_free(BlockContext* context, uint32_t, uint32_t) {
  uint64_t sizes[32], addresses[32]{}, nothing[32];
  for (uint64_t& size : sizes) size = 100;
  const auto call = [&](ptx::SystemCall function, uint64_t* results, const uint64_t* parameters) {
    return context->helpers->system_call(context, static_cast<uint32_t>(function), results,
                                         parameters, 1, 0x80000001, 0, 0);
  };
  EXPECT_EQ(call(ptx::SystemCall::malloc, addresses, sizes), 0u);
  EXPECT_NE(addresses[0], 0u);
  EXPECT_EQ(addresses[0] % 16, 0u);
  EXPECT_EQ(addresses[1], 0u);
  EXPECT_GE(addresses[31] - addresses[0], 100u);
  EXPECT_EQ(context->helpers->check(context, addresses, 0x80000001, 16 | ptx::access_write, 0, 0),
            0u);
  memset(reinterpret_cast<void*>(addresses[0]), 1, 100);
  EXPECT_EQ(call(ptx::SystemCall::free, nothing, addresses), 0u);
  sizes[0] = uint64_t{1} << 40;
  EXPECT_EQ(call(ptx::SystemCall::malloc, addresses, sizes), 0u);
  EXPECT_EQ(addresses[0], 0u);
  EXPECT_EQ(call(ptx::SystemCall::free, nothing, addresses), 0u) << "of null";
  return finished;
}

TEST_F(KernelLaunchTest, HasAHeap) {
  launch_call(call(allocate_and_free, 0));
  wait();
  EXPECT_FALSE(context_->error());
  launch_call(call(
      [](BlockContext* context, uint32_t, uint32_t) {
        uint64_t address = 0x1230, nothing;
        return context->helpers->system_call(context, static_cast<uint32_t>(ptx::SystemCall::free),
                                             &nothing, &address, 1, 1, 0, 0);
      },
      0));
  wait();
  EXPECT_EQ(context_->error(), Error::illegal_address);
}

uint32_t print_number(BlockContext* context, uint32_t, uint32_t) {
  // The text is in shared memory, the argument in local memory.
  strcpy(reinterpret_cast<char*>(context->shared), "block %d\n");
  const auto number = static_cast<int>(context->ctaid[0]);
  memcpy(context->local, &number, 4);
  uint64_t parameters[64]{}, results[32];
  parameters[0] = reinterpret_cast<uint64_t>(context->shared);
  parameters[32] = reinterpret_cast<uint64_t>(context->local);
  EXPECT_EQ(context->helpers->system_call(context, static_cast<uint32_t>(ptx::SystemCall::vprintf),
                                          results, parameters, 2, 1, 0, 0),
            0u);
  EXPECT_EQ(results[0], 1u);
  return finished;
}

TEST_F(KernelLaunchTest, PrintsWhenTheProgramWaits) {
  CompiledCode code;
  code.entry = exec::row_of<print_number>;
  code.shared_bytes = 64;
  code.local_bytes = 16;
  LaunchShape shape;
  shape.grid[0] = 2;
  testing::internal::CaptureStdout();
  printf("before\n");
  launch_call(make_ref<KernelCall>(context_->device().profile(), code, shape,
                                   std::span<const std::byte>()));
  wait();
  printf("after\n");
  fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "before\nblock 0\nblock 1\nafter\n");
}

// Prints a line, and then a string that is the host's.
uint32_t print_a_string_of_the_host(BlockContext* context, uint32_t, uint32_t) {
  static const char string[] = "of the host";
  char* const formats = reinterpret_cast<char*>(context->shared);
  memcpy(formats, "before\n\0text %s\n", 17);
  const auto address = reinterpret_cast<uint64_t>(string);
  memcpy(context->local, &address, 8);
  uint64_t parameters[64]{}, results[32];
  const auto print = [&](const char* format) {
    parameters[0] = reinterpret_cast<uint64_t>(format);
    parameters[32] = reinterpret_cast<uint64_t>(context->local);
    return context->helpers->system_call(context, static_cast<uint32_t>(ptx::SystemCall::vprintf),
                                         results, parameters, 2, 1, 0, 0);
  };
  EXPECT_EQ(print(formats), 0u);
  return print(formats + 8);
}

// As an H100 does.
TEST_F(KernelLaunchTest, AStringThatCannotBeReadIsAFaultAfterWhatWasPrinted) {
  CompiledCode code;
  code.entry = exec::row_of<print_a_string_of_the_host>;
  code.shared_bytes = 64;
  code.local_bytes = 16;
  testing::internal::CaptureStdout();
  launch_call(make_ref<KernelCall>(context_->device().profile(), code, LaunchShape(),
                                   std::span<const std::byte>()));
  wait();
  fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "before\n");
  EXPECT_EQ(context_->error(), Error::illegal_address);
}

TEST_F(KernelLaunchTest, AssertionsSayWhere) {
  testing::internal::CaptureStderr();
  LaunchShape shape;
  shape.block[0] = 64;
  launch_call(call(
      [](BlockContext* context, uint32_t, uint32_t) {
        static const char message[] = "x > 0", file[] = "kernel.cu", function[] = "void f(int)";
        // Device code keeps its texts in device memory.
        char* const shared = reinterpret_cast<char*>(context->shared);
        uint64_t parameters[160]{}, results[32];
        const auto put = [&](int place, uint64_t offset, const char* text) {
          strcpy(shared + offset, text);
          for (int lane = 0; lane < 32; ++lane)
            parameters[32 * place + lane] = reinterpret_cast<uint64_t>(shared + offset);
        };
        put(0, 0, message);
        put(1, 20, file);
        put(3, 40, function);
        for (int lane = 0; lane < 32; ++lane) parameters[64 + lane] = 12;
        return context->helpers->system_call(context,
                                             static_cast<uint32_t>(ptx::SystemCall::__assertfail),
                                             results, parameters, 5, 0x5, 1, 0);
      },
      0,
      [&] {
        shape.dynamic_shared = 64;
        return shape;
      }()));
  wait();
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("kernel.cu:12: void f(int): block: [0,0,0], thread: [32,0,0] Assertion "
                      "`x > 0` failed.\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("thread: [34,0,0]"), std::string::npos);
  EXPECT_EQ(context_->error(), Error::assert);
  EXPECT_EQ(faults_.last.text, "x > 0");
}

// --- Occupancy -----------------------------------------------------------------------------------

TEST(blocks_per_multiprocessor, IsTheHardwares) {
  const Profile& h200 = *find_profile("h200");
  EXPECT_EQ(blocks_per_multiprocessor(h200, 128, 0), 16u);
  EXPECT_EQ(blocks_per_multiprocessor(h200, 1024, 0), 2u);
  EXPECT_EQ(blocks_per_multiprocessor(h200, 2048, 0), 0u);
  EXPECT_EQ(blocks_per_multiprocessor(h200, 1, 0), 32u);
  EXPECT_EQ(blocks_per_multiprocessor(h200, 32, 48 << 10), 4u);
  EXPECT_EQ(blocks_per_multiprocessor(h200, 32, 227 << 10), 1u);
  EXPECT_EQ(blocks_per_multiprocessor(h200, 32, (227 << 10) + 1), 0u);
}

}  // namespace
}  // namespace cuvette::device
