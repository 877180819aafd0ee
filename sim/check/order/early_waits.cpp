// SPDX-License-Identifier: Apache-2.0
#include "sim/check/order/early_waits.hpp"

#include "sim/callsite/symbol.hpp"

namespace cuvette::check {

EarlyWaits& EarlyWaits::get() {
  static EarlyWaits* const instance = new EarlyWaits;
  return *instance;
}

void EarlyWaits::note(uint64_t stream, const void* place) {
  MutexLock lock(mutex_);
  places_[stream] = place;
}

std::string EarlyWaits::last(uint64_t stream) {
  const void* place = nullptr;
  {
    MutexLock lock(mutex_);
    const auto found = places_.find(stream);
    if (found == places_.end()) return "";
    place = found->second;
  }
  return callsite::describe_call(place);
}

}  // namespace cuvette::check
