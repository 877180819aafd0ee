// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/explore.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <tuple>
#include <utility>

#include "tools/cuvette/explore_runs.hpp"
#include "tools/cuvette/knobs.hpp"
#include "tools/cuvette/minimise.hpp"
#include "tools/cuvette/order.hpp"
#include "tools/cuvette/ranks.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;

// A file for one order log, removed with this object.
class OrderFile {
 public:
  OrderFile() : name_((fs::temp_directory_path() / "cuvette-order-XXXXXX").string()) {
    const int file = mkstemp(name_.data());
    if (file >= 0) close(file);
  }
  ~OrderFile() { unlink(name_.c_str()); }
  OrderFile(const OrderFile&) = delete;
  OrderFile& operator=(const OrderFile&) = delete;

  const std::string& name() const { return name_; }
  Order read() const {
    std::ifstream in(name_);
    std::ostringstream text;
    text << in.rdbuf();
    return Order::parse(text.str());
  }

 private:
  std::string name_;
};

// Shows the progress on a terminal, in one line that is overwritten.
class Progress {
 public:
  Progress(size_t total, bool shown) : total_(total), shown_(shown && isatty(STDERR_FILENO)) {}
  ~Progress() {
    if (shown_) fprintf(stderr, "\r%*s\r", width + 60, "");
  }

  void step(const std::string& schedule) {
    ++done_;
    if (!shown_) return;
    const auto filled = static_cast<int>(done_ * width / std::max<size_t>(total_, 1));
    std::string bar(static_cast<size_t>(filled), '#');
    bar.resize(width, '.');
    fprintf(stderr, "\r[%s] %zu of %zu runs  %-24.24s", bar.c_str(), done_, total_,
            schedule.c_str());
  }

 private:
  static constexpr int width = 30;
  const size_t total_;
  const bool shown_;
  size_t done_ = 0;
};

// Returns the text quoted for a shell.
std::string quoted(const std::string& word) {
  if (!word.empty() && word.find_first_of(" \t\n\"'\\$&|;<>()*?[]#~`!{}") == std::string::npos)
    return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string command_line(const RunOptions& options, const std::string& schedule) {
  std::string text = "cuvette run --schedule=" + quoted(schedule);
  for (const auto& [variable, value] : options.environment)
    text += " --env " + quoted(variable + "=" + value);
  text += " --";
  for (const std::string& word : options.program) text += " " + quoted(word);
  return text;
}

void print_output(const std::string& output) {
  constexpr size_t most = 20;
  std::vector<std::string> lines;
  std::istringstream in(output);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  const size_t begin = lines.size() > most ? lines.size() - most : 0;
  if (lines.empty()) return;
  printf("\nThe program said%s:\n", begin > 0 ? ", at last" : "");
  for (size_t i = begin; i < lines.size(); ++i) printf("  | %s\n", lines[i].c_str());
}

constexpr exec::Delay needed{0, 1};

// Makes `range` one that ends with `next`; false if it cannot be one.
bool append(exec::Decision& range, const exec::Decision& next) {
  if (range.lane != next.lane || range.delay != next.delay) return false;
  if (range.step == 0 && next.step == 0 && range.last + 1 == next.first) {
    range.last = next.last;
    return true;
  }
  if (range.step != 0 && range.first == next.first && range.last_step + 1 == next.step) {
    range.last_step = next.last_step;
    return true;
  }
  return false;
}

class Exploration {
 public:
  Exploration(ExploreOptions options, Ranks ranks)
      : options_(std::move(options)), ranks_(ranks), runs_(run_options()) {}

  int explore();

 private:
  static constexpr int64_t nowhere = INT64_MAX;
  static constexpr int more_tries = 5;  // of a run that failed

  Runs::Options run_options() const;
  bool reports() const { return ranks_.rank() == 0; }
  int64_t first_failure(const std::vector<std::string>& schedules);
  void explain(const std::string& schedule);
  exec::Decisions minimised(const Order& order);

  const ExploreOptions options_;
  Ranks ranks_;
  Runs runs_;
};

Runs::Options Exploration::run_options() const {
  Runs::Options options;
  options.run = options_.run;
  options.jobs = options_.jobs ? options_.jobs : std::max(1u, std::thread::hardware_concurrency());
  if (options_.timeout > 0) options.timeout = std::chrono::duration<double>(options_.timeout);
  if (!options_.fails_by_output.empty())
    options.fails_by_output = std::regex(options_.fails_by_output);
  return options;
}

int Exploration::explore() {
  const OrderFile file;
  const RunResult eager = runs_.run("eager", file.name());
  if (ranks_.least(eager.failed() ? 0 : 1) == 0) {
    // Repeat it while no other run disturbs it.
    int again = 0;
    const bool looked = ranks_.size() == 1 && !eager.timed_out;
    if (looked)
      for (int time = 0; time < more_tries; ++time)
        if (runs_.run("eager").failed()) ++again;
    if (reports()) {
      printf(
          "cuvette explore: the program fails in the order in which it submits its work (eager): "
          "%s.\n",
          eager.describe().c_str());
      if (looked && again < more_tries)
        printf(
            "In %d more runs of the same order it failed %s: not the order of its work alone "
            "decides, but its threads, the time or chance.\n",
            more_tries, again == 0 ? "in none" : ("in " + std::to_string(again)).c_str());
      print_output(eager.output);
      printf("\nRepeat it:\n  %s\n", command_line(options_.run, "eager").c_str());
    }
    return 1;
  }
  const Order order = file.read();
  const Lanes lanes = order.lanes();
  if (lanes.empty()) {
    if (reports())
      printf(
          "cuvette explore: the program submits no work to a device; there is one order only.\n");
    return 0;
  }
  if (options_.timeout <= 0) runs_.set_timeout(10 * eager.time + std::chrono::seconds(5));

  const std::vector<std::string> schedules = plan(lanes, order.branches(), options_.limits);
  const int64_t failure = first_failure(schedules);
  if (failure == nowhere) {
    if (reports())
      printf("cuvette explore: passed in all of %zu orders (%zu lanes).\n", schedules.size() + 1,
             lanes.size());
    return 0;
  }
  if (reports()) {
    printf("cuvette explore: fails in order %lld of %zu: %s.\n",
           static_cast<long long>(failure) + 2, schedules.size() + 1,
           schedules[static_cast<size_t>(failure)].c_str());
    explain(schedules[static_cast<size_t>(failure)]);
  }
  return 1;
}

// Returns the place of the first schedule that fails. In each round every rank runs some.
int64_t Exploration::first_failure(const std::vector<std::string>& schedules) {
  const auto ranks = static_cast<size_t>(ranks_.size());
  const size_t share = static_cast<size_t>(runs_.options().jobs) * 2, round = share * ranks;
  Progress progress((schedules.size() + ranks - 1) / ranks, reports());
  for (size_t begin = 0; begin < schedules.size(); begin += round) {
    std::vector<std::string> mine;
    std::vector<int64_t> places;
    const size_t end = std::min(begin + round, schedules.size());
    for (size_t i = begin + static_cast<size_t>(ranks_.rank()); i < end; i += ranks) {
      mine.push_back(schedules[i]);
      places.push_back(static_cast<int64_t>(i));
    }
    int64_t failure = nowhere;
    runs_.run_all(mine, [&](size_t index, const RunResult& result) {
      progress.step(mine[index]);
      if (result.failed()) failure = std::min(failure, places[index]);
    });
    failure = ranks_.least(failure);
    if (failure != nowhere) return failure;
  }
  return nowhere;
}

void Exploration::explain(const std::string& schedule) {
  RunResult failed;
  Order order;
  // A program with several threads may need more than one try.
  for (int tries = 0; tries < more_tries && !failed.failed(); ++tries) {
    const OrderFile file;
    failed = runs_.run(schedule, file.name());
    order = file.read();
  }
  if (!failed.failed()) {
    printf("It did not fail again in %d more runs: its threads decide, too.\n\nTry:\n  %s\n",
           more_tries, command_line(options_.run, schedule).c_str());
    return;
  }
  const exec::Decisions few = minimised(order);
  const std::string replay = "replay:" + few.print();
  const OrderFile file;
  const RunResult last = runs_.run(replay, file.name());
  const bool again = last.failed();
  printf("It fails by %s.\n", (again ? last : failed).describe().c_str());
  print_output((again ? last : failed).output);
  if (!again) {
    printf("\nIt did not fail with what is held back alone: its threads decide, too.\n");
    printf("\nTry:\n  %s\n", command_line(options_.run, schedule).c_str());
    return;
  }
  printf("\nThe order of its commands (> is held back, until it is needed or for some steps):\n%s",
         file.read().table(few, 40).c_str());
  for (const uint64_t question : few.yes)
    printf(
        "\nWhat may happen does, the %lluth time it may: a copy to pageable memory returns before "
        "it is done, say.\n",
        static_cast<unsigned long long>(question));
  printf("\nRepeat it:\n  %s\n", command_line(options_.run, replay).c_str());
}

// Returns the fewest of the run's decisions that still make it fail.
exec::Decisions Exploration::minimised(const Order& order) {
  struct Item {
    exec::Decision held;
    uint64_t yes = 0;
  };
  std::vector<Item> items;
  for (const exec::Decision& held : order.decisions.held) items.push_back({held});
  const auto name = [](const Item& item) {
    return std::tuple(item.held.lane, item.held.first, item.held.step);
  };
  std::stable_sort(items.begin(), items.end(),
                   [&](const Item& a, const Item& b) { return name(a) < name(b); });
  // A loop in a graph holds a step back each time, for as long.
  items.erase(std::unique(items.begin(), items.end(),
                          [&](const Item& a, const Item& b) { return name(a) == name(b); }),
              items.end());
  for (const uint64_t yes : order.decisions.yes) items.push_back({{}, yes});
  const auto decisions = [](const std::vector<Item>& some) {
    exec::Decisions all;
    for (const Item& item : some) {
      if (item.yes) {
        all.yes.push_back(item.yes);
      } else if (all.held.empty() || !append(all.held.back(), item.held)) {
        all.held.push_back(item.held);
      }
    }
    return all;
  };
  Progress progress(options_.minimising_runs, true);
  const auto fails = [&](const std::vector<Item>& some) {
    const std::string schedule = "replay:" + decisions(some).print();
    progress.step("minimising");
    return runs_.run(schedule).failed();
  };
  std::vector<Item> few = minimise(std::move(items), fails, options_.minimising_runs);
  // "Until it is needed" is the shortest decision to print.
  for (Item& item : few) {
    if (item.yes || item.held.delay == needed || few.size() > 16) continue;
    const exec::Delay before = std::exchange(item.held.delay, needed);
    if (!fails(few)) item.held.delay = before;
  }
  return decisions(few);
}

}  // namespace

int explore(ExploreOptions options) {
  // A program that cannot be started has not failed.
  if (const int status = check_program(options.run.program.front(), "explore"); status != 0)
    return status;
  if (const std::string wrong = knobs_complaint(); !wrong.empty()) {
    fprintf(stderr, "cuvette explore: %s\n", wrong.c_str());
    return status_own_failure;
  }
  auto ranks = Ranks::start();
  if (!ranks) return status_own_failure;
  int status = status_own_failure;
  {
    Exploration exploration(std::move(options), *ranks);
    status = exploration.explore();
  }
  fflush(stdout);
  ranks->end();
  // mpirun ends all ranks when one fails, so only rank 0 returns the answer.
  return ranks->rank() == 0 ? status : 0;
}

}  // namespace cuvette::tools
