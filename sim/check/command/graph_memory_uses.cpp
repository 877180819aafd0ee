// SPDX-License-Identifier: Apache-2.0
#include "sim/check/command/graph_memory_uses.hpp"

#include <string>
#include <vector>

#include "sim/callsite/symbol.hpp"
#include "sim/check/order/all_operations.hpp"
#include "sim/check/report/allocation_facts.hpp"

namespace cuvette::check {

using device::Operation;
using device::OperationKind;
using device::Steps;
using memory::Allocation;

namespace {

// Returns the graph's memory that a region lies in, or none.
const Allocation* graph_memory(const memory::Use& use) {
  const Allocation* const memory = use.allocation().get();
  return memory && memory->graph_life.load() != memory::GraphLife::none ? memory : nullptr;
}

bool changes_life(const Operation& operation) {
  return operation.kind == OperationKind::allocate || operation.kind == OperationKind::free;
}

// Whether one step of a graph comes after another.
bool follows(const Steps& steps, size_t earlier, size_t later) {
  std::vector<bool> reached(steps.count());
  reached[earlier] = true;
  // The steps are in an order in which they could run.
  for (size_t i = earlier; i < later; ++i)
    if (reached[i])
      for (const uint32_t next : steps.after(i)) reached[next] = true;
  return reached[later];
}

void report(const MemoryUser& user, const Allocation& memory, memory::DevicePtr address,
            bool was_there) {
  if (!reporter().admit(ReportId::illegal_address, user.operation.call_site)) return;
  Report report = report_of_use(ReportId::illegal_address, user, memory, address,
                                std::string(why_absent(was_there)) + ".");
  report.advice = advice_about_absent();
  add_facts(report.facts, memory, address);
  reporter().write(report);
}

// Calls `visit(allocation, address)` for the graph's memory that the operation uses.
template <typename Visit>
void visit_uses(const Operation& operation, const Visit& visit) {
  const device::Footprint& footprint = operation.footprint();
  const auto one = [&](const memory::Use& use, const memory::Region& region) {
    if (const Allocation* const memory = graph_memory(use); memory && !region.empty())
      visit(*memory, region.address);
  };
  one(footprint.reads_in, footprint.reads);
  one(footprint.writes_in, footprint.writes);
}

void look_at_command(const MemoryUser& user) {
  visit_uses(user.operation, [&](const Allocation& memory, memory::DevicePtr address) {
    if (memory.is_absent()) report(user, memory, address, memory.freed_at.load() != nullptr);
  });
}

}  // namespace

void GraphMemoryUses::started(const device::Stream& stream, uint64_t number,
                              const Operation& operation) {
  if (const Steps* const steps = operation.steps())
    look(stream, number, *steps);
  else if (!changes_life(operation))
    look_at_command({stream, number, operation});
}

void GraphMemoryUses::look(const device::Stream& stream, uint64_t number, const Steps& steps) {
  Changes changes;
  for (size_t i = 0; i < steps.count(); ++i) {
    const Operation& step = steps.step(i);
    if (changes_life(step)) {
      if (const Allocation* const memory = graph_memory(step.footprint().writes_in))
        changes[memory] = i;
      continue;
    }
    look({stream, number, step}, steps, changes, i);
    for (const Steps* const body : steps.bodies(i))
      visit_all(*body, [&](const Operation& one) {
        look({stream, number, one}, steps, changes, i);
      });
  }
}

void GraphMemoryUses::look(const MemoryUser& user, const Steps& steps, const Changes& changes,
                           size_t at) {
  visit_uses(user.operation, [&](const Allocation& memory, memory::DevicePtr address) {
    const auto change = changes.find(&memory);
    if (change == changes.end()) {
      if (memory.is_absent()) report(user, memory, address, memory.freed_at.load() != nullptr);
    } else if (steps.step(change->second).kind == OperationKind::free &&
               follows(steps, change->second, at)) {
      // A use that nothing orders after the free is a race, and not sure to come too late.
      report(user, memory, address, true);
    }
  });
}

}  // namespace cuvette::check
