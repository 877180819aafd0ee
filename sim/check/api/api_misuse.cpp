// SPDX-License-Identifier: Apache-2.0
#include "sim/check/api/api_misuse.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include "sim/callsite/symbol.hpp"
#include "sim/check/order/access_words.hpp"
#include "sim/check/report/allocation_facts.hpp"
#include "sim/check/report/instruments.hpp"
#include "sim/check/report/report.hpp"
#include "sim/device/graph/graph_memory.hpp"
#include "sim/device/machine/machine.hpp"
#include "sim/device/stream/context.hpp"
#include "sim/device/stream/thread.hpp"
#include "sim/memory/virtual_memory.hpp"

namespace cuvette::check {

using memory::Allocation;
using memory::AllocationKind;

namespace {

constexpr size_t most_ended = 4096;

Report report_of(ReportId id, std::string sentence, const char* what, uint64_t number,
                 const std::string& function) {
  Report report{id, std::move(sentence), {}};
  report.facts.push_back({what, hexadecimal(number)});
  report.facts.push_back({"function", function});
  report.facts.push_back(
      {"called at", callsite::describe_call(device::Thread::current().call_site)});
  return report;
}

}  // namespace

bool ends(const std::string& function) {
  constexpr std::array<std::string_view, 6> words = {"Destroy", "Free",       "Unload",
                                                     "Release", "Unregister", "Unmap"};
  for (const std::string_view word : words)
    if (function.find(word) != std::string::npos) return true;
  return false;
}

bool unloads_code(const std::string& function) {
  return function.find("Unload") != std::string::npos ||
         function.find("UnregisterFatBinary") != std::string::npos;
}

ApiMisuse* ApiMisuse::get() { return instrument<ApiMisuse>(); }

void ApiMisuse::freed(const Allocation& memory) { freed_.add(memory::record_of(memory)); }

void ApiMisuse::context_ending(const device::Context& context) {
  const auto all = device::Machine::get().memory().all();
  MutexLock lock(mutex_);
  if (ended_with_contexts_.size() > most_ended) ended_with_contexts_.clear();
  for (const Ref<Allocation>& one : all)
    if (one->owner == context.generation()) {
      uint64_t& end = ended_with_contexts_[one->address];
      end = std::max(end, one->end());
    }
}

bool ApiMisuse::ended_with_context(uint64_t address) const {
  MutexLock lock(mutex_);
  const auto after = ended_with_contexts_.upper_bound(address);
  return after != ended_with_contexts_.begin() && address < std::prev(after)->second;
}

void ApiMisuse::handle_ended(uint64_t handle) {
  MutexLock lock(mutex_);
  if (!ended_.insert_or_assign(handle, device::Thread::current().call_site).second) return;
  order_.push_back(handle);
  if (order_.size() <= most_ended) return;
  ended_.erase(order_.front());
  order_.pop_front();
}

bool ApiMisuse::refused(const RefusedHandle& handle, const std::string& function) {
  const bool again = handle.ended && ends(function);
  // Of a stream or a module nothing is freed.
  const std::string_view wanted = handle.wanted;
  const bool is_memory = wanted.ends_with("array") || wanted.ends_with("physical memory");
  const ReportId id = again && is_memory ? ReportId::double_free
                      : handle.ended     ? ReportId::stale_handle
                                         : ReportId::wrong_handle;
  if (!reporter().admit(id, device::Thread::current().call_site)) return true;
  std::string sentence = function + " is given " + hexadecimal(handle.number);
  const Ref<Allocation> memory = device::Machine::get().memory().find(handle.number);
  if (again)
    sentence += ", " + with_article(handle.wanted) + " that was already destroyed.";
  else if (handle.ended)
    sentence += ", " + with_article(handle.wanted) + " that was destroyed.";
  else if (handle.is)
    sentence +=
        ", which is " + with_article(handle.is) + " and not " + with_article(handle.wanted) + ".";
  else if (memory)
    sentence += ", which is an address of " + std::string(name(memory->kind)) + " and not " +
                with_article(handle.wanted) + ".";
  else
    sentence += ", which was never " + with_article(handle.wanted) + ".";
  Report report = report_of(id, std::move(sentence), "handle", handle.number, function);
  if (again)
    report.advice = "Destroy it on one path only: " + function +
                    " was called for it before; forget the handle when it is destroyed.";
  else if (!handle.ended && !handle.is && !memory)
    report.advice =
        "Look where the handle comes from: a variable that was never set, a failed call "
        "whose result was not checked, or a handle of another API.";
  if (handle.ended) {
    MutexLock lock(mutex_);
    if (const auto where = ended_.find(handle.number); where != ended_.end())
      report.facts.push_back({"destroyed at", callsite::describe_call(where->second)});
  }
  reporter().write(report);
  return true;
}

bool ApiMisuse::refused(const RefusedAddress& refused, const std::string& function) {
  const uint64_t address = refused.address;
  Located located{Located::How::living, device::Machine::get().memory().find(address)};
  if (!located.allocation) located = {Located::How::freed, freed_.find(address)};
  const Allocation* const memory = located.allocation.get();
  const bool of_graph = memory && memory->graph_life.load() != memory::GraphLife::none;
  const device::GraphMemory::Freed freed =
      of_graph ? device::GraphMemory::freed(address) : device::GraphMemory::Freed{};
  const bool again = memory && memory->address == address &&
                     (located.how == Located::How::freed || freed.was_in_use);
  // It is refused for something else.
  if (!again && located.how == Located::How::living && memory && memory->address == address &&
      (memory->kind == refused.wanted || of_graph))
    return false;
  if (!memory && ended_with_context(address)) return false;
  // Asking whether memory is registered by unregistering it is common, and harmless.
  if (!memory && refused.wanted == AllocationKind::registered) return false;
  const ReportId id = again ? ReportId::double_free : ReportId::wrong_handle;
  if (!reporter().admit(id, device::Thread::current().call_site)) return true;
  std::string sentence = function + " is given " + hexadecimal(address);
  std::string advice;
  if (again) {
    sentence += ", which was " + std::string(name(*memory)) + " and is already freed.";
  } else if (!memory) {
    sentence += ", which no CUDA call returned.";
    advice =
        "Free it with the counterpart of what allocated it: free() or delete, if it is the "
        "program's own memory.";
  } else if (located.how == Located::How::freed) {
    sentence += ", which is inside " + std::string(name(memory->kind)) + " that was freed.";
    advice =
        "Keep the address that the allocation returned, free that alone, and forget pointers into "
        "the memory then.";
  } else if (memory->address != address) {
    sentence += ", which is inside " + std::string(name(memory->kind)) + ", but not at its start.";
    advice = "Keep the address that the allocation returned, and free that.";
  } else {
    sentence += ", which is " + std::string(name(memory->kind)) + ".";
    advice = std::string("Free such memory with ") + freed_with(memory->kind) + ".";
  }
  Report report = report_of(id, std::move(sentence), "address", address, function);
  report.advice = std::move(advice);
  if (memory) {
    add_facts(report.facts, located, address);
    add_free(report.facts, freed.at);
  }
  reporter().write(report);
  return true;
}

void ApiMisuse::passed(const RefusedAddress& address, const std::string& function) {
  const Ref<Allocation> memory = freed_.find(address.address);
  if (memory && memory->address == address.address && memory->kind == address.wanted)
    refused(address, function);
}

}  // namespace cuvette::check
