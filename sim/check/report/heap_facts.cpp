// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/heap_facts.hpp"

#include "sim/callsite/symbol.hpp"
#include "sim/check/report/source_line.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/stream.hpp"

namespace cuvette::check {

namespace {

// Returns the instruction's line of the source or, if that is unknown, of the PTX. Only the lines
// of the kernel that makes the access are known.
std::string in_words(const device::DeviceHeap::Place& place, const HeapAccess& access) {
  const std::string kernel = callsite::readable_name(place.kernel.c_str());
  if (place.kernel == access.kernel)
    if (std::string source = source_line(place.location, access.module); !source.empty())
      return kernel + ", " + source;
  return kernel + ", line " + std::to_string(ptx_line(place.location)) + " of the PTX";
}

}  // namespace

std::optional<HeapAccess> in_heap(const device::Stream& stream, const device::KernelCall& call,
                                  uint64_t address) {
  device::DeviceHeap& heap = stream.context().heap();
  if (!heap.contains(address)) return std::nullopt;
  const auto& function = call.function();
  return HeapAccess{heap.nearest(address), address, call.name(),
                    function ? &function->module_text() : nullptr};
}

std::string place(const HeapAccess& access) {
  const std::string address = hexadecimal(access.address);
  if (!access.is_inside()) return address + ", where nothing is allocated in the kernel heap";
  if (access.nearest->freed_at) return address + ", which a kernel has freed";
  return address + ", past the end of a kernel's allocation";
}

void add_facts(std::vector<Fact>& facts, const HeapAccess& access) {
  if (!access.nearest) {
    facts.push_back({"allocation", "none: the kernel heap has no allocation before it"});
    return;
  }
  const device::DeviceHeap::Piece& piece = *access.nearest;
  const std::string words =
      std::to_string(piece.size) + " bytes of the kernel heap at " + hexadecimal(piece.begin);
  if (access.is_inside()) {
    facts.push_back({"allocation", words + (piece.freed_at ? ", freed since" : "")});
    facts.push_back({"offset", access.address - piece.begin});
  } else {
    facts.push_back({"allocation", "none; the previous one has " + words});
    facts.push_back({"bytes past its end", access.address - piece.end()});
  }
  // Only with CUVETTE_CHECK=memory.
  if (piece.allocated_at.location != 0)
    facts.push_back({"allocated at", in_words(piece.allocated_at, access)});
  if (piece.freed_at) facts.push_back({"freed at", in_words(*piece.freed_at, access)});
}

std::string advice_of(const HeapAccess& access) {
  if (access.is_inside() && access.nearest->freed_at)
    return "Free memory of malloc after its last use by any thread, and forget pointers to it.";
  return "Look at the index and at the size that was passed to malloc.";
}

}  // namespace cuvette::check
