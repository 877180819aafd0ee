// SPDX-License-Identifier: Apache-2.0
// RawFile: the records of one process's file, as they are there. The file is untrusted: it may be
// of a process that was killed, cut off, or no such file at all.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/base/record_format.hpp"

namespace cuvette::tools {

// A record, its place in the file, and the thread that wrote it: one of `threads`, if it is there.
template <typename One>
struct Raw : One {
  uint32_t place_in_file = 0;  // records have a `place` of their own
  uint32_t writer = 0;
};

struct RawFile {
  // Reads the bytes of a file.
  explicit RawFile(std::string_view bytes);

  bool is_record = false;  // it begins as such a file does
  bool is_empty = false;   // its process was killed before it wrote anything
  record_format::Header header;
  std::unordered_map<uint32_t, std::string> texts;
  std::vector<Raw<record_format::Clock>> clocks;
  std::vector<Raw<record_format::Process>> processes;
  std::vector<Raw<record_format::End>> ends;
  std::vector<Raw<record_format::Thread>> threads;
  std::vector<Raw<record_format::Device>> devices;
  std::vector<Raw<record_format::Stream>> streams;
  std::vector<Raw<record_format::Call>> calls;
  std::vector<Raw<record_format::Command>> commands;
  std::vector<Raw<record_format::Step>> steps;
  std::vector<Raw<record_format::Edge>> edges;
  std::vector<Raw<record_format::Wait>> waits;
  std::vector<Raw<record_format::WaitAll>> waits_for_all;
  std::vector<Raw<record_format::Segment>> segments;
  std::vector<Raw<record_format::Memory>> memories;
  std::vector<Raw<record_format::Touch>> touches;
  std::vector<Raw<record_format::Resource>> resources;
  std::vector<Raw<record_format::Mapped>> mapped;
  std::vector<Raw<record_format::Report>> reports;
  std::vector<Raw<record_format::Fact>> facts;
  std::vector<Raw<record_format::About>> about;
  uint64_t unreadable = 0;  // records that are of no known kind, or do not fit

 private:
  void read_block(std::string_view block, size_t begin);
};

}  // namespace cuvette::tools
