// SPDX-License-Identifier: Apache-2.0
// Calls, and ends before the end. Most functions of the module are part of the body by now
// (passes/inline.hpp).
#include <algorithm>

#include "sim/ptx/emit/instructions.hpp"
#include "sim/ptx/emit/memory.hpp"

namespace cuvette::ptx {
namespace {

void emit_call_of(WarpBuilder& w, const Function& function);

struct Provided {
  std::string_view name;
  size_t parameters;
};
constexpr Provided provided[] = {
#define X(name, parameters) {#name, parameters},
    CUVETTE_PTX_SYSTEM_CALLS(X)
#undef X
};

}  // namespace

void emit_call(WarpBuilder& w, const Instruction& i) {
  const bool returns = !i.operands.empty() && i.operands[0].kind == Operand::Kind::vector;
  const size_t callee = returns ? 1 : 0;
  const std::string_view name = i.operands.size() > callee ? i.operands[callee].symbol : "";
  if (const Function* const own = w.input().module.function(name); own && !own->body.empty())
    return emit_call_of(w, *own);
  const auto found = std::find_if(std::begin(provided), std::end(provided),
                                  [&](const Provided& one) { return one.name == name; });
  if (found == std::end(provided))
    return w.unsupported(i, "nothing here provides the function '" + std::string(name) + "'");
  static const std::vector<Operand> none;
  const std::vector<Operand>& parameters =
      i.operands.size() > callee + 1 ? i.operands[callee + 1].elements : none;
  if (parameters.size() != found->parameters)
    return w.unsupported(i, "'" + std::string(name) + "' has other parameters");
  llvm::Type* const wide = w.vector_type(w.getInt64Ty());
  // A parameter that is not a register lies in the threads' own memory.
  const auto place_of = [&](const Operand& operand) {
    Operand whole = operand;
    whole.kind = Operand::Kind::address;
    whole.has_base = whole.base_is_symbol = true;
    return address_of(w, whole, Space::local);
  };
  const auto type_of = [&](const Operand& operand) {
    if (operand.kind == Operand::Kind::reg)
      return bits_of_size(size_of(w.body().registers[operand.index].type));
    if (operand.kind == Operand::Kind::symbol && operand.index > 0)
      return bits_of_size(w.body().variables[operand.index - 1].bytes());
    return Type::b64;
  };
  const auto in_memory = [](const Operand& operand) {
    return operand.kind == Operand::Kind::symbol && operand.index > 0;
  };
  llvm::AllocaInst* const given = w.array_of(
      w.getInt64Ty(), warp_size * static_cast<unsigned>(std::max<size_t>(found->parameters, 1)));
  for (size_t p = 0; p < parameters.size(); ++p) {
    const Type type = type_of(parameters[p]);
    V* const value =
        in_memory(parameters[p])
            ? w.vector_of(load(w, place_of(parameters[p]), memory_element(w, type), 1, false)[0])
            : w.read_vector(parameters[p], type);
    w.CreateAlignedStore(w.CreateZExt(value, wide),
                         w.CreateConstGEP1_64(w.getInt64Ty(), given, warp_size * p),
                         llvm::Align(64));
  }
  llvm::AllocaInst* const results = w.array_of(w.getInt64Ty());
  V* const status = w.call_helper(offsetof(Helpers, system_call), w.getInt32Ty(), w.context(),
                                  w.i32(static_cast<uint32_t>(found - std::begin(provided))),
                                  results, given, w.i32(static_cast<uint32_t>(parameters.size())),
                                  w.active_bits(), w.warp(), w.location());
  w.when(
      w.CreateICmpNE(status, w.i32(0)), [&] { w.fail_warp(status); }, true);
  if (!returns || i.operands[0].elements.empty()) return;
  const Operand& to = i.operands[0].elements[0];
  const Type type = type_of(to);
  V* const bits = w.resize(w.CreateLoad(wide, results), Type::u64, w.element(type));
  if (in_memory(to))
    store(w, place_of(to), {varying(bits)}, memory_element(w, type), false);
  else
    w.write(to, varying(bits), type);
}

namespace {

// A function of the module that is compiled by itself: what it takes and gives back lies in memory.
void emit_call_of(WarpBuilder& w, const Function& function) {
  V* const status =
      w.CreateCall(w.warp_function(function), {w.context(), w.warp(), w.active_bits()});
  w.when(
      w.CreateICmpNE(status, w.i32(static_cast<uint32_t>(Status::finished))),
      [&] { w.fail_warp(status); }, true);
}

}  // namespace

void emit_trap(WarpBuilder& w, const Instruction& i) {
  const size_t helper =
      i.opcode == Opcode::trap ? offsetof(Helpers, trap) : offsetof(Helpers, breakpoint);
  V* const status =
      w.call_helper(helper, w.getInt32Ty(), w.context(), w.active_bits(), w.warp(), w.location());
  w.when(w.CreateICmpNE(status, w.i32(0)), [&] { w.fail_warp(status); });
}

void emit_wild_call(WarpBuilder& w, const Instruction& i) {
  V* const status = w.call_helper(offsetof(Helpers, wild_call), w.getInt32Ty(), w.context(),
                                  w.array_with(w.read_vector(i.operands[0], Type::u64)),
                                  w.active_bits(), w.warp(), w.location());
  w.when(w.CreateICmpNE(status, w.i32(0)), [&] { w.fail_warp(status); });
}

// Lets other warps have their turn.
void emit_nanosleep(WarpBuilder& w, const Instruction& i) {
  if (!w.needs_frames()) return;
  const auto sleep = [&] {
    w.suspend(w.waits_in(w.at.block) ? Status::yielded : Status::asleep, w.live_behind());
  };
  const WarpBuilder::Retry* const retry = w.retry();
  if (!retry) return sleep();
  w.when(w.is_turn_of(*retry), sleep);
  w.reload_mask();
}

}  // namespace cuvette::ptx
