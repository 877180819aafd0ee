// SPDX-License-Identifier: Apache-2.0
// OrderModel: CUDA's rules of order, written as plainly as possible: for each command, the set of
// commands that must come before it.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

class OrderModel {
 public:
  enum class Kind { legacy, blocking, non_blocking };

  explicit OrderModel(std::vector<Kind> streams)
      : kinds_(std::move(streams)), last_of_(kinds_.size()) {}

  // Returns the number of the new command of `stream`.
  int submit(size_t stream) {
    std::set<int> after = last_of_[stream];
    for (size_t other = 0; other < kinds_.size(); ++other) {
      const bool pair = (kinds_[stream] == Kind::legacy && kinds_[other] == Kind::blocking) ||
                        (kinds_[stream] == Kind::blocking && kinds_[other] == Kind::legacy);
      if (pair) after.insert(last_of_[other].begin(), last_of_[other].end());
    }
    const int number = static_cast<int>(after_.size());
    after_.push_back(std::move(after));
    last_of_[stream] = {number};
    return number;
  }
  void record(int event, size_t stream) { events_[event] = submit(stream); }
  void wait(size_t stream, int event) {
    const auto record = events_.find(event);
    const int number = submit(stream);
    if (record != events_.end()) after_[number].insert(record->second);
  }

  // All commands that must come before `number`, directly or indirectly.
  std::set<int> before(int number) const { return with_before(after_[number]); }

  // All commands that must be complete when a wait for this has returned.
  std::set<int> until(size_t stream) const { return with_before(last_of_[stream]); }
  std::set<int> until_event(int event) const {
    const auto record = events_.find(event);
    return record == events_.end() ? std::set<int>{} : with_before({record->second});
  }

 private:
  std::set<int> with_before(const std::set<int>& of) const {
    std::set<int> all;
    std::vector<int> open(of.begin(), of.end());
    all.insert(of.begin(), of.end());
    while (!open.empty()) {
      const int one = open.back();
      open.pop_back();
      for (const int other : after_[one])
        if (all.insert(other).second) open.push_back(other);
    }
    return all;
  }

  const std::vector<Kind> kinds_;
  std::vector<std::set<int>> after_;    // each command's direct predecessors
  std::vector<std::set<int>> last_of_;  // each stream's last command, if it has one
  std::map<int, int> events_;           // the last command that recorded each event
};
