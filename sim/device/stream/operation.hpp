// SPDX-License-Identifier: Apache-2.0
// Operation: one piece of a device's work. A stream's commands and the steps of a launched graph
// are operations. It says what it is, which memory it touches and what it comes after; step() does
// the work.
//
// An operation never blocks a thread. If it has to wait, step() returns the edge to wait
// for and is called again later; if another thread does the work, that thread notifies the runner.
//
// Threads: the submitter writes it; then the runner and observers read it.
// Invariants: an operation's address is fixed once it is submitted. It takes at most 192 bytes,
// since programs queue them by the million.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "sim/base/ref.hpp"
#include "sim/exec/timeline.hpp"
#include "sim/memory/address.hpp"
#include "sim/memory/allocation.hpp"
#include "sim/os/fault.hpp"

namespace cuvette::device {

class AnyOperation;
class Operation;
class SemaphoreAction;
class Stream;
struct ValueOperation;

enum class OperationKind : uint8_t {
  copy,
  fill,
  host_function,   // cuLaunchHostFunc: not called once the context has an error
  callback,        // cuStreamAddCallback: called with the context's error, if any
  event_record,    // stamps an event's record, if the event keeps time
  event_wait,      // nothing but its edges
  graph,           // the steps of a launched graph
  graphics_unmap,  // nothing but its edges: cuGraphicsUnmapResources waits for it
  allocate,        // fills a part of a memory pool with what fresh memory holds
  free,            // frees the allocation it writes in: cuMemFreeAsync
  value_write,
  value_wait,
  value_batch,  // several of the two above: a step of a graph
  discard,      // the memory it writes need not keep its content
  kernel,       // a grid of blocks; what it reads and writes is unknown
  semaphore_signal,
  semaphore_wait,
};
inline constexpr auto last_operation_kind = OperationKind::semaphore_wait;
const char* name(OperationKind kind);

// The memory that an operation touches. A region is empty where it touches none.
struct Footprint {
  memory::Region writes, reads;
  memory::Use writes_in, reads_in;  // the allocations that the regions lie in, if any

  static const Footprint& none();
};

// How far a call of step() came.
struct Progress {
  enum class State : uint8_t {
    done,
    blocked,    // call step() again once `edge` is reached, or soon if there is none
    elsewhere,  // other threads do the rest, and call OperationRunner::done_elsewhere()
  };
  State state;
  exec::Edge edge;  // with `elsewhere`: the end, if a waiting thread can help to reach it

  static Progress done() { return {State::done, {}}; }
  static Progress blocked(exec::Edge edge) { return {State::blocked, std::move(edge)}; }
  static Progress elsewhere(exec::Edge edge = {}) { return {State::elsewhere, std::move(edge)}; }
};

// The runner of an operation: its stream, or the launch of the graph that contains it.
class OperationRunner {
 public:
  // The command under way: the operation itself, or the launch that contains it.
  virtual Stream& stream() = 0;
  virtual uint64_t number() const = 0;

  // Call it before handing the operation to other threads, which may finish it before its step()
  // returns. `help`: threads that wait for it may call help().
  virtual void hand_over(bool help) = 0;
  // One of those threads calls it at the end. The operation may be gone when this returns.
  // `host_thread`: the calling thread is the context's, and has nothing else to do.
  virtual void done_elsewhere(bool host_thread) = 0;

 protected:
  ~OperationRunner() = default;
};

// The parts of an operation that consists of others, for observers.
class Steps {
 public:
  // The parts are in an order in which they could run one after the other.
  virtual size_t count() const = 0;
  virtual const Operation& step(size_t index) const = 0;
  // The parts that come directly after one.
  virtual std::span<const uint32_t> after(size_t index) const = 0;
  // The bodies that a conditional step chooses from.
  virtual std::vector<const Steps*> bodies(size_t index) const = 0;

 protected:
  ~Steps() = default;
};

class Operation {
 public:
  virtual ~Operation() = default;
  Operation& operator=(Operation&&) = delete;

  const OperationKind kind;
  // For the observer that records it: its record in the file of this process, 0 if there is none.
  // The submitter's, then the runner's.
  mutable uint32_t recorded = 0;
  const void* const call_site;  // in the application
  bool calls_host() const {
    return kind == OperationKind::host_function || kind == OperationKind::callback;
  }

  // --- What it comes after, besides the commands before it in its stream ---
  void wait_for(exec::Edge edge);
  // The first edge that is not reached yet; none if all are.
  exec::Edge unreached() const;
  bool has_edges() const { return first_edge_.timeline != nullptr; }
  template <typename Visit>
  void each_edge(const Visit& visit) const {
    if (!has_edges()) return;
    visit(first_edge_);
    if (more_edges_)
      for (const exec::Edge& edge : *more_edges_) visit(edge);
  }

  // --- What it does ---
  // Continues the work; one thread at a time calls it, once all edges are reached. After `done` the
  // operation can run again, as the bodies of loops do.
  virtual Progress step(OperationRunner& runner) = 0;
  // Does a part of the work while it is elsewhere. Returns true if it is done.
  virtual bool help() { return false; }
  // Returns false if step() always returns `done`, and the operation has no edges.
  virtual bool may_block() const { return has_edges(); }

  // --- What observers see ---
  virtual const Footprint& footprint() const { return Footprint::none(); }
  virtual const Steps* steps() const { return nullptr; }  // a graph's, until it is done
  virtual std::span<const Ref<SemaphoreAction>> semaphores() const { return {}; }
  // The value that a value_wait waits for, or a value_write writes; for all others a barrier.
  virtual ValueOperation value() const;
  // Whether it records an event that other processes can wait for.
  virtual bool tells_other_processes() const { return false; }

 protected:
  Operation(OperationKind kind, const void* call_site) : kind(kind), call_site(call_site) {}
  Operation(Operation&&) = default;

 private:
  friend class AnyOperation;
  // Moves this operation to `place`: makes one of the same class there that takes over its
  // contents.
  virtual void move_to(std::byte* place) = 0;

  exec::Edge first_edge_;
  std::unique_ptr<std::vector<exec::Edge>> more_edges_;
};

// Room for one operation of any class, in place.
class alignas(64) AnyOperation {
 public:
  static constexpr size_t bytes = 192;

  explicit AnyOperation(Operation&& operation) { operation.move_to(bytes_); }
  AnyOperation(AnyOperation&& other) noexcept { other->move_to(bytes_); }
  AnyOperation& operator=(AnyOperation&&) = delete;
  ~AnyOperation() { (*this)->~Operation(); }

  Operation& operator*() { return *operator->(); }
  const Operation& operator*() const { return *operator->(); }
  Operation* operator->() { return std::launder(reinterpret_cast<Operation*>(bytes_)); }
  const Operation* operator->() const {
    return std::launder(reinterpret_cast<const Operation*>(bytes_));
  }

 private:
  std::byte bytes_[bytes];
};

// The base of every class of operations: `class Copy final : public OperationOf<Copy>`. It
// must be the first base: AnyOperation assumes that the Operation has the address of its object.
template <typename Own>
class OperationOf : public Operation {
 protected:
  using Operation::Operation;

 private:
  void move_to(std::byte* place) final {
    static_assert(sizeof(Own) <= AnyOperation::bytes && alignof(Own) <= alignof(AnyOperation));
    new (place) Own(std::move(static_cast<Own&>(*this)));
  }
};

// Nothing but its edges: a command that waits for others, or that others wait for.
class EdgeWait final : public OperationOf<EdgeWait> {
 public:
  explicit EdgeWait(const void* call_site, OperationKind kind = OperationKind::event_wait)
      : OperationOf(kind, call_site) {}
  Progress step(OperationRunner&) override { return Progress::done(); }
};

}  // namespace cuvette::device
