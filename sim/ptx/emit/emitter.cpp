// SPDX-License-Identifier: Apache-2.0
// From an instruction to the function that emits it.
#include "sim/ptx/emit/emitter.hpp"

#include <llvm/IR/Intrinsics.h>

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
  if (i.is(needs_lanes))
    when(any(mask_), [&] { emit_plain(i); });
  else
    emit_plain(i);
  predicated_ = false;
  mask_ = saved;
  if (needs_frames_) reload_mask();
}

void Emitter::emit_plain(const Instruction& i) {
  if (input_.keeps_sums) settle_before(i);
  const Type type = i.type();
  const bool floating = is_floating(type);
  switch (i.opcode) {
    case Opcode::add:
    case Opcode::sub:
      if (floating) return emit_float_arithmetic(i);
      return i.has(dot::cc) ? emit_carry(i) : emit_add_sub(i);
    case Opcode::addc:
    case Opcode::subc:
    case Opcode::madc:
      return emit_carry(i);
    case Opcode::mul:
    case Opcode::mad:
      if (floating) return emit_float_arithmetic(i);
      return i.has(dot::cc) ? emit_carry(i) : emit_mul_mad(i);
    case Opcode::fma:
      return emit_float_arithmetic(i);
    case Opcode::mul24:
    case Opcode::mad24:
      return emit_mul24(i);
    case Opcode::sad:
      return emit_sad(i);
    case Opcode::div:
      return floating ? emit_float_division(i) : emit_div_rem(i);
    case Opcode::rem:
      return emit_div_rem(i);
    case Opcode::abs:
    case Opcode::neg:
      return emit_abs_neg(i);
    case Opcode::min:
    case Opcode::max:
      return floating ? emit_float_min_max(i) : emit_min_max(i);
    case Opcode::popc:
    case Opcode::clz:
    case Opcode::bfind:
    case Opcode::fns:
    case Opcode::brev:
      return emit_count(i);
    case Opcode::bfe:
    case Opcode::bfi:
    case Opcode::bmsk:
    case Opcode::szext:
      return emit_bit_field(i);
    case Opcode::dp4a:
    case Opcode::dp2a:
      return emit_dot_product(i);
    case Opcode::testp:
    case Opcode::copysign:
      return emit_float_test(i);
    case Opcode::rcp:
    case Opcode::sqrt:
    case Opcode::rsqrt:
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::lg2:
    case Opcode::ex2:
    case Opcode::tanh:
      return emit_float_function(i);
    case Opcode::set:
    case Opcode::setp:
      return emit_set(i);
    case Opcode::selp:
    case Opcode::slct:
      return emit_select(i);
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_:
    case Opcode::not_:
    case Opcode::cnot:
    case Opcode::lop3:
      return emit_logic(i);
    case Opcode::shl:
    case Opcode::shr:
    case Opcode::shf:
      return emit_shift(i);
    case Opcode::prmt:
      return emit_permute(i);
    case Opcode::mov:
      return emit_mov(i);
    case Opcode::cvt:
      return emit_cvt(i);
    case Opcode::cvta:
      return emit_cvta(i);
    case Opcode::isspacep:
      return emit_isspacep(i);
    case Opcode::ld:
    case Opcode::ldu:
      return emit_load(i);
    case Opcode::st:
      return emit_store(i);
    case Opcode::atom:
    case Opcode::red:
      return emit_atomic(i);
    case Opcode::membar:
    case Opcode::fence:
      return emit_fence(i);
    // Hints.
    case Opcode::prefetch:
    case Opcode::prefetchu:
    case Opcode::applypriority:
    case Opcode::discard:
    case Opcode::pmevent:
    case Opcode::setmaxnreg:
      return;
    case Opcode::createpolicy:
      return write(i.operands[0], uniform(i64(0)), Type::b64);
    // Nothing here starts before what it depends on is complete.
    case Opcode::griddepcontrol:
      return;
    case Opcode::bra:
    case Opcode::brx:
    case Opcode::ret:
    case Opcode::exit:
      return unsupported(i);
    case Opcode::call:
      return emit_call(i);
    case Opcode::trap:
    case Opcode::brkpt:
      return emit_trap(i);
    case Opcode::nanosleep:
      return emit_nanosleep(i);
    case Opcode::bar:
    case Opcode::barrier:
      return emit_barrier(i);
    case Opcode::shfl:
      return emit_shuffle(i);
    case Opcode::vote:
    case Opcode::activemask:
    case Opcode::elect:
      return emit_vote(i);
    case Opcode::match:
      return emit_match(i);
    case Opcode::redux:
      return emit_redux(i);
    case Opcode::getctarank:
    case Opcode::mapa:
      return emit_cluster(i);
    case Opcode::cp:
      return emit_async_copy(i);
    case Opcode::mbarrier:
      return emit_mbarrier(i);
    case Opcode::wmma:
    case Opcode::mma:
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
    case Opcode::movmatrix:
      return emit_matrix(i);
    case Opcode::tex:
    case Opcode::tld4:
      return emit_texture(i);
    case Opcode::suld:
    case Opcode::sust:
    case Opcode::sured:
      return emit_surface(i);
    case Opcode::txq:
    case Opcode::suq:
      return emit_texture_query(i);
    case Opcode::vadd:
    case Opcode::vsub:
    case Opcode::vabsdiff:
    case Opcode::vmin:
    case Opcode::vmax:
    case Opcode::vset:
    case Opcode::vshl:
    case Opcode::vshr:
    case Opcode::vmad:
      return emit_video_single(i);
    case Opcode::vadd2:
    case Opcode::vsub2:
    case Opcode::vabsdiff2:
    case Opcode::vavrg2:
    case Opcode::vmin2:
    case Opcode::vmax2:
    case Opcode::vset2:
    case Opcode::vadd4:
    case Opcode::vsub4:
    case Opcode::vabsdiff4:
    case Opcode::vavrg4:
    case Opcode::vmin4:
    case Opcode::vmax4:
    case Opcode::vset4:
      return emit_video(i);
    case Opcode::alloca:
    case Opcode::stacksave:
    case Opcode::stackrestore:
      return unsupported(i);  // place_allocations() has made other instructions of them
  }
}

}  // namespace cuvette::ptx
