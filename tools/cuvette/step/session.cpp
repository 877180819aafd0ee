// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/step/session.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <utility>

#include "tools/cuvette/minimise.hpp"
#include "tools/cuvette/repeat_line.hpp"
#include "tools/cuvette/step/explanation.hpp"

namespace cuvette::tools {
namespace {

using Clock = std::chrono::steady_clock;

// The bytes of each allocation that are looked at, unless a watch asks for more.
constexpr size_t least_bytes = 256;
// Runs and time that a shorter line is worth.
constexpr size_t most_shortening_runs = 40;
constexpr std::chrono::seconds shortening_time{8};

std::string schedule_of(const std::vector<exec::Decision>& held) {
  exec::Decisions decisions;
  decisions.held = held;
  return "replay:" + decisions.print();
}

// All work of a run, in the order in which it began; then what never did.
std::vector<Ranked> order_of(const History& history) {
  std::vector<Ranked> order;
  for (const size_t work : history.log().began)
    order.push_back({history.works()[work].name, history.works()[work].branch});
  for (const RunLog::Work& work : history.works())
    if (work.began == RunLog::never) order.push_back({work.name, work.branch});
  return order;
}

// Returns the first place at which the run differs from the order; nothing if its first `count`
// steps are the same.
std::optional<size_t> first_difference(const History& history, const std::vector<Ranked>& order,
                                       size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const RunLog::Work* const work = history.next(i);
    if (!work || work->name != order[i].name) return i;
  }
  return std::nullopt;
}

// Levels are only compared with each other: those that are used become 1, 2, ...
void lower_levels(std::vector<exec::Decision>& held) {
  std::set<uint32_t> used;
  for (const exec::Decision& one : held) used.insert(one.delay.level);
  for (exec::Decision& one : held)
    one.delay.level =
        1 + static_cast<uint32_t>(std::distance(used.begin(), used.find(one.delay.level)));
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace

StepSession::StepSession(RunOptions program, double timeout)
    : runner_(std::move(program), timeout) {}

size_t StepSession::bytes() const {
  size_t bytes = least_bytes;
  for (const Watch& watch : watches_) bytes = std::max(bytes, watch.bytes());
  return bytes;
}

std::vector<Ranked> StepSession::order() const { return order_of(*history_); }

std::optional<History> StepSession::run_in(const std::vector<Ranked>& order) {
  std::vector<exec::Decision> held = held_in(order);
  hold_unknown(held, order);
  return runner_.run(schedule_of(held), bytes(), status_);
}

std::vector<exec::Decision> StepSession::held_in(std::vector<Ranked> order) const {
  std::erase_if(order, [&](const Ranked& one) { return rushed_.contains(one.name); });
  return held_in_order(order);
}

void StepSession::take(History history, size_t position) {
  history_ = std::move(history);
  position_ = position;
}

int StepSession::begin(std::vector<Watch> watches) {
  watches_ = std::move(watches);
  history_ = runner_.run("eager", bytes(), status_);
  if (history_) history_ = run_in(order());
  return history_ ? 0 : status_;
}

StepSession::Answer StepSession::failure_to_run() const {
  return {"The program could not be run again (status " + std::to_string(status_) + ").", true};
}

StepSession::Answer StepSession::next(size_t count) {
  if (position_ == history_->steps())
    return {"The program has ended; `back` and `choose` show other ways.", true};
  position_ += std::min(count, history_->steps() - position_);
  return {};
}

StepSession::Answer StepSession::back(size_t count) {
  if (position_ == 0) return {"This is the beginning.", true};
  position_ -= std::min(count, position_);
  return {};
}

StepSession::Answer StepSession::go_to(const WorkName& name) {
  const auto place = history_->position_after(name);
  if (!place) {
    const bool known = history_->log().find(name);
    return {
        text_of(name) + (known ? " never takes place in this order: the program ends without it."
                               : " does not exist: no command of this run has that name."),
        true};
  }
  position_ = *place;
  return {};
}

StepSession::Answer StepSession::choose(const WorkName& name) {
  const RunLog::Work* const work = history_->log().find(name);
  const auto place = static_cast<size_t>(work ? work - history_->works().data() : 0);
  if (!work)
    return {text_of(name) + " does not exist: no command of this run has that name.", true};
  switch (work_state(*history_, position_, place)) {
    case WorkState::ready:
      break;
    case WorkState::waiting:
      return {
          title_of(*work) + " is not ready: it waits for " + state().find(name)->waits_for + ".",
          true};
    case WorkState::not_submitted:
      return {title_of(*work) + " is not ready: the program has not submitted it yet.", true};
    case WorkState::running:
      return {title_of(*work) + " has begun already.", true};
    case WorkState::done:
      return {title_of(*work) + " is done already; `back` goes to before it.", true};
  }
  const RunLog::Work* const due = history_->next(position_);
  if (!due)
    return {"The program has ended before " + title_of(*work) +
                " took place; `back` goes to where it still waits.",
            true};
  if (due->name == name) return next(1);
  std::vector<Ranked> wanted = order();
  const auto chosen = std::ranges::find(wanted, name, &Ranked::name);
  std::rotate(wanted.begin() + static_cast<std::ptrdiff_t>(position_), chosen, chosen + 1);
  std::optional<History> other = run_in(wanted);
  if (!other) return failure_to_run();
  if (const auto place_of_difference = first_difference(*other, wanted, position_ + 1)) {
    const size_t i = *place_of_difference;
    const RunLog::Work* const instead = other->next(i);
    diverged_ = true;
    return {"The program did not do it: step " + std::to_string(i + 1) + " was to be " +
                text_of(wanted[i].name) + " and was " +
                (instead ? title_of(*instead) : "none, since it had ended") +
                ". Its threads, the time or chance decide, too.",
            true};
  }
  before_.push_back({std::move(*history_), position_, rushed_});
  take(std::move(*other), position_ + 1);
  return {};
}

StepSession::Answer StepSession::rush(const WorkName& name) {
  const RunLog::Work* const work = history_->log().find(name);
  if (!work)
    return {text_of(name) + " does not exist: no command of this run has that name.", true};
  std::set<WorkName> rushed = rushed_;
  // What it waits for comes first, and may itself wait.
  std::vector<size_t> left = {static_cast<size_t>(work - history_->works().data())};
  while (!left.empty()) {
    const size_t one = left.back();
    left.pop_back();
    if (!rushed.insert(history_->works()[one].name).second) continue;
    for (const History::Reason& reason : history_->reasons(one)) left.push_back(reason.work);
  }
  rushed.swap(rushed_);  // now what was rushed before
  std::optional<History> other = run_in(order());
  const auto place = other ? other->position_after(name) : std::nullopt;
  if (!place) {
    rushed_ = std::move(rushed);
    if (!other) return failure_to_run();
    return {title_of(*work) + " does not take place then: the program does something else.", true};
  }
  before_.push_back({std::move(*history_), position_, std::move(rushed)});
  take(std::move(*other), *place);
  return {};
}

StepSession::Answer StepSession::undo() {
  if (before_.empty()) return {"No choice was made that could be taken back.", true};
  Before& last = before_.back();
  rushed_ = std::move(last.rushed);
  take(std::move(last.history), last.position);
  before_.pop_back();
  return {};
}

StepSession::Answer StepSession::explain(const WorkName& name) const {
  const RunLog::Work* const work = history_->log().find(name);
  if (!work)
    return {text_of(name) + " does not exist: no command of this run has that name.", true};
  const auto place = static_cast<size_t>(work - history_->works().data());
  return {joined(explanation_of(*history_, position_, place)), false};
}

StepSession::Answer StepSession::watch(const std::string& text) {
  if (text == "none") {
    watches_.clear();
    return {};
  }
  const auto watch = Watch::parse(text);
  if (!watch) return {"'" + text + "' is not " + Watch::wanted() + ".", true};
  const size_t known = bytes();
  watches_.push_back(*watch);
  const auto& memories = history_->log().memories;
  const auto memory =
      std::ranges::find_if(memories, [&](const RunLog::Memory& one) { return watch->names(one); });
  if (memory == memories.end()) {
    watches_.pop_back();
    return {"There is no allocation '" + watch->allocation + "': the program made " +
                std::to_string(memories.size()) + ".",
            true};
  }
  if (bytes() <= known) return {};
  // More bytes have to be looked at.
  const std::vector<Ranked> same = order();
  std::optional<History> other = run_in(same);
  if (!other) return failure_to_run();
  if (const auto place = first_difference(*other, same, history_->steps())) {
    diverged_ = true;
    const std::string step = text_of(same[*place].name);
    watches_.pop_back();
    return {"The program did not do the same again: step " + std::to_string(*place + 1) + " was " +
                step + " before. Its threads, the time or chance decide, too.",
            true};
  }
  history_ = std::move(other);
  return {};
}

StepSession::Answer StepSession::save() {
  const std::vector<exec::Decision> all = held_in(order());
  const std::vector<std::string>& wanted = history_->log().course;
  const auto line_of = [&](const std::vector<exec::Decision>& held) {
    return repeat_line(program(), schedule_of(held));
  };
  const auto until = Clock::now() + shortening_time;
  const auto is_same = [&](const std::vector<exec::Decision>& held) {
    return runner_.course(schedule_of(held)) == wanted;
  };
  if (!is_same(all)) {
    diverged_ = true;
    return {
        line_of(all) +
            "\nThis line did not repeat the order when it was tried: the program's threads, the "
            "time or chance decide, too.",
        true};
  }
  auto held = minimise(
      all,
      [&](const std::vector<exec::Decision>& some) {
        return Clock::now() < until && is_same(some);
      },
      most_shortening_runs);
  lower_levels(held);
  return {line_of(held), false};
}

}  // namespace cuvette::tools
