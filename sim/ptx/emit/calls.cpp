// SPDX-License-Identifier: Apache-2.0
// Calls, and ends before the end. Most functions of the module are part of the body by now
// (passes/inline.hpp).
#include <algorithm>

#include "sim/ptx/emit/emitter.hpp"

namespace cuvette::ptx {
namespace {

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

// By a function that saves every register that it uses: around an ordinary call everything would
// have to leave the registers, and finding room for it at hundreds of calls takes long.
llvm::Value* Emitter::call_aside(size_t offset, llvm::Type* result,
                                 const std::vector<V*>& arguments) {
  std::vector<llvm::Type*> types;
  std::vector<V*> passed;
  std::string name = "aside" + std::to_string(offset);
  // In whole registers: LLVM takes the callee to keep r8 where r8d alone is an argument.
  llvm::Type* const word = builder_.getInt32Ty();
  for (V* const argument : arguments) {
    const bool narrow = argument->getType() == word;
    passed.push_back(narrow ? builder_.CreateZExt(argument, builder_.getInt64Ty()) : argument);
    types.push_back(passed.back()->getType());
  }
  llvm::Function* function = module_.getFunction(name);
  if (!function) {
    function = llvm::Function::Create(llvm::FunctionType::get(result, types, false),
                                      llvm::Function::InternalLinkage, name, module_);
    for (const llvm::Attribute::AttrKind kind :
         {llvm::Attribute::NoUnwind, llvm::Attribute::NoInline, llvm::Attribute::Cold})
      function->addFnAttr(kind);
    function->addFnAttr("no_caller_saved_registers");
    // What the machine does meanwhile changes nothing that the kernel sees.
    function->setMemoryEffects(llvm::MemoryEffects::readOnly() |
                               llvm::MemoryEffects::inaccessibleMemOnly());
    Builder builder(llvm::BasicBlock::Create(llvm_, "", function));
    std::vector<V*> values;
    for (llvm::Argument& argument : function->args()) {
      const bool narrow = arguments[argument.getArgNo()]->getType() == word;
      values.push_back(narrow ? builder.CreateTrunc(&argument, word) : &argument);
      if (!argument.getType()->isVectorTy()) continue;
      llvm::AllocaInst* const array = builder.CreateAlloca(argument.getType());
      builder.CreateStore(&argument, array);
      values.back() = array;
    }
    types.clear();
    for (V* const value : values) types.push_back(value->getType());
    V* const table = builder.CreateLoad(
        builder.getPtrTy(),
        builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), function->getArg(0),
                                           offsetof(BlockContext, helpers)));
    V* const helper = builder.CreateLoad(
        builder.getPtrTy(), builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), table, offset));
    llvm::CallInst* const call =
        builder.CreateCall(llvm::FunctionType::get(result, types, false), helper, values);
    call->addFnAttr(llvm::Attribute::NoUnwind);
    builder.CreateRet(call);
  }
  return builder_.CreateCall(function, passed);
}

void Emitter::emit_call(const Instruction& i) {
  const bool returns = !i.operands.empty() && i.operands[0].kind == Operand::Kind::vector;
  const size_t callee = returns ? 1 : 0;
  const std::string_view name = i.operands.size() > callee ? i.operands[callee].symbol : "";
  if (const Function* const own = input_.module.function(name); own && !own->body.empty())
    return emit_call_of(*own);
  const auto found = std::find_if(std::begin(provided), std::end(provided),
                                  [&](const Provided& one) { return one.name == name; });
  if (found == std::end(provided))
    return unsupported(i, "nothing here provides the function '" + std::string(name) + "'");
  static const std::vector<Operand> none;
  const std::vector<Operand>& parameters =
      i.operands.size() > callee + 1 ? i.operands[callee + 1].elements : none;
  if (parameters.size() != found->parameters)
    return unsupported(i, "'" + std::string(name) + "' has other parameters");
  llvm::Type* const wide = vector_type(builder_.getInt64Ty());
  // A parameter that is no register lies in the threads' own memory.
  const auto place_of = [&](const Operand& operand) {
    Operand whole = operand;
    whole.kind = Operand::Kind::address;
    whole.has_base = whole.base_is_symbol = true;
    return address_of(whole, Space::local);
  };
  const auto type_of = [&](const Operand& operand) {
    if (operand.kind == Operand::Kind::reg)
      return bits_of_size(size_of(body_.registers[operand.index].type));
    if (operand.kind == Operand::Kind::symbol && operand.index > 0)
      return bits_of_size(body_.variables[operand.index - 1].bytes());
    return Type::b64;
  };
  const auto in_memory = [](const Operand& operand) {
    return operand.kind == Operand::Kind::symbol && operand.index > 0;
  };
  llvm::AllocaInst* const given =
      array_of(builder_.getInt64Ty(),
               warp_size * static_cast<unsigned>(std::max<size_t>(found->parameters, 1)));
  for (size_t p = 0; p < parameters.size(); ++p) {
    const Type type = type_of(parameters[p]);
    V* const value =
        in_memory(parameters[p])
            ? vector_of(load(place_of(parameters[p]), memory_element(type), 1, false)[0])
            : read_vector(parameters[p], type);
    builder_.CreateAlignedStore(
        builder_.CreateZExt(value, wide),
        builder_.CreateConstGEP1_64(builder_.getInt64Ty(), given, warp_size * p), llvm::Align(64));
  }
  llvm::AllocaInst* const results = array_of(builder_.getInt64Ty());
  V* const status =
      call_helper(offsetof(Helpers, system_call), builder_.getInt32Ty(), function_->getArg(0),
                  i32(static_cast<uint32_t>(found - std::begin(provided))), results, given,
                  i32(static_cast<uint32_t>(parameters.size())), active_bits(), warp_, location());
  when(
      builder_.CreateICmpNE(status, i32(0)), [&] { fail_warp(status); }, true);
  if (!returns || i.operands[0].elements.empty()) return;
  const Operand& to = i.operands[0].elements[0];
  const Type type = type_of(to);
  V* const bits = resize(builder_.CreateLoad(wide, results), Type::u64, element(type));
  if (in_memory(to))
    store(place_of(to), {varying(bits)}, memory_element(type), false);
  else
    write(to, varying(bits), type);
}

// A function of the module that is compiled by itself: what it takes and gives back lies in memory.
void Emitter::emit_call_of(const Function& function) {
  V* const status =
      builder_.CreateCall(warp_function(function), {function_->getArg(0), warp_, active_bits()});
  when(
      builder_.CreateICmpNE(status, i32(static_cast<uint32_t>(Status::finished))),
      [&] { fail_warp(status); }, true);
}

void Emitter::emit_trap(const Instruction& i) {
  const size_t helper =
      i.opcode == Opcode::trap ? offsetof(Helpers, trap) : offsetof(Helpers, breakpoint);
  V* const status = call_helper(helper, builder_.getInt32Ty(), function_->getArg(0), active_bits(),
                                warp_, location());
  when(builder_.CreateICmpNE(status, i32(0)), [&] { fail_warp(status); });
}

// Others have their turn.
void Emitter::emit_nanosleep(const Instruction& i) {
  if (needs_frames_)
    suspend(waits_in(block_) ? Status::yielded : Status::asleep, live_behind(block_, instruction_));
}

}  // namespace cuvette::ptx
