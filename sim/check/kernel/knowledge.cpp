// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/knowledge.hpp"

#include <algorithm>

namespace cuvette::watch {

Knowledge::Pointer Knowledge::of(Part part) {
  std::vector<Part> parts;
  parts.push_back(std::move(part));
  return make_ref<Knowledge>(std::move(parts));
}

void Knowledge::join(Part& into, const Part& from) {
  into.all = std::max(into.all, from.all);
  std::vector<std::pair<uint16_t, uint32_t>> ones;
  auto a = into.ones.begin();
  auto b = from.ones.begin();
  while (a != into.ones.end() || b != from.ones.end()) {
    std::pair<uint16_t, uint32_t> one;
    if (b == from.ones.end() || (a != into.ones.end() && a->first < b->first)) {
      one = *a++;
    } else if (a == into.ones.end() || b->first < a->first) {
      one = *b++;
    } else {
      one = {a->first, std::max(a->second, b->second)};
      ++a, ++b;
    }
    if (one.second > into.all) ones.push_back(one);
  }
  into.ones = std::move(ones);
}

bool Knowledge::covers(const Part& all, const Part& some) {
  if (some.all > all.all) return false;
  auto known = all.ones.begin();
  return std::ranges::all_of(some.ones, [&](const std::pair<uint16_t, uint32_t>& one) {
    if (one.second <= all.all) return true;
    while (known != all.ones.end() && known->first < one.first) ++known;
    return known != all.ones.end() && known->first == one.first && one.second <= known->second;
  });
}

bool Knowledge::covers(const Knowledge& other) const {
  if (other.parts_.size() > parts_.size()) return false;
  auto known = parts_.begin();
  return std::ranges::all_of(other.parts_, [&](const Part& part) {
    while (known != parts_.end() && known->block < part.block) ++known;
    return known != parts_.end() && known->block == part.block && covers(*known, part);
  });
}

Knowledge::Pointer Knowledge::join(const Pointer& a, const Pointer& b) {
  if (!a || a == b) return b;
  if (!b || a->covers(*b)) return a;
  if (b->covers(*a)) return b;
  std::vector<Part> parts;
  parts.reserve(a->parts_.size() + b->parts_.size());
  auto one = a->parts_.begin();
  auto other = b->parts_.begin();
  while (one != a->parts_.end() || other != b->parts_.end()) {
    if (other == b->parts_.end() || (one != a->parts_.end() && one->block < other->block)) {
      parts.push_back(*one++);
    } else if (one == a->parts_.end() || other->block < one->block) {
      parts.push_back(*other++);
    } else {
      parts.push_back(*one++);
      join(parts.back(), *other++);
    }
  }
  return make_ref<Knowledge>(std::move(parts));
}

bool Knowledge::knows(const Mark& mark) const {
  const auto part = std::ranges::lower_bound(parts_, mark.block, {}, &Part::block);
  if (part == parts_.end() || part->block != mark.block) return false;
  if (mark.time <= part->all) return true;
  const auto up_to = [&](uint32_t id) -> uint32_t {
    const auto one = std::ranges::lower_bound(part->ones, static_cast<uint16_t>(id), {},
                                              &std::pair<uint16_t, uint32_t>::first);
    return one != part->ones.end() && one->first == id ? one->second : 0;
  };
  return mark.time <= up_to(mark.thread()) || mark.time <= up_to(first_warp + mark.warp());
}

}  // namespace cuvette::watch
