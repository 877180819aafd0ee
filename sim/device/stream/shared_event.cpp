// SPDX-License-Identifier: Apache-2.0
#include "sim/device/stream/shared_event.hpp"

#include <map>
#include <thread>
#include <utility>

#include "sim/base/sanitizer.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/os/clock.hpp"
#include "sim/os/output.hpp"

namespace cuvette::device {

// The contents of the block. Other processes write it, so nothing read from it is trusted: any 16
// bits are the number of an existing cell.
struct SharedEvent::Words {
  static constexpr uint64_t right_magic = 0x31746e6576657663;  // "cvevent1"
  static constexpr uint32_t cells = 1 << 16, seats = 1 << 16;

  std::atomic<uint64_t> magic;
  std::atomic<uint64_t> records;  // how many numbers were given out
  std::atomic<uint64_t> latest;   // number << 16 | cell; 0: nothing was recorded
  std::atomic<uint64_t> taken_seats;
  std::atomic<uint64_t> reserved[4];
  // number << 16 | seat of the process that will empty it; 0: empty
  std::atomic<uint64_t> cell[cells];
};

namespace {

constexpr unsigned low_bits = 16;
constexpr uint64_t low_mask = (uint64_t{1} << low_bits) - 1;

// How often to check whether the process that is waited for still exists.
constexpr int64_t asking_interval_ns = 5'000'000;

// Shows ThreadSanitizer the order that leads through other processes: our publications happen
// before anything that we later read from other processes.
constinit std::atomic<uint64_t> outside{0};

void tell_outside() {
  release_at(&outside);
  outside.fetch_add(1, std::memory_order_release);
}
void hear_from_outside() {
  static_cast<void>(outside.load(std::memory_order_acquire));
  acquire_at(&outside);
}

// The living shared events, so that a process has one of each. An entry is removed together with
// its block: while it exists, the block's file may be open.
constinit Mutex living_mutex;
std::map<SharedEvent::Name, SharedEvent*>& living() REQUIRES(living_mutex) {
  static auto* const map = new std::map<SharedEvent::Name, SharedEvent*>;
  return *map;
}
constinit std::atomic<uint64_t> made{0};

}  // namespace

// Empties a record's cell when its timeline gets there.
class SharedEvent::Publication final : public exec::Waiter {
 public:
  Publication(SharedEvent& event, uint32_t cell) : event_(&event), cell_(cell) {}

  void reached() {
    tell_outside();
    event_->words().cell[cell_].store(0, std::memory_order_release);
    delete this;
  }

 private:
  void wake() override { reached(); }

  const Ref<SharedEvent> event_;
  const uint32_t cell_;
};

SharedEvent::SharedEvent(const Name& name, std::unique_ptr<os::SharedBlock> block)
    : name_(name), block_(std::move(block)) {
  MutexLock lock(living_mutex);
  living()[name_] = this;
}

SharedEvent::~SharedEvent() {
  MutexLock lock(living_mutex);
  living().erase(name_);
  block_ = nullptr;
}

Result<Ref<SharedEvent>> SharedEvent::create() {
  auto block = TRY(os::SharedBlock::create("cuvette-event", sizeof(Words)));
  static_cast<Words*>(block->data())->magic.store(Words::right_magic, std::memory_order_release);
  const Name name{{}, made.fetch_add(1, std::memory_order_relaxed) + 1};
  return Ref<SharedEvent>::adopt(new SharedEvent(name, std::move(block)));
}

Ref<SharedEvent> SharedEvent::find(const Name& name) {
  for (;;) {
    {
      MutexLock lock(living_mutex);
      const auto found = living().find(name);
      if (found == living().end()) return nullptr;
      if (found->second->retain_if_alive()) return Ref<SharedEvent>::adopt(found->second);
    }
    // It is being destroyed: wait until its file is closed.
    std::this_thread::yield();
  }
}

Result<Ref<SharedEvent>> SharedEvent::adopt(const Name& name, int fd) {
  auto block = TRY(os::SharedBlock::adopt(fd, sizeof(Words)));
  if (static_cast<Words*>(block->data())->magic.load(std::memory_order_acquire) !=
      Words::right_magic)
    return refuse(Error::unknown, "The descriptor that was received is not an event's.");
  return Ref<SharedEvent>::adopt(new SharedEvent(name, std::move(block)));
}

Result<uint32_t> SharedEvent::seat() {
  if (const uint32_t seat = seat_.load(std::memory_order_acquire)) return seat;
  MutexLock lock(mutex_);
  if (const uint32_t seat = seat_.load(std::memory_order_relaxed)) return seat;
  // A seat is never reused, so that the records of a dead process do not look alive.
  const uint64_t seat = words().taken_seats.fetch_add(1, std::memory_order_relaxed) + 1;
  if (seat >= Words::seats)
    return refuse(Error::operating_system, "More than %u processes have recorded the event.",
                  Words::seats - 1);
  TRY(block_->take_seat(static_cast<uint32_t>(seat)));
  seat_.store(static_cast<uint32_t>(seat), std::memory_order_release);
  return static_cast<uint32_t>(seat);
}

Result<SharedEvent::Mark> SharedEvent::begin() {
  const uint64_t seat = TRY(this->seat());
  const uint64_t number = words().records.fetch_add(1, std::memory_order_relaxed) + 1;
  const uint32_t first = next_cell_.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < Words::cells; ++i) {
    const uint32_t cell = (first + i) % Words::cells;
    uint64_t empty = 0;
    if (words().cell[cell].load(std::memory_order_relaxed) != 0 ||
        !words().cell[cell].compare_exchange_strong(empty, number << low_bits | seat,
                                                    std::memory_order_acq_rel))
      continue;
    next_cell_.store(cell, std::memory_order_relaxed);
    return Mark{number, cell};
  }
  return refuse(Error::out_of_memory, "%u records of the event are pending: no more are possible.",
                Words::cells);
}

void SharedEvent::publish(const Mark& mark, exec::Timeline& timeline, uint64_t value) {
  const uint64_t word = mark.number << low_bits | mark.cell;
  // Of concurrent records, the one with the highest number counts as the last.
  uint64_t before = words().latest.load(std::memory_order_relaxed);
  while (before < word &&
         !words().latest.compare_exchange_weak(before, word, std::memory_order_acq_rel)) {
  }
  auto* const publication = new Publication(*this, mark.cell);
  if (!timeline.add(*publication, value)) publication->reached();
}

SharedEvent::Mark SharedEvent::last() const {
  const uint64_t word = words().latest.load(std::memory_order_acquire);
  return {word >> low_bits, static_cast<uint32_t>(word & low_mask)};
}

SharedEvent::State SharedEvent::look(const Mark& mark, bool ask) const {
  const std::atomic<uint64_t>& cell = words().cell[mark.cell];
  const auto done = [&](uint64_t word) {
    if (word >> low_bits == mark.number) return false;
    hear_from_outside();
    return true;
  };
  const uint64_t word = cell.load(std::memory_order_acquire);
  if (done(word)) return State::completed;
  const auto seat = static_cast<uint32_t>(word & low_mask);
  if (!ask || seat == seat_.load(std::memory_order_acquire) || block_->taken_elsewhere(seat))
    return State::pending;
  // The process may have completed the record just before it ended.
  return done(cell.load(std::memory_order_acquire)) ? State::completed : State::lost;
}

SharedEvent::State SharedEvent::state(const Mark& mark) const { return look(mark, true); }

SharedEvent::State SharedEvent::state_again(const Mark& mark, int64_t& asked_ns) const {
  const int64_t now = os::now_ns();
  const bool ask = now - asked_ns >= asking_interval_ns;
  if (ask) asked_ns = now;
  return look(mark, ask);
}

Error SharedEvent::lost(const Mark& mark) {
  if (told_lost_.exchange(mark.number, std::memory_order_relaxed) != mark.number)
    os::say(
        "this process waits for an event of another process, which ended before the recorded work "
        "was done: it will never be done.");
  return Error::external_device;
}

ForeignRecord::ForeignRecord(Ref<SharedEvent> event, const SharedEvent::Mark& mark,
                             Ref<Context> context)
    : event_(std::move(event)), mark_(mark), context_(std::move(context)) {}

ForeignRecord::~ForeignRecord() = default;

bool ForeignRecord::look() {
  if (context_ && context_->error()) return true;
  switch (event_->state_again(mark_, asked_ns_)) {
    case SharedEvent::State::pending:
      return false;
    case SharedEvent::State::completed:
      return true;
    case SharedEvent::State::lost:
      break;
  }
  const Error error = event_->lost(mark_);
  lost_.store(true, std::memory_order_release);
  // The record will never be complete, so the results of the work after it cannot be trusted.
  if (context_) context_->fail(error);
  return true;
}

}  // namespace cuvette::device
