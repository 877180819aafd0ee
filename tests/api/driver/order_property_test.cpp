// SPDX-License-Identifier: Apache-2.0
// Random programs over streams, events and host functions: the order in which they ran is one that
// a simple model of CUDA's rules allows.
#include <cuda.h>

#include <map>
#include <random>
#include <set>

#include "tests/api/driver/gate.hpp"

namespace {

// The rules once more, as plainly as can be: for each command the set of those it must come after.
class Model {
 public:
  enum class Kind { legacy, blocking, non_blocking };

  explicit Model(std::vector<Kind> streams) : kinds_(std::move(streams)), pending_(kinds_.size()) {}

  // Returns the number of the new command of `stream`.
  int submit(size_t stream) {
    std::set<int> after = pending_[stream];
    for (size_t other = 0; other < kinds_.size(); ++other) {
      const bool pair = (kinds_[stream] == Kind::legacy && kinds_[other] == Kind::blocking) ||
                        (kinds_[stream] == Kind::blocking && kinds_[other] == Kind::legacy);
      if (!pair) continue;
      for (const int number : last_of_[other]) after.insert(number);
    }
    const int number = static_cast<int>(after_.size());
    after_.push_back(std::move(after));
    pending_[stream] = {number};
    last_of_[stream] = {number};
    return number;
  }
  void record(int event, size_t stream) { events_[event] = submit(stream); }
  void wait(size_t stream, int event) {
    const auto record = events_.find(event);
    const int number = submit(stream);
    if (record != events_.end()) after_[number].insert(record->second);
  }

  // Everything that must be before `number`, also by way of others.
  std::set<int> before(int number) const {
    std::set<int> all;
    std::vector<int> open{number};
    while (!open.empty()) {
      const int one = open.back();
      open.pop_back();
      for (const int other : after_[one])
        if (all.insert(other).second) open.push_back(other);
    }
    return all;
  }

 private:
  const std::vector<Kind> kinds_;
  std::vector<std::set<int>> after_;    // of each command, directly
  std::vector<std::set<int>> pending_;  // of each stream: what its next command comes after
  std::map<size_t, std::set<int>> last_of_;
  std::map<int, int> events_;
};

class RandomProgram : public testing::TestWithParam<unsigned> {};

TEST_P(RandomProgram, RunsInAnOrderThatTheModelAllows) {
  const Scene scene;
  using Kind = Model::Kind;
  const CUstream streams[] = {nullptr,
                              new_stream(CU_STREAM_DEFAULT),
                              new_stream(CU_STREAM_DEFAULT),
                              CU_STREAM_PER_THREAD,
                              new_stream(),
                              new_stream()};
  Model model({Kind::legacy, Kind::blocking, Kind::blocking, Kind::blocking, Kind::non_blocking,
               Kind::non_blocking});
  CUevent events[4];
  for (CUevent& event : events) event = new_event();
  Log log;
  std::vector<int> noted;
  std::mt19937 random(GetParam());
  for (int step = 0; step < 300; ++step) {
    const size_t stream = random() % std::size(streams);
    const int event = static_cast<int>(random() % std::size(events));
    switch (random() % 4) {
      case 0:
        OK(cuEventRecord(events[event], streams[stream]));
        model.record(event, stream);
        break;
      case 1:
        OK(cuStreamWaitEvent(streams[stream], events[event], 0));
        model.wait(stream, event);
        break;
      default:
        noted.push_back(model.submit(stream));
        log.note(streams[stream], noted.back());
    }
    if (random() % 40 == 0) {
      OK(cuStreamSynchronize(streams[random() % std::size(streams)]));
    }
  }
  OK(cuCtxSynchronize());
  const std::vector<int> ran = log.entries();
  ASSERT_EQ(ran.size(), noted.size());
  std::map<int, size_t> place;
  for (size_t i = 0; i < ran.size(); ++i) place[ran[i]] = i;
  ASSERT_EQ(place.size(), noted.size()) << "each once";
  for (const int number : noted)
    for (const int earlier : model.before(number))
      if (place.contains(earlier)) {
        ASSERT_LT(place[earlier], place[number])
            << "command " << number << " ran before " << earlier;
      }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomProgram, testing::Range(0u, 30u));

}  // namespace
