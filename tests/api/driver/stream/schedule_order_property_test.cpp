// SPDX-License-Identifier: Apache-2.0
// Random programs of streams, events, host functions, graphs and waits, under every kind of
// schedule: they run in an order that the model allows, waits wait for everything they should, and
// the same schedule gives the same order again.
#include <cuda.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/gate.hpp"
#include "tests/api/driver/order_model.hpp"
#include "tests/api/driver/semaphores.hpp"

namespace {

// Polls until the answer is no longer NOT_READY, or gives up after a while. It does not sleep in
// between: while a program sleeps, the watch may take a step for it.
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
    for (size_t i = 0; i < streams; ++i) semaphores_[i] = timelines_[i].import();
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
    switch (random_() % 19) {
      case 16:
        // Each stream has a timeline that only it signals; the model treats it as an event.
        OK(signal(semaphores_[stream], ++values_[stream], streams_[stream]));
        return model_.record(timeline_of(stream), stream);
      case 17:
      case 18: {
        const size_t whose = random_() % streams;
        OK(wait(semaphores_[whose], values_[whose], streams_[stream]));
        return model_.wait(stream, timeline_of(whose));
      }
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

  static int timeline_of(size_t stream) { return static_cast<int>(events + stream); }

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
  const Timeline timelines_[streams];
  CUexternalSemaphore semaphores_[streams] = {};
  unsigned long long values_[streams] = {};
  OrderModel model_{{Kind::legacy, Kind::blocking, Kind::blocking, Kind::blocking,
                     Kind::non_blocking, Kind::non_blocking}};
  Log log_;
  std::vector<int> noted_;
};

// Random graphs whose nodes log when they run, launched repeatedly into streams with other work. To
// the model, a launch is two commands: its beginning and its end.
class RandomScheduledGraphs {
 public:
  explicit RandomScheduledGraphs(unsigned seed) : random_(seed) {
    for (int i = 0; i < graphs; ++i) build(i);
  }

  void run(int steps) {
    for (int i = 0; i < steps; ++i) ASSERT_NO_FATAL_FAILURE(step());
    OK(cuCtxSynchronize());
    const std::vector<int> ran = log_.entries();
    // A node runs once per launch, and launches of a graph run one after the other.
    std::map<int, size_t> times;
    for (size_t i = 0; i < ran.size(); ++i)
      place_[{ran[i], ran[i] >= first_node ? times[ran[i]]++ : 0}] = i;
    for (const Launch& launch : launches_) ASSERT_NO_FATAL_FAILURE(check(launch));
    for (const int number : noted_) {
      const size_t own = place(number, 0);
      check_after(number, own, "command " + std::to_string(number));
    }
    size_t nodes = 0;
    for (const Launch& launch : launches_) nodes += dags_[launch.graph].size();
    EXPECT_EQ(ran.size(), noted_.size() + nodes) << "each once";
    for (const int what : ran) fprintf(stderr, "%d ", what);
  }

 private:
  static constexpr int graphs = 4, first_node = 10'000;
  static constexpr size_t streams = 5, events = 3;
  struct Launch {
    int graph;
    size_t time;     // the number of launches of its graph before
    int begin, end;  // their numbers in the model
  };
  struct Note {
    Log* log;
    int what;
  };

  int what(int graph, int node) const { return first_node * (graph + 1) + node; }

  // Edges lead from earlier nodes to later ones, or all the other way round; some go through an
  // empty node.
  void build(int number) {
    CUgraph graph = nullptr;
    OK(cuGraphCreate(&graph, 0));
    const size_t count = 2 + random_() % 9;
    std::vector<CUgraphNode> nodes(count);
    auto& before = dags_.emplace_back(count);
    for (size_t i = 0; i < count; ++i) {
      notes_.push_back(std::make_unique<Note>(Note{&log_, what(number, static_cast<int>(i))}));
      const CUDA_HOST_NODE_PARAMS call{[](void* data) {
                                         const auto* note = static_cast<Note*>(data);
                                         note->log->append(note->what);
                                       },
                                       notes_.back().get()};
      OK(cuGraphAddHostNode(&nodes[i], graph, nullptr, 0, &call));
    }
    const bool backwards = random_() % 3 == 0;
    for (size_t later = 1; later < count; ++later)
      for (size_t earlier = 0; earlier < later; ++earlier) {
        if (random_() % 4 != 0) continue;
        const size_t from = backwards ? later : earlier, to = backwards ? earlier : later;
        before[to].insert(static_cast<int>(from));
        if (random_() % 3 != 0) {
          OK(cuGraphAddDependencies(graph, &nodes[from], &nodes[to], nullptr, 1));
          continue;
        }
        CUgraphNode between = nullptr;
        OK(cuGraphAddEmptyNode(&between, graph, &nodes[from], 1));
        OK(cuGraphAddDependencies(graph, &between, &nodes[to], nullptr, 1));
      }
    OK(cuGraphInstantiateWithFlags(&execs_[number], graph, 0));
  }

  void step() {
    const size_t stream = random_() % streams;
    const int event = static_cast<int>(random_() % events);
    switch (random_() % 8) {
      case 0:
        OK(cuEventRecord(events_[event], streams_[stream]));
        return model_.record(event, stream);
      case 1:
        OK(cuStreamWaitEvent(streams_[stream], events_[event], 0));
        return model_.wait(stream, event);
      case 2:
        if (random_() % 6 != 0) return;
        OK(cuStreamSynchronize(streams_[stream]));
        return;
      case 3:
      case 4: {
        const auto graph = static_cast<int>(random_() % graphs);
        OK(cuGraphLaunch(execs_[graph], streams_[stream]));
        const int begin = model_.submit(stream);
        launches_.push_back({graph, launched_[graph]++, begin, model_.submit(stream)});
        return;
      }
      default:
        noted_.push_back(model_.submit(stream));
        log_.note(streams_[stream], noted_.back());
    }
  }

  size_t place(int what, size_t time) const {
    const auto found = place_.find({what, time});
    EXPECT_NE(found, place_.end()) << what << " did not run for the " << time + 1 << "th time";
    return found == place_.end() ? 0 : found->second;
  }

  // Checks that everything that the model puts before `command` ran before place `own`.
  void check_after(int command, size_t own, const std::string& who) {
    const std::set<int> before = model_.before(command);
    for (const int other : noted_)
      if (before.contains(other)) {
        ASSERT_LT(place(other, 0), own) << who << " ran before " << other;
      }
    for (const Launch& other : launches_)
      for (int node = 0; before.contains(other.end) && node < nodes_of(other); ++node)
        ASSERT_LT(place(what(other.graph, node), other.time), own)
            << who << " ran before node " << node << " of a launch of graph " << other.graph;
  }

  void check(const Launch& launch) {
    for (int node = 0; node < nodes_of(launch); ++node) {
      const size_t own = place(what(launch.graph, node), launch.time);
      const std::string who =
          "node " + std::to_string(node) + " of graph " + std::to_string(launch.graph);
      ASSERT_NO_FATAL_FAILURE(check_after(launch.begin, own, who));
      for (const int earlier : dags_[launch.graph][node])
        ASSERT_LT(place(what(launch.graph, earlier), launch.time), own)
            << who << " ran before node " << earlier;
      // Launches of a graph run one after the other.
      for (int other = 0; launch.time > 0 && other < nodes_of(launch); ++other)
        ASSERT_LT(place(what(launch.graph, other), launch.time - 1), own);
    }
  }

  int nodes_of(const Launch& launch) const { return static_cast<int>(dags_[launch.graph].size()); }

  using Kind = OrderModel::Kind;
  const Scene scene_;
  std::mt19937 random_;
  const CUstream streams_[streams] = {nullptr, new_stream(CU_STREAM_DEFAULT),
                                      new_stream(CU_STREAM_DEFAULT), new_stream(), new_stream()};
  const CUevent events_[events] = {new_event(), new_event(), new_event()};
  CUgraphExec execs_[graphs] = {};
  size_t launched_[graphs] = {};
  std::vector<std::vector<std::set<int>>> dags_;  // each node's predecessors
  OrderModel model_{
      {Kind::legacy, Kind::blocking, Kind::blocking, Kind::non_blocking, Kind::non_blocking}};
  Log log_;
  std::vector<std::unique_ptr<Note>> notes_;
  std::vector<Launch> launches_;
  std::vector<int> noted_;
  std::map<std::pair<int, size_t>, size_t> place_;  // the place in the log of each command's or
                                                    // node's n-th run
};

// Returns the order in which the program's host functions ran.
std::string order_under(const std::string& schedule, unsigned seed) {
  return run_in_child({{"CUVETTE_SCHEDULE", schedule.c_str()}},
                      [&] { RandomScheduledProgram(seed).run(120); });
}
std::string graph_order_under(const std::string& schedule, unsigned seed) {
  return run_in_child({{"CUVETTE_SCHEDULE", schedule.c_str()}},
                      [&] { RandomScheduledGraphs(seed).run(60); });
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

class ScheduledGraphOrder : public testing::TestWithParam<unsigned> {};

TEST_P(ScheduledGraphOrder, IsOneThatTheModelAllows) {
  const unsigned seed = GetParam();
  std::vector<std::string> schedules{"eager", "lazy"};
  for (int lane = 0; lane < 5; ++lane) {
    schedules.push_back("starve:" + std::to_string(lane));
    schedules.push_back("starve:" + std::to_string(lane) + "/" + std::to_string(1 + seed % 3));
    schedules.push_back("switch:" + std::to_string(lane) + "/1:" + std::to_string((lane + 1) % 5) +
                        "/2:1");
  }
  for (int i = 1; i <= 6; ++i) schedules.push_back("random:" + std::to_string(10 * seed + i));
  for (int i = 1; i <= 4; ++i) schedules.push_back("pct:" + std::to_string(10 * seed + i) + ":4");
  schedules.emplace_back("replay:1.2.1,2.1.2-4+3,3.1*2,4.1.3*1+2");
  {
    SCOPED_TRACE("concurrent");
    graph_order_under("concurrent", seed);
  }
  std::set<std::string> orders;
  for (const std::string& schedule : schedules) {
    SCOPED_TRACE(schedule);
    const std::string order = graph_order_under(schedule, seed);
    EXPECT_FALSE(order.empty());
    orders.insert(order);
    EXPECT_EQ(graph_order_under(schedule, seed), order) << "the second time";
  }
  EXPECT_GE(orders.size(), schedules.size() / 2) << "schedules that change nothing";
}

INSTANTIATE_TEST_SUITE_P(Seeds, ScheduledGraphOrder, testing::Range(0u, 6u));

// Where the rules leave a choice, `eager` runs in the order of submission.
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
