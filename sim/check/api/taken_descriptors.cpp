// SPDX-License-Identifier: Apache-2.0
#include "sim/check/api/taken_descriptors.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/callsite/symbol.hpp"
#include "sim/check/report/instruments.hpp"
#include "sim/device/stream/thread.hpp"
#include "sim/os/placeholder_fd.hpp"

namespace cuvette::check {
namespace {

// More would be felt by a program that is near its limit of open files.
constexpr size_t most_taken = 64;

}  // namespace

TakenDescriptors* TakenDescriptors::get() { return instrument<TakenDescriptors>(); }

void TakenDescriptors::report_closed(const Taken& one) {
  if (!reporter().admit(ReportId::closed_descriptor, one.place)) return;
  const bool in_use = os::identity_of_fd(one.number).inode != 0;
  Report report{ReportId::closed_descriptor,
                "The program has closed file descriptor " + std::to_string(one.number) +
                    ", which CUDA has taken over by importing it" +
                    (in_use ? "; something else has the number now." : "."),
                {}};
  report.facts.push_back({"descriptor", static_cast<uint64_t>(one.number)});
  report.facts.push_back({"imported at", callsite::describe_call(one.place)});
  reporter().write(report);
}

void TakenDescriptors::given(int number) {
  look();
  Taken again{};
  {
    MutexLock lock(mutex_);
    const auto found = std::ranges::find(taken_, number, &Taken::number);
    if (found == taken_.end()) return;
    again = *found;
    taken_.erase(found);
  }
  os::close_fd(number);  // as it is without this check
  const void* const place = device::Thread::current().call_site;
  if (!reporter().admit(ReportId::closed_descriptor, place)) return;
  Report report{ReportId::closed_descriptor,
                "The program imports file descriptor " + std::to_string(number) +
                    ", which CUDA has taken over before: it is no descriptor of the program's.",
                {},
                "Get a descriptor from the exporter for each import, or call dup() before the "
                "first one."};
  report.facts.push_back({"descriptor", static_cast<uint64_t>(number)});
  report.facts.push_back({"imported again at", callsite::describe_call(place)});
  report.facts.push_back({"imported at", callsite::describe_call(again.place)});
  reporter().write(report);
}

void TakenDescriptors::taken(int number) {
  const os::Segment::Identity file = os::place_file_on(number);
  if (file.inode == 0) return;
  Taken oldest{-1, {}, nullptr};
  {
    MutexLock lock(mutex_);
    taken_.push_back({number, file, device::Thread::current().call_site});
    if (taken_.size() > most_taken) {
      oldest = taken_.front();
      taken_.pop_front();
    }
  }
  if (oldest.number < 0) return;
  if (oldest.is_there())
    os::close_fd(oldest.number);
  else
    report_closed(oldest);
}

void TakenDescriptors::look() {
  std::vector<Taken> closed;
  {
    MutexLock lock(mutex_);
    std::erase_if(taken_, [&](const Taken& one) {
      if (one.is_there()) return false;
      closed.push_back(one);
      return true;
    });
  }
  for (const Taken& one : closed) report_closed(one);
}

}  // namespace cuvette::check
