// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/block.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <new>

#include "sim/base/rounding.hpp"
#include "sim/exec/permutation.hpp"
#include "sim/ptx/abi/sum_cache.hpp"

namespace cuvette::exec {
namespace {

using ptx::Status;
using ptx::warp_size;

constexpr size_t alignment = 128;  // two cache lines

size_t aligned(size_t bytes, size_t to = alignment) { return align_up(bytes, to); }

// Finished blocks are kept, so that a launch allocates nothing: usually one for each thread that
// runs kernels, and no large one.
constexpr size_t kept_blocks = 64, largest_kept = size_t{4} << 20;
constinit std::array<std::atomic<Block*>, kept_blocks> kept{};

// Returns where the calling thread looks first: its own place, unless there are more threads than
// places.
size_t own_place() {
  static constinit std::atomic<size_t> threads{0};
  [[gnu::tls_model("initial-exec")]] static constinit thread_local size_t place = 0;
  if (place == 0) [[unlikely]]
    place = threads.fetch_add(1, std::memory_order_relaxed) % kept_blocks + 1;
  return place - 1;
}

// How many rounds of barriers in a waiting loop a block makes before other blocks get a turn.
constexpr int most_meetings = 64;

// Fresh memory is NaN, as in memory/fill.hpp.
constexpr uint32_t fresh_pattern = 0x7FFDF00D;

}  // namespace

Block::~Block() {
  ptx::free_sums(&context);
  ::operator delete (memory_, std::align_val_t{alignment});
}

// Runs warps [first, end), then settles the sums that they have cached, because others may read
// them now.
uint32_t Block::enter(ptx::KernelEntry* entry, uint32_t first, uint32_t end) {
  const uint32_t status = entry(&context, first, end);
  if (context.sums_end != 0) ptx::settle_all_sums(&context);
  return status;
}

std::unique_ptr<Block> Block::take(const BlockNeeds& needs, uint32_t threads) {
  const uint32_t warps = (threads + warp_size - 1) / warp_size;
  // Variables rarely ask for more than the memory of a block is aligned to anyway.
  const size_t largest = std::max<size_t>(needs.alignment, alignment);
  const size_t stride = aligned(needs.frame_bytes, 64);
  const size_t frames = aligned(stride * warps);
  const size_t shared = aligned(needs.shared_bytes, largest);
  const size_t local_stride = aligned(needs.local_bytes, needs.alignment);
  // The last `alignment` bytes are there because vector code may read a whole vector at the last
  // element.
  const size_t bytes = frames + (largest - alignment) + shared +
                       aligned(local_stride * warps * warp_size) + alignment;

  std::unique_ptr<Block> block;
  const size_t place = own_place();
  for (size_t i = 0; i < 4 && !block; ++i) {
    std::atomic<Block*>& candidate = kept[(place + i) % kept_blocks];
    if (candidate.load(std::memory_order_relaxed))
      block.reset(candidate.exchange(nullptr, std::memory_order_acquire));
  }
  if (!block) block.reset(new Block);
  if (!block->fits(bytes)) {
    ::operator delete (block->memory_, std::align_val_t{alignment});
    block->memory_ = nullptr;
    block->capacity_ = 0;
    const size_t capacity = std::max<size_t>(bytes, 16 << 10);
    block->memory_ = static_cast<uint8_t*>(::operator new (capacity, std::align_val_t{alignment}));
    block->capacity_ = capacity;
  }
  ptx::BlockContext& context = block->context;
  context.owner = block.get();
  context.frames = block->memory_;
  context.frame_stride = stride;
  const auto behind_frames = reinterpret_cast<uintptr_t>(block->memory_) + frames;
  context.shared = block->memory_ + frames + (aligned(behind_frames, largest) - behind_frames);
  context.shared_bytes = needs.shared_bytes;
  context.local = context.shared + shared;
  context.local_stride = local_stride;
  context.threads = threads;
  context.warps = warps;
  block->fill_shared_ = needs.fill_shared;
  block->any_barrier_ = true;
  block->has_begun_ = false;
  return block;
}

void Block::give_back(std::unique_ptr<Block> block) {
  block->order = 0;
  block->watch = nullptr;
  block->own_watch = nullptr;
  block->counts = nullptr;
  if (block->capacity_ > largest_kept) return;
  const size_t place = own_place();
  for (size_t i = 0; i < 4; ++i) {
    Block* none = nullptr;
    if (kept[(place + i) % kept_blocks].compare_exchange_strong(
            none, block.get(), std::memory_order_release, std::memory_order_relaxed)) {
      static_cast<void>(block.release());  // it is kept now
      return;
    }
  }
}

uint64_t Block::begin(uint64_t index, uint64_t most) {
  if (has_begun_ && index == index_ + 1) {
    // Usually it is the next one; divisions would cost as much as a short block.
    if (++context.ctaid[0] == context.nctaid[0]) {
      context.ctaid[0] = 0;
      if (++context.ctaid[1] == context.nctaid[1]) {
        context.ctaid[1] = 0;
        ++context.ctaid[2];
      }
    }
    if (++context.smid == context.nsmid) context.smid = 0;
  } else {
    const uint64_t row = index / context.nctaid[0];
    context.ctaid[0] = static_cast<uint32_t>(index % context.nctaid[0]);
    context.ctaid[1] = static_cast<uint32_t>(row % context.nctaid[1]);
    context.ctaid[2] = static_cast<uint32_t>(row / context.nctaid[1]);
    context.smid = static_cast<uint32_t>(index % context.nsmid);
  }
  index_ = index;
  has_begun_ = true;
  if (fill_shared_)
    for (uint64_t at = 0; at + 4 <= context.shared_bytes; at += 4)
      memcpy(context.shared + at, &fresh_pattern, 4);
  if (watch) own_watch = watch->begins(*this, std::move(own_watch));
  const bool one_by_one = context.frame_stride != 0 || fill_shared_ || watch || order != 0;
  const uint32_t rest_of_row = context.nctaid[0] - context.ctaid[0];
  context.row_blocks =
      one_by_one ? 1 : static_cast<uint32_t>(std::min<uint64_t>(most, rest_of_row));
  index_ += context.row_blocks - 1;
  if (context.frame_stride == 0) return context.row_blocks;
  alive_ = runnable_ = context.warps >= 32 ? ~uint32_t{0} : (uint32_t{1} << context.warps) - 1;
  for (uint32_t warp = 0; warp < context.warps; ++warp) frame(warp) = {};
  if (any_barrier_) memset(barriers_, 0, sizeof barriers_);
  any_barrier_ = false;
  return context.row_blocks;
}

void Block::release_if_complete(Barrier& barrier) {
  if (barrier.arrived == 0 && barrier.expected == 0) {
    // Usually all warps are expected.
    if (barrier.waiting == 0 || barrier.waiting != alive_) return;
  } else {
    const uint32_t expected = barrier.expected
                                  ? barrier.expected
                                  : static_cast<uint32_t>(std::popcount(alive_)) * warp_size;
    // "The number of threads is a multiple of the warp's size": a warp counts as a whole.
    const uint32_t arrived =
        barrier.arrived + static_cast<uint32_t>(std::popcount(barrier.waiting)) * warp_size;
    if (arrived == 0 || arrived < expected) return;
  }
  if (barrier.reduces) reduce(barrier);
  if (watch) [[unlikely]]
    watch->meet(*this, static_cast<uint32_t>(&barrier - barriers_), barrier.waiting,
                barrier.expected == 0 || barrier.expected >= context.threads);
  runnable_ |= barrier.waiting;
  barrier = {};
}

// Gives the waiting warps the result of bar.red.
void Block::reduce(const Barrier& barrier) {
  uint32_t count = 0;
  bool all = true;
  for (uint32_t left = barrier.waiting; left != 0; left &= left - 1) {
    const ptx::WarpFrame& one = frame(static_cast<uint32_t>(std::countr_zero(left)));
    count += static_cast<uint32_t>(std::popcount(one.predicate & one.lanes));
    all = all && (one.predicate & one.lanes) == one.lanes;
  }
  for (uint32_t left = barrier.waiting; left != 0; left &= left - 1) {
    ptx::WarpFrame& one = frame(static_cast<uint32_t>(std::countr_zero(left)));
    switch (one.reduction) {
      case 1:
        one.result = count;
        break;
      case 2:
        one.result = all;
        break;
      case 3:
        one.result = count > 0;
        break;
      default:
        break;
    }
  }
}

void Block::wait(uint32_t warp) {
  const ptx::WarpFrame& waiting = frame(warp);
  any_barrier_ = true;
  Barrier& barrier = barriers_[waiting.barrier % barriers];
  const uint32_t bit = uint32_t{1} << warp;
  runnable_ &= ~bit;
  barrier.waiting |= bit;
  if (waiting.barrier_threads) barrier.expected = waiting.barrier_threads;
  if (waiting.reduction) barrier.reduces = true;
  release_if_complete(barrier);
}

void Block::arrive(uint32_t number, uint32_t threads, uint32_t mask, uint32_t warp) {
  any_barrier_ = true;
  if (watch) watch->arrives(*this, number % barriers, mask, warp);
  Barrier& barrier = barriers_[number % barriers];
  barrier.arrived += warp_size;
  if (threads) barrier.expected = threads;
  release_if_complete(barrier);
}

uint32_t Block::next_warp(uint32_t round) const {
  if (order == 0) [[likely]]
    return static_cast<uint32_t>(std::countr_zero(round));
  const Permutation warps(order, context.warps, context.warps);
  uint64_t place = 0;
  while ((round >> warps.at(place) & 1) == 0) ++place;
  return static_cast<uint32_t>(warps.at(place));
}

// Runs a block of warps that never wait.
Block::Turn Block::run_whole(ptx::KernelEntry* entry) {
  moved_ = true;
  constexpr auto finished = static_cast<uint32_t>(Status::finished);
  if (order == 0) [[likely]]
    return enter(entry, 0, context.warps) == finished ? Turn::finished : Turn::stopped;
  const Permutation warps(order, context.warps, context.warps);
  for (uint64_t place = 0; place < context.warps; ++place) {
    const auto warp = static_cast<uint32_t>(warps.at(place));
    if (enter(entry, warp, warp + 1) != finished) return Turn::stopped;
  }
  return Turn::finished;
}

Block::Turn Block::run(ptx::KernelEntry* entry) {
  moved_ = slept_ = met_ = false;
  if (context.frame_stride == 0) return run_whole(entry);
  // A warp that spins may wait for a later warp, so the block is left only after two rounds in
  // which nothing moved. Warps that meet at barriers in a waiting loop get more rounds.
  for (int idle = 0, meetings = 0; idle < 2 && meetings < most_meetings;) {
    if (runnable_ == 0) return alive_ == 0 ? Turn::finished : Turn::stuck;
    bool moved = false, met = false;
    uint32_t warp;
    for (uint32_t round = runnable_; round != 0; round &= ~(uint32_t{1} << warp)) {
      warp = next_warp(round);
      switch (static_cast<Status>(enter(entry, warp, warp + 1))) {
        case Status::finished:
          moved = true;
          alive_ &= ~(uint32_t{1} << warp);
          runnable_ &= ~(uint32_t{1} << warp);
          // The others no longer wait for it.
          if (any_barrier_)
            for (Barrier& barrier : barriers_)
              if (barrier.waiting && !barrier.expected) release_if_complete(barrier);
          break;
        case Status::barrier:
          moved = true;
          wait(warp);
          break;
        case Status::barrier_in_wait:
          met = true;
          wait(warp);
          break;
        case Status::asleep:
          slept_ = true;
          break;
        case Status::yielded:
          break;
        case Status::stopped:
          return Turn::stopped;
      }
    }
    moved_ = moved_ || moved;
    met_ = met_ || met;
    idle = moved || met ? 0 : idle + 1;
    meetings = moved ? 0 : meetings + (met ? 1 : 0);
  }
  return Turn::yielded;
}

}  // namespace cuvette::exec
