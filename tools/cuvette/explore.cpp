// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/explore.hpp"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "tools/cuvette/explore_answer.hpp"
#include "tools/cuvette/explore_content.hpp"
#include "tools/cuvette/explore_items.hpp"
#include "tools/cuvette/explore_model.hpp"
#include "tools/cuvette/explore_orders.hpp"
#include "tools/cuvette/explore_outputs.hpp"
#include "tools/cuvette/explore_page.hpp"
#include "tools/cuvette/explore_progress.hpp"
#include "tools/cuvette/explore_runs.hpp"
#include "tools/cuvette/knobs.hpp"
#include "tools/cuvette/minimise.hpp"
#include "tools/cuvette/order.hpp"
#include "tools/cuvette/page/page_file.hpp"
#include "tools/cuvette/ranks.hpp"
#include "tools/cuvette/repeat_line.hpp"

namespace cuvette::tools {
namespace {

class Exploration {
 public:
  Exploration(ExploreOptions options, Ranks ranks)
      : options_(std::move(options)), ranks_(ranks), runs_(run_options()) {}

  Answer explore();
  Runs& runs() { return runs_; }

 private:
  void look();
  void say_what_stopped();
  static constexpr int64_t nowhere = INT64_MAX;
  static constexpr size_t more_tries = 5;  // of a run that failed
  // A longer program writes its log only where that is needed to predict orders or to compare them.
  static constexpr size_t most_logged = 4096;

  Runs::Options run_options() const;
  bool reports() const { return ranks_.rank() == 0; }
  // Returns whether it is so in any rank.
  bool in_any(bool is_so) { return ranks_.least(is_so ? 0 : 1) == 0; }
  void explain_eager(RunResult eager);
  void expect(const RunResult& eager);
  Model model_of(const RunResult& eager);
  int64_t first_failure(const std::vector<std::string>& schedules, size_t from);
  void take_back();
  void note(size_t place, const RunResult& result);
  void look_at_content();
  void add_host_views();
  void collect();
  void explain(const std::string& schedule);
  exec::Decisions minimised(const Order& order);

  const ExploreOptions options_;
  Ranks ranks_;
  Runs runs_;
  Answer answer_;
  std::optional<Model> model_;
  std::optional<OtherContent> content_;  // unless runs are compared
  Orders orders_;
  Outputs outputs_;
  bool all_views_ = true;                    // that the host may have are among the orders
  std::map<size_t, std::string> differing_;  // by place: the first difference
  std::pair<size_t, RunResult> failure_{SIZE_MAX, {}};  // the first, and its place
  size_t predictions_ = 0;
  std::set<Model::Answers> seen_;             // what has happened
  std::vector<Model::Answers> mispredicted_;  // what was foretold instead
};

Runs::Options Exploration::run_options() const {
  Runs::Options options;
  options.run = options_.run;
  options.jobs = options_.jobs ? options_.jobs : std::max(1u, std::thread::hardware_concurrency());
  if (options_.time > 0)
    options.deadline = std::chrono::steady_clock::now() +
                       std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                           std::chrono::duration<double>(options_.time));
  if (options_.timeout > 0) options.timeout = std::chrono::duration<double>(options_.timeout);
  if (!options_.fails_by_output.empty())
    options.fails_by_output = std::regex(options_.fails_by_output);
  options.fails_by_report = options_.fails_by_report;
  options.compares = options_.compares || options_.collects;
  return options;
}

Answer Exploration::explore() {
  look();
  say_what_stopped();
  runs_.forget_time();
  // The reports of all other runs are looked at here.
  const std::string report = runs_.value_of("CUVETTE_REPORT");
  if (!report.empty() && reports() && answer_.not_started == 0)
    runs_.run(answer_.shown.empty() ? "eager" : answer_.shown,
              {{"CUVETTE_REPORT", report},
               {"CUVETTE_REPORT_FORMAT", runs_.value_of("CUVETTE_REPORT_FORMAT")}});
  return std::move(answer_);
}

void Exploration::say_what_stopped() {
  if (!runs_.is_stopped()) return;
  const int signal = runs_.stopping_signal();
  answer_.stopped = signal == 0         ? "--time"
                    : signal == SIGINT  ? "SIGINT"
                    : signal == SIGTERM ? "SIGTERM"
                                        : "SIGHUP";
  answer_.signal = signal;
}

void Exploration::look() {
  RunResult eager = runs_.run("eager");
  if (in_any(eager.stopped)) {
    answer_.verdict = Verdict::unknown;
    answer_.run = 0;
    return;
  }
  if (in_any(eager.not_started != 0)) {
    answer_.verdict = Verdict::not_started;
    answer_.not_started = eager.not_started;
    answer_.failure = std::move(eager);
    return;
  }
  if (options_.collects) outputs_.add("eager", eager.standard_output);
  if (in_any(eager.failed()) && !options_.collects) {
    explain_eager(std::move(eager));
    return;
  }
  answer_.lanes = eager.order.lanes().size();
  if (answer_.lanes == 0) {
    if (options_.collects) answer_.outputs = outputs_.all();
    return;
  }
  if (options_.timeout <= 0) runs_.set_timeout(10 * eager.time + std::chrono::seconds(5));
  if (options_.compares)
    expect(eager);
  else if (!options_.collects)
    content_.emplace(eager);

  model_ = model_of(eager);
  runs_.set_logging(model_->can_predict() || options_.compares ||
                    eager.order.queued.size() <= most_logged);
  orders_ = choose_orders(*model_, eager.order, options_.limits);
  if (options_.collects) add_host_views();
  auto& schedules = orders_.schedules;
  // Ranks with programs that did not do the same still have to meet at the same places.
  schedules.resize(static_cast<size_t>(ranks_.least(static_cast<int64_t>(schedules.size()))));
  answer_.one_order = model_->has_one_order();
  seen_.insert(model_->answers(eager.order.began));
  int64_t failure = first_failure(schedules, 0);
  if (in_any(!mispredicted_.empty()) && failure == nowhere && !in_any(runs_.is_stopped())) {
    const size_t before = schedules.size();
    take_back();
    failure = first_failure(schedules, before);
  }
  for (const auto& [place, difference] : differing_)
    answer_.differing.emplace_back(schedules[place], difference);
  answer_.orders = schedules.size() + 1;
  answer_.same = orders_.same.size();
  if (options_.collects) return collect();
  if (failure == nowhere) return look_at_content();
  answer_.verdict = Verdict::failed;
  answer_.place = static_cast<size_t>(failure) + 2;
  answer_.schedule = schedules[static_cast<size_t>(failure)];
  if (reports()) explain(answer_.schedule);
}

// Takes back what was left out because of a prediction that has turned out to be wrong.
void Exploration::take_back() {
  // Ranks have to agree on what they run.
  const bool trusted = ranks_.size() == 1 && mispredicted_.size() * 2 <= predictions_;
  std::set<Model::Answers> missing(mispredicted_.begin(), mispredicted_.end());
  for (const Model::Answers& answers : seen_) missing.erase(answers);
  std::vector<std::string> same;
  const size_t before = orders_.schedules.size();
  for (const std::string& schedule : orders_.same) {
    const auto predicted = orders_.predicted.find(schedule);
    const bool is_missing =
        predicted != orders_.predicted.end() && missing.contains(predicted->second);
    (trusted && !is_missing ? same : orders_.schedules).push_back(schedule);
  }
  orders_.same = std::move(same);
  const auto least =
      static_cast<size_t>(ranks_.least(static_cast<int64_t>(orders_.schedules.size())));
  orders_.schedules.resize(std::max(least, before));
}

void Exploration::explain_eager(RunResult eager) {
  answer_.verdict = Verdict::failed;
  answer_.schedule = "eager";
  answer_.repeat = repeat_line(options_.run, "eager");
  // Repeat it while no other run disturbs it.
  if (ranks_.size() == 1 && !eager.timed_out) {
    while (answer_.more_runs < more_tries) {
      const RunResult again = runs_.run("eager");
      if (again.stopped) break;
      ++answer_.more_runs;
      if (again.failed()) ++answer_.failed_again;
    }
    if (answer_.failed_again < answer_.more_runs) answer_.verdict = Verdict::not_reproducible;
  }
  answer_.failure = std::move(eager);
}

// Has later runs compared with this one, as far as it is the same when it is repeated.
void Exploration::expect(const RunResult& eager) {
  Expected expected{eager.order, eager.standard_output, {}};
  if (eager.order.mixed) {
    expected.order.digests.clear();
    answer_.notes.push_back(
        "Several processes used the device: only the standard output was compared.");
  }
  const RunResult again = runs_.run("eager");
  if (again.stopped) return;
  for (const auto& [name, digest] : expected.order.digests) {
    const auto found = again.order.digests.find(name);
    if (found == again.order.digests.end() || found->second != digest)
      expected.not_reproducible.insert(name);
  }
  for (const auto& [name, digest] : again.order.digests)
    if (!expected.order.digests.contains(name)) expected.not_reproducible.insert(name);
  expected.output_is_reproducible = again.standard_output == eager.standard_output;
  if (!expected.not_reproducible.empty())
    answer_.notes.push_back(
        "Not compared, because it differs when the order of submission is repeated: " +
        std::to_string(expected.not_reproducible.size()) + " of " +
        std::to_string(expected.order.digests.size()) + " digests.");
  if (!expected.output_is_reproducible)
    answer_.notes.push_back(
        "The standard output was not compared: it differs when the order of submission is "
        "repeated.");
  runs_.expect(std::move(expected));
}

// Looks at what kernels touch if that may make orders equal: a run in which they are watched.
Model Exploration::model_of(const RunResult& eager) {
  Model model(eager.order);
  if (!model.would_gain_by_watching()) return model;
  const std::string checks = "footprints," + runs_.value_of("CUVETTE_CHECK");
  const RunResult watched =
      runs_.run("eager", {{"CUVETTE_CHECK", checks}, {"CUVETTE_SUPPRESS", "*"}});
  // Its outcome does not matter, if it is the same program.
  if (watched.order.began != eager.order.began) return model;
  return Model(watched.order);
}

void Exploration::note(size_t place, const RunResult& result) {
  const std::string& schedule = orders_.schedules[place];
  if (options_.collects) outputs_.add(schedule, result.standard_output);
  ++answer_.run;
  if (result.failed() && place < failure_.first) failure_ = {place, result};
  if (const auto predicted = orders_.predicted.find(schedule);
      predicted != orders_.predicted.end()) {
    ++predictions_;
    const Model::Answers answers = model_->answers(result.order.began);
    if (answers != predicted->second) mispredicted_.push_back(predicted->second);
    seen_.insert(answers);
  }
  if (!result.differences.empty()) differing_[place] = result.differences.front();
  if (content_) content_->look(schedule, result);
}

// Adds the orders that differ only in what the host finds when it looks without waiting.
void Exploration::add_host_views() {
  constexpr size_t most_views = 128;
  const auto views = model_->host_views(most_views);
  all_views_ = views.has_value();
  if (views) orders_.schedules.insert(orders_.schedules.end(), views->begin(), views->end());
}

// Says what the program prints in the orders that were run, and whether that is all. It is doubted:
// a few orders that chance chooses must not print anything else.
void Exploration::collect() {
  constexpr int doubts = 16;
  std::string& missing = answer_.outputs_missing;
  if (runs_.is_stopped())
    missing = "Exploring was stopped before all orders had been run.";
  else if (ranks_.size() > 1)
    missing = "Each rank has run a share of the orders; run it without mpirun.";
  else if (!orders_.complete)
    missing = "The program has too many orders to run them all.";
  else if (!all_views_)
    missing = "The host looks at memory while too many commands may use it.";
  else if (!mispredicted_.empty())
    missing = "The program's orders are not those that its first run showed.";
  else if (outputs_.depends_on_blocks())
    missing = "What it prints depends on the order of a kernel's blocks or warps.";
  if (missing.empty()) {
    outputs_.expect_no_more();
    std::vector<std::string> schedules;
    for (int seed = 1; seed <= doubts; ++seed)
      schedules.push_back("random:" + std::to_string(seed));
    runs_.run_all(schedules, [&](size_t index, const RunResult& result) {
      if (!result.stopped) outputs_.add(schedules[index], result.standard_output);
    });
    if (outputs_.was_surprised())
      missing = "An order that chance chose printed something that the others had not.";
  }
  answer_.outputs = outputs_.all();
}

// Says that the host gets something else in an order in which the program passes nevertheless.
void Exploration::look_at_content() {
  if (!content_ || !content_->any() || !reports()) return;
  const RunResult again = runs_.run("eager");
  if (again.stopped) {
    answer_.unlike = content_->first();
    answer_.notes.emplace_back("It was not tried whether that differs by chance as well.");
  } else if (auto found = content_->without_those_of(again)) {
    answer_.unlike = {std::move(found->first), std::move(found->second)};
  }
}

// Returns the place of the first schedule that fails. In each round every rank runs some. Runs that
// are compared are all made, to say which differ.
int64_t Exploration::first_failure(const std::vector<std::string>& schedules, size_t from) {
  const auto ranks = static_cast<size_t>(ranks_.size());
  const size_t share = static_cast<size_t>(runs_.options().jobs) * 2, round = share * ranks;
  Progress progress((schedules.size() - from + ranks - 1) / ranks, reports());
  int64_t least = nowhere;
  for (size_t begin = from; begin < schedules.size(); begin += round) {
    std::vector<std::string> mine;
    std::vector<size_t> places;
    const size_t end = std::min(begin + round, schedules.size());
    for (size_t i = begin + static_cast<size_t>(ranks_.rank()); i < end; i += ranks) {
      mine.push_back(schedules[i]);
      places.push_back(i);
    }
    int64_t mine_least = nowhere;
    runs_.run_all(mine, [&](size_t index, const RunResult& result) {
      progress.step(mine[index]);
      note(places[index], result);
      if (result.failed() && !options_.collects)
        mine_least = std::min(mine_least, static_cast<int64_t>(places[index]));
    });
    least = std::min(least, ranks_.least(mine_least));
    if (in_any(runs_.is_stopped())) break;
    if (least != nowhere && !options_.compares) break;
  }
  return least;
}

void Exploration::explain(const std::string& schedule) {
  RunResult failed;
  failed.stopped = true;
  // A program with several threads may need more than one try.
  while (answer_.more_runs < more_tries && !failed.failed() && !runs_.is_stopped()) {
    failed = runs_.run(schedule);
    if (!failed.stopped) ++answer_.more_runs;
  }
  answer_.shown = schedule;
  answer_.repeat = repeat_line(options_.run, schedule);
  if (runs_.is_stopped() && !failed.failed()) {
    // Another rank may have had the run that failed.
    if (orders_.schedules[failure_.first == SIZE_MAX ? 0 : failure_.first] == schedule)
      answer_.failure = std::move(failure_.second);
    return;
  }
  if (!failed.failed()) {
    answer_.verdict = Verdict::not_reproducible;
    return;
  }
  const exec::Decisions few = minimised(failed.order);
  const std::string replay = "replay:" + few.print();
  RunResult last = runs_.run(replay);
  answer_.minimised = last.failed();
  answer_.failure = answer_.minimised ? std::move(last) : std::move(failed);
  if (!answer_.minimised) return;
  answer_.order = answer_.failure.order;
  answer_.held = few;
  answer_.shown = replay;
  answer_.repeat = repeat_line(options_.run, replay);
}

// Returns the fewest of the run's decisions that still make it fail.
exec::Decisions Exploration::minimised(const Order& order) {
  Progress progress(options_.minimising_runs, true);
  const auto fails = [&](const std::vector<Item>& some) {
    const std::string schedule = "replay:" + decisions_of(some).print();
    progress.step("minimising");
    bool failed = false;
    runs_.run_all({schedule}, [&](size_t, const RunResult& result) { failed = result.failed(); });
    return failed;
  };
  std::vector<Item> few = minimise(items_of(order), fails, options_.minimising_runs);
  // "Until it is needed" and "the last first" are the shortest decisions to print.
  for (Item& item : few) {
    if (few.size() > 16) break;
    const Item before = item;
    if (shorten(item) && !fails(few)) item = before;
  }
  return decisions_of(few);
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
  const bool json = options.json, reports = ranks->rank() == 0;
  const std::string page = reports ? options.page : "";
  // A mistake in the name is found before the program runs, and every rank has to know.
  if (ranks->least(page.empty() || can_write_page("explore", page)) == 0) {
    ranks->end();
    return reports ? status_not_written : 0;
  }
  Exploration exploration(std::move(options), *ranks);
  const Answer answer = exploration.explore();
  if (reports) json ? print_json(answer) : print_text(answer, ranks->size() == 1);
  fflush(stdout);
  const bool is_started = answer.not_started == 0;
  const bool is_written =
      page.empty() || !is_started || write_page(page, answer, exploration.runs());
  ranks->end();
  // mpirun ends all ranks when one fails, so only rank 0 returns the answer.
  if (!reports) return 0;
  if (answer.not_started != 0) return answer.not_started;
  if (!is_written) return status_not_written;
  const bool found =
      answer.verdict == Verdict::failed || answer.verdict == Verdict::not_reproducible;
  if (answer.signal != 0 && !found) return 128 + answer.signal;
  return static_cast<int>(answer.verdict);
}

}  // namespace cuvette::tools
