// SPDX-License-Identifier: Apache-2.0
#include "sim/check/order/host_snapshots.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/os/held_pages.hpp"

namespace cuvette::check {
namespace {

// Beyond these nothing is kept. Of one range, the first bytes are.
constexpr size_t most_snapshots = 4096, most_kept = size_t{64} << 20, most_of_one = size_t{1} << 20;

}  // namespace

void HostSnapshots::take(const Ref<const Access>& command,
                         const Ref<const memory::Allocation>& allocation, uint64_t begin,
                         uint64_t end) {
  const size_t size = std::min<uint64_t>(end - begin, most_of_one);
  if (size == 0 || count_ == most_snapshots || kept_ + size > most_kept) return;
  Snapshot fresh{command, allocation, begin, std::vector<std::byte>(size)};
  if (!os::HeldPages::get().read(fresh.bytes.data(), begin, size)) return;
  auto& all = snapshots_[command->point.stream];
  auto at = all.end();
  // A kernel's accesses come late.
  while (at != all.begin() && std::prev(at)->command->point.position > command->point.position)
    --at;
  all.insert(at, std::move(fresh));
  kept_ += size;
  ++count_;
}

void HostSnapshots::written(uint64_t begin, uint64_t end) {
  if (count_ == 0) return;
  for (auto& [stream, all] : snapshots_)
    count_ -= std::erase_if(all, [&](const Snapshot& one) {
      const bool meets = one.begin < end && begin < one.end();
      if (meets) drop(one);
      return meets;
    });
}

void HostSnapshots::clear() {
  snapshots_.clear();
  kept_ = count_ = 0;
}

std::vector<HostSnapshots::Change> HostSnapshots::release(const Known& known) {
  std::vector<Change> changes;
  std::vector<std::byte> now;
  for (auto stream = snapshots_.begin(); stream != snapshots_.end();) {
    auto& all = stream->second;
    // If a command is known to be complete, so are all earlier ones in its stream.
    while (!all.empty() && known(all.front().command->point)) {
      const Snapshot one = std::move(all.front());
      all.pop_front();
      drop(one);
      --count_;
      if (one.allocation && one.allocation->ended.load(std::memory_order_acquire)) continue;
      now.resize(one.bytes.size());
      // Memory that is gone cannot be compared.
      if (!os::HeldPages::get().read(now.data(), one.begin, now.size())) continue;
      const auto different = std::ranges::mismatch(one.bytes, now).in1;
      if (different != one.bytes.end())
        changes.push_back({one.command, one.allocation,
                           one.begin + static_cast<uint64_t>(different - one.bytes.begin())});
    }
    stream = all.empty() ? snapshots_.erase(stream) : std::next(stream);
  }
  return changes;
}

}  // namespace cuvette::check
