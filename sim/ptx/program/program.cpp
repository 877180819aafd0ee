// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/program.hpp"

#include <algorithm>

#include "sim/base/config.hpp"
#include "sim/base/rounding.hpp"
#include "sim/os/output.hpp"
#include "sim/ptx/passes/check_bodies.hpp"
#include "sim/ptx/program/kernel_code.hpp"
#include "sim/ptx/syntax/parser.hpp"

namespace cuvette::ptx {
namespace {

constexpr uint64_t most_constants = 64 << 10;

// Returns the most bytes of parameters that a kernel may have: more since PTX 8.1, on Volta and
// later.
uint32_t most_parameters(const Module& module) {
  const bool large = module.version_major * 10 + module.version_minor >= 81;
  return large && module.target_number >= 70 ? 32764 : 4352;
}

// The version of PTX that introduced a target, and whether the target has variants for one model
// (a) and for its family (f).
struct Target {
  uint32_t number, version;
  bool variants;
};
constexpr Target targets[] = {
    {10, 10, false}, {11, 10, false}, {12, 12, false}, {13, 12, false}, {20, 20, false},
    {30, 30, false}, {32, 40, false}, {35, 31, false}, {37, 41, false}, {50, 40, false},
    {52, 41, false}, {53, 42, false}, {60, 50, false}, {61, 50, false}, {62, 50, false},
    {70, 60, false}, {72, 61, false}, {75, 63, false}, {80, 70, false}, {86, 71, false},
    {87, 74, false}, {88, 90, false}, {89, 78, false}, {90, 78, true},  {100, 86, true},
    {101, 86, true}, {103, 88, true}, {110, 90, true}, {120, 87, true}, {121, 88, true},
};

bool check_target(const Module& module, uint32_t device, Diagnostic& diagnostic) {
  const auto complain = [&](std::string sentence) {
    diagnostic = {Error::invalid_ptx, 0, std::string(module.target), std::move(sentence)};
    return false;
  };
  const auto known = std::find_if(std::begin(targets), std::end(targets), [&](const Target& one) {
    return one.number == module.target_number;
  });
  if (known == std::end(targets)) return complain("there is no such target");
  const uint32_t version = module.version_major * 10 + module.version_minor;
  if (version < known->version)
    return complain("this target needs PTX " + std::to_string(known->version / 10) + "." +
                    std::to_string(known->version % 10));
  const char variant = module.target.back();
  if (variant != 'a' && variant != 'f') return true;
  if (!known->variants) return complain("there is no such target");
  if (variant == 'a' && module.target_number != device)
    return complain("this is for another device than this one");
  if (variant == 'f' && module.target_number / 10 != device / 10)
    return complain("this is for another family of devices than this one's");
  return true;
}

// Finds names that have two definitions.
bool check_names(const Module& module, Diagnostic& diagnostic) {
  std::unordered_map<std::string_view, const Variable*> names;
  for (const Variable& variable : module.variables) {
    if (variable.is_extern) continue;
    if (names.try_emplace(variable.name, &variable).second) continue;
    diagnostic = {Error::invalid_ptx, variable.line, std::string(variable.name),
                  "there are two variables of this name"};
    return false;
  }
  for (const Function& function : module.functions) {
    if (!names.contains(function.name)) continue;
    diagnostic = {Error::invalid_ptx, function.line, std::string(function.name),
                  "a variable has this name, too"};
    return false;
  }
  return true;
}

bool check_initialisers(const Module& module, Diagnostic& diagnostic) {
  for (const Variable& variable : module.variables) {
    for (const Initialiser& value : variable.values) {
      if (value.symbol.empty() || module.variable(value.symbol) || module.function(value.symbol))
        continue;
      diagnostic = {Error::invalid_ptx, variable.line, std::string(value.symbol),
                    "nothing has this name"};
      return false;
    }
    if (variable.values.size() <= variable.elements * variable.vector) continue;
    diagnostic = {Error::invalid_ptx, variable.line, std::string(variable.name),
                  "it has fewer elements than values"};
    return false;
  }
  return true;
}

bool check_sizes(const Module& module, uint64_t constants, Diagnostic& diagnostic) {
  if (constants > most_constants) {
    diagnostic = {Error::invalid_ptx, 0, "",
                  std::to_string(constants) + " bytes of constants are more than there can be: " +
                      std::to_string(most_constants)};
    return false;
  }
  for (const Function& function : module.functions) {
    if (!function.is_entry || function.parameter_bytes() <= most_parameters(module)) continue;
    diagnostic = {Error::invalid_ptx, function.line, std::string(function.name),
                  std::to_string(function.parameter_bytes()) +
                      " bytes of parameters are more than a kernel can have: " +
                      std::to_string(most_parameters(module))};
    return false;
  }
  return true;
}

uint64_t bytes_of_constants(const Module& module) {
  uint64_t bytes = 0;
  for (const Variable& variable : module.variables) {
    if (variable.space != Space::constant || variable.is_extern) continue;
    const uint64_t alignment = std::max<uint64_t>(variable.alignment, 1);
    bytes = round_up(bytes, alignment) + variable.bytes();
  }
  return bytes;
}

}  // namespace

Result<Ref<Program>> Program::load(std::string text, uint32_t newest_target, Diagnostic& diagnostic,
                                   Needs needs) {
  Ref<Program> program = TRY(read(std::move(text), newest_target, diagnostic, needs));
  TRY(program->check(diagnostic));
  return program;
}

Result<Ref<Program>> Program::read(std::string text, uint32_t newest_target, Diagnostic& diagnostic,
                                   Needs needs) {
  Ref<Program> program = Ref<Program>::adopt(new Program(needs));
  program->syntax_ = std::make_unique<Module>();
  Module& module = *program->syntax_;
  const bool read = read_module(std::move(text), newest_target, module, diagnostic);
  const uint64_t constants = bytes_of_constants(module);
  if (!read || !check_target(module, newest_target, diagnostic) ||
      !check_names(module, diagnostic) || !check_initialisers(module, diagnostic) ||
      !check_sizes(module, constants, diagnostic)) {
    diagnostic.quote_from(module.text);
    return diagnostic.error;
  }
  program->constant_bytes_ = static_cast<uint32_t>(constants);
  for (const Function& function : module.functions) {
    if (!function.is_entry || function.body.empty()) continue;
    Kernel& kernel = program->kernels_.emplace_back(*program, function);
    program->by_name_.emplace(function.name, &kernel);
  }
  return program;
}

Result<> Program::check(Diagnostic& diagnostic) {
  const BodyState state = check_bodies(*syntax_, false, diagnostic);
  if (state == BodyState::wrong) {
    diagnostic.quote_from(syntax_->text);
    return diagnostic.error;
  }
  all_read_ = state == BodyState::right && syntax_->text.size() < read_all_below;
  return {};
}

Program::Kernel* Program::kernel(std::string_view name) {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

// A device function's address is a number that the host cannot call, and never 0. Its low bits are
// 0, because pointers to members mark virtual functions in the lowest.
uint64_t Program::function_address(std::string_view name) const {
  const Function* const function = syntax_->function(name);
  if (!function) return 0;
  return (static_cast<uint64_t>(function - syntax_->functions.data()) + 1) * 16;
}

Program::Kernel::Kernel(Program& program, const Function& syntax)
    : program_(program), syntax_(syntax), name_(syntax.name) {
  const std::vector<uint32_t> offsets = syntax.parameter_offsets();
  for (size_t i = 0; i < offsets.size(); ++i)
    parameters_.parameters.push_back(
        {offsets[i], static_cast<uint32_t>(syntax.parameters[i].bytes())});
  parameters_.bytes = syntax.parameter_bytes();
}

namespace {

Error unusable(const Module& module, const Function& kernel, Diagnostic& diagnostic) {
  diagnostic.quote_from(module.text);
  os::say("kernel '%s' cannot be used: %s\n%s", std::string(kernel.name).c_str(),
          diagnostic.sentence().c_str(), diagnostic.quote.c_str());
  return diagnostic.error;
}

}  // namespace

Result<Program::Kernel::Memory> Program::Kernel::memory() {
  MutexLock lock(mutex_);
  if (memory_) return *memory_;
  DeclaredMemory declared;
  Diagnostic diagnostic;
  if (!declared_memory(program_.syntax(), syntax_, declared, diagnostic))
    return unusable(program_.syntax(), syntax_, diagnostic);
  const auto cut = [](uint64_t bytes) {
    return static_cast<uint32_t>(std::min<uint64_t>(bytes, INT32_MAX));
  };
  memory_ = Memory{cut(declared.shared), cut(declared.local)};
  return *memory_;
}

Result<uint32_t> Program::Kernel::registers() {
  MutexLock lock(mutex_);
  if (registers_) return *registers_;
  uint32_t registers = 0;
  Diagnostic diagnostic;
  if (!count_registers(program_.syntax(), syntax_, registers, diagnostic))
    return unusable(program_.syntax(), syntax_, diagnostic);
  registers_ = registers;
  return registers;
}

bool Program::Kernel::read() {
  if (program_.all_read_) return true;
  MutexLock lock(mutex_);
  return memory_.has_value();
}

BlockClass Program::Kernel::usual_blocks() const {
  const auto& threads = syntax_.reqntid;
  if (threads[0] == 0) return BlockClass::of(256, 1, 1);
  return BlockClass::of(threads[0], std::max(threads[1], 1u), std::max(threads[2], 1u));
}

Result<const MachineCode*> Program::Kernel::make_code(BlockClass block) {
  MutexLock lock(mutex_);
  std::atomic<const MachineCode*>& place = codes_[block.number()];
  if (const MachineCode* const known = place.load(std::memory_order_relaxed)) return known;
  CompileRequest request;
  request.text = program_.syntax().text;
  request.entry = syntax_.name;
  request.block = block;
  request.vectors = vectors();
  request.approx = config().approx;
  const Needs needs = program_.needs_;
  request.check_bounds = needs.has(Needs::bounds);
  request.watch = needs.has(Needs::accesses);
  request.follow = needs.has(Needs::taint);
  request.tracks = needs.tracks();
  request.counts = needs.has(Needs::counts);
  made_.push_back(TRY(make_machine_code(request)));
  place.store(made_.back().get(), std::memory_order_release);
  program_.hand_out(*made_.back(), block);
  return made_.back().get();
}

void Program::hand_out(const MachineCode& made, BlockClass block) {
  for (const CompiledKernel::Kernel& other : made.facts.others) {
    Kernel* const taker = kernel(other.name);
    if (!taker) continue;
    auto code = std::make_unique<MachineCode>(made);
    code->entry = reinterpret_cast<KernelEntry*>(made.memory->begin() + other.offset);
    code->facts.others.clear();
    MutexLock lock(mutex_);
    const MachineCode* none = nullptr;
    if (taker->codes_[block.number()].compare_exchange_strong(none, code.get()))
      handed_out_.push_back(std::move(code));
  }
}

}  // namespace cuvette::ptx
