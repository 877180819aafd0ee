// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/page/order_model.hpp"

namespace cuvette::tools {
namespace {

// A command has two moments, its beginning and its end; a relation between moments is closed under
// transitivity. The search of the page knows commands alone, so that the two share no idea.
class Moments {
 public:
  explicit Moments(size_t commands) : count_(2 * commands), before_(count_ * count_, 0) {}

  static size_t begin_of(size_t command) { return 2 * command; }
  static size_t end_of(size_t command) { return 2 * command + 1; }

  void add(size_t first, size_t second) { before_[first * count_ + second] = 1; }
  bool is_before(size_t first, size_t second) const { return before_[first * count_ + second]; }

  void close() {
    for (size_t middle = 0; middle < count_; ++middle)
      for (size_t first = 0; first < count_; ++first)
        if (before_[first * count_ + middle])
          for (size_t second = 0; second < count_; ++second)
            before_[first * count_ + second] |= before_[middle * count_ + second];
  }

 private:
  size_t count_;
  std::vector<char> before_;
};

}  // namespace

std::vector<std::pair<uint32_t, uint32_t>> ordered_pairs(const Record& record) {
  const auto& commands = record.commands;
  Moments moments(commands.size());
  for (size_t a = 0; a < commands.size(); ++a) {
    moments.add(Moments::begin_of(a), Moments::end_of(a));
    if (commands[a].launch != Record::none) {
      moments.add(Moments::begin_of(commands[a].launch), Moments::begin_of(a));
      moments.add(Moments::end_of(a), Moments::end_of(commands[a].launch));
      continue;
    }
    for (size_t b = 0; b < commands.size(); ++b)
      if (commands[b].launch == Record::none && commands[a].stream == commands[b].stream &&
          commands[a].number < commands[b].number)
        moments.add(Moments::end_of(a), Moments::begin_of(b));
  }
  for (const Record::Edge& edge : record.edges)
    moments.add(Moments::end_of(edge.from), Moments::begin_of(edge.to));
  for (const Record::HostWait& wait : record.host_waits) {
    const Record::Call& call = record.calls[wait.call];
    if (call.ended == Record::open) continue;
    // A wait for a step is one for its launch.
    const uint32_t launch = commands[wait.command].launch;
    const uint32_t waited = launch == Record::none ? wait.command : launch;
    for (size_t b = 0; b < commands.size(); ++b)
      if (call.ended <= record.calls[commands[b].call].began)
        moments.add(Moments::end_of(waited), Moments::begin_of(b));
  }
  moments.close();
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  for (uint32_t a = 0; a < commands.size(); ++a)
    for (uint32_t b = 0; b < commands.size(); ++b)
      if (a != b && moments.is_before(Moments::end_of(a), Moments::begin_of(b)))
        pairs.emplace_back(a, b);
  return pairs;
}

}  // namespace cuvette::tools
