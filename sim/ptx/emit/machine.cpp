// SPDX-License-Identifier: Apache-2.0
// The machine's services for a warp: its block's context, helpers, symbols, memory of its own.
#include "sim/ptx/emit/warp_builder.hpp"

namespace cuvette::ptx {

llvm::Function* WarpBuilder::warp_function(const Function& function) {
  const bool together = function.is_entry && input_.kernels > 1;
  const std::string name = together            ? "kernels"
                           : function.is_entry ? "entry"
                                               : "function." + std::string(function.name);
  if (llvm::Function* const known = module_.getFunction(name)) return known;
  llvm::Type* const word = getInt32Ty();
  std::vector<llvm::Type*> parameters{getPtrTy(), word, word};
  if (together) parameters.push_back(word);
  llvm::Function* const made =
      llvm::Function::Create(llvm::FunctionType::get(word, parameters, false),
                             function.is_entry && !together ? llvm::Function::ExternalLinkage
                                                            : llvm::Function::InternalLinkage,
                             name, module_);
  made->addFnAttr(llvm::Attribute::NoUnwind);
  made->getArg(0)->addAttr(llvm::Attribute::NoAlias);
  made->getArg(0)->addAttr(
      llvm::Attribute::getWithDereferenceableBytes(getContext(), sizeof(BlockContext)));
  made->getArg(0)->addAttr(llvm::Attribute::getWithAlignment(getContext(), llvm::Align(8)));
  return made;
}

llvm::Value* WarpBuilder::context_field(size_t offset, llvm::Type* type, bool constant) {
  V* const place = CreateConstInBoundsGEP1_64(getInt8Ty(), context(), offset);
  llvm::LoadInst* const load = CreateLoad(type, place);
  if (constant)
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(getContext(), {}));
  return load;
}

// By a function that saves every register that it uses: around an ordinary call everything would
// have to leave the registers, and finding room for it at hundreds of calls takes long.
llvm::Value* WarpBuilder::call_aside(size_t offset, llvm::Type* result,
                                     const std::vector<V*>& arguments) {
  std::vector<llvm::Type*> types;
  std::vector<V*> passed;
  std::string name = "aside" + std::to_string(offset);
  // In whole registers: LLVM takes the callee to keep r8 where r8d alone is an argument.
  llvm::Type* const word = getInt32Ty();
  for (V* const argument : arguments) {
    const bool narrow = argument->getType() == word;
    passed.push_back(narrow ? CreateZExt(argument, getInt64Ty()) : argument);
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
    // The helper changes nothing that the kernel can see.
    function->setMemoryEffects(llvm::MemoryEffects::readOnly() |
                               llvm::MemoryEffects::inaccessibleMemOnly());
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(getContext(), "", function));
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
    result->isVoidTy() ? builder.CreateRetVoid() : builder.CreateRet(call);
  }
  return CreateCall(function, passed);
}

llvm::Value* WarpBuilder::symbol_address(std::string_view name) {
  size_t number = 0;
  while (number < result_.symbols.size() && result_.symbols[number] != name) ++number;
  if (number == result_.symbols.size()) result_.symbols.emplace_back(name);
  V* const table = context_field(offsetof(BlockContext, symbols), getPtrTy());
  llvm::LoadInst* const load =
      CreateLoad(getInt64Ty(), CreateConstInBoundsGEP1_64(getInt64Ty(), table, number));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(getContext(), {}));
  return load;
}

// Arrays live for one instruction only, so a few of them serve the whole kernel.
llvm::AllocaInst* WarpBuilder::array_of(llvm::Type* element, unsigned count) {
  const uint64_t bits = uint64_t{element->getPrimitiveSizeInBits().getFixedValue()} * count;
  llvm::AllocaInst* array = nullptr;
  const auto free = arrays_.find(bits);
  if (free != arrays_.end()) {
    array = free->second;
    arrays_.erase(free);
  } else {
    array = llvm::IRBuilder<>(allocas_, allocas_->begin())
                .CreateAlloca(llvm::ArrayType::get(element, count));
    array->setAlignment(llvm::Align(64));
  }
  arrays_in_use_.emplace_back(bits, array);
  return array;
}

llvm::AllocaInst* WarpBuilder::array_with(V* vector) {
  llvm::AllocaInst* const array =
      array_of(llvm::cast<llvm::FixedVectorType>(vector->getType())->getElementType());
  CreateStore(vector, array);
  return array;
}

void WarpBuilder::free_arrays() {
  for (const auto& array : arrays_in_use_) arrays_.insert(array);
  arrays_in_use_.clear();
}

}  // namespace cuvette::ptx
