// SPDX-License-Identifier: Apache-2.0
// Accesses of watched kernels, which are reported to the machine.
#include <cstddef>
#include <utility>

#include "sim/ptx/emit/lanes.hpp"
#include "sim/ptx/emit/memory_accesses.hpp"

namespace cuvette::ptx {

namespace {

V* is(WarpBuilder& w, V* noted, Noted what) {
  return w.CreateICmpEQ(noted, w.i32(static_cast<uint32_t>(what)));
}

}  // namespace

MemoryAccesses::Told MemoryAccesses::told(const Instruction& i, uint32_t how) {
  if ((i.opcode == Opcode::ld && i.has(dot::nc)) || i.opcode == Opcode::ldu)
    how |= access_read_only;
  const NumberedAccess known{location_of(i.line, i.source_file, i.source_line), how};
  // The lanes here: two ways use them.
  return {w.i32(how), w.i32(watch_number(known, w.result().accesses)), w.active_bits()};
}

V* MemoryAccesses::note(const LineOfLanes& line, const Told& told) {
  return w.call_helper(offsetof(Helpers, note_line), w.getInt32Ty(), w.context(), line.begin,
                       line.middle, line.stride, told.lanes, told.kind, told.number, w.warp());
}

// The plain load that is next, if nothing but moves of its taint comes before it.
std::optional<uint32_t> MemoryAccesses::load_behind() const {
  const std::vector<Instruction>& all = w.body().instructions;
  uint32_t n = w.at.instruction + 1;
  while (n < all.size() && all[n].opcode == Opcode::mov) ++n;
  if (n == all.size()) return {};
  const Instruction& next = all[n];
  const bool is_load = next.opcode == Opcode::ld || next.opcode == Opcode::ldu;
  if (!is_load || next.predicate || ordering_of(next) != 0) return {};
  return n;
}

V* MemoryAccesses::note_ahead(const Address& address, uint32_t bytes) {
  const std::optional<uint32_t> load = load_behind();
  if (!load) return nullptr;
  V* const quiet = is_quiet(w, address, bytes, Quiet::both);
  if (!quiet) return nullptr;
  const Told all = told(w.body().instructions[*load], kind_of_access(address.space) | bytes);
  llvm::AllocaInst* const noted = w.array_of(w.getInt32Ty(), 1);
  const auto keep = [&](Noted what) { w.CreateStore(w.i32(static_cast<uint32_t>(what)), noted); };
  keep(Noted::written);
  w.when(w.CreateNot(quiet), [&] {
    keep(Noted::no);
    by_line(
        w, address, [&](const LineOfLanes& line) { w.CreateStore(note(line, all), noted); },
        [](V*) {});
  });
  noted_ = {*load, w.CreateLoad(w.getInt32Ty(), noted)};
  return is(w, noted_->second, Noted::written);
}

// A watched access is neither tested here nor together with others: the machine looks at each.
void MemoryAccesses::watch(const Address& address, uint32_t bytes, uint32_t access,
                           const std::vector<Value>& stored) {
  const Instruction& i = w.instruction();
  const uint32_t how = access | ordering_of(i) | bytes;
  const Told all = told(i, how);
  const auto values = [&]() -> V* {
    if (stored.empty()) return llvm::ConstantPointerNull::get(w.getPtrTy());
    std::vector<V*> vectors;
    for (const Value& value : stored) vectors.push_back(w.vector_of(value));
    V* const all = interleave(w, vectors);
    auto* const type = llvm::cast<llvm::FixedVectorType>(all->getType());
    llvm::AllocaInst* const buffer = w.array_of(type->getElementType(), type->getNumElements());
    w.CreateStore(all, buffer);
    return buffer;
  };
  const auto leave = [&](V* status) {
    w.when(
        w.CreateICmpNE(status, w.i32(0)), [&] { w.fail_warp(status); }, true);
  };
  const auto tell_line = [&](const LineOfLanes& line) {
    leave(w.call_helper(offsetof(Helpers, watch_line), w.getInt32Ty(), w.context(), line.begin,
                        line.middle, line.stride, values(), all.lanes, all.kind, all.number,
                        w.warp(), w.location()));
  };
  const auto tell_each = [&](V* places) {
    leave(w.call_helper(offsetof(Helpers, watch), w.getInt32Ty(), w.context(), places, values(),
                        all.lanes, all.kind, all.number, w.warp(), w.location()));
  };
  if (noted_ && noted_->first == w.at.instruction) {
    V* const noted = std::exchange(noted_, {})->second;
    return w.when(
        is(w, noted, Noted::no), [&] { by_line(w, address, tell_line, tell_each); }, true);
  }
  const auto note_line = [&](const LineOfLanes& line) {
    // Most need not know what is written.
    if (how & access_never_noted) return tell_line(line);
    w.when(
        is(w, note(line, all), Noted::no), [&] { tell_line(line); }, true);
  };
  const auto tell = [&] { by_line(w, address, note_line, tell_each); };
  // Of kernels that are followed the taint of a load has been asked for, and that fetches.
  if (!w.input().request.follow) fetch_early(w, address);
  const bool reads = !(access & (access_write | access_atomic)) && ordering_of(i) == 0;
  V* const quiet = reads ? is_quiet(w, address, bytes, Quiet::read) : nullptr;
  quiet ? w.when(w.CreateNot(quiet), tell) : tell();
}

void MemoryAccesses::order(Ordering ordering, V* operands) {
  w.call_helper(offsetof(Helpers, watch_order), w.getVoidTy(), w.context(),
                w.i32(static_cast<uint32_t>(ordering)), w.array_with(operands), w.active_bits(),
                w.warp(), w.location());
}

void MemoryAccesses::written(const Address& address, V* bytes) {
  w.call_helper(offsetof(Helpers, taint_store), w.getVoidTy(), w.context(),
                w.array_with(numbers(w, address)), w.array_with(bytes), w.i32(0), w.active_bits(),
                w.i32(kind_of_access(address.space)), w.warp(), w.location());
}

}  // namespace cuvette::ptx
