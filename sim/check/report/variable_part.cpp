// SPDX-License-Identifier: Apache-2.0
#include "sim/check/report/variable_part.hpp"

#include <cstdlib>
#include <string_view>

#include "sim/callsite/symbol.hpp"
#include "sim/ptx/program/machine_code.hpp"

namespace cuvette::check {

std::string variable_name(const std::string& symbol) {
  const std::string all = callsite::readable_name(symbol.c_str());
  // The last "::" outside of brackets, which hold types and parameters.
  int depth = 0;
  for (size_t i = all.size(); i > 1; --i) {
    const char one = all[i - 1];
    if (std::string_view(")>]}").find(one) != std::string_view::npos) ++depth;
    if (std::string_view("(<[{").find(one) != std::string_view::npos) --depth;
    if (depth == 0 && one == ':' && i < all.size()) return all.substr(i);
  }
  return all;
}

std::string VariablePart::fact() const {
  return name + ", byte " + std::to_string(offset) + " of " + std::to_string(size);
}

VariablePart part_of(const std::string& symbol, int64_t offset, uint64_t size, uint64_t element,
                     uint64_t bytes) {
  VariablePart part{variable_name(symbol), offset, size, ""};
  const auto unit = static_cast<int64_t>(element > 1 ? element : bytes);
  if (offset == 0 && static_cast<uint64_t>(unit) == size)
    part.words = part.name;
  else if (unit > 0 && offset % unit == 0)
    part.words = part.name + "[" + std::to_string(offset / unit) + "]";
  else
    part.words = part.name + (offset < 0 ? " - " : " + ") + std::to_string(std::abs(offset));
  return part;
}

std::optional<VariablePart> shared_part(const device::CompiledCode& code,
                                        const device::LaunchShape& shape, uint64_t address,
                                        uint64_t bytes) {
  if (!code.machine) return std::nullopt;
  const uint64_t end = uint64_t{code.shared_reserved} + code.shared_bytes + shape.dynamic_shared;
  std::optional<VariablePart> found;
  for (const ptx::SharedVariable& variable : code.machine->facts.shared_variables) {
    const uint64_t size = variable.bytes != 0     ? variable.bytes
                          : variable.offset < end ? end - variable.offset
                                                  : 0;
    if (address < variable.offset || address - variable.offset >= size) continue;
    // Several dynamic arrays begin at one place.
    if (found) return std::nullopt;
    found = part_of(variable.name, static_cast<int64_t>(address - variable.offset), size,
                    variable.element, bytes);
  }
  return found;
}

std::optional<VariablePart> global_part(const memory::Allocation* allocation, uint64_t address,
                                        uint64_t bytes) {
  if (!allocation || allocation->name.empty() || address < allocation->address ||
      address >= allocation->end())
    return std::nullopt;
  return part_of(allocation->name, static_cast<int64_t>(address - allocation->address),
                 allocation->size, 1, bytes);
}

}  // namespace cuvette::check
