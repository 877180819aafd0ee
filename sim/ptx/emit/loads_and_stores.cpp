// SPDX-License-Identifier: Apache-2.0
// ld, st and fences: each access is tested first (memory_accesses.hpp), then takes place in the way
// that suits its addresses (memory.hpp).
#include "sim/ptx/emit/instructions.hpp"
#include "sim/ptx/emit/memory.hpp"

namespace cuvette::ptx {

void emit_load(MemoryAccesses& memory, const Instruction& i) {
  WarpBuilder& w = memory.w;
  const Type type = i.type();
  const uint32_t count = vector_length(i), bytes = bytes_accessed(i);
  const Space space = space_of(i, i.operands[1]);
  const bool strong = is_strong(i);
  std::vector<Value> values;
  if (const Indexed* const at = memory.indexed()) {
    memory.check_indexed(*at, i.operands[1], bytes, size_of(type), kind_of_access(space));
    if (strong) compiler_fence(w);
    values = load_indexed(w, *at, i.operands[1], memory_element(w, type), count);
  } else {
    Address address = address_of(w, i.operands[1], space);
    memory.check(address, bytes, kind_of_access(space));
    memory.count(address, bytes, 0);
    if (w.at.straight) address = without_step(address);
    if (strong) compiler_fence(w);
    if (is_one_access(i, space))
      values = load_whole(w, address, memory_element(w, type), count);
    else if (w.at.straight && w.all_active() && is_strided(w, i, address.value.shape) &&
             is_tested_by_ends(address, bytes))
      values = {varying(memory.load_strided(address, memory_element(w, type)))};
    else
      values = load(w, address, memory_element(w, type), count, strong);
  }
  if (strong) compiler_fence(w);
  if (count == 1) return w.write(i.operands[0], values[0], type);
  for (uint32_t n = 0; n < count; ++n) w.write(i.operands[0].elements[n], values[n], type);
}

void emit_store(MemoryAccesses& memory, const Instruction& i) {
  WarpBuilder& w = memory.w;
  const Type type = i.type();
  const uint32_t count = vector_length(i), bytes = bytes_accessed(i);
  const Space space = space_of(i, i.operands[0]);
  if (space == Space::param) return w.unsupported(i, "a kernel's parameters cannot be written");
  std::vector<Value> values;
  llvm::Type* const stored = memory_element(w, type);
  for (uint32_t n = 0; n < count; ++n) {
    Value value = w.read(count == 1 ? i.operands[1] : i.operands[1].elements[n], type);
    if (value.shape.is_varying()) {
      value.vector = w.bits_as(value.vector, stored);
    } else if (value.scalar[0]->getType() != stored) {
      for (int half = 0; half < value.scalars(); ++half)
        value.scalar[half] = w.bits_as(value.scalar[half], stored);
    }
    values.push_back(value);
  }
  const bool strong = is_strong(i);
  if (const Indexed* const at = memory.indexed()) {
    memory.check_indexed(*at, i.operands[0], bytes, size_of(type),
                         kind_of_access(space) | access_write);
    std::vector<V*> vectors;
    for (const Value& value : values) vectors.push_back(w.vector_of(value));
    if (strong) compiler_fence(w);
    store_indexed(w, *at, i.operands[0], vectors, stored);
    if (strong) compiler_fence(w);
    return;
  }
  Address address = address_of(w, i.operands[0], space);
  memory.check(address, bytes, kind_of_access(space) | access_write, values);
  memory.count(address, bytes, access_write);
  if (w.at.straight) address = without_step(address);
  if (strong) compiler_fence(w);
  if (is_one_access(i, space))
    store_whole(w, address, values, stored);
  else
    store(w, address, values, stored, strong);
  if (strong) compiler_fence(w);
}

// On this processor only stores overtaken by later loads need an instruction.
void emit_fence(MemoryAccesses& memory, const Instruction& i) {
  WarpBuilder& w = memory.w;
  if (w.input().request.watch) {
    if (!i.has(dot::proxy))
      memory.order(Ordering::fence,
                   w.splat(w.i64(static_cast<uint64_t>(scope_of(i, Scope::block)))));
    else if (i.has(dot::alias))
      memory.order(Ordering::alias_fence, w.splat(w.i64(0)));
  }
  const bool strong =
      (i.opcode == Opcode::membar || i.has(dot::sc)) && !i.has(dot::proxy) && !i.has(dot::cta);
  if (strong)
    w.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
  else
    compiler_fence(w);
}

}  // namespace cuvette::ptx
