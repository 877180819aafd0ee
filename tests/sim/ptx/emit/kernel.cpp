// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/ptx/emit/kernel.hpp"

#include <sys/mman.h>

#include <cmath>
#include <cstdlib>
#include <memory>

#include "sim/ptx/abi/lines.hpp"
#include "sim/ptx/abi/sum_cache.hpp"

extern "C" cuvette::ptx::CompileFunction cuvette_jit_compile;

namespace cuvette::ptx::test {

struct KernelHelpers {
  static uint32_t check(BlockContext* block, const uint64_t* addresses, uint32_t mask,
                        uint32_t access, uint32_t warp, uint64_t location) {
    auto* const kernel = static_cast<Kernel*>(block->owner);
    // A lane is judged by its offset in the space, whatever other lanes do.
    const uint64_t bytes = access_bytes(access);
    uint64_t limit = kernel->window_bytes_, base = kernel->window_;
    if (access & access_shared) limit = block->shared_bytes, base = 0;
    if (access & access_local) limit = kernel->local_bytes(), base = 0;
    uint32_t bad = 0;
    for (uint32_t lane = 0; lane < warp_size; ++lane) {
      const uint64_t at = addresses[lane] - base;
      if ((mask >> lane & 1) && (at % bytes != 0 || at > limit - bytes || limit < bytes))
        bad |= 1u << lane;
    }
    if (!bad) return 0;
    const uint64_t first = addresses[__builtin_ctz(bad)];
    kernel->faults_.push_back({bad, access, warp, location, first});
    return static_cast<uint32_t>(Status::stopped);
  }
  static uint32_t trap(BlockContext* block, uint32_t mask, uint32_t warp, uint64_t location) {
    static_cast<Kernel*>(block->owner)->faults_.push_back({mask, 0, warp, location, 0});
    return static_cast<uint32_t>(Status::stopped);
  }
  static uint32_t wild_call(BlockContext* block, const uint64_t* addresses, uint32_t mask,
                            uint32_t warp, uint64_t location) {
    static_cast<Kernel*>(block->owner)
        ->faults_.push_back({mask, 0, warp, location, addresses[__builtin_ctz(mask)]});
    return static_cast<uint32_t>(Status::stopped);
  }
  static uint32_t system_call(BlockContext* block, uint32_t function, uint64_t* results,
                              const uint64_t* parameters, uint32_t count, uint32_t mask,
                              uint32_t warp, uint64_t location) {
    for (uint32_t lane = 0; lane < warp_size; ++lane)
      results[lane] = function * 1000 + count + (count ? parameters[lane] : 0);
    return 0;
  }
  static uint32_t arrive(BlockContext*, uint32_t, uint32_t, uint32_t, uint32_t) { return 0; }
  static uint64_t clock(BlockContext*) {
    static uint64_t now = 0;
    return now += 1000;
  }
  static uint32_t texture(BlockContext*, uint32_t, const uint64_t*, const uint32_t*, uint32_t*,
                          uint32_t, uint32_t, uint64_t) {
    return static_cast<uint32_t>(Status::stopped);
  }
  static void leave_tracks(BlockContext* block, const uint64_t* addresses, uint32_t mask,
                           uint32_t access, uint32_t number) {
    const uint32_t plane = track_plane(access), bytes = access_bytes(access);
    const TrackPlane& here = static_cast<Kernel*>(block->owner)->tracks_[plane];
    for (uint32_t lane = 0; lane < warp_size; ++lane) {
      if (!(mask >> lane & 1)) continue;
      const uint64_t address = addresses[lane];
      const uint64_t shared = address - reinterpret_cast<uint64_t>(block->shared);
      if (shared < block->shared_bytes) continue;
      for (uint64_t at = address; at < address + bytes; ++at) {
        TrackPlane::byte(here.tracks, at >> track_shift(plane)) = static_cast<uint8_t>(number);
        TrackPlane::byte(here.stretches, at >> TrackPlane::stretch_shift) = 1;
        TrackPlane::byte(here.regions, at >> TrackPlane::region_shift) = 1;
      }
    }
  }
  static void count_access(BlockContext* block, const uint64_t* addresses, uint32_t mask,
                           uint32_t access, uint32_t counter) {
    auto& all = static_cast<Kernel*>(block->owner)->counted_;
    Kernel::CountedAccess& one = all.emplace_back();
    one.counter = counter, one.mask = mask, one.access = access;
    std::copy_n(addresses, warp_size, one.addresses);
  }
  static void count_line(BlockContext* block, uint64_t begin, uint64_t middle, uint32_t stride,
                         uint32_t mask, uint32_t access, uint32_t counter) {
    uint64_t addresses[warp_size];
    for (uint32_t lane = 0; lane < warp_size; ++lane) {
      addresses[lane] = (lane < 16 ? begin : middle) + uint64_t{lane % 16} * stride;
      if (access & access_shared) addresses[lane] &= UINT32_MAX;
    }
    count_access(block, addresses, mask, access, counter);
  }
  static void math(uint32_t function, void* results, const void* a, const void* b, const void* c,
                   uint32_t mask) {
    for (uint32_t lane = 0; lane < warp_size; ++lane) {
      if (!(mask >> lane & 1)) continue;
      const auto number = [lane]<typename T>(const void* from, T) {
        return static_cast<const T*>(from)[lane];
      };
      if (function == static_cast<uint32_t>(MathFunction::fma_f32))
        static_cast<float*>(results)[lane] =
            std::fma(number(a, 0.f), number(b, 0.f), number(c, 0.f));
      else
        static_cast<double*>(results)[lane] = std::fma(number(a, 0.), number(b, 0.), number(c, 0.));
    }
  }
};

namespace {

constexpr int most_turns = 1'000'000;

// No kernel of these tests is watched.
constexpr Helpers helpers = {
    .check = KernelHelpers::check,
    .trap = KernelHelpers::trap,
    .breakpoint = KernelHelpers::trap,
    .wild_call = KernelHelpers::wild_call,
    .system_call = KernelHelpers::system_call,
    .barrier_arrive = KernelHelpers::arrive,
    .clock = KernelHelpers::clock,
    .global_timer = KernelHelpers::clock,
    .texture = KernelHelpers::texture,
    .surface = KernelHelpers::texture,
    .math = KernelHelpers::math,
    .check_line = check_line,
    .move_line = move_line,
    .add_sums = add_sums,
    .add_to_each = add_to_each,
    .add_sum = add_sum,
    .settle_sums = settle_sums,
    .settle_all_sums = settle_all_sums,
    .watch = nullptr,
    .watch_line = nullptr,
    .note_line = nullptr,
    .watch_order = nullptr,
    .outside = nullptr,
    .taint_load = nullptr,
    .taint_line = nullptr,
    .taint_store = nullptr,
    .taint_use = nullptr,
    .leave_tracks = KernelHelpers::leave_tracks,
    .access_bulk = nullptr,
    .count_access = KernelHelpers::count_access,
    .count_line = KernelHelpers::count_line,
};

}  // namespace

std::vector<Vectors> vectors_here() {
  std::vector<Vectors> all{Vectors::sse};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) all.push_back(Vectors::avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    all.push_back(Vectors::avx512);
  return all;
}

std::string name_of(Vectors vectors) {
  return vectors == Vectors::sse ? "sse" : vectors == Vectors::avx2 ? "avx2" : "avx512";
}

Kernel::Kernel(std::string_view text, std::string_view entry, Vectors vectors, Grid grid,
               CompileRequest request)
    : grid_(grid) {
  // Lets the whole suite run in the tier that compiles quickly.
  if (std::getenv("CUVETTE_TEST_QUICKLY")) request.most_optimised = 0;
  request.text = text;
  request.entry = entry;
  request.vectors = vectors;
  request.block = BlockClass::of(grid.threads[0], grid.threads[1], grid.threads[2]);
  cuvette_jit_compile(request, compiled_);
  EXPECT_EQ(compiled_.error, "") << "line " << compiled_.error_line << " at '"
                                 << compiled_.error_token << "'";
  if (compiled_.code.empty()) return;
  code_bytes_ = compiled_.code.size();
  code_ = mmap(nullptr, code_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::memcpy(code_, compiled_.code.data(), code_bytes_);
  EXPECT_EQ(mprotect(code_, code_bytes_, PROT_READ | PROT_EXEC), 0);
}

Kernel::~Kernel() {
  if (code_) munmap(code_, code_bytes_);
}

// A block that has begun, with its memory.
struct Kernel::Resident {
  BlockContext block;
  std::vector<uint64_t> shared = {}, local = {};
  std::vector<uint8_t> frames = {};
  std::vector<Status> states = {};  // of warps

  ~Resident() { free_sums(&block); }
};

Status Kernel::run(const void* parameters) {
  if (!code_) return Status::stopped;
  std::vector<uint64_t> symbols;
  for (const std::string& name : compiled_.symbols) {
    uint64_t address = 0;
    for (const auto& [known, place] : places_)
      if (known == name) address = reinterpret_cast<uint64_t>(place);
    symbols.push_back(address);
  }
  BlockContext block{};
  block.parameters = static_cast<const uint8_t*>(parameters);
  block.helpers = &helpers;
  block.symbols = symbols.data();
  block.window_base = window_;
  block.window_bytes = window_bytes_;
  block.owner = this;
  std::copy_n(tracks_, TrackPlane::count, block.tracks);
  counters_.resize(compiled_.counters);
  block.counters = counters_.data();
  block.dynamic_shared_bytes = grid_.dynamic_shared;
  for (int d = 0; d < 3; ++d) {
    block.ntid[d] = grid_.threads[d];
    block.nctaid[d] = grid_.blocks[d];
    block.cluster_nctaid[d] = 1;
  }
  block.threads = grid_.threads[0] * grid_.threads[1] * grid_.threads[2];
  block.warps = (block.threads + warp_size - 1) / warp_size;
  block.nsmid = 1;
  Status status = Status::finished;
  std::vector<std::unique_ptr<Resident>> residents;
  for (block.ctaid[2] = 0; block.ctaid[2] < grid_.blocks[2]; ++block.ctaid[2])
    for (block.ctaid[1] = 0; block.ctaid[1] < grid_.blocks[1]; ++block.ctaid[1])
      for (block.ctaid[0] = 0; block.ctaid[0] < grid_.blocks[0]; ++block.ctaid[0]) {
        // Entries without frames go through the rest of the row by themselves.
        block.row_blocks = grid_.blocks[0] - block.ctaid[0];
        if (grid_.at_once && compiled_.frame_bytes > 0) {
          residents.emplace_back(new Resident{block});
          begin(*residents.back());
        } else if (status != Status::stopped) {
          status = run_block(block);
        }
      }
  for (int turns = 0; !residents.empty(); ++turns) {
    if (turns == most_turns) return Status::yielded;
    std::erase_if(residents, [&](const auto& one) {
      const std::optional<Status> ended = turn(*one);
      if (ended == Status::stopped) status = Status::stopped;
      return ended.has_value();
    });
  }
  return status;
}

Status Kernel::enter(BlockContext& block, uint32_t first, uint32_t end) {
  auto* const entry =
      reinterpret_cast<KernelEntry*>(static_cast<uint8_t*>(code_) + compiled_.entry_offset);
  const auto status = static_cast<Status>(entry(&block, first, end));
  settle_all_sums(&block);
  return status;
}

void Kernel::begin(Resident& one) {
  BlockContext& block = one.block;
  const uint32_t shared_bytes =
      compiled_.shared_reserved + compiled_.shared_bytes + grid_.dynamic_shared;
  one.shared.resize((shared_bytes + 64) / 8);
  one.local.resize(block.warps * warp_size * (local_bytes() + 8) / 8);
  one.frames.resize(block.warps * compiled_.frame_bytes + 128);
  one.states.assign(block.warps, Status::yielded);
  block.shared = reinterpret_cast<uint8_t*>(one.shared.data());
  block.shared_bytes = shared_bytes;
  block.local = reinterpret_cast<uint8_t*>(one.local.data());
  block.local_stride = local_bytes();
  block.frames = reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(one.frames.data()) + 63) &
                                            ~uintptr_t{63});
  block.frame_stride = compiled_.frame_bytes;
}

// Lets each warp of the block run once. Empty: it goes on.
std::optional<Status> Kernel::turn(Resident& one) {
  BlockContext& block = one.block;
  std::vector<Status>& states = one.states;
  const auto frame_of = [&](uint32_t warp) -> WarpFrame& {
    return *reinterpret_cast<WarpFrame*>(block.frames + warp * block.frame_stride);
  };
  uint32_t waiting = 0, finished = 0, votes = 0, lanes = 0;
  for (uint32_t warp = 0; warp < block.warps; ++warp) {
    if (states[warp] == Status::yielded) states[warp] = enter(block, warp, warp + 1);
    if (states[warp] == Status::asleep) states[warp] = Status::yielded;
    if (states[warp] == Status::barrier_in_wait) states[warp] = Status::barrier;
    if (states[warp] == Status::stopped) return Status::stopped;
    finished += states[warp] == Status::finished;
    if (states[warp] != Status::barrier) continue;
    ++waiting;
    votes += static_cast<uint32_t>(__builtin_popcount(frame_of(warp).predicate));
    lanes += static_cast<uint32_t>(__builtin_popcount(frame_of(warp).lanes));
  }
  if (finished == block.warps) return Status::finished;
  if (waiting + finished < block.warps) return {};
  for (uint32_t warp = 0; warp < block.warps; ++warp) {
    if (states[warp] != Status::barrier) continue;
    WarpFrame& frame = frame_of(warp);
    frame.result = frame.reduction == 1 ? votes : frame.reduction == 2 ? votes == lanes : votes > 0;
    states[warp] = Status::yielded;
  }
  return {};
}

Status Kernel::run_block(BlockContext& block) {
  Resident one{block};
  begin(one);
  if (compiled_.frame_bytes == 0) {
    const Status status = enter(one.block, 0, block.warps);
    std::ranges::copy(one.block.ctaid, block.ctaid);
    return status;
  }
  for (int turns = 0; turns < most_turns; ++turns)
    if (const auto ended = turn(one)) return *ended;
  return Status::yielded;
}

std::string module_of(std::string_view parameters, std::string_view body, std::string_view before) {
  std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n";
  text += before;
  text += "\n.visible .entry kernel(";
  text += parameters;
  text += ")\n{\n";
  text += body;
  return text + "\n}\n";
}

std::vector<uint32_t> ThreadResults::run(std::string_view body, uint32_t threads) {
  const std::string text = module_of(".param .u64 out", std::string(R"(
      .reg .pred %p<9>; .reg .b32 %r<30>; .reg .b64 %rd<9>;
      ld.param.u64 %rd0, [out];
      mov.u32 %r0, %tid.x;
      mul.wide.u32 %rd2, %r0, 4;
      add.s64 %rd1, %rd0, %rd2;
    )") + std::string(body) + "st.global.u32 [%rd1], %r1;\nret;");
  std::vector<uint32_t> out(threads, 0xdead);
  Kernel kernel(text, "kernel", GetParam(), {{1, 1, 1}, {threads, 1, 1}});
  EXPECT_EQ(kernel(out.data()), Status::finished);
  return out;
}

}  // namespace cuvette::ptx::test
