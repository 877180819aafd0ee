// SPDX-License-Identifier: Apache-2.0
// The table of functions that compiled code calls.
#include "sim/exec/kernel_helpers.hpp"
#include "sim/device/kernel/kernel_helpers.hpp"

#include <bit>
#include <cmath>

#include "sim/ptx/abi/lines.hpp"
#include "sim/ptx/abi/sum_cache.hpp"

namespace cuvette::device {
namespace {

namespace common = exec::kernel_helpers;

// Elementwise, for lanes in the mask.
template <typename T>
void fused(void* results, const void* a, const void* b, const void* c, uint32_t mask) {
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    static_cast<T*>(results)[lane] =
        std::fma(static_cast<const T*>(a)[lane], static_cast<const T*>(b)[lane],
                 static_cast<const T*>(c)[lane]);
  }
}

void math(uint32_t function, void* results, const void* a, const void* b, const void* c,
          uint32_t mask) {
  switch (static_cast<ptx::MathFunction>(function)) {
    case ptx::MathFunction::fma_f32:
      return fused<float>(results, a, b, c, mask);
    case ptx::MathFunction::fma_f64:
      return fused<double>(results, a, b, c, mask);
  }
}

constexpr ptx::Helpers table = {
    .check = common::check,
    .trap = common::trap,
    .breakpoint = common::breakpoint,
    .wild_call = common::wild_call,
    .system_call = common::system_call,
    .barrier_arrive = common::barrier_arrive,
    .clock = common::clock,
    .global_timer = common::global_timer,
    .texture = common::texture,
    .surface = common::surface,
    .math = math,
    .check_line = common::check_line,
    .move_line = ptx::move_line,
    .add_sums = ptx::add_sums,
    .add_to_each = ptx::add_to_each,
    .add_sum = ptx::add_sum,
    .settle_sums = ptx::settle_sums,
    .settle_all_sums = ptx::settle_all_sums,
    .watch = common::watch,
    .watch_line = common::watch_line,
    .note_line = common::note_line,
    .watch_order = common::watch_order,
    .outside = common::outside,
    .taint_load = common::taint_load,
    .taint_line = common::taint_line,
    .taint_store = common::taint_store,
    .taint_use = common::taint_use,
    .leave_tracks = common::leave_tracks,
    .access_bulk = common::access_bulk,
    .count_access = common::count_access,
    .count_line = common::count_line,
};

}  // namespace

const ptx::Helpers& kernel_helpers() { return table; }

}  // namespace cuvette::device
