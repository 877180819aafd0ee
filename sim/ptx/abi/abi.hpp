// SPDX-License-Identifier: Apache-2.0
// The interface between compiled kernels and the code that runs them: what a block is given, what a
// warp saves when it is suspended, and what it may call.
//
// All of it is plain data at fixed offsets, because compiled code is kept on disk. Raise
// abi_version with every change here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/ptx/abi/math_functions.hpp"

namespace cuvette::ptx {

constexpr uint32_t abi_version = 21;
constexpr uint32_t warp_size = 32;

struct BlockContext;
struct SumCache;

// The functions that compiled code calls; each lane's operand or result is an element of an array
// of 32.
#define CUVETTE_PTX_HELPERS(X)                                                                     \
  /* Addresses that lie outside the window or are misaligned: 0 if they may be used after all, */  \
  /* otherwise a status to leave with. */                                                          \
  X(check, uint32_t,                                                                               \
    (BlockContext*, const uint64_t* addresses, uint32_t mask, uint32_t access, uint32_t warp,      \
     uint64_t location))                                                                           \
  X(trap, uint32_t, (BlockContext*, uint32_t mask, uint32_t warp, uint64_t location))              \
  X(breakpoint, uint32_t, (BlockContext*, uint32_t mask, uint32_t warp, uint64_t location))        \
  /* Calls by addresses at which there is no function. */                                          \
  X(wild_call, uint32_t,                                                                           \
    (BlockContext*, const uint64_t* addresses, uint32_t mask, uint32_t warp, uint64_t location))   \
  /* A function that the machine provides, a SystemCall; parameter i of lane l is */               \
  /* parameters[32 * i + l], its bits extended with zeros; results[l] is what it returns. */       \
  X(system_call, uint32_t,                                                                         \
    (BlockContext*, uint32_t function, uint64_t * results, const uint64_t* parameters,             \
     uint32_t count, uint32_t mask, uint32_t warp, uint64_t location))                             \
  /* bar.arrive by a warp; 0 or a status to leave with. */                                         \
  X(barrier_arrive, uint32_t,                                                                      \
    (BlockContext*, uint32_t barrier, uint32_t threads, uint32_t mask, uint32_t warp))             \
  X(clock, uint64_t, (BlockContext*))                                                              \
  X(global_timer, uint64_t, (BlockContext*))                                                       \
  /* Reads a texture, reads or writes a surface, or asks about one: texture_operation.hpp. Word w  \
   * of lane l is [32 * w + l]; a status to leave with. */                                         \
  X(texture, uint32_t,                                                                             \
    (BlockContext*, uint32_t operation, const uint64_t* handles, const uint32_t* operands,         \
     uint32_t* results, uint32_t mask, uint32_t warp, uint64_t location))                          \
  X(surface, uint32_t,                                                                             \
    (BlockContext*, uint32_t operation, const uint64_t* handles, const uint32_t* operands,         \
     uint32_t* texels, uint32_t mask, uint32_t warp, uint64_t location))                           \
  /* Elementary functions where vector code has none of its own: function, then arrays. */         \
  X(math, void,                                                                                    \
    (uint32_t function, void* results, const void* a, const void* b, const void* c,                \
     uint32_t mask))                                                                               \
  /* The same as check() for addresses on a line, and a copy between such addresses and a buffer:  \
   */                                                                                              \
  /* lines.hpp. */                                                                                 \
  X(check_line, uint32_t,                                                                          \
    (BlockContext*, uint64_t base, uint64_t step, uint64_t line, uint32_t mask, uint32_t warp,     \
     uint64_t location))                                                                           \
  X(move_line, void,                                                                               \
    (uint64_t base, uint64_t step, uint64_t line, uint32_t mask, uint32_t bytes, void* buffer))    \
  /* Sums that nobody asks for: sum_cache.hpp. */                                                  \
  X(add_sums, void,                                                                                \
    (BlockContext*, const uint64_t* addresses, const void* values, uint32_t mask, uint32_t bytes)) \
  X(add_to_each, void,                                                                             \
    (BlockContext*, const uint64_t* addresses, uint64_t value, uint32_t mask, uint32_t bytes))     \
  X(add_sum, void, (BlockContext*, uint64_t address, uint64_t value, uint32_t bytes))              \
  X(settle_sums, void, (BlockContext*, uint64_t begin, uint64_t end))                              \
  X(settle_all_sums, void, (BlockContext*))                                                        \
  /* Of watched kernels: check(), for each access before it takes place. `values`: what a */       \
  /* plain store writes, lane after lane; null for all others. */                                  \
  X(watch, uint32_t,                                                                               \
    (BlockContext*, const uint64_t* addresses, const void* values, uint32_t mask, uint32_t access, \
     uint32_t number, uint32_t warp, uint64_t location))                                           \
  /* The same for lanes on a line: lane 0 at `begin`, lane 16 at `middle`, those behind them */    \
  /* `stride` further each. */                                                                     \
  X(watch_line, uint32_t,                                                                          \
    (BlockContext*, uint64_t begin, uint64_t middle, uint32_t stride, const void* values,          \
     uint32_t mask, uint32_t access, uint32_t number, uint32_t warp, uint64_t location))           \
  /* Called instead of watch_line() where that is enough: a Noted. */                              \
  X(note_line, uint32_t,                                                                           \
    (BlockContext*, uint64_t begin, uint64_t middle, uint32_t stride, uint32_t mask,               \
     uint32_t access, uint32_t number, uint32_t warp))                                             \
  /* Of watched kernels: lanes come to an Ordering; operands[l] is lane l's. */                    \
  X(watch_order, void,                                                                             \
    (BlockContext*, uint32_t ordering, const uint64_t* operands, uint32_t mask, uint32_t warp,     \
     uint64_t location))                                                                           \
  /* Of kernels whose bounds are exact: accesses of which some lie outside of the variable at */   \
  /* `begin`; a status to leave with. */                                                           \
  X(outside, uint32_t,                                                                             \
    (BlockContext*, const uint64_t* addresses, const char* variable, uint32_t begin,               \
     uint32_t bytes, uint32_t mask, uint32_t access, uint32_t warp, uint64_t location))            \
  /* Of kernels that are followed: before a load, whether any of `count` neighbours is tainted, */ \
  /* and if so the taint of element n for lane l in taints[32 * n + l]; the same for lanes on a */ \
  /* line (watch_line); behind a store, taints of what it stored; where tainted values decide */   \
  /* something. */                                                                                 \
  X(taint_load, uint32_t,                                                                          \
    (BlockContext*, const uint64_t* addresses, uint32_t* taints, uint32_t count, uint32_t mask,    \
     uint32_t access, uint32_t warp, uint64_t location))                                           \
  X(taint_line, uint32_t,                                                                          \
    (BlockContext*, uint64_t begin, uint64_t middle, uint32_t stride, uint32_t * taints,           \
     uint32_t count, uint32_t mask, uint32_t access, uint32_t warp, uint64_t location))            \
  X(taint_store, void,                                                                             \
    (BlockContext*, const uint64_t* addresses, const uint32_t* taints, uint32_t count,             \
     uint32_t mask, uint32_t access, uint32_t warp, uint64_t location))                            \
  X(taint_use, void,                                                                               \
    (BlockContext*, const uint32_t* taints, uint32_t use, uint32_t mask, uint32_t warp,            \
     uint64_t location))                                                                           \
  /* Of kernels that leave tracks: lanes that may access memory do so; number: see NumberedAccess. \
   */                                                                                              \
  X(leave_tracks, void,                                                                            \
    (BlockContext*, const uint64_t* addresses, uint32_t mask, uint32_t access, uint32_t number))   \
  /* Of watched kernels and those that leave tracks: each lane accesses so many bytes in a row, a  \
   * multiple of 16, of which both ends may be accessed; a status to leave with. */                \
  X(access_bulk, uint32_t,                                                                         \
    (BlockContext*, const uint64_t* addresses, const uint32_t* sizes, uint32_t mask,               \
     uint32_t access, uint32_t number, uint32_t warp, uint64_t location))                          \
  /* Of kernels that are counted: lanes have made an access, which Counter `counter` counts; the   \
   * same for lanes on a line (watch_line). */                                                     \
  X(count_access, void,                                                                            \
    (BlockContext*, const uint64_t* addresses, uint32_t mask, uint32_t access, uint32_t counter))  \
  X(count_line, void,                                                                              \
    (BlockContext*, uint64_t begin, uint64_t middle, uint32_t stride, uint32_t mask,               \
     uint32_t access, uint32_t counter))

// The functions of math().
enum class MathFunction : uint32_t { fma_f32, fma_f64 };

struct Helpers {
#define X(name, result, parameters) result(*name) parameters;
  CUVETTE_PTX_HELPERS(X)
#undef X
};

// Functions that the machine provides: the name in PTX, and its parameters. The functions of CUDA's
// device runtime have no PTX in NVIDIA's libcudadevrt.a that a device of today's profiles could
// take.
#define CUVETTE_PTX_SYSTEM_CALLS(X)                                                           \
  X(vprintf, 2)                      /* format, arguments */                                  \
  X(malloc, 1)                       /* size */                                               \
  X(free, 1)                         /* address */                                            \
  X(__assertfail, 5)                 /* message, file, line, function, size of a character */ \
  X(cudaGraphSetConditional, 2)      /* handle, value */                                      \
  X(__cudaCDP2DeviceGetAttribute, 3) /* place, attribute, device */                           \
  X(__cudaCDP2DeviceGetLimit, 2)     /* place, limit */                                       \
  X(__cudaCDP2GetDevice, 1)          /* place */                                              \
  X(__cudaCDP2GetDeviceCount, 1)     /* place */                                              \
  X(__cudaCDP2RuntimeGetVersion, 1)  /* place */                                              \
  X(__cudaCDP2GetLastError, 0)                                                                \
  X(__cudaCDP2PeekAtLastError, 0)                                                             \
  X(__cudaCDP2Malloc, 2) /* place, size */                                                    \
  X(__cudaCDP2Free, 1)   /* address */                                                        \
  CUVETTE_PTX_MATH_FUNCTIONS(X)
enum class SystemCall : uint32_t {
#define X(name, parameters) name,
  CUVETTE_PTX_SYSTEM_CALLS(X)
#undef X
};
constexpr uint32_t parameters_of(SystemCall function) {
  constexpr uint32_t numbers[] = {
#define X(name, parameters) parameters,
      CUVETTE_PTX_SYSTEM_CALLS(X)
#undef X
  };
  return numbers[static_cast<uint32_t>(function)];
}

// The encoding of check()'s `access`: the size of the access in bytes, and its kind.
constexpr uint32_t access_bytes(uint32_t access) { return access & 0xff; }
constexpr uint32_t access_write = 0x100, access_atomic = 0x200, access_generic = 0x400,
                   access_shared = 0x800, access_local = 0x1000, access_constant = 0x2000;

// Of watch(): a strong access has a scope (Scope), and may acquire, release, or be volatile. An
// asynchronous one takes place at any time until it is waited for; one that compares is atom.cas; a
// read-only one reads what the launch may not write (ld.global.nc, textures).
constexpr uint32_t access_strong = 0x4000, access_volatile = 0x8000, access_acquire = 0x1'0000,
                   access_release = 0x2'0000, access_async = 0x4'0000, access_compares = 0x8'0000,
                   access_scope_shift = 20, access_read_only = 0x40'0000;
enum class Scope : uint32_t { block, device, system };
constexpr Scope scope_of(uint32_t access) {
  return static_cast<Scope>(access >> access_scope_shift & 3);
}
// Accesses about which note_line() is not asked.
constexpr uint32_t access_never_noted = access_strong | access_async | access_atomic | access_local;
// The result of note_line(): nothing is known yet; the access may be made, and all is said of it;
// and besides, all that it reads has been written.
enum class Noted : uint32_t { no, yes, written };

// A register's taint: which of its bytes are uninitialised, whether it was computed from such
// bytes or moved, and the number of the read that they came by, from 1 on. 0: all of it was
// written.
constexpr uint32_t taint_bytes = 0xff, taint_computed = 0x100, taint_read_shift = 9;

// The use that a tainted value decides.
enum class TaintUse : uint32_t { branch, address, atomic, store };

// The operations that order accesses, besides barriers of the block and the accesses themselves.
// With a fence comes its Scope.
enum class Ordering : uint32_t {
  barrier,       // at a barrier of the block; operand: made by barrier_operand()
  warp,          // bar.warp.sync; operand: the members
  collective,    // lanes exchange registers: shfl.sync and the like; operand: see members_of()
  fence,         // operand: its Scope
  alias_fence,   // fence.proxy.alias
  async_groups,  // cp.async.commit_group
  async_wait,    // cp.async.wait_group; operand: how many groups may still be under way
  async_arrive,  // cp.async.mbarrier.arrive; operand: the barrier's address in shared memory
  arrive,        // at a barrier in shared memory; operand: its address
  waited,        // for a phase of one; operand: its address
  waits,         // for a phase of one that is not over yet; operand: its address
  begin,         // of a barrier in shared memory: mbarrier.init; operand: its address
  end,           // of one: mbarrier.inval; operand: its address
};

// The members that a lane names where registers are exchanged, and the lane whose value it takes:
// source_shift bits up, counted from 1; 0 for no other lane's.
constexpr uint32_t source_shift = 32;
constexpr uint32_t members_of(uint64_t collective_operand) {
  return static_cast<uint32_t>(collective_operand);
}
constexpr uint32_t source_of(uint64_t collective_operand) {
  return static_cast<uint32_t>(collective_operand >> source_shift);
}

// The action of a warp at barrier `number` of the block, which expects `threads`, 0 for all.
// `aligned`: all its lanes are to come together.
constexpr uint64_t barrier_operand(uint32_t number, uint32_t threads, bool aligned, bool arrives) {
  return uint64_t{number & 0xffff} | uint64_t{aligned} << 16 | uint64_t{arrives} << 17 |
         uint64_t{threads} << 32;
}

// Addresses on a line, one for each lane: base + stride * lane, less a step from lane `step_lane`
// on. `half`: 0 for the warp, 1 and 2 for the lanes of one half, counted from its beginning.
constexpr uint64_t line_of(int32_t stride, uint32_t step_lane, uint32_t half, uint32_t access) {
  return uint64_t{static_cast<uint32_t>(stride)} | uint64_t{step_lane & 63} << 32 |
         uint64_t{half} << 40 | uint64_t{access} << 48;
}

// The location of an instruction: its line in the PTX text, and the file and line of the source.
constexpr uint64_t location_of(uint32_t ptx_line, uint32_t file, uint32_t line) {
  return uint64_t{ptx_line & 0xffffff} | uint64_t{line & 0xffffff} << 24 |
         uint64_t{file & 0xffff} << 48;
}

// The return value of a warp.
enum class Status : uint32_t {
  finished = 0,
  barrier = 1,          // waits at the barrier that its frame names
  yielded = 2,          // waits for other threads
  stopped = 3,          // a fault: the block ends
  asleep = 4,           // gives up its turn, and will go on without help from others
  barrier_in_wait = 5,  // waits like `barrier`, in a loop that waits for others
};

// The number of the barrier that a cluster of one block waits at.
constexpr uint32_t cluster_barrier = 16;

// The head of a warp's frame; the space for its registers follows.
struct WarpFrame {
  uint32_t state;            // where to resume; 0: at the beginning
  uint32_t barrier;          // number, 0 to 15 or cluster_barrier
  uint32_t barrier_threads;  // number that take part; 0: the whole block
  uint32_t predicate;        // of bar.red: mask of lanes for which it holds
  uint32_t lanes;            // mask of the arrived ones
  uint32_t reduction;        // 0 none, 1 popc, 2 and, 3 or
  uint32_t result;           // of bar.red, set before the warp resumes
  uint32_t reserved;
};

// A line of memory of which a watch needs to hear nothing more for a while: of plain reads in the
// block's `watch_time` or the whole launch's, where that is `quiet_at`; of reads of uninitialised
// memory, where `written_at` is the launch's time of that. All of such a line may be accessed.
// Compiled code finds a line by its address; what follows in it is the watch's own.
struct QuietLine {
  static constexpr uint32_t bytes = 128;   // of memory
  static constexpr uint32_t stride = 128;  // from one of these to the next
  uint64_t quiet_at = 0, written_at = 0;
};
// Of watched blocks. Lines of [begin, begin + bytes) follow each other from `first` on; there is
// one even if `bytes` is 0.
struct QuietLines {
  const QuietLine* first;
  uint64_t begin, bytes;
};

// Of kernels that leave tracks: an access of words (4 bytes) leaves its number in a byte for each
// word, a smaller one in a byte for each byte. A search for tracks need not look everywhere: there
// is a byte that is not 0 for each stretch of memory in which they are, and for each region in
// which such stretches begin, or the one before them. A plane has the tracks of one kind of access:
// those at address a are byte a >> track_shift(plane) from `tracks` on, and so on. The bytes of
// address 0 need not be there, so these are numbers.
struct TrackPlane {
  static constexpr uint32_t count = 8, stretch_shift = 14, region_shift = 24;
  uint64_t tracks, stretches, regions;
  static uint8_t& byte(uint64_t first, uint64_t index) {
    return *reinterpret_cast<uint8_t*>(first + index);
  }
};
// The plane of an access. Strong ones of a scope wider than the block may take place at the same
// time as another kernel's.
constexpr uint32_t track_plane(uint32_t access) {
  const bool strong = access & access_strong && scope_of(access) != Scope::block;
  const bool writes = access & (access_write | access_atomic);
  return uint32_t{access_bytes(access) < 4} | uint32_t{writes} << 1 | uint32_t{strong} << 2;
}
constexpr uint32_t track_shift(uint32_t plane) { return plane & 1 ? 0 : 2; }
constexpr bool tracks_write(uint32_t plane) { return plane & 2; }
constexpr bool tracks_strong(uint32_t plane) { return plane & 4; }

// Of kernels that are counted (CompileRequest::counts): what warps did at a place of the kernel, as
// far as one thread of the machine has run it. An execution has at least one lane that takes part.
struct Counter {
  uint64_t executions, lanes;  // how often, and the sum of the lanes
  uint64_t divergent;          // of a block's last branch: executions in which lanes part
  // Of accesses, by the memory that the lanes reach: requests, sectors of 32 bytes and wavefronts
  // of shared memory, and how many of those the bytes need at least.
  uint64_t global_requests, global_lanes, sectors, ideal_sectors;
  uint64_t shared_requests, shared_lanes, wavefronts, ideal_wavefronts;
  // Of atomic operations: the most lanes of a warp at one address, and how many came to an address
  // behind another lane of their warp.
  uint64_t most_together, behind_others;
  // The distance from each lane's address to the next one's where it was the same for all, as it
  // was first seen, and in how many requests.
  int64_t stride;
  uint64_t strided;
  // Accesses by 32 lanes on a line that compiled code counts by itself, which are in none of the
  // others yet, and their sectors or wavefronts: see CountedPlace.
  uint64_t whole, whole_units;
};

// The memory that a block finds. `check` admits generic addresses of shared and local memory: they
// are the addresses of the bytes at `shared` and `local`. An address that an instruction names in
// the shared or local space itself is an offset, which compiled code tests; check() is called with
// what does not fit.
struct BlockContext {
  const uint8_t* parameters;
  uint8_t* shared;
  uint64_t shared_bytes;  // reserved, static and dynamic, and the rest of the last unit
  uint8_t* local;         // of thread 0; the others' follow, local_stride apart
  uint64_t local_stride;
  // The memory that most accesses go to; all of it may be read and written.
  uint64_t window_base, window_bytes;
  const uint64_t* symbols;
  const Helpers* helpers;
  uint8_t* frames;  // of warp 0
  uint64_t frame_stride;
  uint32_t ntid[3], ctaid[3], nctaid[3];
  uint32_t threads;  // of the block
  uint32_t warps;
  uint32_t dynamic_shared_bytes;
  uint32_t smid, nsmid;
  uint64_t grid_id;
  uint32_t envreg[4];
  // The cluster: how many blocks it has in each direction, and which one this is.
  uint32_t cluster_nctaid[3], cluster_ctaid[3];
  uint32_t explicit_cluster;
  uint32_t yields;  // turns of a spinning loop before a warp yields; set by the caller
  // Of kernels without frames: how many blocks of the row the call runs, this one and the
  // following. Compiled code brings ctaid and smid along.
  uint32_t row_blocks;
  void* owner;  // of who runs it
  // What is still to be added to memory, and between which addresses; the end is 0 where there is
  // nothing.
  SumCache* sums;
  uint64_t sums_begin, sums_end;
  // Of watched blocks: lines of the window, and of shared memory from offset 0 on; and the times
  // that they are compared with, which are never 0.
  QuietLines global_lines, shared_lines;
  uint64_t watch_time, launch_time;
  const uint64_t* written_time;
  // Of kernels that leave tracks: for all memory in the window.
  TrackPlane tracks[TrackPlane::count];
  // Of kernels that are counted: those of the thread that runs the block.
  Counter* counters;
};

// Runs warps `first` to `end` of a block; returns a Status. Kernels without frames are called once
// for all warps of one or several blocks; kernels with frames for one warp at a time, again and
// again until it has finished: its frame says where it is.
using KernelEntry = uint32_t(BlockContext* block, uint32_t first, uint32_t end);

}  // namespace cuvette::ptx
