// SPDX-License-Identifier: Apache-2.0
// RecordMaker: makes Records by hand, as a program would have filled them.
//
// Threads: for one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/cuvette/record/record.hpp"

namespace cuvette::tools {

class RecordMaker {
 public:
  // Begins with a process, its main thread and a device.
  explicit RecordMaker(const std::string& program);

  Record record;

  // Lets so many nanoseconds pass.
  void pass(uint64_t nanoseconds) { now_ += nanoseconds; }
  uint64_t now() const { return now_; }

  // Each returns the position of what it adds.
  uint32_t stream(const std::string& kind);
  // A call of the main thread that took so long.
  uint32_t call(const std::string& function, int line, uint64_t nanoseconds);
  // A call with a call of the driver inside.
  uint32_t runtime_call(const std::string& function, const std::string& inner, int line,
                        uint64_t nanoseconds);
  // A command that a call submits; it begins when its stream and `after` are done.
  uint32_t command(uint32_t stream, const std::string& kind, const std::string& name,
                   uint32_t by_call, uint64_t nanoseconds, const std::vector<uint32_t>& after = {});
  uint32_t segment(const std::string& name, const std::string& origin, uint64_t size);
  uint32_t memory(const std::string& kind, const std::string& name, uint64_t address, uint64_t size,
                  int line);
  uint32_t window(uint32_t segment, const std::string& kind, const std::string& name,
                  uint64_t address, uint64_t offset, uint64_t size, int line);
  void touch(uint32_t command, uint32_t memory, uint64_t offset, uint64_t size, bool writes);
  void edge(uint32_t from, uint32_t to, Record::Edge::Why why);
  // A host thread waits for a command: a call from now to its end.
  uint32_t wait(uint32_t command, const std::string& function, int line);
  // Ends the process when all of its commands have ended.
  void finish();

 private:
  std::string site(int line) const;

  std::string source_;
  uint64_t now_ = 5'000'000'000'000;  // the machine was started some time ago
  std::vector<uint64_t> free_from_;   // of each stream
};

}  // namespace cuvette::tools
