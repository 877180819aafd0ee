// SPDX-License-Identifier: Apache-2.0
#include "sim/check/order/shared_pages.hpp"

#include <algorithm>
#include <utility>

#include "sim/os/page.hpp"

namespace cuvette::check {

namespace {

// A page that more parts meet on is left alone.
constexpr size_t most_parts = 256;

// The program may use the bytes for something else.
bool has_ended(const SharedPages::Part& part) {
  return part.allocation->ended.load(std::memory_order_acquire);
}

}  // namespace

void SharedPages::add(const Part& part, uint64_t begin, uint64_t end) {
  const uint64_t address = part.begin & ~(uint64_t{os::page_size()} - 1);
  Page& page = pages_.try_emplace(address, Page{begin, end, {}, {}}).first->second;
  page.begin = begin;
  page.end = end;
  if (!page.parts.empty()) {
    Part& last = page.parts.back();
    if (last.end == part.begin && last.writes == part.writes &&
        last.point.sequence == part.point.sequence) {
      last.end = part.end;
      changed_.push_back(address);
      return;
    }
  }
  if (page.parts.size() == most_parts) return;
  page.parts.push_back(part);
  changed_.push_back(address);
}

void SharedPages::remove(uint64_t page, const std::function<bool(const Point&)>& known) {
  const auto found = pages_.find(page);
  if (found == pages_.end()) return;
  std::erase_if(found->second.parts, [&](const Part& part) { return known(part.point); });
  changed_.push_back(page);
}

bool SharedPages::cover(const Page& page, bool writes_alone) {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (const Part& part : page.parts)
    if (part.writes || !writes_alone) ranges.emplace_back(part.begin, part.end);
  std::ranges::sort(ranges);
  uint64_t at = page.begin;
  for (const auto& [begin, end] : ranges) {
    if (begin > at) return false;
    at = std::max(at, end);
  }
  return at >= page.end;
}

void SharedPages::settle(Page& page, uint64_t address) {
  std::erase_if(page.parts, has_ended);
  std::optional<os::HeldFor> wanted;
  if (cover(page, true))
    wanted = os::HeldFor::writing;
  else if (cover(page, false))
    wanted = os::HeldFor::reading;
  if (wanted == page.held) return;
  const uint64_t end = address + os::page_size();
  if (wanted) os::HeldPages::get().hold(address, end, *wanted);
  if (page.held) os::HeldPages::get().release(address, end, *page.held);
  page.held = wanted;
}

void SharedPages::settle() {
  std::ranges::sort(changed_);
  changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
  for (const uint64_t address : changed_) {
    const auto page = pages_.find(address);
    if (page == pages_.end()) continue;
    settle(page->second, address);
    if (page->second.parts.empty()) pages_.erase(page);
  }
  changed_.clear();
}

}  // namespace cuvette::check
