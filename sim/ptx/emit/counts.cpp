// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/emit/counts.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "sim/ptx/abi/access_counts.hpp"

namespace cuvette::ptx {
namespace {

using llvm::ConstantInt;
using Kind = CountedPlace::Kind;

// Wider accesses of a lane are left to the machine.
constexpr uint32_t most_bytes_of_lane = 16;

uint64_t location_in_text(const Instruction& i) {
  return location_of(i.line, i.source_file, i.source_line);
}

uint32_t new_counter(WarpBuilder& w) { return w.result().counters++; }

void add_place(WarpBuilder& w, Kind kind, const Instruction& i, uint32_t counter,
               uint32_t access = 0) {
  CountedPlace place;
  place.kind = kind;
  place.location = location_in_text(i);
  place.access = access;
  place.counter = counter;
  w.result().places.push_back(place);
}

void add(WarpBuilder& w, uint32_t counter, size_t field, V* number) {
  V* const counters = w.context_field(offsetof(BlockContext, counters), w.getPtrTy());
  V* const place = w.CreateConstInBoundsGEP1_64(w.getInt8Ty(), counters,
                                                uint64_t{counter} * sizeof(Counter) + field);
  V* const wide = w.CreateZExt(number, w.getInt64Ty());
  w.CreateStore(w.CreateAdd(w.CreateLoad(w.getInt64Ty(), place), wide), place);
}

void add_execution(WarpBuilder& w, uint32_t counter, V* lanes) {
  add(w, counter, offsetof(Counter, executions), w.CreateICmpNE(lanes, w.i32(0)));
  add(w, counter, offsetof(Counter, lanes), w.intrinsic(llvm::Intrinsic::ctpop, {lanes}));
}

V* lanes_here(WarpBuilder& w) { return w.all_active() ? w.base_bits() : w.active_bits(); }

bool is_barrier(const Instruction& i) {
  return (i.opcode == Opcode::bar || i.opcode == Opcode::barrier) && !i.has(dot::warp);
}

Kind kind_of(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::st:
      return Kind::store;
    case Opcode::atom:
      return Kind::atomic;
    case Opcode::red:
      return Kind::reduction;
    case Opcode::cp:
      return Kind::copy;
    case Opcode::ldmatrix:
      return Kind::matrix_load;
    case Opcode::stmatrix:
      return Kind::matrix_store;
    default:
      return Kind::load;
  }
}

}  // namespace

// Instructions of one line that follow each other are one place.
uint32_t count_block(WarpBuilder& w, BlockId block) {
  const uint32_t counter = new_counter(w);
  std::vector<CountedPlace>& places = w.result().places;
  const Block& here = w.flow().blocks[block];
  bool open = false;  // whether the last place may grow
  for (uint32_t n = here.first; n < here.end; ++n) {
    const Instruction& i = w.body().instructions[n];
    if (i.is(Trait::made)) continue;
    const bool ends = here.has_terminator && n + 1 == here.end;
    if (i.predicate && !ends) {
      open = false;
      continue;
    }
    const uint64_t location = location_in_text(i);
    constexpr unsigned line_shift = 24;  // what is above the line in the text
    if (open && places.back().location >> line_shift == location >> line_shift)
      ++places.back().count;
    else
      add_place(w, Kind::instructions, i, counter);
    open = true;
    if (!is_barrier(i)) continue;
    add_place(w, Kind::barrier, i, counter);
    open = false;
  }
  add_execution(w, counter, lanes_here(w));
  return counter;
}

void count_branch(WarpBuilder& w, const Instruction& branch, uint32_t counter, V* taken) {
  if (!taken) return count_parting(w, branch, counter, nullptr);
  V* const all = lanes_here(w);
  V* const some = w.CreateAnd(taken, all);
  count_parting(w, branch, counter,
                w.CreateAnd(w.CreateICmpNE(some, w.i32(0)), w.CreateICmpNE(some, all)));
}

void count_parting(WarpBuilder& w, const Instruction& branch, uint32_t counter, V* parting) {
  add_place(w, Kind::branch, branch, counter);
  if (parting) add(w, counter, offsetof(Counter, divergent), parting);
}

void count_predicated(WarpBuilder& w, const Instruction& i, V* lanes) {
  if (i.is(Trait::made)) return;
  const uint32_t counter = new_counter(w);
  add_place(w, Kind::predicated, i, counter);
  if (is_barrier(i)) add_place(w, Kind::barrier, i, counter);
  add_execution(w, counter, lanes);
}

// --- Accesses ------------------------------------------------------------------------------------

namespace {

// What an access by all 32 lanes of a line takes, in sectors or wavefronts.
struct LineUnits {
  uint32_t always = 0;  // the number, if it is the same wherever the line begins; else 0
  V* number = nullptr;  // otherwise: 32 bits
  V* known = nullptr;   // an i1: whether `number` holds; null: always
  uint32_t ideal = 0;   // as in CountedPlace
};

V* sector_of(WarpBuilder& w, V* address) {
  return w.CreateLShr(address, ConstantInt::get(address->getType(), 5));
}

// A line of `lanes` lanes that begins at `begin` touches sectors `first` to `last`, all of them.
struct SectorsOfLine {
  V *first, *last;
};
SectorsOfLine sectors_of_line(WarpBuilder& w, V* begin, uint32_t stride, uint32_t lanes) {
  V* const end = w.CreateAdd(begin, w.i64(uint64_t{stride} * (lanes - 1)));
  return {sector_of(w, begin), sector_of(w, end)};
}
V* count_of(WarpBuilder& w, const SectorsOfLine& line) {
  return w.CreateAdd(w.CreateTrunc(w.CreateSub(line.last, line.first), w.getInt32Ty()), w.i32(1));
}

std::optional<LineUnits> sectors_of(WarpBuilder& w, const Value& at, uint32_t bytes) {
  const auto stride = static_cast<uint32_t>(at.shape.stride);
  LineUnits units;
  units.ideal = ideal_sectors(warp_size, bytes);
  if (at.shape.linear) {
    if (stride == 0) {
      units.always = units.ideal = 1;
    } else if (stride >= sector_bytes) {
      units.always = warp_size;
    } else {
      units.number = count_of(w, sectors_of_line(w, at.scalar[0], stride, warp_size));
    }
    return units;
  }
  if (stride == 0) {
    V* const apart = w.CreateICmpNE(sector_of(w, at.scalar[0]), sector_of(w, at.scalar[1]));
    units.number = w.CreateAdd(w.CreateZExt(apart, w.getInt32Ty()), w.i32(1));
    units.ideal = 0;
    return units;
  }
  if (stride >= sector_bytes) return {};
  // Halves that touch one sector are left to the machine.
  const SectorsOfLine one = sectors_of_line(w, at.scalar[0], stride, warp_size / 2);
  const SectorsOfLine two = sectors_of_line(w, at.scalar[1], stride, warp_size / 2);
  units.number = w.CreateAdd(count_of(w, one), count_of(w, two));
  units.known =
      w.CreateOr(w.CreateICmpULT(one.last, two.first), w.CreateICmpULT(two.last, one.first));
  return units;
}

std::optional<LineUnits> wavefronts_of(WarpBuilder& w, const Value& at, uint32_t bytes,
                                       SharedUse use) {
  const auto stride = static_cast<uint32_t>(at.shape.stride);
  LineUnits units;
  if (at.shape.linear) {
    // Where it begins does not matter, because banks come round: unless lanes share words.
    if (bytes < bank_bytes && stride != 0 && stride != bytes) return {};
    uint64_t offsets[warp_size];
    for (uint32_t lane = 0; lane < warp_size; ++lane) offsets[lane] = uint64_t{stride} * lane;
    units.always = wavefronts_of(offsets, UINT32_MAX, bytes, use);
    units.ideal = std::min(units.always, ideal_wavefronts(UINT32_MAX, bytes));
    return units;
  }
  if (bytes != bank_bytes || use == SharedUse::atomic) return {};
  const auto number = [&](uint32_t value) {
    return ConstantInt::get(at.scalar[0]->getType(), value);
  };
  constexpr uint32_t row = warp_size / 2 * bank_bytes;
  V* const distance = w.CreateSub(at.scalar[1], at.scalar[0]);
  V* const in_banks = w.CreateAnd(distance, number(banks * bank_bytes - 1));
  V* conflict;
  if (stride == 0) {
    conflict =
        w.CreateAnd(w.CreateICmpEQ(in_banks, number(0)), w.CreateICmpNE(distance, number(0)));
  } else if (stride == bank_bytes) {
    // Two rows of 16 words: beside each other, in half of the banks each, or sharing words.
    V* const beside = w.CreateICmpEQ(in_banks, number(row));
    V* const sharing = w.CreateICmpULT(w.CreateAdd(distance, number(row - 1)), number(2 * row - 1));
    conflict = w.CreateNot(w.CreateOr(beside, sharing));
  } else {
    return {};
  }
  units.number = w.CreateAdd(w.CreateZExt(conflict, w.getInt32Ty()), w.i32(1));
  units.ideal = 1;
  return units;
}

// Nothing where the machine has to look at the lanes.
std::optional<LineUnits> units_of(WarpBuilder& w, const Address& address, uint32_t bytes,
                                  uint32_t access) {
  const Value& at = address.value;
  constexpr int64_t most_stride = 1 << 20;
  if (access & access_atomic || !at.shape.is_affine() || address.lane_offsets ||
      at.shape.stride < 0 || at.shape.stride > most_stride || bytes > most_bytes_of_lane)
    return {};
  if (address.space == Space::global) return sectors_of(w, at, bytes);
  if (address.space != Space::shared) return {};
  return wavefronts_of(w, at, bytes, access & access_write ? SharedUse::store : SharedUse::load);
}

void count_by_machine(WarpBuilder& w, const Address& address, uint32_t access, uint32_t counter,
                      V* lanes) {
  by_line(
      w, address,
      [&](const LineOfLanes& line) {
        w.call_helper(offsetof(Helpers, count_line), w.getVoidTy(), w.context(), line.begin,
                      line.middle, line.stride, lanes, w.i32(access), w.i32(counter));
      },
      [&](V* places) {
        w.call_helper(offsetof(Helpers, count_access), w.getVoidTy(), w.context(), places, lanes,
                      w.i32(access), w.i32(counter));
      });
}

}  // namespace

// Memory that instructions name as the threads' own, or as constant or parameters, is not counted.
void count_access(WarpBuilder& w, const Address& address, uint32_t bytes, uint32_t access) {
  if (address.space == Space::param || address.space == Space::local ||
      address.space == Space::constant)
    return;
  const Instruction& i = w.instruction();
  const uint32_t how = access | kind_of_access(address.space) | bytes;
  const uint32_t counter = new_counter(w);
  add_place(w, kind_of(i), i, counter, how);
  V* const lanes = lanes_here(w);
  const auto units = units_of(w, address, bytes, access);
  if (!units) return count_by_machine(w, address, how, counter, lanes);
  CountedPlace& place = w.result().places.back();
  const Shape& shape = address.value.shape;
  place.stride = shape.linear ? static_cast<uint32_t>(shape.stride) : CountedPlace::apart;
  place.units = units->always;
  place.ideal = units->ideal;
  V* simple = w.CreateICmpEQ(lanes, w.i32(UINT32_MAX));
  if (units->known) simple = w.CreateAnd(simple, units->known);
  for (int half = 0; half < address.value.scalars(); ++half)
    if (V* const step = address.value.step[half])
      simple =
          w.CreateAnd(simple, w.CreateICmpEQ(step, llvm::Constant::getNullValue(step->getType())));
  w.when(simple, [&] {
    add(w, counter, offsetof(Counter, whole), w.i32(1));
    if (units->number) add(w, counter, offsetof(Counter, whole_units), units->number);
  });
  w.when(
      w.CreateNot(simple), [&] { count_by_machine(w, address, how, counter, lanes); }, true);
}

}  // namespace cuvette::ptx
