// SPDX-License-Identifier: Apache-2.0
// Stream memory operations: a stream that waits until a word of memory has a value, or writes one.
//
// A wait that is not satisfied when its stream gets there is watched by the poller; the stream
// waits for it as for any timeline, and holds no thread.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <span>

#include "sim/device/command.hpp"
#include "sim/device/stream.hpp"
#include "sim/error.hpp"
#include "sim/exec/poller.hpp"
#include "sim/memory/address.hpp"
#include "sim/os/fault.hpp"

namespace cuvette::device {

// What ends a wait; CUstreamWaitValue_flags' numbers.
enum class Comparison : uint8_t {
  cyclic_geq = 0,  // the difference, as a signed number, is not negative
  equal = 1,
  any_bit = 2,    // memory & value
  any_clear = 3,  // ~(memory | value)
};
// Of words of `bytes` bytes, 4 or 8.
bool holds(Comparison comparison, uint64_t memory, uint64_t value, unsigned bytes);

struct ValueOperation {
  enum class Kind : uint8_t { wait, write, barrier };
  Kind kind = Kind::barrier;
  uint8_t bytes = 4;  // of the word, 4 or 8
  Comparison comparison = Comparison::cyclic_geq;
  bool ordered = true;  // a write comes after everything that was written before it, for whoever
                        // reads it
  memory::DevicePtr address = 0;
  uint64_t value = 0;
};

// What a wait waits for.
class ValueWait final : public exec::Polled {
 public:
  // `command` is a value_wait and lives until this has come.
  ValueWait(Context& context, const Command& command);
  bool look() override;

 private:
  ~ValueWait() override = default;

  Context& context_;
  const Command& command_;
};

// What `command`, a value_wait that its stream has come to, has to wait for now: nothing if the
// value is there. From the first call on it is watched. Once the context has an error nothing is
// waited for.
exec::Edge value_edge(Context& context, Command& command);
// Writes the value of a value_write. False if the memory's page has been lost: `fault` says which.
bool write_value(const Command& command, os::MemoryFault& fault);

// Checks all operations, then appends them to the stream, in their order; a capture gets a node.
// Errors: invalid_value for an address that is no multiple of the word's size, or not of memory
// that a device can reach; out_of_memory; those of captures.
Result<> submit(Stream& stream, std::span<const ValueOperation> operations, const void* call_site);
// One, which is no barrier, for a graph's launch; the same errors.
Result<Command> make_command(const ValueOperation& operation, const void* call_site);

}  // namespace cuvette::device
