// SPDX-License-Identifier: Apache-2.0
// The tests that passes/variable_bounds.cpp adds: an access is inside of the variable that it
// names.
#include "sim/ptx/emit/instructions.hpp"

namespace cuvette::ptx {

void emit_inside(MemoryAccesses& memory, const Instruction& i) {
  WarpBuilder& w = memory.w;
  const Space space = space_of(i, i.operands[0]);
  const uint32_t bytes = bytes_accessed(i);
  const auto size = static_cast<uint32_t>(i.operands[2].bits);
  V* const places = w.vector_of(address_of(w, i.operands[0], space).value);
  V* const begin = w.read_symbol(i.operands[1], Type::u32).scalar[0];
  V* const distance = w.CreateSub(places, w.splat(begin));
  // A variable that is smaller than the access has no place for it.
  V* const outside =
      size < bytes ? w.splat(w.getTrue()) : w.CreateICmpUGT(distance, w.splat(w.i32(size - bytes)));
  V* const any = w.any(w.CreateAnd(outside, w.active_mask()));
  if (w.may_leave()) return w.leave_straight(any);
  w.when(
      any,
      [&] {
        llvm::AllocaInst* const array = w.array_of(w.getInt64Ty());
        w.CreateStore(w.CreateZExt(places, w.vector_type(w.getInt64Ty())), array);
        V* const name =
            w.CreateGlobalString(std::string(i.operands[1].symbol), "variable", 0, &w.module());
        V* const status = w.call_helper(
            offsetof(Helpers, outside), w.getInt32Ty(), w.context(), array, name, begin,
            w.i32(size), w.active_bits(),
            w.i32(kind_of_access(space) | bytes | static_cast<uint32_t>(i.operands[3].bits)),
            w.warp(), w.location());
        w.fail_warp(status);
      },
      true);
}

}  // namespace cuvette::ptx
