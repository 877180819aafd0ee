// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "sim/exec/kernel_helpers.hpp"
#include "sim/os/fault.hpp"
#include "sim/os/reservation.hpp"
#include "tests/sim/exec/row_of.hpp"
#include "tests/sim/exec/work_queue.hpp"

namespace cuvette::exec {
namespace {

using ptx::BlockContext;
using ptx::Status;
using ptx::WarpFrame;

constexpr auto finished = static_cast<uint32_t>(Status::finished);
constexpr auto at_barrier = static_cast<uint32_t>(Status::barrier);
constexpr auto yielded = static_cast<uint32_t>(Status::yielded);

// Textures and the like do not belong to this room.
const ptx::Helpers helpers = [] {
  ptx::Helpers table{};
  table.check = kernel_helpers::check;
  table.trap = kernel_helpers::trap;
  table.breakpoint = kernel_helpers::breakpoint;
  table.system_call = kernel_helpers::system_call;
  table.barrier_arrive = kernel_helpers::barrier_arrive;
  table.clock = kernel_helpers::clock;
  table.global_timer = kernel_helpers::global_timer;
  return table;
}();

class Host final : public GridHost {
 public:
  std::optional<GridRange> range_of(uint64_t address, bool write) override {
    ++asked;
    for (const GridRange& range : ranges)
      if (address >= range.begin && address < range.end && (!write || range.writable)) return range;
    return std::nullopt;
  }
  uint32_t system_call(Block&, ptx::SystemCall, uint64_t* results, const uint64_t* parameters,
                       uint32_t mask, uint32_t, uint64_t) override {
    for (uint32_t lane = 0; lane < 32; ++lane)
      if (mask >> lane & 1) results[lane] = parameters[lane] + 1;
    return 0;
  }
  uint32_t texture(Block&, uint32_t, const uint64_t*, const uint32_t*, uint32_t*, uint32_t,
                   uint32_t, uint64_t) override {
    return 0;
  }
  uint32_t surface(Block&, uint32_t, const uint64_t*, const uint32_t*, uint32_t*, uint32_t,
                   uint32_t, uint64_t) override {
    return 0;
  }
  std::vector<GridRange> ranges;
  std::atomic<int> asked{0};
};

GridLaunch launch_of(ptx::KernelEntry* entry, void* parameters, uint32_t blocks, uint32_t threads,
                     uint32_t frame_bytes = 0) {
  start_workers();
  GridLaunch launch;
  launch.entry = entry;
  launch.needs.frame_bytes = frame_bytes;
  launch.grid[0] = blocks;
  launch.block[0] = threads;
  launch.parameters = {static_cast<const std::byte*>(parameters), size_t{0}};  // the entries find
                                                                               // them by the offset
  launch.helpers = &helpers;
  launch.multiprocessors = 4;
  launch.most_resident = 64;
  return launch;
}

template <typename T>
T& parameters_of(BlockContext* context) {
  return *reinterpret_cast<T*>(const_cast<uint8_t*>(context->parameters));
}

WarpFrame& frame_of(BlockContext* context, uint32_t warp) {
  return *reinterpret_cast<WarpFrame*>(context->frames + warp * context->frame_stride);
}

// Runs a grid until it has finished, leaving it and coming back as a stream does.
void run_to_the_end(Grid& grid) {
  while (grid.run() == Grid::Progress::waiting) {
    const Edge edge = grid.pause();
    ASSERT_TRUE(eventually([&] { return edge.reached(); }));
  }
}

// --- Kernels without frames ----------------------------------------------------------------------

struct Seen {
  Mutex mutex;
  std::vector<uint64_t> blocks GUARDED_BY(mutex);
  std::vector<std::thread::id> by GUARDED_BY(mutex);  // who ran each of these blocks
  std::set<std::thread::id> threads GUARDED_BY(mutex);
  std::atomic<uint64_t> count{0};
};

uint32_t note_block(BlockContext* context, uint32_t first, uint32_t end) {
  auto& seen = parameters_of<Seen>(context);
  EXPECT_EQ(first, 0u);
  EXPECT_EQ(end, (context->threads + 31) / 32);
  EXPECT_EQ(context->warps, end);
  const uint64_t row = context->ctaid[1] + uint64_t{context->ctaid[2]} * context->nctaid[1];
  const uint64_t block = context->ctaid[0] + row * context->nctaid[0];
  EXPECT_EQ(context->smid, block % context->nsmid);
  MutexLock lock(seen.mutex);
  seen.blocks.push_back(block);
  seen.by.push_back(std::this_thread::get_id());
  seen.threads.insert(std::this_thread::get_id());
  return finished;
}

TEST(Grid, RunsEachBlockOnce) {
  Seen seen;
  Host host;
  GridLaunch launch = launch_of(row_of<note_block>, &seen, 5, 33);
  launch.grid[1] = 3;
  launch.grid[2] = 2;
  Grid grid(launch, host);
  EXPECT_EQ(grid.run(), Grid::Progress::finished);
  EXPECT_EQ(grid.fault(), nullptr);
  MutexLock lock(seen.mutex);
  ASSERT_EQ(seen.blocks.size(), 30u);
  std::sort(seen.blocks.begin(), seen.blocks.end());
  for (uint64_t i = 0; i < 30; ++i) EXPECT_EQ(seen.blocks[i], i);
}

TEST(Grid, StartsBlocksInOrder) {
  Seen seen;
  Host host;
  const GridLaunch launch = launch_of(row_of<note_block>, &seen, 400, 1);
  Grid grid(launch, host);
  grid.run();
  // Each thread took its blocks in ascending order, however many threads took part.
  MutexLock lock(seen.mutex);
  std::map<std::thread::id, std::vector<uint64_t>> by_thread;
  for (size_t i = 0; i < seen.blocks.size(); ++i) by_thread[seen.by[i]].push_back(seen.blocks[i]);
  for (const auto& [thread, blocks] : by_thread)
    EXPECT_TRUE(std::is_sorted(blocks.begin(), blocks.end()));
}

TEST(Grid, RunsAShortOneInTheCallingThread) {
  // On a busy machine even a short grid may take long; so this tries again.
  EXPECT_TRUE(eventually([] {
    Seen seen;
    Host host;
    std::atomic<uint32_t> block_ns{100};  // the block time of the last launch
    GridLaunch launch = launch_of(row_of<note_block>, &seen, 8, 32);
    launch.block_ns = &block_ns;
    Grid grid(launch, host);
    grid.run();
    MutexLock lock(seen.mutex);
    return seen.threads == std::set<std::thread::id>{std::this_thread::get_id()};
  }));
}

uint32_t work_for_a_millisecond(BlockContext* context, uint32_t, uint32_t) {
  auto& seen = parameters_of<Seen>(context);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  MutexLock lock(seen.mutex);
  seen.threads.insert(std::this_thread::get_id());
  ++seen.count;
  return finished;
}

TEST(Grid, SpreadsALongOneOverTheWorkers) {
  for (const bool known : {true, false}) {
    Seen seen;
    Host host;
    std::atomic<uint32_t> block_ns{1'000'000};
    GridLaunch launch = launch_of(row_of<work_for_a_millisecond>, &seen, 60, 32);
    if (known) launch.block_ns = &block_ns;
    Grid grid(launch, host);
    EXPECT_EQ(grid.run(), Grid::Progress::finished);
    EXPECT_EQ(seen.count, 60u);
    MutexLock lock(seen.mutex);
    EXPECT_GT(seen.threads.size(), 1u);
  }
}

TEST(Grid, RunsTheLastBlockOfTwoLongOnes) {
  for (const uint32_t blocks : {2u, 3u}) {
    Seen seen;
    Host host;
    std::atomic<uint32_t> block_ns{10};  // the block time of the last launch
    GridLaunch launch = launch_of(row_of<work_for_a_millisecond>, &seen, blocks, 32);
    launch.block_ns = &block_ns;
    Grid grid(launch, host);
    EXPECT_EQ(grid.run(), Grid::Progress::finished);
    EXPECT_EQ(seen.count, blocks);
  }
}

TEST(Grid, SaysWhatTheBlockIsLike) {
  Host host;
  GridLaunch launch = launch_of(
      [](BlockContext* context, uint32_t, uint32_t) {
        EXPECT_EQ(context->ntid[0], 16u);
        EXPECT_EQ(context->ntid[1], 4u);
        EXPECT_EQ(context->threads, 64u);
        EXPECT_EQ(context->shared_bytes, 1000u);
        EXPECT_EQ(context->dynamic_shared_bytes, 200u);
        EXPECT_GE(context->local_stride, 24u);
        EXPECT_EQ(reinterpret_cast<uint64_t>(context->shared) % 128, 0u);
        EXPECT_LT(context->smid, context->nsmid);
        EXPECT_EQ(context->grid_id, 77u);
        EXPECT_EQ(context->cluster_nctaid[0], 1u);
        EXPECT_EQ(context->envreg[1], 0u);
        // All of this memory is writable.
        memset(context->shared, 1, context->shared_bytes);
        memset(context->local, 1, context->local_stride * 64);
        return finished;
      },
      nullptr, 3, 16);
  launch.block[1] = 4;
  launch.needs.shared_bytes = 1000;
  launch.needs.local_bytes = 24;
  launch.dynamic_shared_bytes = 200;
  launch.grid_id = 77;
  Grid grid(launch, host);
  EXPECT_EQ(grid.run(), Grid::Progress::finished);
}

TEST(Grid, FillsSharedMemoryWhenAskedTo) {
  Host host;
  GridLaunch launch = launch_of(
      [](BlockContext* context, uint32_t, uint32_t) {
        for (uint64_t at = 0; at < context->shared_bytes; at += 4) {
          uint32_t word;
          memcpy(&word, context->shared + at, 4);
          EXPECT_EQ(word, 0x7FFDF00Du);
        }
        memset(context->shared, 0, context->shared_bytes);
        return finished;
      },
      nullptr, 4, 32);
  launch.needs.shared_bytes = 256;
  launch.needs.fill_shared = true;
  Grid grid(launch, host);
  grid.run();
}

// --- Barriers ------------------------------------------------------------------------------------

// Before each of three barriers every warp adds to a count in shared memory; after it, each sees
// what all have added.
uint32_t count_at_barriers(BlockContext* context, uint32_t first, uint32_t end) {
  EXPECT_EQ(end, first + 1);
  WarpFrame& frame = frame_of(context, first);
  auto& count = *reinterpret_cast<uint32_t*>(context->shared);
  if (frame.state == 0 && first == 0) count = 0;
  if (frame.state % 2 == 1) {
    EXPECT_EQ(count, context->warps * ((frame.state + 1) / 2));
  }
  if (frame.state == 6) {
    ++parameters_of<std::atomic<uint32_t>>(context);
    return finished;
  }
  // A barrier separates adding from checking.
  if (frame.state % 2 == 0) ++count;
  ++frame.state;
  frame.barrier = 0;
  frame.lanes = ~uint32_t{0};
  return at_barrier;
}

TEST(Grid, BarriersHoldWarpsBack) {
  std::atomic<uint32_t> ends{0};
  Host host;
  for (const uint32_t threads : {32u, 64u, 1000u, 1024u}) {
    ends = 0;
    GridLaunch launch = launch_of(count_at_barriers, &ends, 50, threads, sizeof(WarpFrame));
    launch.needs.shared_bytes = 4;
    Grid grid(launch, host);
    EXPECT_EQ(grid.run(), Grid::Progress::finished);
    EXPECT_EQ(ends, 50 * ((threads + 31) / 32));
  }
}

TEST(Grid, BarriersForgetWarpsThatHaveFinished) {
  Host host;
  const GridLaunch launch = launch_of(
      [](BlockContext* context, uint32_t warp, uint32_t) {
        WarpFrame& frame = frame_of(context, warp);
        if (warp == 3 || frame.state == 1) return finished;
        frame.state = 1;
        return at_barrier;
      },
      nullptr, 2, 128, sizeof(WarpFrame));
  Grid grid(launch, host);
  EXPECT_EQ(grid.run(), Grid::Progress::finished);
  EXPECT_EQ(grid.fault(), nullptr);
}

struct Results {
  uint32_t reduction;
  uint32_t of[4];
};

TEST(Grid, BarriersReduce) {
  struct Case {
    uint32_t reduction, first_warp, others, expected;
  };
  for (const Case& one : {Case{1, 0x3, 0x1, 5}, Case{2, ~0u, ~0u, 1}, Case{2, ~0u, ~1u, 0},
                          Case{3, 0, 0, 0}, Case{3, 0, 0x80, 1}}) {
    static const Case* now;
    now = &one;
    Results results{one.reduction, {}};
    Host host;
    const GridLaunch launch = launch_of(
        [](BlockContext* context, uint32_t warp, uint32_t) {
          WarpFrame& frame = frame_of(context, warp);
          auto& results = parameters_of<Results>(context);
          if (frame.state == 1) {
            results.of[warp] = frame.result;
            return finished;
          }
          frame.state = 1;
          frame.barrier = 5;
          frame.lanes = ~uint32_t{0};
          frame.reduction = results.reduction;
          frame.predicate = warp == 0 ? now->first_warp : now->others;
          return at_barrier;
        },
        &results, 1, 128, sizeof(WarpFrame));
    Grid grid(launch, host);
    EXPECT_EQ(grid.run(), Grid::Progress::finished);
    for (const uint32_t result : results.of) EXPECT_EQ(result, one.expected) << one.reduction;
  }
}

// Warps 0 and 1 produce without stopping, and warps 2 and 3 wait for them.
TEST(Grid, BarriersTakeThoseThatGoOn) {
  Host host;
  std::atomic<uint32_t> produced{0};
  const GridLaunch launch = launch_of(
      [](BlockContext* context, uint32_t warp, uint32_t) {
        auto& produced = parameters_of<std::atomic<uint32_t>>(context);
        WarpFrame& frame = frame_of(context, warp);
        if (warp == 3 || warp == 2) {
          if (frame.state == 1) {
            EXPECT_EQ(produced, 2u);
            return finished;
          }
          frame.state = 1;
          frame.barrier = 7;
          frame.barrier_threads = 128;
          return at_barrier;
        }
        // Arrives one round later than the others.
        if (frame.state++ == 0) return yielded;
        ++produced;
        EXPECT_EQ(context->helpers->barrier_arrive(context, 7, 128, UINT32_MAX, warp), 0u);
        return finished;
      },
      &produced, 1, 128, sizeof(WarpFrame));
  Grid grid(launch, host);
  EXPECT_EQ(grid.run(), Grid::Progress::finished);
  EXPECT_EQ(grid.fault(), nullptr);
}

TEST(Grid, SaysWhichBlockIsStuckAtABarrier) {
  Host host;
  const GridLaunch launch = launch_of(
      [](BlockContext* context, uint32_t warp, uint32_t) {
        WarpFrame& frame = frame_of(context, warp);
        frame.barrier = warp;  // each warp waits at a barrier of its own
        return at_barrier;
      },
      nullptr, 1, 64, sizeof(WarpFrame));
  Grid grid(launch, host);
  EXPECT_EQ(grid.run(), Grid::Progress::finished);
  ASSERT_NE(grid.fault(), nullptr);
  EXPECT_EQ(grid.fault()->kind, GridFault::Kind::stuck);
}

// --- Waiting -------------------------------------------------------------------------------------

struct Flags {
  std::atomic<uint32_t> at[200];
};

// Waits for the previous block (decoupled look-back).
uint32_t wait_for_the_one_before(BlockContext* context, uint32_t warp, uint32_t) {
  auto& flags = parameters_of<Flags>(context);
  const uint32_t index = context->ctaid[0];
  if (index > 0 && !flags.at[index - 1]) return yielded;
  flags.at[index] = 1;
  return finished;
}

// Waits for the next block, which only works because all may be resident.
uint32_t wait_for_the_one_behind(BlockContext* context, uint32_t warp, uint32_t) {
  auto& flags = parameters_of<Flags>(context);
  const uint32_t index = context->ctaid[0];
  if (index + 1 < context->nctaid[0] && !flags.at[index + 1]) return yielded;
  flags.at[index] = 1;
  return finished;
}

TEST(Grid, BlocksWaitForEachOther) {
  for (ptx::KernelEntry* const entry : {&wait_for_the_one_before, &wait_for_the_one_behind}) {
    Flags flags{};
    Host host;
    GridLaunch launch = launch_of(entry, &flags, 200, 32, sizeof(WarpFrame));
    launch.most_resident = 200;
    Grid grid(launch, host);
    run_to_the_end(grid);
    EXPECT_EQ(grid.fault(), nullptr);
    for (const auto& flag : flags.at) EXPECT_EQ(flag, 1u);
  }
}

struct Resident {
  std::atomic<int> now{0}, most{0};
  std::atomic<bool> go{false};
};

TEST(Grid, KeepsToTheNumberOfBlocksThatMayBeResident) {
  Resident resident;
  Host host;
  GridLaunch launch = launch_of(
      [](BlockContext* context, uint32_t warp, uint32_t) {
        auto& resident = parameters_of<Resident>(context);
        WarpFrame& frame = frame_of(context, warp);
        if (frame.state == 0) {
          frame.state = 1;
          const int now = ++resident.now;
          int most = resident.most;
          while (most < now && !resident.most.compare_exchange_weak(most, now)) {
          }
        }
        if (!resident.go) return yielded;
        --resident.now;
        return finished;
      },
      &resident, 100, 32, sizeof(WarpFrame));
  launch.most_resident = 7;
  Grid grid(launch, host);
  EXPECT_EQ(grid.run(), Grid::Progress::waiting);
  EXPECT_EQ(resident.now, 7);
  resident.go = true;
  run_to_the_end(grid);
  EXPECT_EQ(resident.most, 7);
}

TEST(Grid, LeavesAGridThatWaitsForTheHost) {
  std::atomic<bool> flag{false};
  Host host;
  const GridLaunch launch = launch_of(
      [](BlockContext* context, uint32_t, uint32_t) {
        return parameters_of<std::atomic<bool>>(context) ? finished : yielded;
      },
      &flag, 3, 64, sizeof(WarpFrame));
  Grid grid(launch, host);
  EXPECT_EQ(grid.run(), Grid::Progress::waiting);
  const Edge edge = grid.pause();
  EXPECT_TRUE(eventually([&] { return edge.reached(); }));
  EXPECT_EQ(grid.run(), Grid::Progress::waiting);
  flag = true;
  run_to_the_end(grid);
}

TEST(Grid, IsLeftForGoodWithBlocksThatWait) {
  Host host;
  const GridLaunch launch = launch_of([](BlockContext*, uint32_t, uint32_t) { return yielded; },
                                      nullptr, 9, 64, sizeof(WarpFrame));
  Grid grid(launch, host);
  EXPECT_EQ(grid.run(), Grid::Progress::waiting);
  // AddressSanitizer would find memory that is not freed.
}

// grid.sync as cooperative groups implement it: the first block adds as much as makes the highest
// bit flip.
uint32_t synchronise_the_grid(BlockContext* context, uint32_t warp, uint32_t) {
  struct Frame : WarpFrame {
    uint32_t before;
  };
  auto& frame = static_cast<Frame&>(frame_of(context, warp));
  const uint64_t workspace = uint64_t{context->envreg[1]} << 32 | context->envreg[2];
  const uint64_t address = workspace + 4;
  EXPECT_EQ(context->helpers->check(context, &address, 1, 4 | ptx::access_atomic, warp, 0), 0u);
  std::atomic_ref<uint32_t> barrier(*reinterpret_cast<uint32_t*>(address));
  auto& count = parameters_of<std::atomic<uint32_t>>(context);
  const uint32_t blocks = context->nctaid[0];
  for (;;) {
    if (frame.state % 2 == 0) {
      if (frame.state == 10) return finished;
      EXPECT_GE(count, blocks * (frame.state / 2));
      ++count;
      frame.before = barrier.fetch_add(context->ctaid[0] == 0 ? 0x80000000 - (blocks - 1) : 1);
      ++frame.state;
    }
    if (((barrier.load() ^ frame.before) & 0x80000000) == 0) return yielded;
    EXPECT_GE(count, blocks * (frame.state / 2 + 1));
    ++frame.state;
  }
}

TEST(Grid, SynchronisesCooperativeBlocks) {
  std::atomic<uint32_t> count{0};
  Host host;
  GridLaunch launch =
      launch_of(synchronise_the_grid, &count, 150, 32, sizeof(WarpFrame) + sizeof(uint32_t));
  launch.cooperative = true;
  launch.most_resident = 150;
  Grid grid(launch, host);
  run_to_the_end(grid);
  EXPECT_EQ(count, 150u * 5);
}

// --- Faults --------------------------------------------------------------------------------------

uint32_t trap_in_block_two(BlockContext* context, uint32_t, uint32_t) {
  if (context->ctaid[0] != 2) return finished;
  return context->helpers->trap(context, 0x10, 1, ptx::location_of(12, 1, 7));
}

TEST(Grid, StopsAtATrap) {
  Host host;
  GridLaunch launch = launch_of(row_of<trap_in_block_two>, nullptr, 6, 10);
  launch.block[1] = 10;
  Grid grid(launch, host);
  EXPECT_EQ(grid.run(), Grid::Progress::finished);
  const GridFault* fault = grid.fault();
  ASSERT_NE(fault, nullptr);
  EXPECT_EQ(fault->kind, GridFault::Kind::trap);
  EXPECT_EQ(fault->block[0], 2u);
  EXPECT_EQ(fault->thread[0], 6u);  // thread 36
  EXPECT_EQ(fault->thread[1], 3u);
  EXPECT_EQ(fault->location, ptx::location_of(12, 1, 7));
}

uint32_t write_in_block_three(BlockContext* context, uint32_t, uint32_t) {
  if (context->ctaid[0] == 3)
    *reinterpret_cast<volatile uint32_t*>(parameters_of<uint64_t>(context)) = 1;
  return finished;
}

TEST(Grid, SaysWhichBlockOfARowLostAPage) {
  const auto range = os::Reservation::reserve(1 << 20, 1 << 20).value();
  os::watch_faults([](const os::MemoryFault&) { return os::FaultAction::chain; });
  os::watch_range(range.begin(), range.end());
  uint64_t address = range.begin() + 4096;
  Host host;
  const GridLaunch launch = launch_of(row_of<write_in_block_three>, &address, 40, 32);
  Grid grid(launch, host);
  EXPECT_EQ(grid.run(), Grid::Progress::finished);
  os::unwatch_range(range.begin(), range.end());
  ASSERT_NE(grid.fault(), nullptr);
  EXPECT_EQ(grid.fault()->kind, GridFault::Kind::lost_page);
  EXPECT_EQ(grid.fault()->address, address);
  EXPECT_EQ(grid.fault()->block[0], 3u);
}

struct Access {
  uint64_t address;
  uint32_t access;
  uint32_t answer;
};

uint32_t touch(BlockContext* context, uint32_t, uint32_t) {
  auto& access = parameters_of<Access>(context);
  uint64_t addresses[32]{};
  addresses[3] = access.address;
  access.answer = context->helpers->check(context, addresses, 1 << 3, access.access, 0, 0);
  return access.answer ? access.answer : finished;
}

TEST(KernelHelpers, CheckAddresses) {
  struct Case {
    uint64_t address;
    uint32_t access;
    std::optional<GridFault::Kind> fault;
  };
  constexpr auto illegal = GridFault::Kind::illegal_address;
  constexpr auto misaligned = GridFault::Kind::misaligned;
  for (const Case& one : {
           Case{0x10000, 4, {}},                      // the first word of the window
           Case{0x1fffc, 4 | ptx::access_write, {}},  // and its last one
           Case{0x1fffd, 1, {}},
           Case{0x1fff8, 16, misaligned},
           Case{0x20000, 4, illegal},
           Case{0xfffc, 4, illegal},
           Case{0, 4, illegal},
           Case{0x10002, 4, misaligned},
           Case{0x50000, 4 | ptx::access_write, {}},  // the host knows this range
           Case{0x60000, 4, {}},                      // and allows only reads here
           Case{0x60000, 4 | ptx::access_write, illegal},
           Case{0x60000, 4 | ptx::access_atomic, illegal},
           Case{0x600fc, 4, {}},
           Case{0x600f8, 16, misaligned},
           Case{0x60100, 4, illegal},
           Case{8, 4 | ptx::access_shared, illegal},
       }) {
    Host host;
    host.ranges = {{0x50000, 0x50100, true}, {0x60000, 0x60100, false}};
    Access access{one.address, one.access, 0};
    GridLaunch launch = launch_of(touch, &access, 1, 32);
    launch.window_base = 0x10000;
    launch.window_bytes = 0x10000;
    Grid grid(launch, host);
    EXPECT_EQ(grid.run(), Grid::Progress::finished);
    SCOPED_TRACE(std::to_string(one.address) + " " + std::to_string(one.access));
    EXPECT_EQ(access.answer != 0, one.fault.has_value());
    ASSERT_EQ(grid.fault() != nullptr, one.fault.has_value());
    if (!one.fault) continue;
    EXPECT_EQ(grid.fault()->kind, *one.fault);
    EXPECT_EQ(grid.fault()->address, one.address);
    EXPECT_EQ(grid.fault()->access, one.access);
    EXPECT_EQ(grid.fault()->thread[0], 3u);
  }
}

// Compiled code tests a whole line of addresses, so the lane that asks may well be inside.
TEST(KernelHelpers, CheckAdmitsOffsetsInsideTheirSpace) {
  struct Case {
    uint64_t offset;
    uint32_t access;
    bool admitted;
  };
  for (const Case& one :
       {Case{0, 4 | ptx::access_shared, true},
        Case{60, 4 | ptx::access_shared | ptx::access_write, true},
        Case{64, 4 | ptx::access_shared, false}, Case{0xfffffffc, 4 | ptx::access_shared, false},
        Case{28, 4 | ptx::access_local, true}, Case{32, 4 | ptx::access_local, false}}) {
    Host host;
    Access access{one.offset, one.access, 0};
    GridLaunch launch = launch_of(touch, &access, 1, 32);
    launch.needs.shared_bytes = 64;
    launch.needs.local_bytes = 32;
    Grid grid(launch, host);
    EXPECT_EQ(grid.run(), Grid::Progress::finished);
    EXPECT_EQ(access.answer == 0, one.admitted) << one.offset << " " << one.access;
  }
}

TEST(KernelHelpers, CheckAdmitsTheBlocksOwnMemory) {
  Host host;
  GridLaunch launch = launch_of(
      [](BlockContext* context, uint32_t, uint32_t) {
        uint64_t addresses[32]{};
        addresses[0] = reinterpret_cast<uint64_t>(context->shared) + 60;
        addresses[1] = reinterpret_cast<uint64_t>(context->local) + context->local_stride * 63;
        EXPECT_EQ(context->helpers->check(context, addresses, 3, 4 | ptx::access_write, 0, 0), 0u);
        addresses[0] += 4;
        return context->helpers->check(context, addresses, 1, 4 | ptx::access_write, 0, 0);
      },
      nullptr, 1, 64);
  launch.needs.shared_bytes = 64;
  launch.needs.local_bytes = 16;
  Grid grid(launch, host);
  grid.run();
  ASSERT_NE(grid.fault(), nullptr);
  EXPECT_EQ(grid.fault()->kind, GridFault::Kind::illegal_address);
}

TEST(KernelHelpers, CheckAsksOnceForWhatItKnows) {
  Host host;
  host.ranges = {{0x50000, 0x50100, true}};
  const GridLaunch launch = launch_of(
      [](BlockContext* context, uint32_t, uint32_t) {
        uint64_t addresses[32];
        for (uint64_t lane = 0; lane < 32; ++lane) addresses[lane] = 0x50000 + lane * 4;
        return context->helpers->check(context, addresses, ~0u, 4, 0, 0);
      },
      nullptr, 10, 32);
  Grid grid(launch, host);
  grid.run();
  EXPECT_EQ(grid.fault(), nullptr);
  EXPECT_EQ(host.asked, 1);
}

// What is known of one lane's allocation says nothing of a lane that lies past its end.
TEST(KernelHelpers, CheckFindsTheLanePastTheEnd) {
  Host host;
  host.ranges = {{0x50000, 0x50010, true}, {0x60000, 0x60010, true}};
  const GridLaunch launch = launch_of(
      [](BlockContext* context, uint32_t, uint32_t) {
        uint64_t addresses[32] = {0x50000, 0x50008, 0x60000, 0x60008, 0x50008, 0x50010, 0x50000};
        EXPECT_EQ(context->helpers->check(context, addresses, 0x1f, 8, 0, 0), 0u);
        return context->helpers->check(context, addresses, 0x7f, 8, 0, 0);
      },
      nullptr, 1, 32);
  Grid grid(launch, host);
  grid.run();
  ASSERT_NE(grid.fault(), nullptr);
  EXPECT_EQ(grid.fault()->kind, GridFault::Kind::illegal_address);
  EXPECT_EQ(grid.fault()->address, 0x50010u);
  EXPECT_EQ(grid.fault()->thread[0], 5u);
}

TEST(KernelHelpers, SystemCallsAreTheHosts) {
  Host host;
  const GridLaunch launch = launch_of(
      [](BlockContext* context, uint32_t, uint32_t) {
        uint64_t parameters[32], results[32]{};
        for (uint64_t lane = 0; lane < 32; ++lane) parameters[lane] = lane;
        const auto call = static_cast<uint32_t>(ptx::SystemCall::malloc);
        EXPECT_EQ(context->helpers->system_call(context, call, results, parameters, 1, 0x6, 0, 0),
                  0u);
        EXPECT_EQ(results[0], 0u);
        EXPECT_EQ(results[1], 2u);
        EXPECT_EQ(results[2], 3u);
        return finished;
      },
      nullptr, 1, 32);
  Grid grid(launch, host);
  grid.run();
}

TEST(KernelHelpers, ClocksGoOn) {
  Host host;
  GridLaunch launch = launch_of(
      [](BlockContext* context, uint32_t, uint32_t) {
        const uint64_t clock = kernel_helpers::clock(context);
        const uint64_t time = kernel_helpers::global_timer(context);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        EXPECT_GE(kernel_helpers::clock(context) - clock, 1'980'000u);
        EXPECT_GE(kernel_helpers::global_timer(context) - time, 1'000'000u);
        return finished;
      },
      nullptr, 1, 32);
  launch.clock_khz = 1'980'001;
  Grid grid(launch, host);
  EXPECT_EQ(grid.run(), Grid::Progress::finished);
}

// --- The program's thread ------------------------------------------------------------------------

TEST(Grid, LeavesTheProgramsRounding) {
  Host host;
  const GridLaunch launch = launch_of(
      [](BlockContext*, uint32_t, uint32_t) {
        volatile float tiny = 1.5e-45f;
        volatile float same = tiny * 1.0f;
        EXPECT_NE(same, 0.0f);
        return finished;
      },
      nullptr, 1, 32);
  const unsigned before = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before | 0x8040);  // flush-to-zero and denormals-are-zero
  {
    Grid grid(launch, host);
    grid.run();
  }
  EXPECT_EQ(__builtin_ia32_stmxcsr() & 0x8040, 0x8040u);
  __builtin_ia32_ldmxcsr(before);
}

}  // namespace
}  // namespace cuvette::exec
