// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/explore_items.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace cuvette::tools {
namespace {

constexpr exec::Delay needed{0, 1};

// Makes `range` one that ends with `next`; false if it cannot be one.
bool append(exec::Decision& range, const exec::Decision& next) {
  if (range.lane != next.lane || range.delay != next.delay) return false;
  if (range.step == 0 && next.step == 0 && range.last + 1 == next.first) {
    range.last = next.last;
    return true;
  }
  if (range.step != 0 && range.first == next.first && range.last_step + 1 == next.step) {
    range.last_step = next.last_step;
    return true;
  }
  return false;
}

// The same for decisions about kernels.
bool append(exec::KernelDecision& range, const exec::KernelDecision& next) {
  if (range.lane != next.lane || range.order != next.order || range.last + 1 != next.first)
    return false;
  range.last = next.last;
  return true;
}

}  // namespace

std::vector<Item> items_of(const Order& order) {
  std::vector<Item> items;
  for (const exec::Decision& held : order.decisions.held) items.push_back({held, {}});
  const auto name = [](const Item& item) {
    return std::tuple(item.held.lane, item.held.first, item.held.step);
  };
  std::stable_sort(items.begin(), items.end(),
                   [&](const Item& a, const Item& b) { return name(a) < name(b); });
  // A loop in a graph holds a step back each time, for as long.
  items.erase(std::unique(items.begin(), items.end(),
                          [&](const Item& a, const Item& b) { return name(a) == name(b); }),
              items.end());
  for (const uint64_t yes : order.decisions.yes) items.push_back({{}, {}, yes});
  // The kernels of a graph are one decision.
  std::map<std::pair<uint32_t, uint64_t>, exec::KernelDecision> kernels;
  for (const exec::KernelDecision& one : order.decisions.kernels)
    kernels[{one.lane, one.first}] = one;
  for (const auto& [name, one] : kernels) items.push_back({{}, one, 0, true});
  return items;
}

exec::Decisions decisions_of(const std::vector<Item>& items) {
  exec::Decisions all;
  const auto add = [](auto& list, const auto& next) {
    if (list.empty() || !append(list.back(), next)) list.push_back(next);
  };
  for (const Item& item : items) {
    if (item.is_kernel) {
      add(all.kernels, item.kernel);
    } else if (item.yes) {
      all.yes.push_back(item.yes);
    } else {
      add(all.held, item.held);
    }
  }
  return all;
}

bool shorten(Item& item) {
  if (item.yes) return false;
  if (item.is_kernel) return std::exchange(item.kernel.order, 1u) != 1;
  return std::exchange(item.held.delay, needed) != needed;
}

}  // namespace cuvette::tools
