// SPDX-License-Identifier: Apache-2.0
#include "sim/device/machine/misuse.hpp"

#include <utility>

#include "sim/callsite/symbol.hpp"
#include "sim/device/machine/machine.hpp"

namespace cuvette::device {

void notify_misuse(MisuseKind kind, const memory::Lender& lender, const void* place,
                   std::string sentence) {
  Misuse misuse{kind, place, std::move(sentence), {}};
  misuse.facts.emplace_back("resource", lender.describe());
  misuse.facts.emplace_back("registered at", callsite::describe_call(lender.registered_at));
  if (const void* mapped_at = lender.mapped_at.load(std::memory_order_relaxed))
    misuse.facts.emplace_back("mapped at", callsite::describe_call(mapped_at));
  // At the end of the process no call has found it.
  if (place != lender.registered_at)
    misuse.facts.emplace_back("found at", callsite::describe_call(place));
  Machine::get().observers().notify(&Observer::misused, misuse);
}

void notify_thread_ended(const void* place) {
  Misuse misuse{MisuseKind::host_thread_ended,
                place,
                "A host function ended the thread that called it, by pthread_exit or a "
                "cancellation, instead of returning; it counts as done, and a new thread calls the "
                "others.",
                {}};
  misuse.facts.emplace_back("asked for at", callsite::describe_call(place));
  Machine::get().observers().notify(&Observer::misused, misuse);
}

}  // namespace cuvette::device
