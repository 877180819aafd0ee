// SPDX-License-Identifier: Apache-2.0
#include "sim/check/order/standstill.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "sim/callsite/symbol.hpp"
#include "sim/check/order/access_words.hpp"
#include "sim/check/order/kernel_races.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/machine/value.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/external_semaphore.hpp"
#include "sim/device/stream/stream.hpp"
#include "sim/os/clock.hpp"
#include "sim/os/process.hpp"
#include "sim/os/threads.hpp"

namespace cuvette::check {

using device::Operation;
using device::OperationKind;
using device::Stream;

namespace {

constexpr int64_t second = 1'000'000'000;
constexpr auto between_looks = std::chrono::milliseconds(200);
// How long all must stand still: where all threads of the program wait for each other or for us;
// where one of them may come back by itself, or another process may help.
constexpr int64_t soon = 2 * second, late = 30 * second;
// A kernel that waits says so at least this often, unless the machine is crowded.
constexpr int64_t recently = second / 2;

enum class Program : uint8_t { runs, may_come_back, waits };

Program look_at_program() {
  Program found = Program::waits;
  const auto threads = os::thread_activities();
  if (threads.empty()) return Program::may_come_back;  // the system does not report it
  for (const os::ThreadActivity& thread : threads) {
    using State = os::ThreadActivity::State;
    if (thread.name.starts_with("cuvette-")) continue;
    if (thread.state == State::running) return Program::runs;
    if (thread.state != State::waiting) found = Program::may_come_back;
  }
  return found;
}

bool is_wait(OperationKind kind) {
  return kind == OperationKind::value_wait || kind == OperationKind::value_batch ||
         kind == OperationKind::semaphore_wait || kind == OperationKind::event_wait;
}

std::string value_in_words(const device::ValueOperation& wait) {
  const std::string value = std::to_string(wait.value);
  switch (wait.comparison) {
    case device::Comparison::cyclic_geq:
      return "be " + value + " or more";
    case device::Comparison::equal:
      return "be " + value;
    case device::Comparison::any_bit:
      return "have a bit of " + hexadecimal(wait.value);
    case device::Comparison::any_clear:
      return "have a bit clear that is clear in " + hexadecimal(wait.value) + ", too";
  }
  return "change";
}

// Says what a wait waits for: which value, which semaphore.
std::string condition_of(const Operation& operation) {
  if (operation.kind == OperationKind::value_wait)
    return ": for the word at " + hexadecimal(operation.footprint().reads.address) + " to " +
           value_in_words(operation.value());
  std::string text;
  for (const Ref<device::SemaphoreAction>& action : operation.semaphores()) {
    const device::ExternalSemaphore& semaphore = action->semaphore();
    const bool counts = semaphore.kind() == device::SemaphoreKind::timeline;
    text += (text.empty() ? ": for " : " and ") + std::string(counts ? "timeline" : "binary") +
            " semaphore " + std::to_string(semaphore.id()) + " to " +
            (counts ? "reach " + std::to_string(action->value()) : "be signalled");
  }
  return text;
}

}  // namespace

void StandstillObserver::submitted(const Stream&, uint64_t, const Operation&) {
  MutexLock lock(mutex_);
  ++submitted_;
  ++changes_;
  if (!looks_) begin_to_look();
}

void StandstillObserver::started(const Stream& stream, uint64_t number,
                                 const Operation& operation) {
  Begun begun;
  begun.kind = operation.kind;
  begun.call_site = operation.call_site;
  if (is_wait(operation.kind)) {
    const device::Footprint& footprint = operation.footprint();
    begun.address = footprint.reads.address;
    begun.condition = condition_of(operation);
    begun.by_others = operation.kind == OperationKind::semaphore_wait;
    if (const auto memory = device::Machine::get().memory().find(begun.address))
      begun.by_others = begun.by_others || memory->is_external() ||
                        memory->kind == memory::AllocationKind::shared || memory->in_segment.load();
  }
  MutexLock lock(mutex_);
  begun_.insert_or_assign({&stream, number}, std::move(begun));
  ++changes_;
}

void StandstillObserver::completed(const Stream& stream, uint64_t number, const Operation&) {
  MutexLock lock(mutex_);
  begun_.erase({&stream, number});
  ++completed_;
  ++changes_;
}

void StandstillObserver::kernel_waits(const Stream& stream, uint64_t number,
                                      const Operation& operation, const device::KernelCall& call,
                                      const watch::KernelWatch& watch, int64_t ns) {
  std::string thread;
  bool in_block = false;
  const std::string name(call.name());
  // Words are only needed once it has waited for long.
  if (ns > soon / 2) {
    const LaunchedKernel kernel{stream, number, operation, call};
    const watch::LastAccess last = watch.meetings().last_access();
    if (last.by.place.location != 0) {
      const InKernel by = in_kernel(kernel, last.by);
      const uint32_t access = last.by.place.access;
      in_block = access & ptx::access_shared;
      const auto part = part_of(kernel, in_block, last.address, ptx::access_bytes(access));
      thread = thread_of(by) + " " + verb(last.by) + " " + in_words(part, last.address) + ", " +
               line_in_words(by);
    }
    for (const watch::MeetingMistake& mistake : watch.meetings().mistakes())
      if (mistake.is_of_shared_barrier())
        thread += "; the mbarrier at " + hexadecimal(mistake.place) + " was " + mistake.change() +
                  " while threads waited, " +
                  line_in_words(in_kernel(kernel, {0, 0, {mistake.location, 0}}));
  }
  MutexLock lock(mutex_);
  const auto known = begun_.find({&stream, number});
  if (known == begun_.end()) return;
  known->second.kernel = callsite::readable_name(name.c_str());
  known->second.thread = std::move(thread);
  known->second.in_block = in_block;
  known->second.waited_ns = ns;
  known->second.at = os::now_ns();
}

void StandstillObserver::begin_to_look() {
  looks_ = true;
  std::thread thread = os::start_thread("cuvette-still", [this] { look(); });
  // The system refused it: the next command tries again.
  if (!thread.joinable()) looks_ = false;
  if (thread.joinable()) thread.detach();
}

void StandstillObserver::look() {
  uint64_t seen = 0;
  // Since when the machine stands still, and since when the program has waited meanwhile.
  int64_t since = os::now_ns(), waits_since = since;
  for (;;) {
    std::this_thread::sleep_for(between_looks);
    const int64_t now = os::now_ns();
    MutexLock lock(mutex_);
    if (changes_ != seen || completed_ == submitted_ || !stands_still(since, now)) {
      seen = changes_;
      since = waits_since = now;
      continue;
    }
    const Program program = look_at_program();
    if (program != Program::waits) waits_since = now;
    if (program == Program::runs) since = now;
    if (now - waits_since < patience() && now - since < late) continue;
    const Report found = report();
    if (reporter().admit(found.id, begun_.begin()->second.call_site)) reporter().write(found);
    end_it();
    since = waits_since = now;
  }
}

bool StandstillObserver::stands_still(int64_t since, int64_t now) const {
  return !begun_.empty() && std::ranges::all_of(begun_, [&](const auto& entry) {
    const Begun& begun = entry.second;
    return is_wait(begun.kind) ||
           (begun.at != 0 && begun.at - begun.waited_ns <= since && now - begun.at < recently);
  });
}

int64_t StandstillObserver::patience() const {
  const bool others =
      std::ranges::any_of(begun_, [](const auto& entry) { return entry.second.by_others; });
  return others ? late : soon;
}

// Gives advice for each way in which the commands wait.
std::string StandstillObserver::advice() const {
  bool blocks = false, kernels = false, words = false, semaphores = false, others = false;
  for (const auto& [key, begun] : begun_) {
    blocks |= !begun.kernel.empty() && begun.in_block;
    kernels |= !begun.kernel.empty() && !begun.in_block;
    words |= begun.kind == OperationKind::value_wait || begun.kind == OperationKind::value_batch;
    semaphores |= begun.kind == OperationKind::semaphore_wait;
    others |= begun.kind == OperationKind::event_wait;
  }
  std::string advice;
  const auto add = [&](bool wanted, const char* sentence) {
    if (wanted) advice += (advice.empty() ? "" : " ") + std::string(sentence);
  };
  add(blocks,
      "Let each thread that a barrier in shared memory counts arrive, on every path, and release "
      "each lock there. Where a barrier, a pipeline or a lock is made again, put a "
      "__syncthreads() between its last use and the new one.");
  add(kernels,
      "Write what the kernel's thread reads before the kernel is launched, or in a stream that "
      "does not come after it, and release each lock on every path; blocks that wait for other "
      "blocks need a cooperative launch, which guarantees that all of them run.");
  add(words,
      "Submit the cuStreamWriteValue32 that writes the value, in another stream and before the "
      "program waits for this one, or let the host write it.");
  add(semaphores,
      "Signal the semaphore to that value (cuSignalExternalSemaphoresAsync in another stream, or "
      "the other API), before the program waits for this stream.");
  add(others, "Let the other process record the event before it waits for this one.");
  return advice;
}

Report StandstillObserver::report() const {
  constexpr size_t most = 8;
  Report report{ReportId::standstill,
                "Deadlock: " + std::to_string(submitted_ - completed_) +
                    (submitted_ - completed_ == 1
                         ? " pending command waits, and nothing that runs can unblock it."
                         : " pending commands wait, and nothing that runs can unblock them."),
                {},
                advice()};
  std::vector<Fact>& facts = report.facts;
  size_t count = 0;
  for (const auto& [key, begun] : begun_) {
    if (count++ == most) break;
    std::string words =
        stream_in_words(*key.first) + ", command " + std::to_string(key.second) + ": ";
    if (!begun.kernel.empty()) {
      words += "the kernel " + begun.kernel + " waits";
      if (!begun.thread.empty()) words += ": " + begun.thread;
    } else {
      words += device::name(begun.kind);
      if (!begun.condition.empty())
        words += begun.condition;
      else if (begun.address != 0)
        words += " at " + hexadecimal(begun.address);
    }
    facts.push_back(
        {"waits", words + "; submitted at " + callsite::describe_call(begun.call_site)});
  }
  facts.push_back({"commands", submitted_ - completed_});
  return report;
}

void StandstillObserver::end_it() {
  std::set<device::Context*> contexts;
  for (const auto& [key, begun] : begun_) contexts.insert(&key.first->context());
  for (device::Context* const context : contexts) context->fail(Error::launch_timeout);
}

}  // namespace cuvette::check
