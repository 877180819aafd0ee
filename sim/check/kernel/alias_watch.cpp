// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/alias_watch.hpp"

#include <algorithm>

#include "sim/check/kernel/mark.hpp"

namespace cuvette::watch {
namespace {

constexpr size_t most_mistakes = 64;

std::vector<AliasedRange> sorted(std::vector<AliasedRange> ranges) {
  std::ranges::sort(ranges, {}, &AliasedRange::begin);
  return ranges;
}

RangeMap<uint32_t> addresses_of(const std::vector<AliasedRange>& ranges) {
  RangeMap<uint32_t> addresses;
  for (const AliasedRange& range : ranges) {
    const auto places = addresses.isolate(range.place, range.place + (range.end - range.begin));
    for (auto& [place, count] : addresses.fill(places, [] { return 0; })) ++count.value;
  }
  return addresses;
}

}  // namespace

AliasWatch::AliasWatch(std::vector<AliasedRange> ranges, bool adversary)
    : ranges_(sorted(std::move(ranges))),
      adversary_(adversary),
      addresses_(addresses_of(ranges_)),
      uses_(ranges_.size()) {}

void AliasWatch::fence() {
  written_.clear();
  for (AliasUse& use : uses_) use.strong |= use.plain;
}

bool AliasWatch::is_shared(uint64_t place) const {
  const auto addresses = addresses_.find(place);
  return addresses != addresses_.end() && addresses->second.value > 1;
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
