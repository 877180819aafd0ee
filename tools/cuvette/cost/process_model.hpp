// SPDX-License-Identifier: Apache-2.0
// What a process has done so far, as far as later calls cost more or less for it: which functions
// it has called, the memory that the driver keeps for it, its streams, graphs and resources.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "tools/cuvette/cost/memory_model.hpp"
#include "tools/cuvette/cost/row_choice.hpp"

namespace cuvette::tools {

// The function with the same first call: what the first allocation from a pool makes serves all.
std::string first_as(const std::string& function);

class ProcessModel {
 public:
  // The process uses OpenGL or Vulkan.
  void uses_graphics() { graphics_ = true; }
  // Adds the words that follow from the calls before, and takes note of this one.
  void add_words(PricedCall& call);
  // Returns whether the process calls the function for the first time, and takes note of it.
  bool is_first(const std::string& function) { return called_.insert(function).second; }

  Pool pool;
  double switched = 0;  // when the GPU is CUDA's again after OpenGL's work

 private:
  void add_memory_words(PricedCall& call);
  void add_stream_words(PricedCall& call);
  void add_graph_words(PricedCall& call);
  void add_resource_words(PricedCall& call);

  bool graphics_ = false;
  std::set<std::string> called_;
  SmallBlocks blocks_, host_blocks_;
  uint32_t streams_ = 0, most_streams_ = 0;  // that the program has made, and that there were
  std::multiset<uint32_t> unused_;           // nodes of instantiated graphs that never ran
  int64_t registered_ = 0;                   // resources of OpenGL
};

}  // namespace cuvette::tools
