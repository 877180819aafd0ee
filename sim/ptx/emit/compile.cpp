// SPDX-License-Identifier: Apache-2.0
// The function of libcuvette-jit.so that compiles kernels.
#include "sim/ptx/emit/compile.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "sim/base/mutex.hpp"
#include "sim/base/rounding.hpp"
#include "sim/ptx/emit/region_walker.hpp"
#include "sim/ptx/emit/sums.hpp"
#include "sim/ptx/passes/allocations.hpp"
#include "sim/ptx/passes/guarded_barriers.hpp"
#include "sim/ptx/passes/inline.hpp"
#include "sim/ptx/passes/meetings.hpp"
#include "sim/ptx/passes/members.hpp"
#include "sim/ptx/passes/own_memory.hpp"
#include "sim/ptx/passes/taint.hpp"
#include "sim/ptx/passes/variable_bounds.hpp"
#include "sim/ptx/syntax/parser.hpp"

namespace cuvette::ptx {
namespace {

// Whether `holds` is true for any operand of the bodies, or for a part of one.
bool any_operand(const Bodies& bodies, const std::function<bool(const Operand&)>& holds) {
  const std::function<bool(const Operand&)> in = [&](const Operand& operand) {
    return holds(operand) || std::any_of(operand.elements.begin(), operand.elements.end(), in);
  };
  for (const OwnBody& one : bodies)
    for (const Instruction& i : one.body.instructions)
      if (std::any_of(i.operands.begin(), i.operands.end(), in)) return true;
  return false;
}

// Of the shared memory that a GPU keeps for itself, at the beginning.
bool asks_for_reserved(const Operand& operand) {
  return operand.kind == Operand::Kind::special && operand.special >= Special::reserved_begin &&
         operand.special <= Special::reserved_1;
}

// After the reserved part come shared variables of the module that the bodies name, then the
// bodies' own, then a dynamic array. Where bounds are exact nothing is before them unless it is
// asked for.
Layout lay_out(const Module& module, const Bodies& bodies, bool exact) {
  Layout layout;
  if (!exact || any_operand(bodies, asks_for_reserved))
    layout.shared_reserved = reserved_shared_bytes;
  uint64_t shared = layout.shared_reserved, local = 0;
  const auto names = [&](std::string_view name) {
    return any_operand(bodies, [&](const Operand& operand) {
      return operand.index == 0 && operand.symbol == name;
    });
  };
  for (const Variable& variable : module.variables) {
    if (variable.space != Space::shared || variable.elements == 0 || variable.is_extern ||
        !names(variable.name))
      continue;
    shared = round_up(shared, variable.alignment);
    layout.alignment = std::max(layout.alignment, variable.alignment);
    layout.module_shared[variable.name] = static_cast<uint32_t>(shared);
    shared += variable.bytes();
  }
  const std::vector<Variable>& variables = bodies[0].body.variables;
  for (size_t v = 0; v < variables.size(); ++v) {
    uint64_t& at = variables[v].space == Space::shared ? shared : local;
    at = round_up(at, variables[v].alignment);
    layout.alignment = std::max(layout.alignment, variables[v].alignment);
    layout.body_offsets.push_back(static_cast<uint32_t>(at));
    // It is empty for bodies that do not need it.
    uint64_t bytes = 0;
    for (const OwnBody& one : bodies)
      if (v < one.body.variables.size())
        bytes = std::max<uint64_t>(bytes, one.body.variables[v].bytes());
    at += bytes;
  }
  // The dynamic part is aligned as the most demanding of its names asks.
  uint32_t alignment = 16;
  for (const Variable& variable : module.variables)
    if (variable.space == Space::shared && (variable.elements == 0 || variable.is_extern))
      alignment = std::max(alignment, variable.alignment);
  for (const Variable& variable : module.variables)
    if (variable.space == Space::shared && (variable.elements == 0 || variable.is_extern) &&
        names(variable.name)) {
      shared = round_up(shared, alignment);
      layout.module_shared[variable.name] = static_cast<uint32_t>(shared);
    }
  layout.shared_bytes = static_cast<uint32_t>(shared) - layout.shared_reserved;
  layout.alignment = std::max(layout.alignment, alignment);
  // The next thread's variables begin there.
  layout.local_bytes = static_cast<uint32_t>(round_up(local, local == 0 ? 16 : layout.alignment));
  for (size_t v = 0; v < variables.size(); ++v)
    if (variables[v].name == stack_name) {
      layout.body_offsets[v] = layout.local_bytes;
      layout.has_stack = true;
    }
  return layout;
}

// Names what lies where in shared memory.
std::vector<SharedVariable> shared_variables(const Module& module, const Bodies& bodies,
                                             const Layout& layout) {
  std::vector<SharedVariable> all;
  const auto add = [&](const Variable& variable, uint32_t offset) {
    const bool dynamic = variable.elements == 0 || variable.is_extern;
    all.push_back({std::string(variable.name), offset,
                   dynamic ? 0 : static_cast<uint32_t>(variable.bytes()),
                   static_cast<uint32_t>(variable.vector * size_of(variable.type))});
  };
  for (const Variable& variable : module.variables)
    if (const auto at = layout.module_shared.find(variable.name); at != layout.module_shared.end())
      add(variable, at->second);
  // A variable that one of the bodies does not need is empty there.
  const size_t count = layout.body_offsets.size();
  for (size_t v = 0; v < count; ++v)
    for (const OwnBody& one : bodies) {
      if (v >= one.body.variables.size()) continue;
      const Variable& variable = one.body.variables[v];
      if (variable.space != Space::shared || variable.elements == 0) continue;
      add(variable, layout.body_offsets[v]);
      break;
    }
  return all;
}

// The time of compiling grows with the registers that come into each block, and faster where loops
// have several entries: there LLVM finds that registers are in each other's way again and again.
size_t size_of(const Flow& flow) {
  size_t size = 0;
  for (const Block& block : flow.blocks) {
    size += block.end - block.first;
    block.live_in.each([&](uint32_t) { ++size; });
  }
  return flow.irreducible ? 8 * size : size;
}

// How often a mask of lanes that wait at a block is needed in another, at most: jumps by tables
// have all their targets wait at once, and so may all blocks of loops with several entries. In
// variables that become values each of these takes time and memory.
bool has_many_masks(const Flow& flow) {
  constexpr size_t many = 100'000;
  if (flow.irreducible && flow.blocks.size() * flow.blocks.size() > many) return true;
  size_t masks = 0;
  for (const Block& block : flow.blocks)
    if (block.successors.size() > 2) masks += block.successors.size() * block.successors.size() / 2;
  return masks > many;
}

// Whether lanes of a warp may come to a barrier of the block at different times, and to different
// ones: a barrier counts each thread.
bool comes_apart_at_barriers(const Body& body, const Flow& flow, const Shapes& shapes) {
  std::vector<uint32_t> barriers(shapes.region_blocks.size());
  for (BlockId b = 0; b < flow.blocks.size(); ++b) {
    if (shapes.region[b] < 0) continue;
    for (uint32_t i = flow.blocks[b].first; i < flow.blocks[b].end; ++i) {
      if (!is_barrier_of_block(body.instructions[i])) continue;
      if (flow.innermost[b] != no_loop) return true;
      if (++barriers[static_cast<size_t>(shapes.region[b])] > 1) return true;
    }
  }
  return false;
}

// The module that was read last, since its next kernel will be wanted soon. Tables of numbers make
// reading one take longer than compiling a small kernel.
class LastModule {
 public:
  // Null, with the reason in `diagnostic`, if the text is wrong.
  std::shared_ptr<const Module> read(std::string_view text, Diagnostic& diagnostic) {
    {
      MutexLock lock(mutex_);
      if (module_ && module_->text == text) return module_;
    }
    const auto module = std::make_shared<Module>();
    if (!read_module(std::string(text), UINT32_MAX, *module, diagnostic)) return nullptr;
    MutexLock lock(mutex_);
    module_ = module;
    return module;
  }

 private:
  Mutex mutex_;
  std::shared_ptr<const Module> module_ GUARDED_BY(mutex_);
};

// Never destroyed: a thread may still compile while the process exits.
LastModule& last_module() {
  static auto* const one = new LastModule;
  return *one;
}

void report(const Diagnostic& diagnostic, CompiledKernel& result) {
  result.error = diagnostic.message;
  result.error_line = diagnostic.line;
  result.error_token = diagnostic.token;
}

// The name of each kernel's function in the object file, by its number; it alone is "entry".
std::string entry_name(const std::vector<const Function*>& kernels, size_t number) {
  return kernels.size() == 1 ? "entry" : "entry" + std::to_string(number);
}

void compile_as_asked(const CompileRequest& request, CompiledKernel& result) {
  result = CompiledKernel{};
  Diagnostic diagnostic;
  const std::shared_ptr<const Module> read = last_module().read(request.text, diagnostic);
  if (!read) return report(diagnostic, result);
  const Module& module = *read;
  const Function* const function = module.function(request.entry);
  if (!function || function->body.empty()) {
    result.error = "there is no function '" + std::string(request.entry) + "'";
    return;
  }
  Body body;
  if (!read_body(module, *function, body, diagnostic)) return report(diagnostic, result);
  Bodies bodies;
  const Placing placing{request.most_in_place, request.most_copied, request.together};
  if (!inline_calls(module, *function, std::move(body), placing, bodies, diagnostic))
    return report(diagnostic, result);
  const std::vector<const Function*>& kernels = bodies[0].kernels;
  for (const Function* const kernel : kernels)
    if (kernel != function) result.others.push_back({std::string(kernel->name), 0});
  for (OwnBody& one : bodies)
    if (!place_allocations(one.body, diagnostic)) return report(diagnostic, result);
  keep_in_own_memory(bodies);
  std::vector<bool> guarded;  // bodies with barriers that had a predicate
  for (OwnBody& one : bodies) {
    guarded.push_back(guard_barriers(one.body));
    name_members(one.body);
    if (request.check_bounds) keep_inside_variables(one.body, module);
    if (request.follow) follow_taint(one.body);
  }
  const Layout layout = lay_out(module, bodies, request.check_bounds);

  llvm::LLVMContext context;
  llvm::Module target("kernel", context);
  const TargetMachineLease lease(request.vectors);
  llvm::TargetMachine* const machine = lease.get();
  if (!machine) {
    result.error = "the compiler does not know this processor";
    return;
  }
  target.setTargetTriple(machine->getTargetTriple().str());
  target.setDataLayout(machine->createDataLayout());
  std::vector<Flow> flows;
  size_t size = 0;
  bool many_masks = false;
  for (const OwnBody& one : bodies) {
    const bool far = guarded[flows.size()];
    flows.push_back(find_flow(one.body, far, far));
    size += size_of(flows.back());
    many_masks |= has_many_masks(flows.back());
    if (!flows.back().too_deep) continue;
    result.error = "more than " + std::to_string(most_nested_loops) +
                   " loops are nested: that is the most that can be compiled";
    return;
  }
  // Following unwritten memory is twice as much code, which mostly calls the machine: only what is
  // small is worth the time.
  constexpr uint32_t follow_share = 6;
  const bool quickly =
      many_masks || size > request.most_optimised / (request.follow ? follow_share : 1);
  // Each access has to look for kept sums, which makes a large kernel a third larger.
  const bool kept =
      request.keep_sums && !request.watch && !quickly &&
      std::ranges::any_of(bodies, [](const OwnBody& one) { return keeps_sums(one.body); });
  for (size_t n = 0; n < bodies.size(); ++n) {
    const OwnBody& one = bodies[n];
    Shapes shapes = find_shapes(one.body, flows[n], request.block);
    if (!flows[n].gathers && comes_apart_at_barriers(one.body, flows[n], shapes)) {
      flows[n] = find_flow(one.body, true);
      shapes = find_shapes(one.body, flows[n], request.block);
    }
    const EmitInput input{module, *one.function, one.body, flows[n], shapes,
                          layout, request,       quickly,  kept,     one.kernels.size()};
    if (!RegionWalker(input, target, result).run()) return;
  }
  result.local_bytes = layout.local_bytes;
  result.memory_alignment = layout.alignment;
  result.uses_stack = layout.has_stack;
  result.shared_reserved = layout.shared_reserved;
  result.shared_bytes = layout.shared_bytes;
  result.shared_variables = shared_variables(module, bodies, layout);
  std::map<std::string, uint32_t> entries;
  result.error = machine_code(target, *machine, quickly, result.code, entries);
  size_t other = 0;
  for (size_t number = 0; number < kernels.size(); ++number) {
    const uint32_t offset = entries[entry_name(kernels, number)];
    (kernels[number] == function ? result.entry_offset : result.others[other++].offset) = offset;
  }
}

}  // namespace

void compile(const CompileRequest& request, CompiledKernel& result) {
  compile_as_asked(request, result);
  if (result.error.empty() || result.others.empty()) return;
  // An error in another kernel must not affect this one.
  CompileRequest alone = request;
  alone.together = false;
  compile_as_asked(alone, result);
}

}  // namespace cuvette::ptx

extern "C" __attribute__((visibility("default"))) void cuvette_jit_compile(
    const cuvette::ptx::CompileRequest& request, cuvette::ptx::CompiledKernel& result) {
  cuvette::ptx::compile(request, result);
}
