// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/kernel_helpers.hpp"

#include <bit>

#include "sim/exec/block.hpp"
#include "sim/exec/grid.hpp"
#include "sim/exec/grid_counts.hpp"
#include "sim/exec/grid_tracks.hpp"
#include "sim/exec/warp_rows.hpp"
#include "sim/os/clock.hpp"
#include "sim/ptx/abi/lines.hpp"

namespace cuvette::exec::kernel_helpers {
namespace {

using Kind = GridFault::Kind;

uint32_t first_lane(uint32_t mask) {
  return mask == 0 ? 0 : static_cast<uint32_t>(std::countr_zero(mask));
}

uint32_t stop(ptx::BlockContext* context, Kind kind, uint32_t mask, uint32_t warp,
              uint64_t location) {
  Block& block = Block::of(*context);
  return block.grid->stop(block.grid->fault_of(block, kind, warp, first_lane(mask), location));
}

// Whether [address, address + bytes) lies in `size` bytes at `memory`.
bool lies_in(uint64_t address, uint64_t bytes, const uint8_t* memory, uint64_t size) {
  const uint64_t offset = address - reinterpret_cast<uint64_t>(memory);
  return offset <= size && size - offset >= bytes;
}

// The addresses of a line: of shared and local memory they have 32 bits.
void spread_line(uint64_t begin, uint64_t middle, uint32_t stride, uint32_t access,
                 uint64_t* addresses) {
  const uint64_t kept = access & (ptx::access_shared | ptx::access_local) ? UINT32_MAX : UINT64_MAX;
  constexpr uint32_t half = ptx::warp_size / 2;
  for (uint32_t lane = 0; lane < half; ++lane) {
    addresses[lane] = (begin + uint64_t{lane} * stride) & kept;
    addresses[half + lane] = (middle + uint64_t{lane} * stride) & kept;
  }
}

bool is_aligned(uint64_t address, uint32_t bytes) {
  return (address & (std::bit_ceil(bytes) - 1)) == 0;
}

// Whether the block may access [address, address + bytes) as `access` says. `found`: where other
// memory was found before, and is now: most lanes use one allocation.
bool may_access(const ptx::BlockContext& context, Grid& grid, uint64_t address, uint64_t bytes,
                uint32_t access, GridRange& found) {
  // Shared and local addresses are offsets into a space of `size` bytes. Compiled code has tested a
  // whole line, or several accesses, at once; this one may lie inside.
  if (access & (ptx::access_shared | ptx::access_local)) {
    const uint64_t size = access & ptx::access_shared ? context.shared_bytes : context.local_stride;
    return address <= size && size - address >= bytes;
  }
  const uint64_t offset = address - context.window_base;
  if (offset < context.window_bytes && context.window_bytes - offset >= bytes) {
    found = {context.window_base, context.window_base + context.window_bytes, true};
    return true;
  }
  if (address >= found.begin && address < found.end && found.end - address >= bytes) return true;
  // A program only gets these addresses from cvta and the like.
  if (lies_in(address, bytes, context.shared, context.shared_bytes)) return true;
  if (lies_in(address, bytes, context.local, context.local_stride * context.warps * ptx::warp_size))
    return true;
  const bool write = access & (ptx::access_write | ptx::access_atomic);
  const std::optional<GridRange> range = grid.range_of(address, write);
  if (!range || range->end - address < bytes) return false;
  found = *range;
  return true;
}

}  // namespace

uint32_t check(ptx::BlockContext* context, const uint64_t* addresses, uint32_t mask,
               uint32_t access, uint32_t warp, uint64_t location) {
  Block& block = Block::of(*context);
  Grid& grid = *block.grid;
  const uint32_t bytes = ptx::access_bytes(access);
  GridRange found{};  // where the lane before was found: most lanes use one allocation
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const uint32_t lane = first_lane(left);
    const uint64_t address = addresses[lane];
    const bool misaligned = !is_aligned(address, bytes);
    if (!misaligned && may_access(*context, grid, address, bytes, access, found)) continue;
    const Kind kind = misaligned ? Kind::misaligned : Kind::illegal_address;
    GridFault fault = grid.fault_of(block, kind, warp, lane, location);
    fault.address = address;
    fault.access = access;
    return grid.stop(std::move(fault));
  }
  return 0;
}

uint32_t check_line(ptx::BlockContext* context, uint64_t base, uint64_t step, uint64_t line,
                    uint32_t mask, uint32_t warp, uint64_t location) {
  // Most lines lie in one allocation as a whole.
  const ptx::LineSpan span = ptx::span_of_line(base, step, line, mask);
  GridRange found{};
  if (span.bytes != 0 && span.is_aligned &&
      may_access(*context, *Block::of(*context).grid, span.begin, span.bytes, span.access, found))
    return 0;
  return ptx::check_line(context, base, step, line, mask, warp, location);
}

uint32_t trap(ptx::BlockContext* context, uint32_t mask, uint32_t warp, uint64_t location) {
  return stop(context, Kind::trap, mask, warp, location);
}

uint32_t breakpoint(ptx::BlockContext* context, uint32_t mask, uint32_t warp, uint64_t location) {
  return stop(context, Kind::breakpoint, mask, warp, location);
}

uint32_t wild_call(ptx::BlockContext* context, const uint64_t* addresses, uint32_t mask,
                   uint32_t warp, uint64_t location) {
  Block& block = Block::of(*context);
  const uint32_t lane = first_lane(mask);
  GridFault fault = block.grid->fault_of(block, Kind::no_function, warp, lane, location);
  fault.address = addresses[lane];
  return block.grid->stop(std::move(fault));
}

uint32_t system_call(ptx::BlockContext* context, uint32_t function, uint64_t* results,
                     const uint64_t* parameters, uint32_t, uint32_t mask, uint32_t warp,
                     uint64_t location) {
  Block& block = Block::of(*context);
  return block.grid->host().system_call(block, static_cast<ptx::SystemCall>(function), results,
                                        parameters, mask, warp, location);
}

uint32_t texture(ptx::BlockContext* context, uint32_t operation, const uint64_t* handles,
                 const uint32_t* operands, uint32_t* results, uint32_t mask, uint32_t warp,
                 uint64_t location) {
  Block& block = Block::of(*context);
  return block.grid->host().texture(block, operation, handles, operands, results, mask, warp,
                                    location);
}

uint32_t surface(ptx::BlockContext* context, uint32_t operation, const uint64_t* handles,
                 const uint32_t* operands, uint32_t* texels, uint32_t mask, uint32_t warp,
                 uint64_t location) {
  Block& block = Block::of(*context);
  return block.grid->host().surface(block, operation, handles, operands, texels, mask, warp,
                                    location);
}

uint32_t barrier_arrive(ptx::BlockContext* context, uint32_t barrier, uint32_t threads,
                        uint32_t mask, uint32_t warp) {
  Block::of(*context).arrive(barrier, threads, mask, warp);
  return 0;
}

namespace {

// Whether the watch has seen the access in rows that may be accessed.
bool seen_in_rows(Block& block, const WarpRows& rows) {
  const uint32_t bytes = ptx::access_bytes(rows.access);
  GridRange found{};
  for (const WarpRows::Row& row : rows.all())
    if (!is_aligned(row.begin, bytes) ||
        !may_access(block.context, *block.grid, row.begin, row.together ? bytes : bytes * row.lanes,
                    rows.access, found))
      return false;
  return !block.watch || block.watch->rows(block, rows, found);
}

}  // namespace

uint32_t watch(ptx::BlockContext* context, const uint64_t* addresses, const void* values,
               uint32_t mask, uint32_t access, uint32_t number, uint32_t warp, uint64_t location) {
  Block& block = Block::of(*context);
  WarpRows rows{
      .mask = mask, .access = access, .warp = warp, .location = location, .number = number};
  if (rows_of(addresses, mask, ptx::access_bytes(access), rows) && seen_in_rows(block, rows))
    return 0;
  if (const uint32_t status = check(context, addresses, mask, access, warp, location))
    return status;
  if (block.watch)
    block.watch->accesses(block, {addresses, values, mask, access, warp, location, number});
  return 0;
}

uint32_t watch_line(ptx::BlockContext* context, uint64_t begin, uint64_t middle, uint32_t stride,
                    const void* values, uint32_t mask, uint32_t access, uint32_t number,
                    uint32_t warp, uint64_t location) {
  Block& block = Block::of(*context);
  WarpRows rows{
      .mask = mask, .access = access, .warp = warp, .location = location, .number = number};
  if (rows_of_line(begin, middle, stride, mask, ptx::access_bytes(access), rows) &&
      seen_in_rows(block, rows))
    return 0;
  uint64_t addresses[ptx::warp_size];
  spread_line(begin, middle, stride, access, addresses);
  return watch(context, addresses, values, mask, access, number, warp, location);
}

uint32_t note_line(ptx::BlockContext* context, uint64_t begin, uint64_t middle, uint32_t stride,
                   uint32_t mask, uint32_t access, uint32_t number, uint32_t warp) {
  Block& block = Block::of(*context);
  if (!block.watch) return 0;
  return static_cast<uint32_t>(
      block.watch->note_line(block, {begin, middle, stride, mask, access, number, warp}));
}

void watch_order(ptx::BlockContext* context, uint32_t ordering, const uint64_t* operands,
                 uint32_t mask, uint32_t warp, uint64_t location) {
  Block& block = Block::of(*context);
  if (block.watch)
    block.watch->orders(block,
                        {static_cast<ptx::Ordering>(ordering), operands, mask, warp, location});
}

uint32_t outside(ptx::BlockContext* context, const uint64_t* addresses, const char* variable,
                 uint32_t begin, uint32_t bytes, uint32_t mask, uint32_t access, uint32_t warp,
                 uint64_t location) {
  Block& block = Block::of(*context);
  const uint32_t wanted = ptx::access_bytes(access);
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const uint32_t lane = first_lane(left);
    const int64_t offset = static_cast<int32_t>(static_cast<uint32_t>(addresses[lane]) - begin);
    if (offset >= 0 && offset + wanted <= bytes) continue;
    GridFault fault = block.grid->fault_of(block, Kind::illegal_address, warp, lane, location);
    fault.address = addresses[lane];
    fault.access = access;
    fault.variable = variable;
    fault.variable_bytes = bytes;
    fault.offset = offset;
    return block.grid->stop(std::move(fault));
  }
  return 0;
}

uint32_t taint_load(ptx::BlockContext* context, const uint64_t* addresses, uint32_t* taints,
                    uint32_t count, uint32_t mask, uint32_t access, uint32_t warp,
                    uint64_t location) {
  Block& block = Block::of(*context);
  return block.watch &&
         block.watch->taint_load(block, {addresses, nullptr, mask, access, warp, location}, taints,
                                 count);
}

uint32_t taint_line(ptx::BlockContext* context, uint64_t begin, uint64_t middle, uint32_t stride,
                    uint32_t* taints, uint32_t count, uint32_t mask, uint32_t access, uint32_t warp,
                    uint64_t location) {
  Block& block = Block::of(*context);
  WarpRows rows{.mask = mask, .access = access, .warp = warp, .location = location};
  if (!block.watch || (rows_of_line(begin, middle, stride, mask, ptx::access_bytes(access), rows) &&
                       block.watch->all_written(block, rows)))
    return 0;
  uint64_t addresses[ptx::warp_size];
  spread_line(begin, middle, stride, access, addresses);
  return taint_load(context, addresses, taints, count, mask, access, warp, location);
}

void taint_store(ptx::BlockContext* context, const uint64_t* addresses, const uint32_t* taints,
                 uint32_t count, uint32_t mask, uint32_t access, uint32_t warp, uint64_t location) {
  Block& block = Block::of(*context);
  if (block.watch)
    block.watch->taint_store(block, {addresses, nullptr, mask, access, warp, location}, taints,
                             count);
}

void taint_use(ptx::BlockContext* context, const uint32_t* taints, uint32_t use, uint32_t mask,
               uint32_t warp, uint64_t location) {
  Block& block = Block::of(*context);
  if (block.watch)
    block.watch->taint_use(block, static_cast<ptx::TaintUse>(use), taints,
                           {nullptr, nullptr, mask, 0, warp, location});
}

// Lanes side by side leave theirs together.
void leave_tracks(ptx::BlockContext* context, const uint64_t* addresses, uint32_t mask,
                  uint32_t access, uint32_t number) {
  GridTracks* const tracks = Block::of(*context).grid->launch().tracks;
  if (!tracks) return;
  const uint32_t bytes = ptx::access_bytes(access);
  uint64_t begin = 0, end = 0;
  const auto leave = [&] {
    if (begin == end) return;
    // A generic access may have gone to the block's own memory.
    if (access & ptx::access_generic &&
        (lies_in(begin, bytes, context->shared, context->shared_bytes) ||
         lies_in(begin, bytes, context->local,
                 context->local_stride * context->warps * ptx::warp_size)))
      return;
    tracks->leave(begin, end - begin, access, static_cast<uint8_t>(number));
  };
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const uint64_t address = addresses[first_lane(left)];
    if (address == end) {
      end += bytes;
    } else if (address + bytes != end || begin == end) {
      leave();
      begin = address;
      end = address + bytes;
    }
  }
  leave();
}

void tell(Block& block, const WarpAccess& access) {
  if (block.watch) {
    block.watch->accesses(block, access);
  } else if (GridTracks* const tracks = block.grid->launch().tracks) {
    leave_tracks(&block.context, access.addresses, access.mask, access.access,
                 tracks->number_of(access.location, access.access));
  }
}

uint32_t access_bulk(ptx::BlockContext* context, const uint64_t* addresses, const uint32_t* sizes,
                     uint32_t mask, uint32_t access, uint32_t number, uint32_t warp,
                     uint64_t location) {
  const uint32_t bytes = ptx::access_bytes(access);
  uint64_t places[ptx::warp_size];
  for (uint32_t left = mask; left != 0; left &= left - 1) {
    const uint32_t lane = first_lane(left);
    for (uint32_t offset = 0; offset + bytes <= sizes[lane]; offset += bytes) {
      places[lane] = addresses[lane] + offset;
      if (Block::of(*context).grid->launch().tracks)
        leave_tracks(context, places, 1u << lane, access, number);
      else if (const uint32_t status =
                   watch(context, places, nullptr, 1u << lane, access, number, warp, location))
        return status;
    }
  }
  return 0;
}

void count_access(ptx::BlockContext* context, const uint64_t* addresses, uint32_t mask,
                  uint32_t access, uint32_t counter) {
  Counts* const counts = Block::of(*context).counts;
  if (!counts) return;
  const BlockMemory block{reinterpret_cast<uint64_t>(context->shared), context->shared_bytes,
                          reinterpret_cast<uint64_t>(context->local),
                          context->local_stride * context->warps * ptx::warp_size};
  exec::count_access(context->counters[counter], *counts, counter, block, addresses, mask, access);
}

void count_line(ptx::BlockContext* context, uint64_t begin, uint64_t middle, uint32_t stride,
                uint32_t mask, uint32_t access, uint32_t counter) {
  uint64_t addresses[ptx::warp_size];
  spread_line(begin, middle, stride, access, addresses);
  count_access(context, addresses, mask, access, counter);
}

// Counts at the device's clock rate, so that a kernel which waits for a second's worth of ticks
// waits for a second.
uint64_t clock(ptx::BlockContext* context) {
  const uint64_t khz = Block::of(*context).grid->launch().clock_khz;
  const uint64_t ticks_per_ns = (khz << 32) / 1'000'000;  // 2^-32
  return static_cast<uint64_t>(static_cast<unsigned __int128>(os::now_ns()) * ticks_per_ns >> 32);
}

uint64_t global_timer(ptx::BlockContext*) { return static_cast<uint64_t>(os::now_ns()); }

uint32_t not_supported(ptx::BlockContext* context, const char* what, uint32_t mask, uint32_t warp,
                       uint64_t location) {
  Block& block = Block::of(*context);
  GridFault fault =
      block.grid->fault_of(block, Kind::not_supported, warp, first_lane(mask), location);
  fault.text = what;
  return block.grid->stop(std::move(fault));
}

}  // namespace cuvette::exec::kernel_helpers
