// SPDX-License-Identifier: Apache-2.0
#include "order_model.hpp"

#include <algorithm>
#include <set>

namespace cuvette::watch::test {

Clock::Times& Clock::own() {
  if (times_.use_count() > 1) times_ = std::make_shared<Times>(*times_);
  return *times_;
}

void Clock::join(const Clock& other) {
  if (!other.times_ || times_ == other.times_) return;
  if (!times_) {
    times_ = other.times_;
    return;
  }
  const Times& theirs = *other.times_;
  for (size_t n = 0; n < theirs.size(); ++n)
    if ((*times_)[n] < theirs[n]) own()[n] = theirs[n];
}

void Clock::raise(uint32_t thread, uint32_t time, uint32_t threads) {
  if (of(thread) >= time) return;
  if (!times_) times_ = std::make_shared<Times>(threads);
  own()[thread] = time;
}

Clock OrderModel::now(uint32_t thread) const {
  Clock clock = all_[thread].known;
  clock.raise(thread, all_[thread].count, static_cast<uint32_t>(all_.size()));
  return clock;
}

bool OrderModel::before(uint32_t earlier, uint32_t time, uint32_t later, bool read) const {
  const Thread& one = all_[later];
  if (earlier == later || one.known.of(earlier) >= time) return true;
  return read && (one.reads.of(earlier) >= time || one.exchanged.of(earlier) >= time);
}

void OrderModel::sync(const Threads& members) {
  if (members.size() == 1 && !generous_) return;
  Clock known, reads;
  for (const uint32_t one : members) {
    known.join(all_[one].known);
    reads.join(all_[one].reads);
    if (generous_) reads.join(all_[one].exchanged);
  }
  for (const uint32_t one : members)
    known.raise(one, all_[one].count, static_cast<uint32_t>(all_.size()));
  for (const uint32_t one : members) {
    all_[one].known = known;
    all_[one].reads = reads;
  }
}

// Lanes hand on what they have acquired; and of those that exchange registers with each other, all
// have read what they were to read.
void OrderModel::exchange(const Threads& members, bool whole_warp) {
  Clock known, reads, over;
  for (const uint32_t one : members) {
    known.join(all_[one].known);
    reads.join(all_[one].reads);
    over.join(now(one));
    over.join(all_[one].exchanged);
  }
  for (const uint32_t one : members) {
    all_[one].known.join(known);
    all_[one].reads.join(reads);
    if (whole_warp || generous_) all_[one].exchanged.join(over);
  }
}

void OrderModel::fence(uint32_t thread, bool wide) {
  Thread& one = all_[thread];
  one.known.join(std::exchange(one.seen_of_block, {}));
  if (wide) one.known.join(std::exchange(one.seen_of_others, {}));
  one.fenced = now(thread);
  one.has_fence = true;
  one.fence_is_wide = wide;
}

void OrderModel::arrive(uint32_t barrier, uint32_t thread) {
  Arrived& arrived = arrived_[{block_of(thread), barrier}];
  arrived.any = true;
  arrived.what.join(now(thread));
}

void OrderModel::meet(uint32_t barrier, const Threads& members, bool all) {
  if (members.empty()) return;
  const uint32_t block = block_of(members[0]);
  const Arrived arrived = std::exchange(arrived_[{block, barrier}], {});
  Clock more = arrived.what;
  if (all && !arrived.any) ++meetings_[block];
  if (all && (generous_ || !arrived.any)) {
    const std::set<uint32_t> waiting(members.begin(), members.end());
    for (uint32_t one = block * threads_; one < (block + 1) * threads_; ++one)
      if (!waiting.contains(one))
        more.raise(one, all_[one].count, static_cast<uint32_t>(all_.size()));
  }
  for (const uint32_t one : members) {
    Thread& thread = all_[one];
    // What flags have told them counts from here on, as behind a fence.
    thread.known.join(std::exchange(thread.seen_of_block, {}));
    thread.known.join(std::exchange(thread.seen_of_others, {}));
  }
  all_[members[0]].known.join(more);
  sync(members);
}

// Other flags of which a write changes a part are gone.
void OrderModel::forget_beside(Site site, uint32_t bytes) {
  if (generous_) return;
  const uint64_t from = site.address < 64 ? 0 : site.address - 64;
  for (auto flag = flags_.lower_bound({site.space, from});
       flag != flags_.end() && flag->first < Site{site.space, site.address + bytes};)
    if (flag->first != site && flag->first.address + flag->second.bytes > site.address)
      flag = flags_.erase(flag);
    else
      ++flag;
}

void OrderModel::weak_write(Site site, uint32_t bytes) {
  forget_beside(site, bytes);
  flags_.erase(site);
}

void OrderModel::renew(Site site, uint64_t bytes) {
  if (!generous_)
    std::erase_if(flags_, [&](const auto& flag) {
      return flag.first.space == site.space && flag.first.address < site.address + bytes &&
             flag.first.address + flag.second.bytes > site.address;
    });
}

void OrderModel::see(uint32_t thread, const Flag& flag, uint32_t access) {
  if (!generous_ && flag.bytes != ptx::access_bytes(access)) return;
  Thread& one = all_[thread];
  const uint32_t block = block_of(thread);
  const bool wide = ptx::scope_of(access) != ptx::Scope::block;
  if (!(access & ptx::access_write) || generous_) one.reads.join(flag.reads);
  for (const Release& release : flag.releases) {
    bool own = release.block == block;
    if (!generous_)
      for (const Release& other : flag.releases)
        if (other.wide == release.wide && other.block != release.block) own = false;
    if (!own && !release.wide) continue;
    if (access & ptx::access_acquire) {
      if (own || wide) one.known.join(release.what);
    } else if (own || wide || generous_) {
      (own ? one.seen_of_block : one.seen_of_others).join(release.what);
    }
  }
}

void OrderModel::strong(uint32_t thread, Site site, uint32_t access) {
  const bool writes = access & ptx::access_write, atomic = access & ptx::access_atomic;
  const bool wide = ptx::scope_of(access) != ptx::Scope::block;
  if (!writes || atomic)
    if (const auto flag = flags_.find(site); flag != flags_.end())
      see(thread, flag->second, access);
  if (!writes) return;
  forget_beside(site, ptx::access_bytes(access));
  Thread& one = all_[thread];
  Flag& flag = flags_[site];
  // An atomic operation leaves what others have released there; a store does not.
  if (!atomic || (!generous_ && flag.bytes != ptx::access_bytes(access))) flag = {};
  flag.bytes = ptx::access_bytes(access);
  if (!atomic || generous_) {
    flag.reads.join(now(thread));
    flag.reads.join(one.reads);
    if (generous_) flag.reads.join(one.exchanged);
  }
  if (access & ptx::access_release) {
    release(flag, {now(thread), block_of(thread), wide});
  } else if (one.has_fence) {
    release(flag, {one.fenced, block_of(thread), one.fence_is_wide && wide});
  }
}

void OrderModel::release(Flag& flag, const Release& release) {
  for (Release& other : flag.releases)
    if (other.block == release.block && other.wide == release.wide)
      return other.what.join(release.what);
  flag.releases.push_back(release);
}

void OrderModel::arrive_at(uint32_t thread, Site site) {
  release(barriers_[site], {now(thread), block_of(thread), false});
}

void OrderModel::wait_at(uint32_t thread, Site site) {
  for (const Release& release : barriers_[site].releases) all_[thread].known.join(release.what);
}

}  // namespace cuvette::watch::test
