// SPDX-License-Identifier: Apache-2.0
// Random programs over streams, events, host functions and waits, under every kind of schedule: the
// order in which they ran is one that the model allows, a wait has waited for what it should, and
// the same schedule gives the same order again.
#include <cuda.h>

#include <algorithm>
#include <map>
#include <random>
#include <sstream>
#include <string>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/gate.hpp"
#include "tests/api/driver/order_model.hpp"

namespace {

// Asks until the answer is no longer that it is not ready; gives up where it never comes. It does
// not sleep in between: a program that sleeps is one that the watch may take a step for.
template <typename Question>
void poll(const Question& question) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  CUresult answer = question();
  while (answer == CUDA_ERROR_NOT_READY && std::chrono::steady_clock::now() < end)
    answer = question();
  OK(answer);
}

class RandomScheduledProgram {
 public:
  explicit RandomScheduledProgram(unsigned seed) : random_(seed) {
    for (CUevent& event : events_) event = new_event();
  }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) ASSERT_NO_FATAL_FAILURE(step());
    OK(cuCtxSynchronize());
    check_order();
    for (const int number : log_.entries()) fprintf(stderr, "%d ", number);
  }

 private:
  static constexpr size_t streams = 6, events = 4;

  void step() {
    const size_t stream = random_() % streams;
    const int event = static_cast<int>(random_() % events);
    switch (random_() % 16) {
      case 0:
      case 1:
      case 2:
        OK(cuEventRecord(events_[event], streams_[stream]));
        return model_.record(event, stream);
      case 3:
      case 4:
      case 5:
        OK(cuStreamWaitEvent(streams_[stream], events_[event], 0));
        return model_.wait(stream, event);
      case 6:
        if (random_() % 4 != 0) return note(stream);
        OK(cuStreamSynchronize(streams_[stream]));
        return check_completed(model_.until(stream), "synchronising a stream");
      case 7:
        if (random_() % 4 != 0) return note(stream);
        OK(cuEventSynchronize(events_[event]));
        return check_completed(model_.until_event(event), "synchronising an event");
      case 8:
        if (random_() % 4 != 0) return note(stream);
        ASSERT_NO_FATAL_FAILURE(poll([&] { return cuStreamQuery(streams_[stream]); }));
        return check_completed(model_.until(stream), "polling a stream");
      case 9:
        if (random_() % 4 != 0) return note(stream);
        ASSERT_NO_FATAL_FAILURE(poll([&] { return cuEventQuery(events_[event]); }));
        return check_completed(model_.until_event(event), "polling an event");
      default:
        return note(stream);
    }
  }

  void note(size_t stream) {
    noted_.push_back(model_.submit(stream));
    log_.note(streams_[stream], noted_.back());
  }

  void check_completed(const std::set<int>& wanted, const char* after) {
    const std::vector<int> ran = log_.entries();
    for (const int number : noted_)
      if (wanted.contains(number)) {
        ASSERT_NE(std::find(ran.begin(), ran.end(), number), ran.end())
            << "command " << number << " is not completed after " << after;
      }
  }

  void check_order() {
    const std::vector<int> ran = log_.entries();
    std::map<int, size_t> place;
    for (size_t i = 0; i < ran.size(); ++i) place[ran[i]] = i;
    ASSERT_EQ(ran.size(), noted_.size());
    ASSERT_EQ(place.size(), noted_.size()) << "each once";
    for (const int number : noted_)
      for (const int earlier : model_.before(number))
        if (place.contains(earlier)) {
          ASSERT_LT(place[earlier], place[number])
              << "command " << number << " ran before " << earlier;
        }
  }

  using Kind = OrderModel::Kind;
  const Scene scene_;
  std::mt19937 random_;
  const CUstream streams_[streams] = {nullptr,
                                      new_stream(CU_STREAM_DEFAULT),
                                      new_stream(CU_STREAM_DEFAULT),
                                      CU_STREAM_PER_THREAD,
                                      new_stream(),
                                      new_stream()};
  CUevent events_[events] = {};
  OrderModel model_{{Kind::legacy, Kind::blocking, Kind::blocking, Kind::blocking,
                     Kind::non_blocking, Kind::non_blocking}};
  Log log_;
  std::vector<int> noted_;
};

// The order in which the program's host functions ran.
std::string order_under(const std::string& schedule, unsigned seed) {
  return run_in_child({{"CUVETTE_SCHEDULE", schedule.c_str()}},
                      [&] { RandomScheduledProgram(seed).run(120); });
}

class ScheduledOrder : public testing::TestWithParam<unsigned> {};

TEST_P(ScheduledOrder, IsOneThatTheModelAllows) {
  const unsigned seed = GetParam();
  std::vector<std::string> schedules{"eager", "lazy"};
  for (int lane = 0; lane < 6; ++lane) schedules.push_back("starve:" + std::to_string(lane));
  for (int one = 0; one < 6; ++one)
    schedules.push_back("switch:" + std::to_string(one) + ":" +
                        std::to_string((one + 1 + seed) % 6) + ":" + std::to_string(1 + seed % 9));
  for (int i = 1; i <= 6; ++i) schedules.push_back("random:" + std::to_string(10 * seed + i));
  for (int i = 1; i <= 4; ++i) schedules.push_back("pct:" + std::to_string(10 * seed + i) + ":4");
  for (int i = 0; i < 2; ++i) {
    SCOPED_TRACE("concurrent");
    order_under("concurrent", seed);
  }
  std::set<std::string> orders;
  for (const std::string& schedule : schedules) {
    SCOPED_TRACE(schedule);
    const std::string order = order_under(schedule, seed);
    EXPECT_FALSE(order.empty());
    orders.insert(order);
    EXPECT_EQ(order_under(schedule, seed), order) << "the second time";
  }
  EXPECT_GE(orders.size(), schedules.size() / 2) << "schedules that change nothing";
}

INSTANTIATE_TEST_SUITE_P(Seeds, ScheduledOrder, testing::Range(0u, 8u));

// What is eager is the order of submission, where the rules leave a choice.
TEST(Schedules, RunInTheOrderOfSubmissionUnderEager) {
  run_in_child({{"CUVETTE_SCHEDULE", "eager"}}, [] {
    const Scene scene;
    const CUstream streams[] = {nullptr, new_stream(), new_stream(CU_STREAM_DEFAULT), new_stream()};
    Log log;
    for (int i = 0; i < 40; ++i) log.note(streams[(i * 7 + i / 5) % 4], i);
    const std::vector<int> ran = log.entries();
    ASSERT_EQ(ran.size(), 40u) << "before anybody waits";
    for (int i = 0; i < 40; ++i) EXPECT_EQ(ran[i], i);
  });
}

TEST(Schedules, BeginsWithTheFirstWaitUnderLazy) {
  run_in_child({{"CUVETTE_SCHEDULE", "lazy"}}, [] {
    const Scene scene;
    const CUstream one = new_stream(), other = new_stream();
    Log log;
    for (int i = 0; i < 10; ++i) log.note(i % 2 ? other : one, i);
    EXPECT_EQ(log.entries(), std::vector<int>{});
    OK(cuStreamSynchronize(other));
    EXPECT_EQ(log.entries(), (std::vector<int>{1, 3, 5, 7, 9}));
    OK(cuCtxSynchronize());
    EXPECT_EQ(log.entries().size(), 10u);
  });
}

}  // namespace
