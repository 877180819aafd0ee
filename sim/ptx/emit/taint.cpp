// SPDX-License-Identifier: Apache-2.0
// The instructions that passes/taint.cpp adds: the machine knows the taint of memory.
#include <functional>

#include "sim/ptx/emit/instructions.hpp"

namespace cuvette::ptx {
namespace {

llvm::AllocaInst* places_of(WarpBuilder& w, const Instruction& i, const Operand& operand) {
  return w.array_with(numbers(w, address_of(w, operand, space_of(i, operand))));
}

V* kind_of(WarpBuilder& w, const Instruction& i, const Operand& address) {
  return w.i32(kind_of_access(space_of(i, address)) | bytes_accessed(i));
}

V* row(WarpBuilder& w, V* array, uint32_t n) {
  return w.CreateConstGEP1_32(w.vector_type(w.getInt32Ty()), array, n);
}

const Operand& element(const Operand& operand, uint32_t n) {
  return operand.kind == Operand::Kind::vector ? operand.elements[n] : operand;
}

void emit_taint_of_load(MemoryAccesses& memory, const Instruction& i) {
  WarpBuilder& w = memory.w;
  const uint32_t count = vector_length(i);
  llvm::Type* const vector = w.vector_type(w.getInt32Ty());
  llvm::AllocaInst* const taints = w.array_of(w.getInt32Ty(), warp_size * count);
  llvm::AllocaInst* const any = w.array_of(w.getInt32Ty(), 1);
  V* const lanes = w.active_bits();  // here: two ways use them
  V* const kind = kind_of(w, i, i.operands[1]);
  const Address address = address_of(w, i.operands[1], space_of(i, i.operands[1]));
  fetch_early(w, address);
  const auto ask = [&] {
    by_line(
        w, address,
        [&](const LineOfLanes& line) {
          w.CreateStore(w.call_helper(offsetof(Helpers, taint_line), w.getInt32Ty(), w.context(),
                                      line.begin, line.middle, line.stride, taints, w.i32(count),
                                      lanes, kind, w.warp(), w.location()),
                        any);
        },
        [&](V* places) {
          w.CreateStore(
              w.call_helper(offsetof(Helpers, taint_load), w.getInt32Ty(), w.context(), places,
                            taints, w.i32(count), lanes, kind, w.warp(), w.location()),
              any);
        });
  };
  llvm::Constant* const none = llvm::Constant::getNullValue(vector);
  std::vector<V*> all;
  const auto take = [&] {
    w.CreateStore(w.i32(0), any);
    ask();
    V* const some = w.CreateICmpNE(w.CreateLoad(w.getInt32Ty(), any), w.i32(0));
    for (uint32_t n = 0; n < count; ++n)
      all.push_back(w.CreateSelect(some, w.CreateLoad(vector, row(w, taints, n)), none));
  };
  // Nothing is tainted where all of it was written.
  const auto unless = [&](V* written, const auto& otherwise) {
    if (!written) return otherwise();
    llvm::BasicBlock* const before = w.GetInsertBlock();
    llvm::BasicBlock* end = nullptr;
    w.when(
        w.CreateNot(written),
        [&] {
          otherwise();
          end = w.GetInsertBlock();
        },
        true);
    for (V*& taint : all) {
      llvm::PHINode* const either = w.CreatePHI(vector, 2);
      either->addIncoming(none, before);
      either->addIncoming(taint, end);
      taint = either;
    }
  };
  const uint32_t bytes = bytes_accessed(i);
  unless(memory.note_ahead(address, bytes),
         [&] { unless(is_quiet(w, address, bytes, Quiet::written), take); });
  for (uint32_t n = 0; n < count; ++n)
    w.write(element(i.operands[0], n), varying(all[n]), Type::b32);
}

// Whether a lane's value is tainted at all is asked here: it hardly ever is. So all lanes are asked
// first, in one register.
void when_tainted(WarpBuilder& w, V* taints, const std::function<void()>& body) {
  const auto elements = [](V* vector) {
    return llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
  };
  const unsigned bits = w.input().request.vectors == Vectors::avx512 ? 512
                        : w.input().request.vectors == Vectors::avx2 ? 256
                                                                     : 128;
  V* all = taints;
  while (elements(all) > bits / 32) {
    std::vector<int> lower, upper;
    for (unsigned n = 0; n < elements(all) / 2; ++n) {
      lower.push_back(static_cast<int>(n));
      upper.push_back(static_cast<int>(n + elements(all) / 2));
    }
    all = w.CreateOr(w.CreateShuffleVector(all, lower), w.CreateShuffleVector(all, upper));
  }
  w.when(
      w.CreateICmpNE(w.CreateBitCast(all, w.getIntNTy(bits)), w.getIntN(bits, 0)),
      [&] {
        V* const some = w.CreateICmpNE(taints, llvm::Constant::getNullValue(taints->getType()));
        w.when(w.any(w.CreateAnd(some, w.active_mask())), body, true);
      },
      true);
}

void emit_taint_of_store(WarpBuilder& w, const Instruction& i) {
  const uint32_t count = vector_length(i);
  std::vector<V*> taints;
  V* all = nullptr;
  for (uint32_t n = 0; n < count; ++n) {
    taints.push_back(w.read_vector(element(i.operands[1], n), Type::b32));
    all = all ? w.CreateOr(all, taints.back()) : taints.back();
  }
  when_tainted(w, all, [&] {
    llvm::AllocaInst* const array = w.array_of(w.getInt32Ty(), warp_size * count);
    for (uint32_t n = 0; n < count; ++n) w.CreateStore(taints[n], row(w, array, n));
    w.call_helper(offsetof(Helpers, taint_store), w.getVoidTy(), w.context(),
                  places_of(w, i, i.operands[0]), array, w.i32(count), w.active_bits(),
                  kind_of(w, i, i.operands[0]), w.warp(), w.location());
  });
}

void emit_taint_of_use(WarpBuilder& w, const Instruction& i) {
  V* const taints = w.read_vector(i.operands[0], Type::b32);
  when_tainted(w, taints, [&] {
    llvm::AllocaInst* const array = w.array_of(w.getInt32Ty());
    w.CreateStore(taints, array);
    w.call_helper(offsetof(Helpers, taint_use), w.getVoidTy(), w.context(), array,
                  w.i32(static_cast<uint32_t>(i.operands[1].bits)), w.active_bits(), w.warp(),
                  w.location());
  });
}

}  // namespace

void emit_taint(MemoryAccesses& memory, const Instruction& i) {
  WarpBuilder& w = memory.w;
  if (i.opcode == Opcode::taintld) return emit_taint_of_load(memory, i);
  if (i.opcode == Opcode::taintst) return emit_taint_of_store(w, i);
  emit_taint_of_use(w, i);
}

}  // namespace cuvette::ptx
