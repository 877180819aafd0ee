// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/step/run_log.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <utility>

namespace cuvette::tools {
namespace {

std::vector<std::string> tab_separated(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line);
  for (std::string field; std::getline(in, field, '\t');) fields.push_back(std::move(field));
  if (line.ends_with('\t')) fields.emplace_back();
  return fields;
}

// Reads a whole number off the front of `text`.
template <typename Number>
bool take_number(std::string_view& text, Number& number, int base = 10) {
  const auto [stop, failure] =
      std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (failure != std::errc{}) return false;
  text.remove_prefix(static_cast<size_t>(stop - text.data()));
  return true;
}

uint64_t number_in(std::string_view text) {
  uint64_t number = 0;
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  take_number(text, number, base);
  return number;
}

std::string bytes_of_hex(const std::string& hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    unsigned byte = 0;
    std::string_view two(hex.data() + i, 2);
    if (!take_number(two, byte, 16) || !two.empty()) break;
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

}  // namespace

std::string text_of(const WorkName& name) {
  std::string text = std::to_string(name.lane) + "." + std::to_string(name.number);
  if (name.step != 0) text += "." + std::to_string(name.step);
  return text;
}

std::optional<WorkName> work_name_of(std::string_view text) {
  WorkName name;
  const auto take_dot = [&text] {
    if (!text.starts_with('.')) return false;
    text.remove_prefix(1);
    return true;
  };
  if (!take_number(text, name.lane) || !take_dot() || !take_number(text, name.number))
    return std::nullopt;
  if (take_dot() && (!take_number(text, name.step) || name.step == 0)) return std::nullopt;
  if (!text.empty() || name.number == 0) return std::nullopt;
  return name;
}

// Reads one line after the other.
class RunLogReader {
 public:
  explicit RunLogReader(RunLog& log) : log_(log) {}

  void read(const std::vector<std::string>& field) {
    if (field.size() < 2) return;
    const std::string& what = field[0];
    if (what == "memory" || what == "freed" || what == "bytes" || what == "gave" ||
        what == "printed")
      return read_memory(field);
    if (what == "held") return decide(field[1]);
    if (what == "yes" || what == "no") {
      log_.course.push_back(what + " " + field[1]);
      if (what == "yes") decide("?" + field[1]);
      return;
    }
    if (what == "grid") {
      if (field.size() == 5) decide(field[4]);
      return;
    }
    if (what == "waited") log_.course.push_back("waited " + field[1]);
    const auto name = work_name_of(field[1]);
    if (!name) return;
    if (what == "queued" && field.size() >= 5) return queue(*name, field);
    RunLog::Work* const work = find(*name);
    if (!work) return;
    if (what == "began") {
      log_.course.push_back("began " + field[1]);
      if (work->began != RunLog::never) return;  // the body of a loop, again
      work->began = log_.lines;
      log_.began.push_back(static_cast<size_t>(work - log_.works.data()));
      // Steps end when the next one begins; no other line says so.
      if (step_) end(*step_);
      step_.reset();
      if (name->step != 0) step_ = *name;
    } else if (what == "ended") {
      if (step_) end(*step_);
      step_.reset();
      end(*name);
    }
  }

 private:
  RunLog::Work* find(const WorkName& name) {
    const auto found = log_.places_.find(name);
    return found == log_.places_.end() ? nullptr : &log_.works[found->second];
  }

  void end(const WorkName& name) {
    if (RunLog::Work* const work = find(name)) work->ended = std::min(work->ended, log_.lines);
  }

  void queue(const WorkName& name, const std::vector<std::string>& field) {
    RunLog::Work work{name, field[2], field[3], field[4]};
    work.queued = log_.lines;
    if (name.step != 0 && field.size() == 7) {
      work.branch = static_cast<uint32_t>(number_in(field[5]));
      work.place = static_cast<uint32_t>(number_in(field[6]));
    }
    log_.course.push_back("queued " + field[1] + " " + field[2]);
    if (log_.places_.emplace(name, log_.works.size()).second) log_.works.push_back(std::move(work));
  }

  void decide(const std::string& word) {
    const auto one = exec::Decisions::parse(word);
    if (!one) return;
    auto& all = log_.decisions;
    all.held.insert(all.held.end(), one->held.begin(), one->held.end());
    all.yes.insert(all.yes.end(), one->yes.begin(), one->yes.end());
    all.kernels.insert(all.kernels.end(), one->kernels.begin(), one->kernels.end());
    for (const exec::Decision& decision : one->held)
      if (RunLog::Work* const work = find({decision.lane, decision.first, decision.step}))
        if (decision.step != 0) work->possible = std::min(work->possible, log_.lines);
  }

  void read_memory(const std::vector<std::string>& field) {
    const std::string& what = field[0];
    if (what == "memory" && field.size() == 8) {
      log_.memories.push_back({number_in(field[1]), field[2], field[3] == "-" ? "" : field[3],
                               number_in(field[4]), number_in(field[5]), field[6],
                               bytes_of_hex(field[7]), log_.lines});
    } else if (what == "freed") {
      const uint64_t number = number_in(field[1]);
      for (RunLog::Memory& memory : log_.memories)
        if (memory.number == number) memory.freed = log_.lines;
    } else if (what == "bytes" && field.size() == 5) {
      log_.changes.push_back({log_.lines, work_name_of(field[1]), number_in(field[2]),
                              number_in(field[3]), bytes_of_hex(field[4])});
    } else if (what == "gave" && field.size() == 5) {
      if (const auto name = work_name_of(field[1]))
        log_.gifts.push_back(
            {log_.lines, *name, number_in(field[2]), number_in(field[3]), bytes_of_hex(field[4])});
    } else if (what == "printed") {
      log_.printed.push_back({log_.lines, number_in(field[1])});
    }
  }

  RunLog& log_;
  std::optional<WorkName> step_;  // that runs
};

RunLog RunLog::parse(const std::string& text) {
  RunLog log;
  RunLogReader reader(log);
  std::istringstream in(text);
  for (std::string line; std::getline(in, line); ++log.lines) reader.read(tab_separated(line));
  return log;
}

const RunLog::Work* RunLog::find(const WorkName& name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : &works[found->second];
}

const RunLog::Memory* RunLog::memory(uint64_t number) const {
  const auto found = std::find_if(memories.begin(), memories.end(),
                                  [&](const Memory& one) { return one.number == number; });
  return found == memories.end() ? nullptr : &*found;
}

}  // namespace cuvette::tools
