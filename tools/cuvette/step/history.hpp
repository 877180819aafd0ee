// SPDX-License-Identifier: Apache-2.0
// History: one complete run of a program, from which every position in it can be shown.
//
// Position p is the moment at which p commands or steps have taken place, and the program has gone
// on until the next one begins: as a rule, until it waits.
//
// Threads: any; it does not change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/cuvette/record/record.hpp"
#include "tools/cuvette/step/run_log.hpp"

namespace cuvette::tools {

// What is known of a run beside its log and its record.
struct RunEnd {
  std::string text;      // "It ended with exit status 1."
  std::string output;    // of the standard output
  std::string errors;    // of the standard error, without reports
  size_t processes = 1;  // that used devices; one is shown
  bool failed = false;
};

class History {
 public:
  static constexpr uint32_t none = Record::none;

  History(RunLog log, Record record, RunEnd end);

  // Why a command does not begin before another has ended.
  struct Reason {
    enum class Why : uint8_t { same_stream, event, legacy_stream, semaphore, graph, launch, other };
    size_t work = 0;  // the other one: works
    Why why = Why::other;
  };

  const RunLog& log() const { return log_; }
  const Record& record() const { return record_; }
  const RunEnd& end() const { return end_; }
  const std::vector<RunLog::Work>& works() const { return log_.works; }

  // The number of positions is one more.
  size_t steps() const { return log_.began.size(); }
  // The work that takes place after position `position`, and the one before; nothing at the ends.
  const RunLog::Work* next(size_t position) const;
  const RunLog::Work* last(size_t position) const;
  // The first position at which `name` has taken place; nothing if it never does.
  std::optional<size_t> position_after(const WorkName& name) const;
  // Lines of the log before this one have happened at the position.
  size_t line_at(size_t position) const;
  // The moment of the record at which the position ends; the largest number at the end.
  uint64_t time_at(size_t position) const;

  // The place of a work in the record's commands; none if it is not there.
  uint32_t command_of(size_t work) const { return commands_[work]; }
  // What a work directly waits for, in the order in which it is best said.
  const std::vector<Reason>& reasons(size_t work) const { return reasons_[work]; }
  // Whether the program orders the two, either way. By what was submitted, not by this run's times.
  bool are_ordered(size_t one, size_t other) const;

  // Bytes that a work touches; those of a launch are its steps'.
  struct Touch {
    std::string memory;      // names the bytes' memory, whichever window shows them
    uint32_t window = none;  // record().memories
    uint64_t begin = 0, end = 0;
    bool writes = false;
  };
  const std::vector<Touch>& touches(size_t work) const { return touches_[work]; }

 private:
  void find_commands();
  void find_places();
  void find_reasons();
  void find_order();
  void find_touches();

  RunLog log_;
  Record record_;
  RunEnd end_;
  std::vector<uint32_t> commands_;  // by work
  std::vector<size_t> works_;       // by command; RunLog::never
  std::vector<std::vector<Reason>> reasons_;
  std::vector<std::vector<bool>> before_;  // [later][earlier]
  std::vector<std::vector<Touch>> touches_;
};

}  // namespace cuvette::tools
