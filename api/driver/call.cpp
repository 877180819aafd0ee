// SPDX-License-Identifier: Apache-2.0
#include "api/driver/call.hpp"

#include <utility>

#include "api/driver/refusal_log.hpp"
#include "api/driver/refused_argument.hpp"
#include "api/driver/runtime_errors.hpp"
#include "sim/base/refusal.hpp"
#include "sim/callsite/call_stack.hpp"
#include "sim/callsite/symbol.hpp"
#include "sim/check/api/ignored_errors.hpp"
#include "sim/check/report/report_frames.hpp"
#include "sim/os/output.hpp"
#include "sim/record/recorder.hpp"

namespace cuvette::driver {

using device::Machine;
using device::Thread;

int check_initialised() noexcept {
  switch (Machine::state()) {
    case Machine::State::not_started:
    case Machine::State::forked:
      return static_cast<int>(Error::not_initialized);
    case Machine::State::exiting:
      detail::tell_too_late(__builtin_return_address(0));
      return static_cast<int>(Error::deinitialized);
    case Machine::State::running:
      break;
  }
  switch (Thread::current().barred()) {
    case Thread::Barred::no:
      break;
    case Thread::Barred::in_host_function:
    case Thread::Barred::in_destructor:
      // "Host functions must not make any CUDA API calls."
      return static_cast<int>(Error::not_permitted);
    case Thread::Barred::small_stack:
      return static_cast<int>(Error::out_of_memory);
  }
  return 0;
}

Result<device::Context*> usable_context() {
  device::Context* context = Thread::current().context();
  if (!context)
    return refuse(Error::invalid_context,
                  "No context is current in this thread: call cuCtxSetCurrent first.");
  if (!context->alive()) return Error::context_is_destroyed;
  if (auto error = context->returned_error()) return *error;
  return context;
}

int check_context() noexcept {
  const auto context = usable_context();
  return context.ok() ? 0 : static_cast<int>(context.error());
}

const void* call_site() { return Thread::current().call_site; }

namespace detail {
namespace {

// The last call's entry point, for the log and for explanations.
[[gnu::tls_model("initial-exec")]] thread_local constinit const void* entered_at = nullptr;

// Not a member of Thread: libraries use it in destructors of threads, when that is gone.
[[gnu::tls_model("initial-exec")]] thread_local constinit const void* on_behalf_of = nullptr;
// The same, for the call that was refused last.
[[gnu::tls_model("initial-exec")]] thread_local constinit const void* refused_for = nullptr;

}  // namespace

const void** on_behalf_of_slot() { return &on_behalf_of; }

record_format::Call* enter(const void* return_address) {
  Thread& thread = Thread::current();
  if (on_behalf_of)
    thread.call_site = on_behalf_of;
  else if (!thread.per_thread_default_stream)
    thread.call_site = return_address;
  if (keeps_sentences()) [[unlikely]] {
    forget_refusal();
    forget_refused();
    if (on_behalf_of || !thread.per_thread_default_stream)
      thread.call_site = callsite::place_of_call(thread.call_site);
  }
  // enter() is called from within the entry point itself.
  entered_at = __builtin_return_address(0);
  record::Recorder* const recorder = record::recorder();
  if (!recorder) [[likely]]
    return nullptr;
  return recorder->begin_call(recorder->function(entered_at), recorder->place(thread.call_site));
}

void leave(record_format::Call* recorded, int result) {
  if (record::Recorder* const recorder = record::recorder()) recorder->end_call(recorded, result);
}

std::string called_function(const void* entry) {
  if (on_behalf_of)
    if (std::string name = callsite::runtime_function(); !name.empty()) return name;
  return callsite::function_at(entry);
}

void tell_refusal(int error) {
  const auto refused = static_cast<Error>(error);
  if (refused == Error::not_ready) return;
  const char* const sentence = keeps_sentences() ? refusal_of(refused) : nullptr;
  log_refusal(entered_at, refused, sentence);
  refused_for = on_behalf_of;
  if (check::IgnoredErrors* const errors = check::IgnoredErrors::get()) {
    const bool reported = tell_refused(entered_at, refused);
    errors->failed({entered_at, refused, sentence, on_behalf_of != nullptr, reported});
  }
  if (!sentence || !explains()) return;
  std::string function = callsite::function_at(entered_at);
  if (const std::string called = called_function(entered_at); called != function)
    function += ", for " + called;
  // The place is named in the sentence, its callers below it, as in reports.
  const std::string stack = callsite::describe_call(Thread::current().call_site);
  const std::string lines = check::frames_on_lines(stack, "    ");
  const std::string place = lines.substr(0, lines.find('\n'));
  os::say("%s, called at %s, is refused with %s: %s%s", function.c_str(), place.c_str(),
          name_of(refused), sentence, lines.c_str() + place.size());
}

const void* entry_point() { return entered_at; }

void runtime_fails_as(int error, int unseen, const char* name) {
  check::IgnoredErrors* const errors = check::IgnoredErrors::get();
  if (!errors) return;
  const auto failed = static_cast<Error>(error);
  // The driver's last refusal counts only if it was for this call, and only once.
  const char* const why =
      std::exchange(refused_for, nullptr) == on_behalf_of ? refusal_of(failed) : nullptr;
  errors->runtime_failed({failed, callsite::place_of_call(on_behalf_of), unseen != 0,
                          callsite::runtime_function(), name ? name : "", why ? why : ""});
}

void runtime_fails(int error, int unseen) { runtime_fails_as(error, unseen, nullptr); }

void* runtime_begins() {
  record::Recorder* const recorder = record::start();
  if (!recorder) return nullptr;
  return recorder->begin_call(recorder->function(__builtin_return_address(0)),
                              recorder->place(callsite::place_of_call(on_behalf_of)));
}

void runtime_ends(void* call, int result) {
  leave(static_cast<record_format::Call*>(call), result);
}

void runtime_is_asked() {
  if (check::IgnoredErrors* const errors = check::IgnoredErrors::get()) errors->runtime_is_asked();
}

}  // namespace detail

void PerThreadDefaultStream::begin(const void* return_address) {
  Thread& thread = Thread::current();
  thread.per_thread_default_stream = true;
  thread.call_site = callsite::place_of_call(return_address);
}

PerThreadDefaultStream::~PerThreadDefaultStream() {
  Thread::current().per_thread_default_stream = false;
}

}  // namespace cuvette::driver
