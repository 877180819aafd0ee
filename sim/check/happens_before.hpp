// SPDX-License-Identifier: Apache-2.0
// HappensBefore: whether one command comes before another by the program's doing, or only by luck.
//
// What counts is what CUDA documents: the order of a stream; a record of an event, as of the call,
// before what waits for it; the rules of the legacy stream; launches of one executable graph; what
// the host knew when it submitted a command, that is, what it has synchronised with, or learnt from
// a query or a call that returns after the work. How long something took, waits that nobody
// promises (cuMemFree's), and values in memory that streams wait for do not count.
//
// Each command has a place in its stream and a clock of what comes before it; a stream keeps its
// clock's past, because an event that was recorded long ago means what was known then. Two things
// make ten thousand streams as cheap as one: clocks share what they have in common (clock.hpp), and
// "everything that the context's streams had been given by then", which is what the legacy stream
// and cuCtxSynchronize mean, is one number, not one for each stream.
//
// Where the rules leave a choice, it says "ordered", so that no correct program is accused:
// - All host threads count as one: what one of them has learnt, all know from then on. The
// program's
//   locks and queues between its threads cannot be seen.
// - When a host function begins, the host knows what came before it in its stream, since it can
//   tell the other threads.
// - An event that is recorded in a graph stands for the whole launch.
// - A wait for an external semaphore may have been ended by anybody: see semaphore_order.hpp.
// - Of a clock's past the oldest part may be forgotten; then what came after it stands for it.
//
// Threads: one at a time. Commands of a stream, and of the blocking streams and the legacy stream
// of a context, are told in the order in which they are submitted.
#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/check/clock.hpp"
#include "sim/check/semaphore_order.hpp"
#include "sim/device/observer.hpp"

namespace cuvette::check {

// A place in the order of all work: a command, or what takes place between two of them.
struct Point {
  uint64_t stream = 0;    // its id
  uint64_t position = 0;  // 2 * number for a command; odd: between that one and the next
  uint64_t sequence = 0;  // counts everything that was told, in all streams
  uint64_t context = 0;   // its generation
  bool blocking = false;  // the legacy stream of the context waits for the stream
};

class HappensBefore {
 public:
  // --- What happens. The arguments are an observer's. ---
  Point submitted(const device::Stream& stream, uint64_t number,
                  const device::Operation& operation);
  // Something that takes place in the stream behind what it has by now, and before what comes next.
  Point between(const device::Stream& stream);
  void waited_for(const device::Stream& stream, uint64_t number);
  // Other processes may know from now on what a record of a shared event comes after, and may have
  // told this one's threads by ways that cannot be seen: so those are taken to know. The same of a
  // command that waited for semaphores: what signalled them is over.
  void completed(const device::Stream& stream, uint64_t number);
  // A host function is about to be called.
  void calls_host(const device::Stream& stream, uint64_t number);
  void ended(const device::Stream& stream);

  // What is known once a wait for a whole context that begins now is over.
  Clock all_of(const device::Context& context);
  // What comes into the stream from now on comes after all that.
  void joins_context(const device::Stream& stream);
  void host_learns(const Clock& clock) { host_.join(clock); }

  // --- What follows. ---
  // Whether `earlier`, which was told before `later`, comes before it. A point of a stream that has
  // ended comes before nothing that is asked for as `later`.
  bool ordered(const Point& earlier, const Point& later) const;
  // What comes before the latest point of the stream with that id.
  Clock clock(uint64_t stream) const;
  // Whether `earlier` comes before whoever has that clock.
  bool comes_before(const Point& earlier, const Clock& later) const;

  // For those who ask what it costs.
  size_t streams() const { return streams_.size(); }

 private:
  static bool knows(const Clock& clock, const Point& point);
  struct Change {
    uint64_t from;  // position
    Clock clock;
  };
  struct StreamState {
    uint64_t position = 0;
    Clock clock;              // of the latest point
    std::deque<Change> past;  // the last of them is `clock`
    bool forgetful = false;   // there were changes before the first of `past`
    Clock host;               // the host's, as it was joined last
    uint64_t legacy = 0;      // position of the legacy stream that it is behind
    uint64_t told = 0;        // position of `story`
    Clock story;              // what comes before whatever waits for `told`, itself included
    uint64_t context = 0;     // its generation
    bool blocking = false;
  };
  struct ContextState {
    uint64_t legacy = 0;  // the legacy stream's id
    Clock all, blocking;  // joined of the clocks of all, and of the blocking streams
  };

  Clock before(const device::Stream& stream, StreamState& state);
  Point advance(const device::Stream& stream, StreamState& state, uint64_t position, Clock clock);
  void join_edges(Clock& clock, const device::Stream& stream, const device::Operation& operation);
  void learn(const std::vector<SemaphoreOrder::Learnt>& learnt);
  void tell_signals();
  void record(StreamState& state, uint64_t position, Clock clock);
  void join_edge(Clock& clock, const device::Stream& stream, const exec::Edge& edge);
  static const Clock& clock_at(const StreamState& state, uint64_t position);
  // What is known where something waits for that position of that stream.
  const Clock& story(uint64_t stream, StreamState& state, uint64_t position);

  uint64_t sequence_ = 0;
  Clock host_;
  // What comes before any record that other processes can wait for: what they do then may come
  // after all of it.
  Clock told_others_;
  SemaphoreOrder semaphores_;
  // Of the command that was told last. They count from the next one on: what the command itself
  // does comes before them, also where its own accesses are looked at after it was told.
  std::vector<SemaphoreOrder::Signal> signals_;
  std::set<std::pair<uint64_t, uint64_t>> telling_;  // stream and number of those not completed
  std::unordered_map<uint64_t, StreamState> streams_;
  std::unordered_map<uint64_t, ContextState> contexts_;
};

}  // namespace cuvette::check
