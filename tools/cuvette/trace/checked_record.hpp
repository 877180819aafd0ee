// SPDX-License-Identifier: Apache-2.0
// CheckedRecord: a Record in which every index names something or is `none`, and no time is so late
// that a viewer cannot show it. Files of a record may have been written by a process that was
// killed, or by anybody.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/cuvette/record/record.hpp"

namespace cuvette::tools {

class CheckedRecord {
 public:
  explicit CheckedRecord(Record record);

  const Record& operator*() const { return record_; }
  const Record* operator->() const { return &record_; }

  // The process of a call, a stream or a command; none if it is unknown.
  uint32_t process_of_call(uint32_t call) const;
  uint32_t process_of_stream(uint32_t stream) const;
  uint32_t process_of_command(uint32_t command) const;

  // Returns `ended`, or the last time that is known of the process if it is open.
  uint64_t end(uint64_t ended, uint32_t process) const;
  uint64_t begin() const { return begin_; }
  uint64_t end() const { return end_; }
  // Whether the process did not say that it ended.
  bool was_cut_off(uint32_t process) const;

 private:
  void check_indices();
  void check_times();
  void note(uint64_t time, uint32_t process);
  void note_span(uint64_t began, uint64_t ended, uint32_t process);
  void find_ends();

  Record record_;
  std::vector<uint64_t> last_;  // of each process
  uint64_t begin_ = Record::open, end_ = 0;
};

}  // namespace cuvette::tools
