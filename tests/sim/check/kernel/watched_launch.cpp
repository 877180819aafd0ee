// SPDX-License-Identifier: Apache-2.0
#include "watched_launch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "sim/exec/grid.hpp"

namespace cuvette::watch::test {

WatchFor Launch::what(bool notes) const {
  WatchFor what;
  if (notes) what.window = {reinterpret_cast<uint64_t>(global_), distance + global_bytes - far};
  what.meetings = true;
  what.accesses = numbers_;
  return what;
}

Launch::Launch(uint32_t blocks, uint32_t threads, bool notes)
    : model(blocks, threads, global_bytes, shared_bytes),
      threads_(threads),
      memory_(distance + global_bytes - far + page),
      global_(memory_.data() + (page - reinterpret_cast<uint64_t>(memory_.data()) % page) % page),
      numbers_(most_instructions),
      watch_(threads, what(notes)) {
  exec::BlockNeeds needs;
  needs.frame_bytes = sizeof(ptx::WarpFrame);
  needs.shared_bytes = shared_bytes;
  needs.local_bytes = 64;
  for (uint32_t b = 0; b < blocks; ++b) {
    blocks_.push_back(exec::Block::take(needs, threads));
    exec::Block& block = *blocks_.back();
    block.watch = &watch_;
    std::fill_n(block.context.nctaid, 3, 1u);
    block.context.nctaid[0] = blocks;
    block.context.nsmid = 1;
    std::memset(block.context.shared, 0, shared_bytes);
    block.begin(b);
  }
}

Launch::~Launch() {
  for (auto& block : blocks_) exec::Block::give_back(std::move(block));
}

// As compiled code and the machine do it: nothing is said of quiet lines, and lanes in rows are
// told as such.
void Launch::tell(exec::Block& block, const exec::WarpAccess& access) {
  exec::WarpRows rows{.mask = access.mask,
                      .access = access.access,
                      .warp = access.warp,
                      .location = access.location,
                      .number = access.number};
  const uint32_t bytes = ptx::access_bytes(access.access);
  if (!exec::rows_of(access.addresses, access.mask, bytes, rows))
    return watch_.accesses(block, access);
  if (is_quiet(block.context, rows)) {
    ++quiet_;
    return;
  }
  // Not a whole page, so that some lines have no notes.
  const auto begin = reinterpret_cast<uint64_t>(global_);
  const exec::GridRange around{begin + 40, begin + distance + global_bytes - far - 40, true};
  if (!note_line(block, access) && !watch_.rows(block, rows, around))
    watch_.accesses(block, access);
}

// Of lanes that lie on a line, compiled code asks that first.
bool Launch::note_line(exec::Block& block, const exec::WarpAccess& access) {
  const uint64_t* const at = access.addresses;
  const uint64_t stride = at[1] - at[0], middle = at[16];
  for (uint32_t lane = 0; lane < 32; ++lane)
    if (at[lane] != (lane < 16 ? at[0] : middle) + lane % 16 * stride) return false;
  const exec::WarpLine line{at[0],       middle,        static_cast<uint32_t>(stride),
                            access.mask, access.access, access.number,
                            access.warp};
  const bool result = stride <= 16 && watch_.note_line(block, line) != ptx::Noted::no;
  noted_ += result;
  return result;
}

bool Launch::is_quiet(const ptx::BlockContext& context, const exec::WarpRows& rows) {
  // What is_quiet() in sim/ptx/emit is asked for: plain reads in a space.
  constexpr uint32_t kinds = ptx::access_shared | ptx::access_generic | ptx::access_read_only;
  const uint32_t bytes = ptx::access_bytes(rows.access);
  if (rows.count == 0 || (rows.access & ~kinds) != bytes) return false;
  for (const exec::WarpRows::Row& row : rows.all()) {
    const uint64_t end = row.begin + (row.together ? bytes : uint64_t{bytes} * row.lanes);
    if (row.begin % bytes != 0) return false;
    for (uint64_t at = row.begin; at < end; at += bytes) {
      const ptx::QuietLines& lines =
          rows.access & ptx::access_shared ? context.shared_lines : context.global_lines;
      if (at - lines.begin >= lines.bytes) return false;
      const uint64_t number = (at - lines.begin) / ptx::QuietLine::bytes;
      const auto& line = *reinterpret_cast<const ptx::QuietLine*>(
          reinterpret_cast<const uint8_t*>(lines.first) + number * ptx::QuietLine::stride);
      if (line.quiet_at != context.watch_time && line.quiet_at != context.launch_time) return false;
    }
  }
  return true;
}

uint32_t Launch::number_of(const Step& step) {
  if (step.instruction >= most_instructions) return 0;
  numbers_[step.instruction] = {uint64_t{step.instruction} + 1, step.access};
  return step.instruction + 1;
}

void Launch::access(const Step& step) {
  exec::Block& block = *blocks_[step.block];
  const uint32_t bytes = ptx::access_bytes(step.access);
  const bool offset = step.access & (ptx::access_shared | ptx::access_local);
  uint64_t addresses[32];
  std::vector<uint8_t> values(size_t{32} * bytes);
  uint8_t* places[32]{};
  for (uint32_t lane = 0; lane < 32; ++lane) {
    addresses[lane] = 0xdead'beef'0000 + lane;  // of lanes that take no part
    if (!(step.mask >> lane & 1)) continue;
    const Site& site = step.sites[lane];
    places[lane] = site.space == 0            ? place_of(site.address)
                   : site.space == UINT32_MAX ? block.context.local + site.address
                                              : block.context.shared + site.address;
    addresses[lane] = offset ? site.address : reinterpret_cast<uint64_t>(places[lane]);
    std::memcpy(&values[size_t{lane} * bytes], step.data[lane], bytes);
  }
  tell(block, {addresses, step.has_values ? values.data() : nullptr, step.mask, step.access,
               step.warp, uint64_t{step.instruction} + 1, number_of(step)});
  if (step.access & ptx::access_write)
    each_lane(step.mask, [&](uint32_t lane) { std::memcpy(places[lane], step.data[lane], bytes); });
  access_of_[step.instruction] = step.access;
  const std::vector<RaceModel::Race> races = model.access(step);
  for (const ThreadRace& race : watch_.races().found()) {
    const auto [one, other] =
        std::minmax({instruction_of(race.earlier), instruction_of(race.later)});
    if (found_.insert({one, other, race.shared}).second) compare(race, races);
  }
}

// What has been reported of this access is so.
void Launch::compare(const ThreadRace& race, const std::vector<RaceModel::Race>& races) {
  uint64_t address = race.address;
  if (!race.shared) {
    address -= reinterpret_cast<uint64_t>(global_);
    if (address >= far) address -= distance - far;
  }
  const std::pair earlier{thread_of(race.earlier), instruction_of(race.earlier)};
  const std::pair later{thread_of(race.later), instruction_of(race.later)};
  const bool known = std::ranges::any_of(races, [&](const RaceModel::Race& one) {
    const std::pair first{one.earlier, one.first}, second{one.later, one.second};
    return one.site.space == (race.shared ? race.later.block + 1 : 0) &&
           one.site.address >= address && one.site.address < address + 4 &&
           one.under_way == race.under_way &&
           ((first == earlier && second == later) || (first == later && second == earlier));
  });
  EXPECT_TRUE(known) << "a false alarm: thread " << earlier.first << " by instruction "
                     << earlier.second << ", then " << later.first << " by " << later.second
                     << " at " << address << (race.shared ? " of shared memory" : "");
  EXPECT_EQ(race.bytes, ptx::access_bytes(access_of_[later.second]));
}

void Launch::meet(uint32_t block, uint32_t number, const std::vector<uint32_t>& lanes, bool all) {
  exec::Block& running = *blocks_[block];
  uint32_t warps = 0;
  OrderModel::Threads members;
  for (uint32_t warp = 0; warp < lanes.size(); ++warp) {
    if (lanes[warp] == 0) continue;
    warps |= 1u << warp;
    const ptx::BlockContext& context = running.context;
    reinterpret_cast<ptx::WarpFrame*>(context.frames + warp * context.frame_stride)->lanes =
        lanes[warp];
    const OrderModel::Threads more = threads_of(block, warp, lanes[warp]);
    members.insert(members.end(), more.begin(), more.end());
  }
  watch_.meet(running, number, warps, all);
  model.order([&](OrderModel& order) { order.meet(number, members, all); });
}

std::vector<uint64_t> Launch::written_read_only() const {
  std::vector<uint64_t> all;
  for (const ReadOnlyMistake& mistake : watch_.read_only_mistakes()) {
    const uint64_t place = mistake.address - reinterpret_cast<uint64_t>(global_);
    all.push_back(place < far ? place : place - distance + far);
  }
  return all;
}

void Launch::compare() {
  const auto compares = [&](const Instructions& pair, bool surely) {
    for (const auto& [read, swap] : {std::pair{pair.one, pair.other}, {pair.other, pair.one}})
      if (!(access_of_[read] & (ptx::access_strong | ptx::access_write)) &&
          access_of_[swap] & ptx::access_atomic && model.is_compared(read, surely))
        return true;
    return false;
  };
  std::set<Instructions> reported;
  for (const ThreadRace& race : watch_.races().found()) {
    const auto [one, other] =
        std::minmax({instruction_of(race.earlier), instruction_of(race.later)});
    const Instructions pair{one, other, race.shared};
    reported.insert(pair);
    EXPECT_FALSE(compares(pair, true)) << one << " and " << other;
  }
  for (const std::set<Instructions>& any : model.wanted()) {
    bool found = false;
    std::string names;
    for (const Instructions& pair : any) {
      found = found || reported.contains(pair) || compares(pair, false);
      names += " " + std::to_string(pair.one) + "/" + std::to_string(pair.other) +
               (pair.shared ? "s" : "g");
    }
    EXPECT_TRUE(found) << "missed:" << names;
  }
  compare_footprint();
}

void Launch::compare_footprint() {
  const std::vector<Touched>& pieces = watch_.races().touched();
  auto piece = pieces.begin();
  for (uint64_t address = 0; address < global_bytes; ++address) {
    const auto at = reinterpret_cast<uint64_t>(place_of(address));
    if (piece != pieces.end() && piece->end <= at) ++piece;
    const bool touched = piece != pieces.end() && piece->begin <= at;
    ASSERT_EQ(touched, !model.of(address).empty()) << address;
    if (touched) compare(*piece, address);
  }
  ASSERT_TRUE(piece == pieces.end() || piece + 1 == pieces.end());
}

void Launch::compare(const Touched& piece, uint64_t address) {
  const auto at = reinterpret_cast<uint64_t>(place_of(address));
  const Accessor last = watch_.races().toucher(at);
  const auto accesses = model.of(address);
  bool writes = false, atomic = true, by = false, toucher = false;
  for (const RaceModel::Access* one : accesses) {
    writes = writes || one->writes();
    atomic = atomic && one->is(ptx::access_strong) && one->wide();
  }
  for (const RaceModel::Access* one : accesses) {
    if (one->writes() != writes) continue;
    by = by || (one->instruction == instruction_of(piece.by) &&
                (at != piece.begin || one->thread == thread_of(piece.by)));
    toucher =
        toucher || (one->instruction == instruction_of(last) && one->thread == thread_of(last));
  }
  ASSERT_EQ(piece.writes, writes) << address;
  ASSERT_EQ(piece.atomic, atomic) << address;
  ASSERT_TRUE(by) << address;
  ASSERT_TRUE(toucher) << address;
}

}  // namespace cuvette::watch::test
