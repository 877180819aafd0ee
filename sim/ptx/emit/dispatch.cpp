// SPDX-License-Identifier: Apache-2.0
// From an instruction to the function that emits it.
#include "sim/ptx/emit/instructions.hpp"

#include "sim/ptx/emit/counts.hpp"
#include "sim/ptx/emit/sums.hpp"

namespace cuvette::ptx {
namespace {

// The lanes that each lane names, and the one whose value it takes (members_of, source_of);
// instructions for matrices mean the whole warp.
V* members(WarpBuilder& w, const Instruction& i) {
  llvm::Type* const wide = w.vector_type(w.getInt64Ty());
  switch (i.opcode) {
    case Opcode::shfl: {
      const auto [from, inside] = sources_of_shuffle(w, i);
      V* const others = w.CreateAnd(inside, w.CreateICmpNE(from, w.lanes(1, w.getInt32Ty())));
      V* const source = w.CreateSelect(others, w.CreateAdd(from, w.splat(w.i32(1))),
                                       llvm::Constant::getNullValue(from->getType()));
      return w.CreateOr(w.CreateZExt(w.read_vector(i.operands.back(), Type::b32), wide),
                        w.CreateShl(w.CreateZExt(source, wide), w.splat(w.i64(source_shift))));
    }
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::elect:
      return w.CreateZExt(w.read_vector(i.operands.back(), Type::b32), wide);
    default:
      return w.splat(w.i64(UINT32_MAX));
  }
}

}  // namespace

void emit(MemoryAccesses& memory, const Instruction& i) {
  WarpBuilder& w = memory.w;
  if (!i.predicate) return emit_plain(memory, i);
  const Value predicate = w.read_register(*i.predicate, Type::pred);
  if (predicate.shape.is_uniform()) {
    V* const holds = i.predicate_negated ? w.CreateNot(predicate.scalar[0]) : predicate.scalar[0];
    if (w.input().request.counts)
      count_predicated(
          w, i, w.CreateSelect(holds, w.all_active() ? w.base_bits() : w.active_bits(), w.i32(0)));
    w.when(holds, [&] { emit_plain(memory, i); });
    if (w.needs_frames()) w.reload_mask();
    return;
  }
  V* const holds = i.predicate_negated ? w.CreateNot(predicate.vector) : predicate.vector;
  V* const saved = w.at.mask;
  w.at.mask = w.CreateAnd(w.active_mask(), holds);
  w.at.predicated = true;
  if (w.input().request.counts) count_predicated(w, i, w.active_bits());
  if (i.is(needs_lanes))
    w.when(w.any(w.at.mask), [&] { emit_plain(memory, i); });
  else
    emit_plain(memory, i);
  w.at.predicated = false;
  w.at.mask = saved;
  if (w.needs_frames()) w.reload_mask();
}

void emit_plain(MemoryAccesses& memory, const Instruction& i) {
  WarpBuilder& w = memory.w;
  if (w.input().keeps_sums) settle_before(w, i);
  if (w.input().request.watch && i.has(dot::sync) && !i.is(Trait::accesses) &&
      i.opcode != Opcode::bar && i.opcode != Opcode::barrier)
    memory.order(Ordering::collective, members(w, i));
  const Type type = i.type();
  const bool floating = is_floating(type);
  switch (i.opcode) {
    case Opcode::add:
    case Opcode::sub:
      if (floating) return emit_float_arithmetic(w, i);
      return i.has(dot::cc) ? emit_carry(w, i) : emit_add_sub(w, i);
    case Opcode::addc:
    case Opcode::subc:
    case Opcode::madc:
      return emit_carry(w, i);
    case Opcode::mul:
    case Opcode::mad:
      if (floating) return emit_float_arithmetic(w, i);
      return i.has(dot::cc) ? emit_carry(w, i) : emit_mul_mad(w, i);
    case Opcode::fma:
      return emit_float_arithmetic(w, i);
    case Opcode::mul24:
    case Opcode::mad24:
      return emit_mul24(w, i);
    case Opcode::sad:
      return emit_sad(w, i);
    case Opcode::div:
      return floating ? emit_float_division(w, i) : emit_div_rem(w, i);
    case Opcode::rem:
      return emit_div_rem(w, i);
    case Opcode::abs:
    case Opcode::neg:
      return emit_abs_neg(w, i);
    case Opcode::min:
    case Opcode::max:
      return floating ? emit_float_min_max(w, i) : emit_min_max(w, i);
    case Opcode::popc:
    case Opcode::clz:
    case Opcode::bfind:
    case Opcode::fns:
    case Opcode::brev:
      return emit_count(w, i);
    case Opcode::bfe:
    case Opcode::bfi:
    case Opcode::bmsk:
    case Opcode::szext:
      return emit_bit_field(w, i);
    case Opcode::dp4a:
    case Opcode::dp2a:
      return emit_dot_product(w, i);
    case Opcode::testp:
    case Opcode::copysign:
      return emit_float_test(w, i);
    case Opcode::rcp:
    case Opcode::sqrt:
    case Opcode::rsqrt:
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::lg2:
    case Opcode::ex2:
    case Opcode::tanh:
      return emit_float_function(w, i);
    case Opcode::set:
    case Opcode::setp:
      return emit_set(w, i);
    case Opcode::selp:
    case Opcode::slct:
      return emit_select(w, i);
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_:
    case Opcode::not_:
    case Opcode::cnot:
    case Opcode::lop3:
      return emit_logic(w, i);
    case Opcode::shl:
    case Opcode::shr:
    case Opcode::shf:
      return emit_shift(w, i);
    case Opcode::prmt:
      return emit_permute(w, i);
    case Opcode::mov:
      return emit_mov(w, i);
    case Opcode::cvt:
      return emit_cvt(w, i);
    case Opcode::cvta:
      return emit_cvta(w, i);
    case Opcode::isspacep:
      return emit_isspacep(w, i);
    case Opcode::ld:
    case Opcode::ldu:
      return emit_load(memory, i);
    case Opcode::st:
      return emit_store(memory, i);
    case Opcode::atom:
    case Opcode::red:
      return emit_atomic(memory, i);
    case Opcode::membar:
    case Opcode::fence:
      return emit_fence(memory, i);
    // Hints.
    case Opcode::prefetch:
    case Opcode::prefetchu:
    case Opcode::applypriority:
    case Opcode::discard:
    case Opcode::pmevent:
    case Opcode::setmaxnreg:
      return;
    case Opcode::createpolicy:
      return w.write(i.operands[0], uniform(w.i64(0)), Type::b64);
    // Grids start only after those that they depend on are complete.
    case Opcode::griddepcontrol:
      return;
    case Opcode::bra:
    case Opcode::brx:
    case Opcode::ret:
    case Opcode::exit:
      return w.unsupported(i);
    case Opcode::call:
      return emit_call(w, i);
    case Opcode::trap:
    case Opcode::brkpt:
      return emit_trap(w, i);
    case Opcode::nanosleep:
      return emit_nanosleep(w, i);
    case Opcode::bar:
    case Opcode::barrier:
      return emit_barrier(memory, i);
    case Opcode::shfl:
      return emit_shuffle(w, i);
    case Opcode::vote:
    case Opcode::activemask:
    case Opcode::elect:
      return emit_vote(w, i);
    case Opcode::match:
      return emit_match(w, i);
    case Opcode::redux:
      return emit_redux(w, i);
    case Opcode::getctarank:
    case Opcode::mapa:
      return emit_cluster(w, i);
    case Opcode::cp:
      return emit_async_copy(memory, i);
    case Opcode::mbarrier:
      return emit_mbarrier(memory, i);
    case Opcode::wmma:
    case Opcode::mma:
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
    case Opcode::movmatrix:
      return emit_matrix(memory, i);
    case Opcode::tex:
    case Opcode::tld4:
      return emit_texture(w, i);
    case Opcode::suld:
    case Opcode::sust:
    case Opcode::sured:
      return emit_surface(w, i);
    case Opcode::txq:
    case Opcode::suq:
      return emit_texture_query(w, i);
    case Opcode::vadd:
    case Opcode::vsub:
    case Opcode::vabsdiff:
    case Opcode::vmin:
    case Opcode::vmax:
    case Opcode::vset:
    case Opcode::vshl:
    case Opcode::vshr:
    case Opcode::vmad:
      return emit_video_single(w, i);
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
      return emit_video(w, i);
    case Opcode::wildcall:
      return emit_wild_call(w, i);
    case Opcode::ownlocal:
      return emit_ownlocal(w, i);
    case Opcode::inside:
      return emit_inside(memory, i);
    case Opcode::taintld:
    case Opcode::taintst:
    case Opcode::taintuse:
      return emit_taint(memory, i);
    case Opcode::alloca:
    case Opcode::stacksave:
    case Opcode::stackrestore:
      return w.unsupported(i);  // place_allocations() has made other instructions of them
  }
}

}  // namespace cuvette::ptx
