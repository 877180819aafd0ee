// SPDX-License-Identifier: Apache-2.0
// HappensBefore: whether the program has ordered one command before another, or the order was
// chance.
//
// Only what CUDA documents counts: the order of a stream; a record of an event, as of the call,
// before the work that waits for it; the rules of the legacy stream; launches of one executable
// graph; what the host knew when it submitted a command, that is, what it had synchronised with, or
// learnt from a query or from a call that returns after the work. How long something took, waits
// that the documentation does not promise (cuMemFree's), and waits of streams for values in memory
// do not count.
//
// Each command has a place in its stream and a clock of what comes before it. A stream keeps its
// clock's past, because an event that was recorded long ago means what was known then. Two things
// make ten thousand streams as cheap as one: clocks share what they have in common (clock.hpp); and
// "everything that was submitted to the context's streams by then", which the legacy stream and
// cuCtxSynchronize mean, is a single number instead of one for each stream.
//
// In case of doubt it says "ordered", so that no correct program is accused:
// - All host threads count as one: what one has learnt, all know from then on. The locks and queues
//   that the program uses between its threads cannot be seen.
// - When a host function begins, the host knows what came before it in its stream, because it can
//   tell the other threads.
// - An event that is recorded in a graph stands for the whole launch.
// - Any process may have ended a wait for an external semaphore: see semaphore_order.hpp.
// - The oldest part of a clock's past may be forgotten; the oldest part that is left then stands
//   for it.
//
// Threads: one at a time. Callers report the commands of a stream, and the commands of the blocking
// streams and the legacy stream of a context, in the order of submission.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/check/order/clock.hpp"
#include "sim/check/order/semaphore_order.hpp"
#include "sim/device/machine/value.hpp"
#include "sim/device/stream/observer.hpp"

namespace cuvette::check {

// A place in the order of all work: a command, or what takes place between two of them.
struct Point {
  uint64_t stream = 0;    // its id
  uint64_t position = 0;  // 2 * number for a command; odd: between that one and the next
  uint64_t sequence = 0;  // counts all points, in all streams
  uint64_t context = 0;   // its generation
  bool blocking = false;  // the legacy stream of the context waits for the stream
};

class HappensBefore {
 public:
  // --- What happens. The arguments are an observer's. ---
  Point submitted(const device::Stream& stream, uint64_t number,
                  const device::Operation& operation);
  // Adds something that takes place after what the stream has by now, and before what it gets next.
  Point between(const device::Stream& stream);
  void waited_for(const device::Stream& stream, uint64_t number);
  // From now on other processes may know what a record of a shared event comes after, and may have
  // informed this one's threads in ways that cannot be seen, so those count as knowing it. Also
  // settles a command's waits for semaphores and words: what ended them is over. To be called for
  // operations that is_told_by_end() is true of; for others it does nothing.
  void completed(const device::Stream& stream, uint64_t number);
  static bool is_told_by_end(const device::Operation& operation);
  // A host function is about to be called, or a graph begins in which some are: they may inform the
  // host of what comes before them. The same for is_told_by_start().
  void started(const device::Stream& stream, uint64_t number, const device::Operation& operation);
  static bool is_told_by_start(const device::Operation& operation);
  // A host function is about to be called.
  void calls_host(const device::Stream& stream, uint64_t number);
  void ended(const device::Stream& stream);

  // The calling thread begins to wait for a context, and has waited. Returns false if it had not
  // begun.
  void synchronising(const device::Context& context, device::Streams which);
  bool synchronised();
  // Returns what is known when a wait for a whole context, which begins now, is over.
  Clock all_of(const device::Context& context);
  // The same of a wait for the legacy stream.
  Clock blocking_of(const device::Context& context);
  // Puts the stream's later work after all of its context's work.
  void joins_context(const device::Stream& stream);
  void host_learns(const Clock& clock) { host_.join(clock); }

  // --- What follows. ---
  // Whether `earlier`, which was reported before `later`, comes before it. Nothing comes before
  // `later` once its stream has ended.
  bool ordered(const Point& earlier, const Point& later) const;
  // Returns what comes before the latest point of the stream with that id.
  Clock clock(uint64_t stream) const;
  // Returns the last command of the stream with that id that a clock's own edges lead to; 0: none.
  static uint64_t known(const Clock& clock, uint64_t stream);
  // Returns whether `earlier` comes before everything with that clock.
  bool comes_before(const Point& earlier, const Clock& later) const;

  // Whether the host knows that `earlier` is over.
  bool host_knows(const Point& earlier) const { return comes_before(earlier, host_); }

  // For tests of its cost.
  size_t streams() const { return streams_.size(); }

 private:
  static bool knows(const Clock& clock, const Point& point);
  struct Change {
    uint64_t from;  // position
    Clock clock;
  };
  struct StreamState {
    uint64_t position = 0;
    Clock clock;              // the latest point's
    std::deque<Change> past;  // the last of them is `clock`
    bool forgetful = false;   // there were changes before the first of `past`
    Clock host;               // the host's clock when it was last joined
    uint64_t legacy = 0;      // the position in the legacy stream that it comes after
    uint64_t told = 0;        // the position that `story` is for
    Clock story;              // the work before everything that waits for `told`, itself included
    uint64_t context = 0;     // its generation
    bool blocking = false;
  };
  struct ContextState {
    std::optional<uint64_t> legacy;  // the legacy stream's id, once it has had work
    Clock all, blocking;             // the clocks of all streams, and of the blocking ones, joined
  };

  Clock before(const device::Stream& stream, StreamState& state);
  Point advance(const device::Stream& stream, StreamState& state, uint64_t position, Clock clock);
  void join_edges(Clock& clock, const device::Stream& stream, const device::Operation& operation);
  void learn(const std::vector<SemaphoreOrder::Learnt>& learnt);
  void tell_signals();
  void record(StreamState& state, uint64_t position, Clock clock);
  void join_edge(Clock& clock, const device::Stream& stream, const exec::Edge& edge);
  static const Clock& clock_at(const StreamState& state, uint64_t position);
  // Returns what is known to work that waits for that position of that stream.
  const Clock& story(uint64_t stream, StreamState& state, uint64_t position);

  uint64_t sequence_ = 0;
  Clock host_;
  // The work before any record that other processes can wait for; their later work may come after
  // all of it.
  Clock told_others_;
  SemaphoreOrder semaphores_;
  // For threads that wait for a context: what they will know when the wait is over.
  std::unordered_map<std::thread::id, Clock> waiting_;

  // --- Words that streams wait for ---
  // A wait comes after the writes that could end it, or, if none was submitted before, after the
  // first one that is submitted later: it is then a semaphore's wait, for its own semaphore.
  // If it ends without any, a kernel or the host may have ended it, and it counts as coming after
  // everything.
  void wait_for_value(const device::Stream& stream, uint64_t number,
                      const device::ValueOperation& wait, Clock& clock);
  void write_value(const device::ValueOperation& write, const Clock& known);
  Clock everything();
  struct WrittenValue {
    uint64_t value;
    Clock clock;
  };
  std::unordered_map<memory::DevicePtr, std::vector<WrittenValue>> written_;
  struct OpenValue {
    device::ValueOperation wait;
    uint64_t stream, number, semaphore;
  };
  std::vector<OpenValue> open_values_;
  uint64_t own_semaphores_ = 0;
  // The signals of the latest command. They count from the next command on: the command's own
  // accesses come before them, although they are looked at later.
  std::vector<SemaphoreOrder::Signal> signals_;
  std::set<std::pair<uint64_t, uint64_t>> telling_;  // stream and number; not completed yet
  std::unordered_map<uint64_t, StreamState> streams_;
  std::unordered_map<uint64_t, ContextState> contexts_;
};

}  // namespace cuvette::check
