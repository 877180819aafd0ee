// SPDX-License-Identifier: Apache-2.0
#include "sim/check/command/kernel_mistakes.hpp"

#include <algorithm>

#include "sim/callsite/symbol.hpp"
#include "sim/check/report/allocation_facts.hpp"
#include "sim/check/report/instruments.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/stream.hpp"
#include "sim/exec/grid.hpp"

namespace cuvette::check {

using watch::Accessor;
using watch::MeetingMistake;
using MistakeKind = MeetingMistake::Kind;

namespace {

ReportId id_of(MistakeKind kind) {
  switch (kind) {
    case MistakeKind::part_of_warp:
    case MistakeKind::part_of_block:
      return ReportId::barrier_divergence;
    case MistakeKind::part_of_a_warp:
    case MistakeKind::too_many:
    case MistakeKind::other_count:
      return ReportId::barrier_count;
    case MistakeKind::begun_again:
    case MistakeKind::ended_early:
      return ReportId::barrier_reused;
    case MistakeKind::no_member:
    case MistakeKind::absent_member:
    case MistakeKind::foreign_source:
    case MistakeKind::absent_source:
      break;
  }
  return ReportId::warp_mask;
}

// Whether the mistake is that a thread does not come, which it cannot do after a fault.
bool is_absence(MistakeKind kind) {
  return kind == MistakeKind::part_of_warp || kind == MistakeKind::part_of_block ||
         kind == MistakeKind::absent_member || kind == MistakeKind::absent_source;
}

bool has_source(MistakeKind kind) {
  return kind == MistakeKind::foreign_source || kind == MistakeKind::absent_source;
}

void write(const Report& report, const void* place) {
  if (reporter().admit(report.id, place)) reporter().write(report);
}

std::string threads_of(uint32_t count) {
  return count == 0 ? "all threads" : std::to_string(count) + " threads";
}

std::string source_lane(const MeetingMistake& mistake) {
  return std::to_string(mistake.source % ptx::warp_size);
}

std::string what_is_wrong(const MeetingMistake& mistake, const std::string& thread) {
  const std::string barrier = "barrier " + std::to_string(mistake.number);
  switch (mistake.kind) {
    case MistakeKind::part_of_warp:
      return thread + " does not reach " + barrier +
             " with the other threads of its warp: it does something else, or has exited";
    case MistakeKind::part_of_block:
      return thread + " has exited when the other threads of its block reach " + barrier;
    case MistakeKind::part_of_a_warp:
      return thread + " waits at " + barrier + " for " + std::to_string(mistake.threads) +
             " threads, which is not a multiple of 32";
    case MistakeKind::too_many:
      return thread + " waits at " + barrier + " for " + std::to_string(mistake.threads) +
             " threads, more than the block has";
    case MistakeKind::other_count:
      return thread + " reaches " + barrier + " of " + threads_of(mistake.threads) +
             " while others wait for " + threads_of(mistake.others);
    case MistakeKind::no_member:
      return thread + " is not named by its own mask " + hexadecimal(mistake.named);
    case MistakeKind::foreign_source:
      return thread + " takes the value of lane " + source_lane(mistake) +
             ", which is not named by the mask " + hexadecimal(mistake.named) +
             ": the value is undefined";
    case MistakeKind::absent_source:
      return thread + " takes the value of lane " + source_lane(mistake) +
             ", which is named by the mask " + hexadecimal(mistake.named) +
             " but has exited, or is not part of the block: the value is undefined";
    case MistakeKind::begun_again:
    case MistakeKind::ended_early:
      return "the mbarrier in shared memory at " + hexadecimal(mistake.place) + " is " +
             mistake.change() + " while " + thread +
             " waits for it: the phase that it waits for never ends";
    case MistakeKind::absent_member:
      break;
  }
  return thread + " is named by the mask " + hexadecimal(mistake.named) +
         ", but does something else when the others arrive";
}

// Returns "" where the advice of the table fits.
const char* advice_of(MistakeKind kind) {
  switch (kind) {
    case MistakeKind::part_of_warp:
      return "Move the barrier out of the condition or loop, so that all threads of the block "
             "reach it; a thread that has nothing to do must not return before it.";
    case MistakeKind::part_of_block:
      return "Let threads that have nothing to do continue to the last barrier instead of "
             "returning: put the work in a condition, and the barrier after it.";
    case MistakeKind::part_of_a_warp:
      return "Round the count up to a multiple of 32, and let whole warps reach the barrier.";
    case MistakeKind::too_many:
      return "Compute the count from the launch's block size (blockDim), or launch blocks of as "
             "many threads as the barrier expects.";
    case MistakeKind::other_count:
      return "Give every bar.sync and bar.arrive of the barrier the same count, or use a barrier "
             "of another number for the other group of threads.";
    case MistakeKind::no_member:
      return "Add the thread's own bit to the mask (1u << lane), or let only the threads that the "
             "mask names call the function.";
    case MistakeKind::absent_member:
    case MistakeKind::foreign_source:
    case MistakeKind::absent_source:
    case MistakeKind::begun_again:
    case MistakeKind::ended_early:
      break;
  }
  return "";
}

}  // namespace

Report meeting_report(const LaunchedKernel& kernel, const MeetingMistake& mistake) {
  const InKernel by = in_kernel(kernel, {mistake.block, mistake.thread, {mistake.location, 0}});
  Report report{id_of(mistake.kind),
                "In the kernel " + by.name + ", " + what_is_wrong(mistake, thread_of(by)) + ".",
                {},
                advice_of(mistake.kind)};
  std::vector<Fact>& facts = report.facts;
  add_facts(facts, by, false);
  if (report.id == ReportId::warp_mask || mistake.kind == MistakeKind::part_of_warp) {
    facts.push_back({"mask", hexadecimal(mistake.named)});
    facts.push_back({"lanes that arrive", hexadecimal(mistake.there)});
  }
  if (has_source(mistake.kind))
    facts.push_back({"source lane", uint64_t{mistake.source % ptx::warp_size}});
  if (mistake.is_of_shared_barrier())
    facts.push_back({"waits at", line_in_words(in_kernel(kernel, {0, 0, {mistake.waits_at, 0}}))});
  add_launch(report, kernel);
  return report;
}

Report alias_report(const LaunchedKernel& kernel, const watch::AliasMistake& mistake) {
  const InKernel earlier = in_kernel(kernel, mistake.earlier),
                 later = in_kernel(kernel, mistake.later);
  Report report{ReportId::alias_access,
                "In the kernel " + later.name + ", " + thread_of(later) + " " +
                    verb(mistake.later) + " " + std::to_string(mistake.bytes) +
                    " bytes of memory at " + hexadecimal(mistake.address) + " that " +
                    thread_of(earlier) + " wrote by another address, " +
                    hexadecimal(mistake.earlier_address) + ", and not both accesses are volatile.",
                {}};
  std::vector<Fact>& facts = report.facts;
  facts.push_back({"address", hexadecimal(mistake.address)});
  facts.push_back({"bytes", uint64_t{mistake.bytes}});
  add_facts(facts, later, false);
  facts.push_back({"earlier address", hexadecimal(mistake.earlier_address)});
  add_facts(facts, earlier, true);
  add_launch(report, kernel);
  add_facts(facts, locate(device::Machine::get().memory(), mistake.address), mistake.address);
  return report;
}

void KernelMistakeObserver::kernel_watched(const device::Stream& stream, uint64_t number,
                                           const device::Operation& operation,
                                           const device::KernelCall& call,
                                           const watch::KernelWatch& watch) {
  const LaunchedKernel kernel{stream, number, operation, call};
  for (const MeetingMistake& mistake : watch.meetings().mistakes()) {
    Report report = meeting_report(kernel, mistake);
    const Accessor at{mistake.block, mistake.thread, {mistake.location, 0}};
    // A loop of shuffles that the compiler has unrolled is many instructions.
    const void* const place =
        has_source(mistake.kind) ? place_of(kernel, at, at) : place_of(kernel, mistake.location);
    if (!is_absence(mistake.kind)) {
      write(report, place);
      continue;
    }
    Absence absence{std::move(report), place, {}};
    std::ranges::copy(in_kernel(kernel, {mistake.block, mistake.thread, {}}).block, absence.block);
    MutexLock lock(mutex_);
    absences_[{stream.id(), number}].push_back(std::move(absence));
  }
  if (!checks(Check::aliases)) return;
  for (const watch::AliasMistake& mistake : watch.aliases().mistakes())
    if (reporter().admit(ReportId::alias_access, place_of(kernel, mistake.earlier, mistake.later)))
      reporter().write(alias_report(kernel, mistake));
}

std::vector<KernelMistakeObserver::Absence> KernelMistakeObserver::take(
    const device::Stream& stream, uint64_t number) {
  MutexLock lock(mutex_);
  auto node = absences_.extract({stream.id(), number});
  return node ? std::move(node.mapped()) : std::vector<Absence>();
}

// The fault ends all threads of its block that were still on the way. Where all wait at barriers,
// their absence is why.
void KernelMistakeObserver::kernel_faulted(const device::Stream& stream, uint64_t number,
                                           const device::Operation&, const exec::GridFault& fault) {
  for (const Absence& absence : take(stream, number))
    if (fault.kind == exec::GridFault::Kind::stuck ||
        !std::ranges::equal(absence.block, fault.block))
      write(absence.report, absence.place);
}

void KernelMistakeObserver::completed(const device::Stream& stream, uint64_t number,
                                      const device::Operation&) {
  for (const Absence& absence : take(stream, number)) write(absence.report, absence.place);
}

}  // namespace cuvette::check
