// SPDX-License-Identifier: Apache-2.0
// RangeMap: a value for each number of some ranges of 64-bit numbers, such as addresses.
//
// Ranges are [begin, end), are not empty and do not overlap. They are cut where a call names a part
// of them, and both sides keep the value; ranges that touch stay two until join(). The largest
// number, UINT64_MAX, is in no range.
//
// Threads: as for a container of the standard library. Calls invalidate iterators to the ranges
// that they remove, and no others.
#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

namespace cuvette {

template <typename Value, template <typename> typename Allocator = std::allocator>
class RangeMap {
 public:
  class Range {
   public:
    Range(uint64_t end, Value of_all) : value(std::move(of_all)), end_(end) {}
    uint64_t end() const { return end_; }

    Value value;

   private:
    friend RangeMap;
    uint64_t end_;
  };

 private:
  using Map = std::map<uint64_t, Range, std::less<>, Allocator<std::pair<const uint64_t, Range>>>;

 public:
  // Elements are pairs of where a range begins, and the range.
  using iterator = typename Map::iterator;
  using const_iterator = typename Map::const_iterator;

  // The ranges inside [begin, end); none reaches across its borders.
  class Part {
   public:
    iterator begin() const { return first_; }
    iterator end() const { return last_; }

   private:
    friend RangeMap;
    Part(iterator first, iterator last, uint64_t from, uint64_t to)
        : first_(first), last_(last), from_(from), to_(to) {}
    iterator first_, last_;
    uint64_t from_, to_;
  };

  // The ranges with a number in [begin, end), as a whole.
  class Touching {
   public:
    const_iterator begin() const { return first_; }
    const_iterator end() const { return last_; }
    bool empty() const { return first_ == last_; }

   private:
    friend RangeMap;
    Touching(const_iterator first, const_iterator last) : first_(first), last_(last) {}
    const_iterator first_, last_;
  };

  bool empty() const { return map_.empty(); }
  size_t size() const { return map_.size(); }  // ranges
  const_iterator begin() const { return map_.begin(); }
  const_iterator end() const { return map_.end(); }
  iterator begin() { return map_.begin(); }
  iterator end() { return map_.end(); }

  // Returns the range that contains the number, or end().
  iterator find(uint64_t at) { return find_in(map_, at); }
  const_iterator find(uint64_t at) const { return find_in(map_, at); }
  // Returns the range that begins there, or end().
  iterator find_begin(uint64_t at) { return map_.find(at); }
  // begin <= end, here and below.
  Touching touching(uint64_t begin, uint64_t end) const {
    const auto last = map_.lower_bound(end);
    auto first = map_.lower_bound(begin);
    if (begin < end && first != map_.begin() && std::prev(first)->second.end_ > begin) --first;
    return {first, last};
  }

  // Lets no range reach across `at`. Returns the one that begins there now, or end() if nothing was
  // cut.
  iterator cut(uint64_t at) {
    const size_t before = map_.size();
    const iterator next = cut_before(at);
    return map_.size() == before ? map_.end() : next;
  }
  // Cuts at both borders, and returns the ranges between them.
  Part isolate(uint64_t begin, uint64_t end) {
    // Often it is a range that was named before.
    iterator first = map_.lower_bound(begin);
    if (first != map_.end() && first->first == begin && first->second.end_ == end)
      return {first, std::next(first), begin, end};
    first = cut_at(first, begin);
    return {first, cut_before(end), begin, end};
  }
  // Removes the values of [begin, end), or of a part.
  void erase(uint64_t begin, uint64_t end) { erase(isolate(begin, end)); }
  void erase(const Part& part) { map_.erase(part.first_, part.last_); }
  // Removes one range. Returns the next one.
  iterator erase(iterator range) { return map_.erase(range); }
  // Makes one range of [begin, end), which is not empty.
  iterator assign(uint64_t begin, uint64_t end, Value value) {
    const Part part = isolate(begin, end);
    return map_.emplace_hint(map_.erase(part.first_, part.last_), begin,
                             Range(end, std::move(value)));
  }
  // Makes a range of each gap, with the value that `make` returns. The part has all of them then.
  // Calls `visit` with the begin of each range that there was, and the range, in order.
  template <typename Make, typename Visit>
  Part fill(Part part, const Make& make, const Visit& visit) {
    uint64_t at = part.from_;
    for (iterator next = part.first_;; ++next) {
      const uint64_t gap_end = next == part.last_ ? part.to_ : next->first;
      if (at < gap_end) {
        const iterator fresh = map_.emplace_hint(next, at, Range(gap_end, make()));
        if (at == part.from_) part.first_ = fresh;
      }
      if (next == part.last_) break;
      visit(next->first, next->second);
      at = next->second.end_;
      if (at == part.to_) break;
    }
    return part;
  }
  template <typename Make>
  Part fill(Part part, const Make& make) {
    return fill(part, make, [](uint64_t, Range&) {});
  }
  // Joins ranges of the part that touch if `same` is true of their values; the lower one's stays.
  template <typename Same>
  void join(const Part& part, const Same& same) {
    if (part.first_ == part.last_ || part.first_->second.end_ == part.to_) return;
    iterator left = part.first_;
    for (iterator right = std::next(left); right != part.last_;) {
      if (left->second.end_ == right->first &&
          same(std::as_const(left->second.value), std::as_const(right->second.value))) {
        left->second.end_ = right->second.end_;
        right = map_.erase(right);
      } else {
        left = right++;
      }
    }
  }
  // Joins a range with the one before it and the one after it in the same way.
  template <typename Same>
  void join_around(iterator range, const Same& same) {
    const iterator first = range == map_.begin() ? range : std::prev(range);
    iterator last = std::next(range);
    if (last != map_.end()) ++last;
    join(Part(first, last, 0, UINT64_MAX), same);
  }

 private:
  template <typename Some>
  static auto find_in(Some& map, uint64_t at) {
    const auto next = map.upper_bound(at);
    if (next == map.begin()) return map.end();
    const auto range = std::prev(next);
    return at < range->second.end_ ? range : map.end();
  }
  iterator cut_before(uint64_t at) { return cut_at(map_.lower_bound(at), at); }
  // `next`: the first range that begins at `at` or later. Returns what that is after the cut.
  iterator cut_at(iterator next, uint64_t at) {
    if (next == map_.begin()) return next;
    Range& before = std::prev(next)->second;
    if (before.end_ <= at) return next;
    next = map_.emplace_hint(next, at, before);
    before.end_ = at;
    return next;
  }

  Map map_;
};

}  // namespace cuvette
