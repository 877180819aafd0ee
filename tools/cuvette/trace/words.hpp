// SPDX-License-Identifier: Apache-2.0
// TraceWords: how a trace names what a Record holds.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cuvette/trace/checked_record.hpp"

namespace cuvette::tools {

// 4096 is "4 KiB", and 100 is "100 B".
std::string size_in_words(uint64_t bytes);
// "[0, 64 KiB)"
std::string range_in_words(uint64_t begin, uint64_t size);

class TraceWords {
 public:
  // `keeps_numbers`: addresses and the system's numbers of processes and threads, which another run
  // has others of, are shown.
  TraceWords(const CheckedRecord& record, bool keeps_numbers);

  // A text from the record: a sentence or a fact of a report.
  std::string text(std::string_view recorded) const;
  std::string address(uint64_t address) const;  // empty without numbers

  // "shared_segment", with its number if there are several.
  std::string process(uint32_t process) const;
  // " of shared_segment (2)" if there are several processes, or nothing.
  std::string of_process(uint32_t process) const;
  std::string stream(uint32_t stream) const;
  // "2.1", "2.1.3": the stream, the number in it, and the step of the graph.
  std::string number(uint32_t command) const;
  std::string command(uint32_t command) const;  // "fill", "copy", "event 3 recorded"
  // Bytes of a memory: "segment 1 [0, 64 KiB)".
  std::string bytes(uint32_t memory, uint64_t address, uint64_t size) const;

 private:
  const CheckedRecord& record_;
  bool keeps_numbers_;
  std::vector<bool> has_contexts_;  // by device: streams of several contexts
};

}  // namespace cuvette::tools
