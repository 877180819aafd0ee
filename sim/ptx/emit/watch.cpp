// SPDX-License-Identifier: Apache-2.0
// Accesses of watched kernels, of which the machine is told.
#include <cstddef>

#include "sim/ptx/emit/lanes.hpp"
#include "sim/ptx/emit/memory_accesses.hpp"

namespace cuvette::ptx {

// A watched access is neither tested here nor together with others: the machine looks at each.
void MemoryAccesses::watch(const Address& address, uint32_t bytes, uint32_t access,
                           const std::vector<Value>& stored) {
  const Instruction& i = w.instruction();
  const uint32_t how = access | ordering_of(i) | bytes;
  const NumberedAccess known{location_of(i.line, i.source_file, i.source_line), how};
  V* const kind = w.i32(how);
  V* const number = w.i32(watch_number(known, w.result().accesses));
  V* const lanes = w.active_bits();  // here: two ways use them
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
    const auto tell = [&] {
      leave(w.call_helper(offsetof(Helpers, watch_line), w.getInt32Ty(), w.context(), line.begin,
                          line.middle, line.stride, values(), lanes, kind, number, w.warp(),
                          w.location()));
    };
    // Most need not be told what is written.
    if (how & access_never_noted) return tell();
    V* const noted =
        w.call_helper(offsetof(Helpers, note_line), w.getInt32Ty(), w.context(), line.begin,
                      line.middle, line.stride, lanes, kind, number, w.warp());
    w.when(w.CreateICmpEQ(noted, w.i32(0)), tell, true);
  };
  const auto tell = [&] {
    by_line(w, address, tell_line, [&](V* places) {
      leave(w.call_helper(offsetof(Helpers, watch), w.getInt32Ty(), w.context(), places, values(),
                          lanes, kind, number, w.warp(), w.location()));
    });
  };
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
