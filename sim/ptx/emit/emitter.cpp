// SPDX-License-Identifier: Apache-2.0
// From an instruction to the function that emits it.
#include "sim/ptx/emit/emitter.hpp"

#include <llvm/IR/Intrinsics.h>

#include <set>

namespace cuvette::ptx {

Emitter::Emitter(const EmitInput& input, llvm::Module& target, CompiledKernel& result)
    : input_(input),
      body_(input.body),
      flow_(input.flow),
      shapes_(input.shapes),
      class_(input.request.block),
      result_(result),
      module_(target),
      llvm_(target.getContext()),
      builder_(target.getContext()) {}

llvm::Value* Emitter::intrinsic(llvm::Intrinsic::ID id, std::initializer_list<V*> arguments) {
  return builder_.CreateIntrinsic(id, {(*arguments.begin())->getType()}, arguments);
}

void Emitter::unsupported(const Instruction& instruction, const std::string& why) {
  if (failed_) return;
  failed_ = true;
  result_.error = why.empty() ? "this form of the instruction is not implemented" : why;
  result_.error_line = instruction.line;
  result_.error_token = std::string(instruction.text);
}

// What must not be done where no lane is there to do it.
bool Emitter::has_effects(const Instruction& i) const {
  static const std::set<std::string_view> with{
      "ld",    "ldu",   "st",         "atom",     "red",      "bar",  "barrier", "call",
      "trap",  "brkpt", "nanosleep",  "tex",      "tld4",     "suld", "sust",    "mbarrier",
      "cp",    "wmma",  "mma",        "ldmatrix", "stmatrix", "shfl", "vote",    "match",
      "redux", "elect", "activemask", "membar",   "fence",    "txq",  "suq",     "sured"};
  return with.contains(i.opcode);
}

void Emitter::emit(const Instruction& i) {
  if (!i.predicate) return emit_plain(i);
  const Value predicate = read_register(*i.predicate, Type::pred);
  if (predicate.shape.is_uniform()) {
    V* const holds =
        i.predicate_negated ? builder_.CreateNot(predicate.scalar[0]) : predicate.scalar[0];
    when(holds, [&] { emit_plain(i); });
    if (needs_frames_) reload_mask();
    return;
  }
  V* const holds = i.predicate_negated ? builder_.CreateNot(predicate.vector) : predicate.vector;
  V* const saved = mask_;
  mask_ = builder_.CreateAnd(active_mask(), holds);
  predicated_ = true;
  if (has_effects(i))
    when(any(mask_), [&] { emit_plain(i); });
  else
    emit_plain(i);
  predicated_ = false;
  mask_ = saved;
  if (needs_frames_) reload_mask();
}

void Emitter::emit_plain(const Instruction& i) {
  if (input_.keeps_sums) settle_before(i);
  const std::optional<Opcode> opcode = opcode_named(i.opcode);
  const Type type = i.type();
  const bool floating = is_floating(type);
  switch (*opcode) {
    case Opcode::op_add:
    case Opcode::op_sub:
      if (floating) return emit_float_arithmetic(i);
      return i.has("cc") ? emit_carry(i) : emit_add_sub(i);
    case Opcode::op_addc:
    case Opcode::op_subc:
    case Opcode::op_madc:
      return emit_carry(i);
    case Opcode::op_mul:
    case Opcode::op_mad:
      if (floating) return emit_float_arithmetic(i);
      return i.has("cc") ? emit_carry(i) : emit_mul_mad(i);
    case Opcode::op_fma:
      return emit_float_arithmetic(i);
    case Opcode::op_mul24:
    case Opcode::op_mad24:
      return emit_mul24(i);
    case Opcode::op_sad:
      return emit_sad(i);
    case Opcode::op_div:
      return floating ? emit_float_division(i) : emit_div_rem(i);
    case Opcode::op_rem:
      return emit_div_rem(i);
    case Opcode::op_abs:
    case Opcode::op_neg:
      return emit_abs_neg(i);
    case Opcode::op_min:
    case Opcode::op_max:
      return floating ? emit_float_min_max(i) : emit_min_max(i);
    case Opcode::op_popc:
    case Opcode::op_clz:
    case Opcode::op_bfind:
    case Opcode::op_fns:
    case Opcode::op_brev:
      return emit_count(i);
    case Opcode::op_bfe:
    case Opcode::op_bfi:
    case Opcode::op_bmsk:
    case Opcode::op_szext:
      return emit_bit_field(i);
    case Opcode::op_dp4a:
    case Opcode::op_dp2a:
      return emit_dot_product(i);
    case Opcode::op_testp:
    case Opcode::op_copysign:
      return emit_float_test(i);
    case Opcode::op_rcp:
    case Opcode::op_sqrt:
    case Opcode::op_rsqrt:
    case Opcode::op_sin:
    case Opcode::op_cos:
    case Opcode::op_lg2:
    case Opcode::op_ex2:
    case Opcode::op_tanh:
      return emit_float_function(i);
    case Opcode::op_set:
    case Opcode::op_setp:
      return emit_set(i);
    case Opcode::op_selp:
    case Opcode::op_slct:
      return emit_select(i);
    case Opcode::op_and:
    case Opcode::op_or:
    case Opcode::op_xor:
    case Opcode::op_not:
    case Opcode::op_cnot:
    case Opcode::op_lop3:
      return emit_logic(i);
    case Opcode::op_shl:
    case Opcode::op_shr:
    case Opcode::op_shf:
      return emit_shift(i);
    case Opcode::op_prmt:
      return emit_permute(i);
    case Opcode::op_mov:
      return emit_mov(i);
    case Opcode::op_cvt:
      return emit_cvt(i);
    case Opcode::op_cvta:
      return emit_cvta(i);
    case Opcode::op_isspacep:
      return emit_isspacep(i);
    case Opcode::op_ld:
    case Opcode::op_ldu:
      return emit_load(i);
    case Opcode::op_st:
      return emit_store(i);
    case Opcode::op_atom:
    case Opcode::op_red:
      return emit_atomic(i);
    case Opcode::op_membar:
    case Opcode::op_fence:
      return emit_fence(i);
    // Hints.
    case Opcode::op_prefetch:
    case Opcode::op_prefetchu:
    case Opcode::op_applypriority:
    case Opcode::op_discard:
    case Opcode::op_pmevent:
    case Opcode::op_setmaxnreg:
      return;
    case Opcode::op_createpolicy:
      return write(i.operands[0], uniform(i64(0)), Type::b64);
    // Nothing here starts before what it depends on is complete.
    case Opcode::op_griddepcontrol:
      return;
    case Opcode::op_bra:
    case Opcode::op_brx:
    case Opcode::op_ret:
    case Opcode::op_exit:
      return unsupported(i);
    case Opcode::op_call:
      return emit_call(i);
    case Opcode::op_trap:
    case Opcode::op_brkpt:
      return emit_trap(i);
    case Opcode::op_nanosleep:
      return emit_nanosleep(i);
    case Opcode::op_bar:
    case Opcode::op_barrier:
      return emit_barrier(i);
    case Opcode::op_shfl:
      return emit_shuffle(i);
    case Opcode::op_vote:
    case Opcode::op_activemask:
    case Opcode::op_elect:
      return emit_vote(i);
    case Opcode::op_match:
      return emit_match(i);
    case Opcode::op_redux:
      return emit_redux(i);
    case Opcode::op_getctarank:
    case Opcode::op_mapa:
      return emit_cluster(i);
    case Opcode::op_cp:
      return emit_async_copy(i);
    case Opcode::op_mbarrier:
      return emit_mbarrier(i);
    case Opcode::op_wmma:
    case Opcode::op_mma:
    case Opcode::op_ldmatrix:
    case Opcode::op_stmatrix:
    case Opcode::op_movmatrix:
      return emit_matrix(i);
    case Opcode::op_tex:
    case Opcode::op_tld4:
      return emit_texture(i);
    case Opcode::op_suld:
    case Opcode::op_sust:
    case Opcode::op_sured:
      return emit_surface(i);
    case Opcode::op_txq:
    case Opcode::op_suq:
      return emit_texture_query(i);
    case Opcode::op_vadd:
    case Opcode::op_vsub:
    case Opcode::op_vabsdiff:
    case Opcode::op_vmin:
    case Opcode::op_vmax:
    case Opcode::op_vset:
    case Opcode::op_vshl:
    case Opcode::op_vshr:
    case Opcode::op_vmad:
      return emit_video_single(i);
    case Opcode::op_vadd2:
    case Opcode::op_vsub2:
    case Opcode::op_vabsdiff2:
    case Opcode::op_vavrg2:
    case Opcode::op_vmin2:
    case Opcode::op_vmax2:
    case Opcode::op_vset2:
    case Opcode::op_vadd4:
    case Opcode::op_vsub4:
    case Opcode::op_vabsdiff4:
    case Opcode::op_vavrg4:
    case Opcode::op_vmin4:
    case Opcode::op_vmax4:
    case Opcode::op_vset4:
      return emit_video(i);
    case Opcode::op_alloca:
    case Opcode::op_stacksave:
    case Opcode::op_stackrestore:
      return unsupported(i);  // place_allocations() has made other instructions of them
  }
}

}  // namespace cuvette::ptx
