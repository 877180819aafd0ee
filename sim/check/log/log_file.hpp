// SPDX-License-Identifier: Apache-2.0
// LogFile: the file that the observers of this room write lines to.
//
// Threads: any. Each write is one system call, so that lines stay whole, and a program that crashes
// leaves what it did.
#pragma once

#include <cstdint>
#include <string>

#include "sim/device/stream/stream.hpp"

namespace cuvette::check::log {

class LogFile {
 public:
  explicit LogFile(std::string name) : name_(std::move(name)) {}
  // Appends lines, the last without its newline.
  void write(const std::string& lines) const;

 private:
  const std::string name_;
};

// Returns "LANE.NUMBER", the name of a command. The lane is the stream's number.
std::string command_name(const device::Stream& stream, uint64_t number);
std::string command_name(const exec::Edge& edge);  // empty: it is not a command

// Returns a number for the calling thread.
std::string thread_name();

}  // namespace cuvette::check::log
