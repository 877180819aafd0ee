// SPDX-License-Identifier: Apache-2.0
// The helpers that compiled code calls in any grid: address checks, faults, barriers, clocks.
//
// Threads: the one that runs the block.
#pragma once

#include <cstdint>

#include "sim/exec/grid_watch.hpp"
#include "sim/ptx/abi/abi.hpp"

namespace cuvette::exec::kernel_helpers {

uint32_t check(ptx::BlockContext* context, const uint64_t* addresses, uint32_t mask,
               uint32_t access, uint32_t warp, uint64_t location);
uint32_t check_line(ptx::BlockContext* context, uint64_t base, uint64_t step, uint64_t line,
                    uint32_t mask, uint32_t warp, uint64_t location);
uint32_t trap(ptx::BlockContext* context, uint32_t mask, uint32_t warp, uint64_t location);
uint32_t breakpoint(ptx::BlockContext* context, uint32_t mask, uint32_t warp, uint64_t location);
uint32_t wild_call(ptx::BlockContext* context, const uint64_t* addresses, uint32_t mask,
                   uint32_t warp, uint64_t location);
uint32_t system_call(ptx::BlockContext* context, uint32_t function, uint64_t* results,
                     const uint64_t* parameters, uint32_t count, uint32_t mask, uint32_t warp,
                     uint64_t location);
uint32_t texture(ptx::BlockContext* context, uint32_t operation, const uint64_t* handles,
                 const uint32_t* operands, uint32_t* results, uint32_t mask, uint32_t warp,
                 uint64_t location);
uint32_t surface(ptx::BlockContext* context, uint32_t operation, const uint64_t* handles,
                 const uint32_t* operands, uint32_t* texels, uint32_t mask, uint32_t warp,
                 uint64_t location);
uint32_t barrier_arrive(ptx::BlockContext* context, uint32_t barrier, uint32_t threads,
                        uint32_t mask, uint32_t warp);
uint32_t watch(ptx::BlockContext* context, const uint64_t* addresses, const void* values,
               uint32_t mask, uint32_t access, uint32_t number, uint32_t warp, uint64_t location);
uint32_t watch_line(ptx::BlockContext* context, uint64_t begin, uint64_t middle, uint32_t stride,
                    const void* values, uint32_t mask, uint32_t access, uint32_t number,
                    uint32_t warp, uint64_t location);
uint32_t note_line(ptx::BlockContext* context, uint64_t begin, uint64_t middle, uint32_t stride,
                   uint32_t mask, uint32_t access, uint32_t number, uint32_t warp);
void watch_order(ptx::BlockContext* context, uint32_t ordering, const uint64_t* operands,
                 uint32_t mask, uint32_t warp, uint64_t location);
uint32_t outside(ptx::BlockContext* context, const uint64_t* addresses, const char* variable,
                 uint32_t begin, uint32_t bytes, uint32_t mask, uint32_t access, uint32_t warp,
                 uint64_t location);
uint32_t taint_load(ptx::BlockContext* context, const uint64_t* addresses, uint32_t* taints,
                    uint32_t count, uint32_t mask, uint32_t access, uint32_t warp,
                    uint64_t location);
uint32_t taint_line(ptx::BlockContext* context, uint64_t begin, uint64_t middle, uint32_t stride,
                    uint32_t* taints, uint32_t count, uint32_t mask, uint32_t access, uint32_t warp,
                    uint64_t location);
void taint_store(ptx::BlockContext* context, const uint64_t* addresses, const uint32_t* taints,
                 uint32_t count, uint32_t mask, uint32_t access, uint32_t warp, uint64_t location);
void taint_use(ptx::BlockContext* context, const uint32_t* taints, uint32_t use, uint32_t mask,
               uint32_t warp, uint64_t location);
void leave_tracks(ptx::BlockContext* context, const uint64_t* addresses, uint32_t mask,
                  uint32_t access, uint32_t number);
uint32_t access_bulk(ptx::BlockContext* context, const uint64_t* addresses, const uint32_t* sizes,
                     uint32_t mask, uint32_t access, uint32_t number, uint32_t warp,
                     uint64_t location);
void count_access(ptx::BlockContext* context, const uint64_t* addresses, uint32_t mask,
                  uint32_t access, uint32_t counter);
void count_line(ptx::BlockContext* context, uint64_t begin, uint64_t middle, uint32_t stride,
                uint32_t mask, uint32_t access, uint32_t counter);
// Observes the memory that the machine reads or writes for lanes of a warp.
void tell(Block& block, const WarpAccess& access);
uint64_t clock(ptx::BlockContext* context);
uint64_t global_timer(ptx::BlockContext* context);

// Stands in for a helper that is not provided: stops the kernel with `what` in the report.
uint32_t not_supported(ptx::BlockContext* context, const char* what, uint32_t mask, uint32_t warp,
                       uint64_t location);

}  // namespace cuvette::exec::kernel_helpers
