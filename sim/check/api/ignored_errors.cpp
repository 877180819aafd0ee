// SPDX-License-Identifier: Apache-2.0
#include "sim/check/api/ignored_errors.hpp"

#include <utility>

#include "sim/base/refusal.hpp"
#include "sim/callsite/call_stack.hpp"
#include "sim/callsite/host_code.hpp"
#include "sim/callsite/symbol.hpp"
#include "sim/check/report/instruments.hpp"
#include "sim/check/report/report.hpp"
#include "sim/device/kernel/kernel_launch.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/stream.hpp"
#include "sim/device/stream/thread.hpp"

namespace cuvette::check {

namespace {

// Whether a program may well not mind that error: it asks for what may be missing, or for what is
// so already.
bool is_an_answer(Error error) {
  return error == Error::not_ready || error == Error::not_supported ||
         error == Error::peer_access_already_enabled || error == Error::peer_access_not_enabled ||
         error == Error::host_memory_already_registered ||
         error == Error::host_memory_not_registered;
}

// The call of this thread that another report was made of last.
[[gnu::tls_model("initial-exec")]] thread_local constinit const void* reported_at = nullptr;

struct Ignored {
  Error error;
  const void* place;
  std::string start;
  const char* end;
  const char* why = nullptr;
  std::string name = {};  // of the error; empty: the driver's
};

void report_ignored(const Ignored& call) {
  if (!reporter().admit(ReportId::ignored_error, call.place)) return;
  const char* const name = name_of(call.error);
  const std::string error = !call.name.empty() ? call.name
                            : name             ? name
                                   : "error " + std::to_string(static_cast<int>(call.error));
  Report report{ReportId::ignored_error, call.start + error + call.end, {}};
  if (call.start.starts_with("cudaLaunchKernel"))
    report.advice =
        "Call cudaGetLastError() after the launch and check its result: a launch by <<<>>> has no "
        "other.";
  report.facts.push_back({"error", error});
  if (call.why) report.facts.push_back({"why", call.why});
  report.facts.push_back({"called at", callsite::describe_call(call.place)});
  reporter().write(report);
}

}  // namespace

IgnoredErrors* IgnoredErrors::get() { return instrument<IgnoredErrors>(); }

void IgnoredErrors::broke(const device::Stream& stream, std::string command, const void* place) {
  MutexLock lock(mutex_);
  broken_.try_emplace(stream.context().generation(), Broken{std::move(command), place});
}

void IgnoredErrors::faulted(const device::Stream& stream, uint64_t,
                            const device::Operation& operation, const os::MemoryFault&) {
  broke(stream, device::describe(operation), operation.call_site);
}

void IgnoredErrors::kernel_faulted(const device::Stream& stream, uint64_t,
                                   const device::Operation& operation, const exec::GridFault&) {
  broke(stream, device::describe(operation), operation.call_site);
}

bool IgnoredErrors::thrown_away(const void* place) {
  const void* const caller = callsite::caller_of(place);
  // A library that is not a part of the program, and that it calls, deals with results in its own
  // way.
  if (caller != callsite::stack_of(place).front()) return false;
  {
    MutexLock lock(mutex_);
    if (const auto known = thrown_.find(caller); known != thrown_.end()) return known->second;
  }
  const bool thrown = callsite::throws_result_away(caller);
  MutexLock lock(mutex_);
  return thrown_.emplace(caller, thrown).first->second;
}

void IgnoredErrors::failed(const FailedCall& call) {
  if (is_an_answer(call.error)) return;
  device::Thread& thread = device::Thread::current();
  const void* const place = thread.call_site;
  const device::Context* const context = thread.context();
  if (context && context->returned_error() == call.error) {
    const bool thrown = thrown_away(place);
    MutexLock lock(mutex_);
    const auto broken = broken_.find(context->generation());
    if (broken == broken_.end()) return;
    if (thrown) {
      ++broken->second.thrown_away;
      broken->second.last_call = place;
    } else {
      broken->second.told = true;
    }
    return;
  }
  if (call.reported) {
    reported_at = place;
    return;
  }
  if (call.by_runtime || !thrown_away(place)) return;
  const std::string function = callsite::function_at(call.entry);
  report_ignored({call.error, place, function + " fails with ",
                  ", and the program does not check its result.", call.sentence});
}

void IgnoredErrors::runtime_failed(FailedRuntimeCall call) {
  if (is_an_answer(call.error) || std::exchange(reported_at, nullptr) == call.place) return;
  const device::Context* const context = device::Thread::current().context();
  if (context && context->error()) return;  // failed() has seen it
  if (!call.unseen && !thrown_away(call.place)) return;
  MutexLock lock(mutex_);
  std::vector<FailedRuntimeCall>& kept = kept_[std::this_thread::get_id()];
  // A loop that fails each time is one mistake.
  if (kept.empty() || kept.back().place != call.place) kept.push_back(std::move(call));
}

void IgnoredErrors::runtime_is_asked() {
  MutexLock lock(mutex_);
  kept_.erase(std::this_thread::get_id());
  for (auto& [context, broken] : broken_)
    if (broken.thrown_away != 0) broken.told = true;
}

void IgnoredErrors::report(const Broken& broken, const char* end) {
  if (broken.told || !reporter().admit(ReportId::sticky_error_ignored, broken.place)) return;
  std::string sentence = "The " + broken.command +
                         " failed and put its context into an error state, and the program did not "
                         "notice before the " +
                         end + " ended: ";
  if (broken.thrown_away == 0)
    sentence += "it made no later call that would have returned the error.";
  else
    sentence += "it ignored the results of " + std::to_string(broken.thrown_away) +
                (broken.thrown_away == 1 ? " later call." : " later calls.");
  Report report{ReportId::sticky_error_ignored, std::move(sentence), {}};
  report.facts.push_back({"command", broken.command});
  report.facts.push_back({"submitted at", callsite::describe_call(broken.place)});
  report.facts.push_back({"ignored results", broken.thrown_away});
  if (broken.last_call)
    report.facts.push_back({"last ignored at", callsite::describe_call(broken.last_call)});
  reporter().write(report);
}

void IgnoredErrors::context_ending(const device::Context& context) {
  Broken broken;
  {
    MutexLock lock(mutex_);
    const auto found = broken_.find(context.generation());
    if (found == broken_.end()) return;
    broken = std::move(found->second);
    broken_.erase(found);
  }
  report(broken, "context");
}

void IgnoredErrors::process_ends(int status) {
  std::unordered_map<uint64_t, Broken> left;
  std::unordered_map<std::thread::id, std::vector<FailedRuntimeCall>> kept;
  {
    MutexLock lock(mutex_);
    left.swap(broken_);
    kept.swap(kept_);
  }
  for (const auto& [thread, calls] : kept)
    for (const FailedRuntimeCall& call : calls)
      report_ignored(
          {call.error, call.place,
           (call.function.empty() ? "A CUDA runtime call" : call.function) + " fails with ",
           ", and the program checks neither its result nor the last error.",
           call.why.empty() ? nullptr : call.why.c_str(), call.name});
  // A process that fails may have noticed by other ways; it has not if it threw the error away.
  for (const auto& [context, broken] : left)
    if (status == 0 || broken.thrown_away != 0) report(broken, "process");
}

}  // namespace cuvette::check
