// SPDX-License-Identifier: Apache-2.0
#include "sim/check/log/dependency_log.hpp"

#include <algorithm>
#include <vector>

#include "sim/check/kernel/footprint.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"

namespace cuvette::check::log {
namespace {

using device::Operation;
using device::OperationKind;
using memory::Allocation;

// The steps of a larger graph are not compared: they may touch the same memory.
constexpr size_t most_steps = 256;

// Why it is not known what an operation touches.
enum class Opaque : uint8_t { no, kernels, yes };

Opaque opacity(const Operation& operation) {
  switch (operation.kind) {
    case OperationKind::copy:
    case OperationKind::fill:
    case OperationKind::event_record:
    case OperationKind::event_wait:
    case OperationKind::allocate:
    case OperationKind::free:
    case OperationKind::discard:
      return Opaque::no;
    case OperationKind::kernel:
      return Opaque::kernels;
    case OperationKind::graph:
      break;
    default:
      return Opaque::yes;
  }
  Opaque all = Opaque::no;
  if (const device::Steps* const steps = operation.steps()) {
    for (size_t i = 0; i < steps->count(); ++i) {
      const Operation& step = steps->step(i);
      if (step.kind != OperationKind::graph) all = std::max(all, opacity(step));
      if (!steps->bodies(i).empty()) all = Opaque::yes;  // which body is not known yet
    }
  }
  return all;
}

// --- Memory --------------------------------------------------------------------------------------

// Bytes, counted so that two mappings of the same memory have the same ones.
struct Bytes {
  std::string memory;
  uint64_t begin, end;
};

// Whether threads of the host may look at this memory at any time.
bool seen_by_host(const Allocation* allocation, uint64_t address) {
  const Ref<Allocation> mapped = device::Machine::get().memory().find(address);
  if (mapped) allocation = mapped.get();
  return !allocation || allocation->host_accessible();
}

Bytes bytes_of(const Allocation* allocation, uint64_t address, uint64_t size) {
  // A range that is reserved counts its users; what is mapped there is the memory.
  const Ref<Allocation> mapped = device::Machine::get().memory().find(address);
  if (mapped) allocation = mapped.get();
  if (!allocation) return {"host", address, address + size};
  if (!allocation->segment) {
    const uint64_t begin = address - allocation->address;
    return {std::to_string(allocation->buffer_id), begin, begin + size};
  }
  const os::Segment::Identity identity = allocation->segment->identity();
  const uint64_t begin = address - allocation->address + allocation->offset;
  return {std::to_string(identity.device) + ":" + std::to_string(identity.inode), begin,
          begin + size};
}

struct Touch {
  Bytes bytes;
  bool writes, seen;
  bool meets(const Touch& other) const {
    return (writes || other.writes) && bytes.memory == other.bytes.memory &&
           bytes.begin < other.bytes.end && other.bytes.begin < bytes.end;
  }
};

// Rows count with the gaps between them.
std::vector<Touch> touches_of(const Operation& operation) {
  std::vector<Touch> touches;
  const auto add = [&](const memory::Region& region, const memory::Use& use, bool writes) {
    if (!region.empty())
      touches.push_back({bytes_of(use.allocation().get(), region.address, region.extent()), writes,
                         seen_by_host(use.allocation().get(), region.address)});
  };
  const device::Footprint& footprint = operation.footprint();
  add(footprint.reads, footprint.reads_in, false);
  add(footprint.writes, footprint.writes_in, true);
  return touches;
}

void print(std::string& lines, const std::string& name, const Touch& touch) {
  lines += "\ntouches\t" + name + (touch.writes ? "\twrite\t" : "\tread\t") + touch.bytes.memory +
           "\t" + std::to_string(touch.bytes.begin) + "\t" + std::to_string(touch.bytes.end);
  if (touch.seen) lines += "\nseen\t" + name;
}

// --- Graphs --------------------------------------------------------------------------------------

struct StepTouches {
  std::vector<Touch> touches;
  bool opaque;
  bool meets(const StepTouches& other) const {
    const auto touches_any = [](const StepTouches& one) {
      return one.opaque || !one.touches.empty();
    };
    if (opaque || other.opaque) return touches_any(*this) && touches_any(other);
    return std::ranges::any_of(touches, [&](const Touch& one) {
      return std::ranges::any_of(other.touches,
                                 [&](const Touch& another) { return one.meets(another); });
    });
  }
};

// Whether two steps that no edge orders may touch the same memory.
bool order_matters(const device::Steps& steps) {
  const size_t count = steps.count();
  if (count > most_steps) return true;
  std::vector<StepTouches> all;
  std::vector<std::vector<bool>> before(count, std::vector<bool>(count));  // [later][earlier]
  for (size_t i = 0; i < count; ++i) {
    if (!steps.bodies(i).empty()) return true;
    all.push_back({touches_of(steps.step(i)), opacity(steps.step(i)) != Opaque::no});
    for (const uint32_t next : steps.after(i)) {
      before[next][i] = true;
      for (size_t j = 0; j < i; ++j)
        if (before[i][j]) before[next][j] = true;
    }
  }
  for (size_t i = 0; i < count; ++i)
    for (size_t j = 0; j < i; ++j)
      if (!before[i][j] && all[i].meets(all[j])) return true;
  return false;
}

}  // namespace

void DependencyLog::submitted(const device::Stream& stream, uint64_t number,
                              const Operation& operation) {
  const std::string name = command_name(stream, number);
  std::string lines, after;
  operation.each_edge([&](const exec::Edge& edge) {
    if (const std::string other = command_name(edge); !other.empty()) after += "\t" + other;
  });
  if (!after.empty()) lines += "\nafter\t" + name + after;
  for (const Touch& touch : touches_of(operation)) print(lines, name, touch);
  if (const device::Steps* const steps = operation.steps()) {
    for (size_t i = 0; i < steps->count(); ++i)
      for (const Touch& touch : touches_of(steps->step(i))) print(lines, name, touch);
    if (order_matters(*steps)) lines += "\nsteps\t" + name;
  }
  if (const Opaque opaque = opacity(operation); opaque != Opaque::no)
    lines += "\nopaque\t" + name + (opaque == Opaque::kernels ? "\tkernels" : "");
  if (!lines.empty()) file_.write(lines.substr(1));
}

void DependencyLog::completed(const device::Stream& stream, uint64_t number,
                              const Operation& operation) {
  if (kernels_are_watched_ && opacity(operation) == Opaque::kernels)
    file_.write("watched\t" + command_name(stream, number));
}

void DependencyLog::kernel_touched(const device::Stream& stream, uint64_t number, const Operation&,
                                   const device::KernelCall&, const watch::Footprint& footprint) {
  const std::string name = command_name(stream, number);
  std::string lines;
  for (const watch::Touched& touched : footprint.touched())
    print(lines, name,
          {bytes_of(nullptr, touched.begin, touched.end - touched.begin), touched.writes,
           seen_by_host(nullptr, touched.begin)});
  if (!lines.empty()) file_.write(lines.substr(1));
}

void DependencyLog::waited_for(const device::Stream& stream, uint64_t number) {
  file_.write("waited\t" + command_name(stream, number) + "\t" + thread_name());
}

void DependencyLog::synchronised(const device::Context& context, device::Streams which) {
  if (which != device::Streams::all) return;
  file_.write("waited\t*\t" + std::to_string(context.generation()) + "\t" + thread_name());
}

}  // namespace cuvette::check::log
