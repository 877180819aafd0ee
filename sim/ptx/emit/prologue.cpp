// SPDX-License-Identifier: Apache-2.0
// The state of a warp before its first instruction, and the place where it continues if it has
// stopped.
#include "sim/ptx/emit/warp_builder.hpp"

namespace cuvette::ptx {

void WarpBuilder::emit_prologue() {
  // The indices of the warp's threads, and which of its lanes exist.
  llvm::Type* const word = getInt32Ty();
  V* const first = CreateMul(warp_, i32(warp_size), "", true, true);
  const auto extent = [&](int d) {
    return context_field(offsetof(BlockContext, ntid) + 4 * static_cast<size_t>(d), word);
  };
  Value x, y, z;
  if (class_.shape() == BlockClass::Shape::rows) {
    if (class_.one_dimensional()) {
      x = uniform(first);
      y = z = uniform(i32(0));
    } else {
      // Divisions are slow: as few as the class allows.
      V* const row = class_.row_is_warp() ? warp_ : CreateUDiv(first, extent(0));
      x = uniform(class_.row_is_warp() ? i32(0) : CreateURem(first, extent(0)));
      y = uniform(class_.flat() ? row : CreateURem(row, extent(1)));
      z = uniform(class_.flat() ? i32(0) : CreateUDiv(row, extent(1)));
    }
    x.shape.stride = 1;
  } else if (class_.shape() == BlockClass::Shape::half_rows) {
    x.shape = {Shape::Kind::affine, false, false, 1};
    y.shape = z.shape = {Shape::Kind::affine, false, false, 0};
    for (unsigned half = 0; half < 2; ++half) {
      V* const row = CreateAdd(CreateMul(warp_, i32(2)), i32(half));
      x.scalar[half] = i32(0);
      y.scalar[half] = class_.flat() ? row : CreateURem(row, extent(1));
      z.scalar[half] = class_.flat() ? i32(0) : CreateUDiv(row, extent(1));
    }
  } else {
    V* const thread = CreateAdd(splat(first), lanes(1, word));
    V* const row = CreateUDiv(thread, splat(extent(0)));
    x = varying(CreateURem(thread, splat(extent(0))));
    y = varying(class_.flat() ? row : CreateURem(row, splat(extent(1))));
    z = varying(class_.flat() ? splat(i32(0)) : CreateUDiv(row, splat(extent(1))));
  }
  specials_[Special::tid_x] = x;
  specials_[Special::tid_y] = y;
  specials_[Special::tid_z] = z;
  if (!input_.function.is_entry) {
    base_bits_ = function_->getArg(2);
  } else if (!class_.full_warps()) {
    V* const threads = context_field(offsetof(BlockContext, threads), word);
    V* left = CreateSub(CreateZExt(threads, getInt64Ty()), CreateZExt(first, getInt64Ty()));
    left = CreateBinaryIntrinsic(llvm::Intrinsic::smin, left, i64(warp_size));
    base_bits_ = CreateTrunc(CreateSub(CreateShl(i64(1), left), i64(1)), word);
  }
}

// Where the warp left off.
void WarpBuilder::emit_resumption() {
  V* const frames = context_field(offsetof(BlockContext, frames), getPtrTy());
  V* const stride = context_field(offsetof(BlockContext, frame_stride), getInt64Ty());
  frame_ = CreateGEP(getInt8Ty(), frames, CreateMul(CreateZExt(warp_, getInt64Ty()), stride));
  V* const state = CreateLoad(getInt32Ty(), frame_);
  llvm::BasicBlock* const fresh = new_block("fresh");
  resume_ = CreateSwitch(state, fresh);
  SetInsertPoint(fresh);
  result_.frame_bytes = frame_head;
}

}  // namespace cuvette::ptx
