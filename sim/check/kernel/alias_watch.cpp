// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/alias_watch.hpp"

#include <algorithm>
#include <map>

#include "sim/check/kernel/mark.hpp"

namespace cuvette::watch {
namespace {

constexpr size_t most_mistakes = 64;

std::vector<AliasedRange> sorted(std::vector<AliasedRange> ranges) {
  std::ranges::sort(ranges, {}, &AliasedRange::begin);
  return ranges;
}

std::vector<std::pair<uint64_t, uint64_t>> shared_places(const std::vector<AliasedRange>& ranges) {
  // How many ranges begin at a place, less those that end there.
  std::map<uint64_t, int> changes;
  for (const AliasedRange& range : ranges) {
    ++changes[range.place];
    --changes[range.place + (range.end - range.begin)];
  }
  std::vector<std::pair<uint64_t, uint64_t>> shared;
  int here = 0;
  uint64_t begin = 0;
  for (const auto& [place, change] : changes) {
    if (here > 1) shared.emplace_back(begin, place);
    here += change;
    begin = place;
  }
  return shared;
}

}  // namespace

AliasWatch::AliasWatch(std::vector<AliasedRange> ranges, bool adversary)
    : ranges_(sorted(std::move(ranges))),
      adversary_(adversary),
      shared_(shared_places(ranges_)),
      uses_(ranges_.size()) {}

void AliasWatch::fence() {
  written_.clear();
  for (AliasUse& use : uses_) use.strong |= use.plain;
}

bool AliasWatch::is_shared(uint64_t place) const {
  const auto behind =
      std::ranges::upper_bound(shared_, place, {}, &std::pair<uint64_t, uint64_t>::first);
  return behind != shared_.begin() && place < std::prev(behind)->second;
}

void AliasWatch::restore() {
  // Backwards: a byte that was hidden twice gets its first value back.
  for (size_t i = hidden_.size(); i-- > 0;) *hidden_[i].at = hidden_[i].value;
  hidden_.clear();
}

const AliasedRange* AliasWatch::range_of(uint64_t address) const {
  const auto behind = std::ranges::upper_bound(ranges_, address, {}, &AliasedRange::begin);
  if (behind == ranges_.begin()) return nullptr;
  const AliasedRange& range = *std::prev(behind);
  return address < range.end ? &range : nullptr;
}

void AliasWatch::look(const exec::Block& block, const exec::WarpAccess& access) {
  restore();
  if (access.access & (ptx::access_shared | ptx::access_local | ptx::access_constant)) return;
  const uint32_t bytes = ptx::access_bytes(access.access);
  each_lane(access.mask, [&](uint32_t lane) {
    const uint64_t first = access.addresses[lane];
    const Accessor by{
        block.index(), access.warp * ptx::warp_size + lane, {access.location, access.access}};
    for (uint64_t at = first; at < first + bytes; ++at)
      if (const AliasedRange* const range = range_of(at))
        look_at_byte(*range, at, access, by, first);
  });
}

void AliasWatch::look_at_byte(const AliasedRange& range, uint64_t address,
                              const exec::WarpAccess& access, const Accessor& by, uint64_t first) {
  const uint64_t place = range.place + (address - range.begin);
  const bool writes = access.access & ptx::access_write;
  const bool atomic = access.access & ptx::access_atomic;
  const bool strong = access.access & ptx::access_strong;
  AliasUse& use = uses_[static_cast<size_t>(&range - ranges_.data())];
  if (bool& used = strong ? use.strong : use.plain; !used) used = is_shared(place);
  const auto known = written_.find(place);
  if (known != written_.end() && known->second.by != &range && !(known->second.strong && strong)) {
    const Written& written = known->second;
    if (mistakes_.size() < most_mistakes &&
        known_.emplace(written.accessor.place.location, access.location).second)
      mistakes_.push_back({written.accessor, by, written.by->begin + (place - written.by->place),
                           first, ptx::access_bytes(access.access)});
    if (adversary_ && !writes && !atomic) {
      auto* const byte = reinterpret_cast<uint8_t*>(address);
      hidden_.push_back({byte, *byte});
      *byte = written.before;
    }
  }
  if (!writes) return;
  Written& written = written_[place];
  if (!written.by) written.before = *reinterpret_cast<const uint8_t*>(address);
  written.by = &range;
  written.strong = strong;
  written.accessor = by;
}

}  // namespace cuvette::watch
