// SPDX-License-Identifier: Apache-2.0
#include "sim/device/graph/node_checks.hpp"

#include <algorithm>

namespace cuvette::device {
namespace {

unsigned long long number(uint64_t value) { return value; }

}  // namespace

Result<> check_fill_shape(const FillWork& fill) {
  // "elementSize: Size of each element in bytes. Must be 1, 2, or 4."
  if (fill.element != 1 && fill.element != 2 && fill.element != 4)
    return refuse(Error::invalid_value, "The element size is %u bytes; it must be 1, 2 or 4.",
                  fill.element);
  if (fill.width == 0 || fill.height == 0)
    return refuse(Error::invalid_value, "The region of %zu elements by %zu rows is empty.",
                  fill.width, fill.height);
  size_t width, size, end;
  if (__builtin_mul_overflow(fill.width, fill.element, &width) ||
      __builtin_mul_overflow(fill.height > 1 ? fill.pitch : width, fill.height, &size) ||
      __builtin_add_overflow(fill.address, size, &end))
    return refuse(Error::invalid_value, "%zu rows are larger than the address space.", fill.height);
  if (fill.height > 1 && (fill.pitch < width || fill.pitch % fill.element != 0))
    return refuse(Error::invalid_value,
                  "The pitch of %zu bytes is too small for rows of %zu elements of %u bytes, or "
                  "not a multiple of the element size.",
                  fill.pitch, fill.width, fill.element);
  if (fill.address % fill.element != 0)
    return refuse(Error::invalid_value, "0x%llx is not a multiple of the element size (%u bytes).",
                  number(fill.address), fill.element);
  return {};
}

Result<> check_fill_memory(const FillWork& fill, const void* call_site) {
  if (fill.context)
    TRY(make_fill(*fill.context, fill.region(), fill.value, fill.element, call_site));
  else
    TRY(find_access(nullptr, fill.region(), true, call_site));
  return {};
}

Result<> check_child(const Graph& child, const Graph* parent) {
  if (child.parent())
    return refuse(Error::invalid_value, "The child graph is already part of another graph.");
  if (parent && child.contains(*parent))
    return refuse(Error::invalid_value, "A graph cannot become part of itself.");
  return {};
}

Result<> check_freed(const Graph& graph, memory::DevicePtr address) {
  if (!GraphMemory::known(address))
    return refuse(Error::invalid_value, "No graph node allocates memory at 0x%llx.",
                  number(address));
  for (const Ref<GraphNode>& node : graph.nodes())
    if (node->type() == NodeType::free && node->work<FreeWork>().address == address)
      return refuse(Error::invalid_value, "Another node of the graph already frees 0x%llx.",
                    number(address));
  return {};
}

Result<Ref<Condition>> find_condition(const Graph& graph, uint64_t handle) {
  const auto condition =
      std::find_if(graph.conditions.begin(), graph.conditions.end(),
                   [&](const Ref<Condition>& one) { return one->handle == handle; });
  if (condition == graph.conditions.end())
    return refuse(Error::invalid_value, "0x%llx is not a condition of the graph.", number(handle));
  // "A conditional handle may be used by one conditional node."
  if ((*condition)->used)
    return refuse(Error::invalid_value, "Another node already uses the condition.");
  return *condition;
}

Result<> check_bodies(ConditionKind kind, unsigned count) {
  const unsigned most = kind == ConditionKind::if_else ? 2
                        : kind == ConditionKind::loop  ? 1
                                                       : 1u << 16;
  if (count == 0 || count > most)
    return refuse(Error::invalid_value, "The conditional node must have 1 to %u bodies, not %u.",
                  most, count);
  return {};
}

}  // namespace cuvette::device
