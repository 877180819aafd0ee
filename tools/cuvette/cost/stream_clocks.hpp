// SPDX-License-Identifier: Apache-2.0
// When the work of streams ends, by the table's times. A device copies from the host, copies to it,
// and runs kernels at the same time; a stream whose work goes from one of these engines to another
// loses some time.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace cuvette::tools {

enum class Engine : uint8_t { none, kernels, from_host, to_host };

class StreamClocks {
 public:
  // `change`: nanoseconds from the end of work on one engine to the begin of what follows on
  // another.
  explicit StreamClocks(double change) : change_(change) {}

  // Returns when all of the stream's work has ended; 0 if the host knows that it has.
  double ready(uint32_t stream) const;
  // Work that takes `busy` begins when it is submitted, and all before it in its stream and in
  // `after` has ended. Returns when it ends.
  double submit(uint32_t device, uint32_t stream, Engine engine, double now, double after,
                double busy);
  // The host has waited for the stream's work until a time.
  void waited(uint32_t stream, double until);

 private:
  struct Stream {
    double ready = 0;
    Engine engine = Engine::none;  // of its last work
  };
  const double change_;
  std::map<uint32_t, Stream> streams_;
  std::map<std::pair<uint32_t, Engine>, double> copies_;  // until when a device's copies last
};

}  // namespace cuvette::tools
