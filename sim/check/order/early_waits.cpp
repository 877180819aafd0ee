// SPDX-License-Identifier: Apache-2.0
#include "sim/check/order/early_waits.hpp"

#include "sim/callsite/symbol.hpp"

namespace cuvette::check {

EarlyWaits& EarlyWaits::get() {
  static EarlyWaits* const instance = new EarlyWaits;
  return *instance;
}

void EarlyWaits::note(uint64_t stream, uint64_t event, const void* place) {
  MutexLock lock(mutex_);
  std::vector<Wait>& waits = waits_[stream];
  std::erase_if(waits, [&](const Wait& one) { return one.event == event; });
  if (waits.size() == most) waits.erase(waits.begin());
  waits.push_back({event, place});
  recorded_[event].reset();
}

void EarlyWaits::recorded(uint64_t event, uint64_t stream) {
  MutexLock lock(mutex_);
  if (const auto found = recorded_.find(event); found != recorded_.end()) found->second = stream;
}

std::string EarlyWaits::last(uint64_t stream, uint64_t other) {
  const void* place = nullptr;
  {
    MutexLock lock(mutex_);
    const auto waits = waits_.find(stream);
    if (waits == waits_.end()) return "";
    for (const Wait& one : waits->second)
      if (recorded_[one.event].value_or(other) == other) place = one.place;
  }
  return place ? callsite::describe_call(place) : "";
}

}  // namespace cuvette::check
