// SPDX-License-Identifier: Apache-2.0
#include "race_model.hpp"

#include <algorithm>
#include <cstring>

namespace cuvette::watch::test {

namespace {

bool is_async(const RaceModel::Access& access) {
  return access.is(ptx::access_async) && access.writes();
}

bool is_strong(const RaceModel::Access& access) { return access.is(ptx::access_strong); }

}  // namespace

RaceModel::RaceModel(uint32_t blocks, uint32_t threads, uint64_t global_bytes,
                     uint64_t shared_bytes)
    : strict(blocks, threads, false),
      generous(blocks, threads, true),
      threads_(threads),
      bytes_(blocks + size_t{1}),
      copies_of_(size_t{blocks} * threads) {
  for (std::vector<Byte>& space : bytes_)
    space.resize(&space == &bytes_[0] ? global_bytes : shared_bytes);
}

RaceModel::Access RaceModel::made(const Step& step, uint32_t lane) const {
  Access access{};
  access.thread = step.block * threads_ + step.warp * ptx::warp_size + lane;
  access.block = step.block;
  access.warp = step.warp;
  access.instruction = step.instruction;
  access.access = step.access;
  access.step = steps_;
  access.meetings = strict.meetings(access.thread);
  const uint32_t left = threads_ - step.warp * ptx::warp_size;
  access.converged = step.mask == (left >= ptx::warp_size ? UINT32_MAX : (uint32_t{1} << left) - 1);
  access.together = true;
  access.site = step.sites[lane];
  for (uint32_t other = 0; other < ptx::warp_size; ++other)
    if (step.mask >> other & 1 && step.sites[other] != access.site) access.together = false;
  access.has_value = step.has_values;
  std::memcpy(access.data, step.data[lane], sizeof access.data);
  return access;
}

bool RaceModel::ordered(bool surely, const Access& earlier, const Access& later) const {
  const uint32_t time = surely ? earlier.surely_time : earlier.time;
  if (time == 0) return false;
  return (surely ? strict : generous).before(earlier.thread, time, later.thread, !earlier.writes());
}

RaceModel::Verdict RaceModel::verdict(const Access& earlier, const Access& later, const Byte& byte,
                                      Site at, const Step& step) const {
  if (!earlier.writes() && !later.writes()) return Verdict::none;
  if (ordered(true, earlier, later)) return Verdict::none;
  Verdict verdict = ordered(false, earlier, later) ? Verdict::perhaps : Verdict::race;
  if (is_strong(earlier) && is_strong(later)) {
    const bool in_step = earlier.is(ptx::access_volatile) && later.is(ptx::access_volatile) &&
                         earlier.converged && later.converged && earlier.warp == later.warp &&
                         at.space != 0 && earlier.instruction != later.instruction;
    const bool same_block = earlier.block == later.block;
    if (same_block ? !in_step : earlier.wide() && later.wide()) return Verdict::none;
    if (earlier.site != later.site ||
        ptx::access_bytes(earlier.access) != ptx::access_bytes(later.access))
      verdict = Verdict::perhaps;
  }
  if (earlier.writes() && later.writes() && earlier.instruction == later.instruction)
    verdict = std::min(verdict, of_same_instruction(earlier, later, byte, at, step));
  if (is_strong(earlier) && earlier.writes())
    for (const uint32_t n : byte.accesses)
      if (all_[n].is(ptx::access_atomic) && all_[n].thread == later.thread)
        verdict = std::min(verdict, Verdict::perhaps);
  return verdict;
}

RaceModel::Verdict RaceModel::of_same_instruction(const Access& earlier, const Access& later,
                                                  const Byte& byte, Site at,
                                                  const Step& step) const {
  if (is_async(earlier) && earlier.surely_time == 0) {
    if (earlier.step == later.step) return Verdict::none;
    return earlier.block == later.block && earlier.warp == later.warp ? Verdict::perhaps
                                                                      : Verdict::race;
  }
  if (!later.has_value || (earlier.block != later.block && !later.together)) return Verdict::race;
  const bool same_step = earlier.step == later.step;
  if (!same_step) {
    // Of what was written before, the last counts, and that the lane may write once more now.
    const uint32_t lane = earlier.thread % threads_ % ptx::warp_size;
    if (earlier.block == later.block && earlier.warp == later.warp && step.mask >> lane & 1 &&
        step.sites[lane] == later.site)
      return Verdict::perhaps;
    const auto last = std::find_if(byte.accesses.rbegin(), byte.accesses.rend(),
                                   [&](uint32_t n) { return all_[n].writes(); });
    if (&all_[*last] != &earlier) return Verdict::perhaps;
  }
  return earlier.value(at.address) == later.value(at.address) ? Verdict::none : Verdict::race;
}

// Whether the one came before the other when that took place.
bool RaceModel::came_before(bool surely, const Access& one, const Access& other) {
  const uint32_t time = surely ? one.surely_time : one.time;
  if (time == 0) return false;
  if (one.thread == other.thread) return time < (surely ? other.surely_time : other.time);
  return (surely ? other.surely_known : other.known).of(one.thread) >= time;
}

// Whether whoever races with the earlier one races with the later one, too; unless it does so only
// as a volatile access in step.
bool RaceModel::covers(bool surely, const Access& earlier, const Access& later) {
  if (!came_before(surely, earlier, later)) return false;
  // Of reads, KernelWatch knows it at once by barriers alone; by other means it may know it too
  // late.
  if (surely && !later.writes() && earlier.thread != later.thread &&
      (earlier.block != later.block || earlier.meetings == later.meetings))
    return false;
  if (!is_strong(later)) return true;
  return is_strong(earlier) && earlier.block == later.block && (earlier.wide() || !later.wide());
}

// Those that no later one covers; and how many they ever were.
RaceModel::Uncovered RaceModel::uncovered(bool surely, const std::vector<uint32_t>& some) const {
  Uncovered result;
  for (const uint32_t later : some) {
    std::erase_if(result.now, [&](uint32_t one) { return covers(surely, all_[one], all_[later]); });
    result.now.push_back(later);
    result.most = std::max(result.most, result.now.size());
  }
  return result;
}

RaceModel::Kept RaceModel::kept(const Byte& byte) const {
  std::vector<uint32_t> writes, reads;
  for (const uint32_t n : byte.accesses) {
    if (all_[n].writes()) reads.clear();
    (all_[n].writes() ? writes : reads).push_back(n);
  }
  Kept kept;
  if (!writes.empty()) {
    kept.surely.push_back(writes.back());
    const Uncovered of_writes = uncovered(true, writes);
    if (of_writes.most == 2 && of_writes.now.size() == 2 && is_strong(all_[writes.back()]))
      kept.surely.push_back(of_writes.now[0]);
  }
  const Uncovered of_reads = uncovered(true, reads);
  std::vector<uint32_t>& list = of_reads.most <= 2 ? kept.surely : kept.some_of;
  list.insert(list.end(), of_reads.now.begin(), of_reads.now.end());
  return kept;
}

// A read by the thread that swaps now is one whose value is compared again.
void RaceModel::compares(const Access& swap, const Byte& byte) {
  const Kept kept = this->kept(byte);
  const std::vector<uint32_t> last = uncovered(false, byte.accesses).now;
  const auto is_in = [](const std::vector<uint32_t>& some, uint32_t n) {
    return std::ranges::find(some, n) != some.end();
  };
  for (const uint32_t n : byte.accesses)
    if (all_[n].thread == swap.thread && !all_[n].writes()) {
      perhaps_compared_.insert(all_[n].instruction);
      if (is_in(kept.surely, n) && is_in(last, n)) surely_compared_.insert(all_[n].instruction);
    }
}

void RaceModel::look_at(Byte& byte, Site site, uint32_t number, const Step& step,
                        std::vector<Race>& races) {
  const Access& later = all_[number];
  if (later.is(ptx::access_compares)) compares(later, byte);
  std::set<Instructions> pairs;
  std::vector<uint32_t> certain;
  for (const uint32_t n : byte.accesses) {
    const Access& earlier = all_[n];
    const Verdict verdict = this->verdict(earlier, later, byte, site, step);
    if (verdict == Verdict::none) continue;
    if (verdict == Verdict::race) certain.push_back(n);
    const auto [one, other] = std::minmax(earlier.instruction, later.instruction);
    pairs.insert({one, other, site.space != 0});
    if (possible_.size() <= most_races) possible_.insert({one, other, site.space != 0});
    races.push_back({earlier.thread, later.thread, earlier.instruction, later.instruction, site,
                     is_async(earlier) && earlier.time == 0});
  }
  if (!certain.empty() && !byte.raced && possible_.size() <= most_races) {
    const Kept kept = this->kept(byte);
    const auto is_certain = [&](uint32_t n) {
      return std::ranges::find(certain, n) != certain.end();
    };
    if (std::ranges::any_of(kept.surely, is_certain) ||
        (!kept.some_of.empty() && std::ranges::all_of(kept.some_of, is_certain)))
      wanted_.push_back(pairs);
  }
  if (!pairs.empty()) byte.raced = true;
}

std::vector<RaceModel::Race> RaceModel::access(const Step& step) {
  std::vector<Race> races;
  for (uint32_t lane = 0; lane < ptx::warp_size; ++lane) {
    if (!(step.mask >> lane & 1) || step.sites[lane].space == UINT32_MAX) continue;
    Access access = made(step, lane);
    const Site site = access.site;
    const uint32_t bytes = ptx::access_bytes(step.access);
    order([&](OrderModel& model) {
      const uint32_t time = is_async(access) ? 0 : model.act(access.thread);
      (&model == &strict ? access.surely_time : access.time) = time;
      if (is_strong(access)) {
        model.strong(access.thread, site, step.access);
      } else if (access.writes()) {
        model.weak_write(site, bytes);
      }
    });
    access.known = generous.known(access.thread);
    access.surely_known = strict.known(access.thread);
    const auto number = static_cast<uint32_t>(all_.size());
    if (is_async(access)) {
      Copies& copies = copies_of_[access.thread];
      copies.under_way.emplace_back(copies.groups, number);
    }
    all_.push_back(std::move(access));
    for (uint32_t n = 0; n < bytes; ++n) {
      const Site at{site.space, site.address + n};
      look_at(byte(at), at, number, step, races);
      byte(at).accesses.push_back(number);
    }
  }
  ++steps_;
  return races;
}

bool RaceModel::would_race(const Step& step) {
  std::vector<Access> lanes;
  for (uint32_t lane = 0; lane < ptx::warp_size; ++lane) {
    if (!(step.mask >> lane & 1) || step.sites[lane].space == UINT32_MAX) continue;
    const Access access = made(step, lane);
    const uint32_t bytes = ptx::access_bytes(step.access);
    for (uint32_t n = 0; n < bytes; ++n) {
      const Site at{access.site.space, access.site.address + n};
      const Byte& here = byte(at);
      for (const uint32_t earlier : here.accesses)
        if (verdict(all_[earlier], access, here, at, step) != Verdict::none) return true;
    }
    if (access.writes() && !is_strong(access) && !is_async(access))
      for (const Access& other : lanes)
        if (other.site == access.site &&
            (!step.has_values || std::memcmp(other.data, access.data, bytes) != 0))
          return true;
    lanes.push_back(access);
  }
  return false;
}

void RaceModel::renew(uint64_t begin, uint64_t end) {
  order([&](OrderModel& model) { model.renew({0, begin}, end - begin); });
  for (uint64_t at = begin; at < end; ++at) byte({0, at}) = {};
}

void RaceModel::wait(uint32_t thread, uint32_t groups) {
  Copies& copies = copies_of_[thread];
  std::erase_if(copies.under_way, [&](const auto& copy) {
    Access& access = all_[copy.second];
    const bool surely = copy.first + groups < copies.groups;
    if (access.time == 0 && (surely || groups == 0)) access.time = generous.act(thread);
    if (surely) access.surely_time = strict.act(thread);
    return surely;
  });
}

std::vector<const RaceModel::Access*> RaceModel::of(uint64_t address) const {
  std::vector<const Access*> result;
  for (const uint32_t n : bytes_[0][address].accesses) result.push_back(&all_[n]);
  return result;
}

}  // namespace cuvette::watch::test
