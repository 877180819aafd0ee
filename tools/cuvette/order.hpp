// SPDX-License-Identifier: Apache-2.0
// Order: the order of one run, read from the log of CUVETTE_ORDER_LOG (sim/check/log says what its
// lines mean).
//
// Threads: any.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/exec/schedule.hpp"

namespace cuvette::tools {

struct Order {
  struct Name {
    uint32_t lane = 0;
    uint64_t number = 0;
    uint32_t step = 0;  // of the launch that `number` is
    auto operator<=>(const Name&) const = default;
  };
  struct Queued {
    Name name;
    std::string kind, stream, call_site;
    uint32_t branch = 0, place = 0;  // of a step
    uint64_t context = 0, thread = 0;
  };
  // Bytes of memory that a command touches.
  struct Touch {
    std::string memory;
    uint64_t begin = 0, end = 0;
    bool writes = false;
  };
  // Further facts about a command.
  struct About {
    std::vector<Name> after;  // what it waits for in other lanes
    std::vector<Touch> touches;
    bool seen = false;          // it touches memory that host threads may use at any time
    bool opaque = false;        // it may touch anything
    bool kernels = false;       // and that because of kernels
    bool steps_matter = false;  // so does the order of its graph's steps
    bool is_grid = false;       // it has kernels of several blocks or warps
  };
  // The program's actions, in order.
  struct Event {
    enum class Kind : uint8_t { queued, question, waited, waited_for_context };
    Kind kind;
    Name name;             // of the command
    uint64_t context = 0;  // that the program waited for
    uint64_t thread = 0;
  };
  // The data that the host received.
  struct Digest {
    std::string value, bytes, call_site;
    bool operator==(const Digest& other) const {
      return value == other.value && bytes == other.bytes;
    }
  };
  std::vector<Queued> queued;  // in the order of submission
  std::vector<Name> began;
  exec::Decisions decisions;  // one for each command that was held back
  std::vector<Event> events;
  std::map<Name, About> about;
  std::map<std::string, Digest> digests;  // by "1.3" (a copy), "1.3.2" (in a graph), "wait 1.3"
  bool mixed = false;                     // several processes wrote the log

  // Lines that make no sense are left out: the program may have been killed while it wrote one.
  static Order parse(const std::string& text);

  const Queued* find(const Name& name) const;
  // Returns the sentence about a digest that another run has in another way.
  static std::string with_other_bytes(const std::string& name, const Digest& digest);
  // Returns what is different in `other`, a sentence for each; what is in `ignored` is left out.
  std::vector<std::string> differences(const Order& other,
                                       const std::set<std::string>& ignored) const;
  std::map<uint32_t, uint64_t> lanes() const;  // with the number of their commands
  // Returns, for each lane and branch of the graphs launched there, the most steps it had.
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> branches() const;

  // A line for each command, in the order in which they took place; those that did not come last.
  struct Row {
    std::string name, kind, stream, call_site;
    bool began = false, held = false;
    bool turned = false;  // its blocks and warps run in another order
  };
  std::vector<Row> rows(const exec::Decisions& held) const;
  // Prints them as a table of about `most` lines at most, those around what is held back.
  std::string table(const exec::Decisions& held, size_t most) const;
};

}  // namespace cuvette::tools
