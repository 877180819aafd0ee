// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/grid.hpp"

#include <x86intrin.h>

#include <algorithm>
#include <utility>

#include "sim/exec/grid_counts.hpp"
#include "sim/exec/grid_tracks.hpp"
#include "sim/exec/poller.hpp"
#include "sim/exec/scheduler.hpp"
#include "sim/exec/spinner.hpp"
#include "sim/os/clock.hpp"
#include "sim/os/device_access.hpp"

namespace cuvette::exec {
namespace {

using ptx::Status;

// In nanoseconds. Other threads join a grid that takes longer than calling them does.
constexpr int64_t worth_helpers_ns = 10'000;
// How long a thread stays with blocks that all wait: the first time, once the grid has been left
// before, and while other queues want the thread.
constexpr int64_t first_linger = 30'000, later_linger = 5'000, wanted_linger = 2'000;
// The same if the blocks may make progress: long enough for the pauses not to matter.
constexpr int64_t work_linger = 1'000'000, wanted_work_linger = 50'000, longest_work_pause = 60'000;
// Under a schedule time must not decide: a grid is left after this many warps had a turn in vain.
constexpr uint64_t turns_under_schedule = 4096;
// How long a waiting grid is left alone: a fraction of the wait so far.
constexpr int64_t shortest_pause = 5'000, longest_pause = 1'000'000, part_of_wait = 16;

constexpr uint32_t turns_before_yield = 64;

// How long a lone thread runs before it looks at the time again (some 2 µs), and how many blocks.
constexpr uint64_t cycles_between_looks = 5'000, most_between_looks = 32;

// Some 20 µs, after which the workers should join.
constexpr uint64_t cycles_worth_helpers = 50'000;

// Gives a thread what it needs to run device code, and afterwards restores the program's rounding.
class DeviceCodeScope {
 public:
  DeviceCodeScope() : rounding_(_mm_getcsr()) {
    constexpr unsigned standard = 0x1f80;  // all exceptions masked, to nearest, no flushing
    if (rounding_ != standard) _mm_setcsr(standard);
  }
  ~DeviceCodeScope() { _mm_setcsr(rounding_); }
  DeviceCodeScope(const DeviceCodeScope&) = delete;
  DeviceCodeScope& operator=(const DeviceCodeScope&) = delete;

  os::DeviceAccess access;
  os::FaultScope scope;

 private:
  const unsigned rounding_;
};

// A pause that is over at a certain time; the poller watches it.
class TimedPause final : public Polled {
 public:
  explicit TimedPause(int64_t until) : until_(until) {}
  bool look() override { return os::now_ns() >= until_; }

 private:
  ~TimedPause() override = default;
  const int64_t until_;
};

}  // namespace

Grid::Grid(const GridLaunch& launch, GridHost& host)
    : launch_(launch),
      host_(host),
      count_(uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2]),
      threads_(launch.block[0] * launch.block[1] * launch.block[2]),
      // Blocks that never wait need no room beside each other.
      order_(launch.order, count_, launch.needs.frame_bytes == 0 ? count_ : launch.most_resident) {
  workspace_[0] = sizeof workspace_;
}

Grid::~Grid() {
  if (launch_.needs.frame_bytes == 0) return;  // no block waits
  while (std::unique_ptr<Block> block = take_parked()) Block::give_back(std::move(block));
}

// --- Who runs it ---------------------------------------------------------------------------------

bool Grid::worth_helpers(bool takes_long) const {
  // Under a schedule one thread does everything, in one order; so it is in a watched grid.
  if (Scheduler::get() || launch_.watch || !Workers::started()) return false;
  const uint64_t left = count_ - std::min(count_, next_.load(std::memory_order_relaxed)) +
                        resident_.load(std::memory_order_relaxed);
  if (left < 2) return false;
  if (takes_long || !launch_.block_ns) return takes_long;
  // A kernel's first blocks may be long ones.
  const uint32_t each = launch_.block_ns->load(std::memory_order_relaxed);
  return each == 0 || each * left > worth_helpers_ns;
}

Grid::Progress Grid::run() {
  moved_at_.store(0, std::memory_order_relaxed);
  const auto done = [this] {
    return stopped() || finished_.load(std::memory_order_acquire) == count_;
  };
  bool with_helpers = worth_helpers(false);
  if (!with_helpers) {
    participate(true);
    // participate() may have returned because the grid takes long and others could help.
    with_helpers = !done() && next_.load(std::memory_order_relaxed) < count_ && worth_helpers(true);
  }
  if (with_helpers) {
    const uint64_t members = std::min<uint64_t>(count_, Workers::get().count() + 1);
    if (launch_.needs.frame_bytes == 0)
      chunk_ = std::clamp<uint64_t>(count_ / (members * 16), 1, 64);
    Workers::get().run_pieces(members, *this);
  }
  return done() ? Progress::finished : Progress::waiting;
}

void Grid::run(size_t) { participate(false); }

void Grid::participate(bool alone) {
  if (stopped()) return;
  if (launch_.needs.frame_bytes == 0) {
    run_whole_blocks(alone);
  } else {
    run_steps(alone);
  }
}

void Grid::note_time(int64_t begun, uint64_t done) {
  if (!timed() || done == 0) return;
  const int64_t each = (os::now_ns() - begun) / static_cast<int64_t>(done);
  launch_.block_ns->store(static_cast<uint32_t>(std::clamp<int64_t>(each, 1, 1 << 30)),
                          std::memory_order_relaxed);
}

Edge Grid::pause() {
  const int64_t now = os::now_ns();
  if (waiting_turns_.fetch_add(1, std::memory_order_relaxed) == 0) waiting_since_ = now;
  const int64_t length =
      std::clamp((now - waiting_since_) / part_of_wait, shortest_pause,
                 at_work_.load(std::memory_order_relaxed) ? longest_work_pause : longest_pause);
  // Without a poller there is no edge, so the queue is offered again at once.
  if (!Poller::get().start().ok()) return {};
  auto pause = make_ref<TimedPause>(now + length);
  Poller::get().watch(pause);
  return {std::move(pause), 1};
}

void Grid::has_moved() {
  waiting_turns_.store(0, std::memory_order_relaxed);
  waiting_since_ = os::now_ns();
}

int64_t Grid::waited_ns() const { return os::now_ns() - waiting_since_; }

// --- Blocks --------------------------------------------------------------------------------------

std::unique_ptr<Block> Grid::make_block() {
  std::unique_ptr<Block> block = Block::take(launch_.needs, threads_);
  block->grid = this;
  block->watch = launch_.watch;
  block->order = launch_.order;
  ptx::BlockContext& context = block->context;
  context.parameters = reinterpret_cast<const uint8_t*>(launch_.parameters.data());
  context.window_base = launch_.window_base;
  context.window_bytes = launch_.window_bytes;
  if (launch_.tracks) std::copy_n(launch_.tracks->planes(), ptx::TrackPlane::count, context.tracks);
  context.symbols = launch_.symbols;
  context.helpers = launch_.helpers;
  std::copy_n(launch_.block, 3, context.ntid);
  std::copy_n(launch_.grid, 3, context.nctaid);
  context.dynamic_shared_bytes = launch_.dynamic_shared_bytes;
  context.nsmid = launch_.multiprocessors;
  context.grid_id = launch_.grid_id;
  const auto workspace = launch_.cooperative ? reinterpret_cast<uint64_t>(workspace_) : uint64_t{0};
  context.envreg[0] = 0;
  context.envreg[1] = static_cast<uint32_t>(workspace >> 32);
  context.envreg[2] = static_cast<uint32_t>(workspace);
  context.envreg[3] = 0;
  // A cluster of one block.
  std::fill_n(context.cluster_nctaid, 3, 1u);
  std::fill_n(context.cluster_ctaid, 3, 0u);
  context.explicit_cluster = 0;
  context.yields = turns_before_yield;
  return block;
}

Block::Turn Grid::take_turn(Block& block, os::FaultScope& scope) {
  scope.keep(&block.context.ctaid[0]);
  if (launch_.counts) [[unlikely]] {
    block.counts = &launch_.counts->of_this_thread();
    block.context.counters = block.counts->counters.data();
  }
  Block::Turn turn = block.run(launch_.entry);
  if (scope.faulted()) [[unlikely]] {
    GridFault fault = fault_of(block, GridFault::Kind::lost_page, 0, 0, 0);
    fault.memory = scope.first();
    fault.address = fault.memory.address;
    fault.block[0] = scope.kept();  // the block has gone on with its row since
    stop(std::move(fault));
    return Block::Turn::stopped;
  }
  if (turn == Block::Turn::stuck) {
    stop(fault_of(block, GridFault::Kind::stuck, 0, 0, 0));
    turn = Block::Turn::stopped;
  }
  return turn;
}

uint64_t Grid::take_chunk(bool alone, uint64_t blocks) {
  if (!alone) return next_.fetch_add(blocks, std::memory_order_relaxed);
  const uint64_t first = next_.load(std::memory_order_relaxed);
  next_.store(first + blocks, std::memory_order_relaxed);
  return first;
}

void Grid::run_whole_blocks(bool alone) {
  const int64_t begun = timed() ? os::now_ns() : 0;
  const uint64_t begun_cycles = alone && count_ > 1 ? __rdtsc() : 0;
  std::unique_ptr<Block> block;
  uint64_t done = 0, chunk = chunk_;
  {
    DeviceCodeScope code;
    while (!stopped()) {
      const uint64_t first = take_chunk(alone, chunk);
      if (first >= count_) break;
      const uint64_t end = std::min(first + chunk, count_);
      if (!block) block = make_block();
      for (uint64_t index = first; index < end;) {
        const uint64_t blocks = block->begin(order_.at(index), end - index);
        if (take_turn(*block, code.scope) != Block::Turn::finished) break;
        index += blocks;
        done += blocks;
      }
      if (!begun_cycles || done == 0) continue;
      const uint64_t cycles = __rdtsc() - begun_cycles;
      if (cycles > cycles_worth_helpers && worth_helpers(true)) break;
      // The blocks to come may take longer.
      chunk = std::clamp<uint64_t>(cycles_between_looks * done / (cycles + 1), 1,
                                   std::min(2 * chunk, most_between_looks));
    }
  }
  if (block) Block::give_back(std::move(block));
  if (done == 0) return;
  if (alone) {
    finished_.store(finished_.load(std::memory_order_relaxed) + done, std::memory_order_relaxed);
  } else {
    finished_.fetch_add(done, std::memory_order_release);
  }
  note_time(begun, done);
}

void Grid::park(std::unique_ptr<Block> block) {
  MutexLock lock(mutex_);
  Block* const last = block.release();
  last->next_parked = nullptr;
  (last_parked_ ? last_parked_->next_parked : first_parked_) = last;
  last_parked_ = last;
}

std::unique_ptr<Block> Grid::take_parked() {
  MutexLock lock(mutex_);
  std::unique_ptr<Block> block(first_parked_);
  if (!block) return nullptr;
  first_parked_ = block->next_parked;
  if (!first_parked_) last_parked_ = nullptr;
  return block;
}

// Returns whether to look again at blocks that all wait.
bool Grid::linger(bool at_work) {
  const int64_t now = os::now_ns();
  int64_t since = moved_at_.load(std::memory_order_relaxed);
  if (since == 0) {
    moved_at_.compare_exchange_strong(since, now, std::memory_order_relaxed);
    return true;
  }
  const bool wanted =
      Oversubscription::seen(now) || (Workers::started() && Workers::get().wanted());
  const bool later = waiting_turns_.load(std::memory_order_relaxed) != 0;
  const int64_t span = at_work  ? (wanted ? wanted_work_linger : work_linger)
                       : wanted ? wanted_linger
                       : later  ? later_linger
                                : first_linger;
  if (now - since > span) return false;
  pause_processor();
  return true;
}

void Grid::run_steps(bool alone) {
  const int64_t begun = timed() ? os::now_ns() : 0;
  const uint64_t begun_cycles = alone && count_ > 1 ? __rdtsc() : 0;
  const bool scheduled = Scheduler::get() != nullptr;
  const uint64_t least_idle = scheduled ? turns_under_schedule * 32 / (threads_ + 31) : 0;
  uint64_t done = 0, idle = 0;
  std::unique_ptr<Block> spare;
  bool parked_first = true, at_work = false;
  {
    DeviceCodeScope code;
    while (!stopped()) {
      // Waiting blocks and new ones take turns: a new one may be what the others wait for, and a
      // waiting one should not have to wait until all have begun.
      std::unique_ptr<Block> block;
      bool fresh = false;
      if (parked_first) block = take_parked();
      if (!block && next_.load(std::memory_order_relaxed) < count_) {
        if (resident_.fetch_add(1, std::memory_order_relaxed) < launch_.most_resident) {
          const uint64_t index = next_.fetch_add(1, std::memory_order_relaxed);
          if (index < count_) {
            block = spare ? std::move(spare) : make_block();
            block->begin(order_.at(index));
            fresh = true;
          }
        }
        if (!block) resident_.fetch_sub(1, std::memory_order_relaxed);
      }
      if (!block && !parked_first) block = take_parked();
      if (!block) break;  // others have what is left
      switch (take_turn(*block, code.scope)) {
        case Block::Turn::finished:
          resident_.fetch_sub(1, std::memory_order_relaxed);
          spare = std::move(block);
          ++done;
          idle = 0;
          break;
        case Block::Turn::yielded: {
          // A sleeping warp goes on by itself, and under a schedule nothing else runs before this
          // work ends.
          const bool moved = fresh || block->moved() || (scheduled && block->slept());
          at_work = at_work || block->met() || block->slept();
          park(std::move(block));
          idle = moved ? 0 : idle + 1;
          break;
        }
        case Block::Turn::stopped:
        case Block::Turn::stuck:
          break;
      }
      parked_first = !parked_first;
      if (begun_cycles && __rdtsc() - begun_cycles > cycles_worth_helpers &&
          next_.load(std::memory_order_relaxed) < count_ && worth_helpers(true))
        break;
      if (idle == 0) {
        // linger() counts from here; it need not be exact.
        if (moved_at_.load(std::memory_order_relaxed) != 0)
          moved_at_.store(0, std::memory_order_relaxed);
        if (waiting_turns_.load(std::memory_order_relaxed) != 0)
          waiting_turns_.store(0, std::memory_order_relaxed);
        at_work = false;
      } else if (idle > std::max(least_idle, resident_.load(std::memory_order_relaxed))) {
        idle = 1;
        at_work_.store(at_work, std::memory_order_relaxed);
        if (scheduled || !linger(at_work)) break;
      }
    }
  }
  if (spare) Block::give_back(std::move(spare));
  if (done == 0) return;
  finished_.fetch_add(done, std::memory_order_release);
  note_time(begun, done);
}

// --- What helpers ask ----------------------------------------------------------------------------

GridFault Grid::fault_of(const Block& block, GridFault::Kind kind, uint32_t warp, uint32_t lane,
                         uint64_t location) const {
  GridFault fault;
  fault.kind = kind;
  std::copy_n(block.context.ctaid, 3, fault.block);
  const uint32_t thread = warp * ptx::warp_size + lane;
  fault.thread[0] = thread % launch_.block[0];
  fault.thread[1] = thread / launch_.block[0] % launch_.block[1];
  fault.thread[2] = thread / (launch_.block[0] * launch_.block[1]);
  fault.location = location;
  return fault;
}

uint32_t Grid::stop(GridFault fault) {
  if (!faulting_.exchange(true, std::memory_order_acq_rel)) {
    fault_ = std::move(fault);
    stopped_.store(true, std::memory_order_release);
  }
  return static_cast<uint32_t>(Status::stopped);
}

std::optional<GridRange> Grid::range_of(uint64_t address, bool write) {
  const auto workspace = reinterpret_cast<uint64_t>(workspace_);
  if (launch_.cooperative && address - workspace < sizeof workspace_)
    return GridRange{workspace, workspace + sizeof workspace_, true};
  const auto parameters = reinterpret_cast<uint64_t>(launch_.parameters.data());
  const uint64_t parameter_bytes = launch_.parameters.size();
  if (!write && address - parameters < parameter_bytes)  // cvta.param gives a kernel their address
    return GridRange{parameters, parameters + parameter_bytes, false};
  const unsigned count = known_count_.load(std::memory_order_acquire);
  for (unsigned i = 0; i < count; ++i) {
    const GridRange& known = known_[i];
    if (address >= known.begin && address < known.end && (!write || known.writable)) return known;
  }
  const std::optional<GridRange> range = host_.range_of(address, write);
  if (!range || !range->lasts) return range;
  // Only the first few are kept; a kernel that uses more looks the others up each time.
  MutexLock lock(mutex_);
  const unsigned place = known_count_.load(std::memory_order_relaxed);
  if (place == known_ranges) return range;
  known_[place] = *range;
  known_count_.store(place + 1, std::memory_order_release);
  return range;
}

std::optional<GridRange> Grid::readable(const Block& block, uint64_t address) {
  const ptx::BlockContext& context = block.context;
  const auto in = [&](uint64_t begin, uint64_t bytes) -> std::optional<GridRange> {
    if (address - begin >= bytes) return std::nullopt;
    return GridRange{begin, begin + bytes, true};
  };
  if (auto range = in(context.window_base, context.window_bytes)) return range;
  if (auto range = in(reinterpret_cast<uint64_t>(context.shared), context.shared_bytes))
    return range;
  if (auto range = in(reinterpret_cast<uint64_t>(context.local),
                      context.local_stride * context.warps * ptx::warp_size))
    return range;
  return range_of(address, false);
}

}  // namespace cuvette::exec
