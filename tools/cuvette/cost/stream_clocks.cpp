// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/cost/stream_clocks.hpp"

#include <algorithm>

namespace cuvette::tools {

double StreamClocks::ready(uint32_t stream) const {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? 0 : found->second.ready;
}

double StreamClocks::submit(uint32_t device, uint32_t stream, Engine engine, double now,
                            double after, double busy) {
  Stream& last = streams_[stream];
  double begin = std::max({now, last.ready, after});
  const bool changes =
      engine != last.engine && engine != Engine::none && last.engine != Engine::none;
  if (changes && last.ready > now) begin += change_;
  if (engine == Engine::from_host || engine == Engine::to_host) {
    double& free = copies_[{device, engine}];
    begin = std::max(begin, free);
    free = begin + std::max(busy, 0.0);
  }
  last.ready = begin + busy;
  if (engine != Engine::none) last.engine = engine;
  return last.ready;
}

void StreamClocks::waited(uint32_t stream, double until) {
  Stream& last = streams_[stream];
  if (last.ready <= until) last.ready = 0;
}

}  // namespace cuvette::tools
