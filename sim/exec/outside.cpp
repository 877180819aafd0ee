// SPDX-License-Identifier: Apache-2.0
#include "sim/exec/outside.hpp"

#include <thread>

#include "sim/exec/scheduler.hpp"
#include "sim/exec/spinner.hpp"

namespace cuvette::exec {

void wait_for_outside(const Ref<Polled>& polled, Patience patience) {
  if (Scheduler* const scheduler = Scheduler::get()) [[unlikely]]
    return scheduler->wait_for_outside(*polled);
  Spinner spinner(patience == Patience::block ? Spinner::brief : Spinner::usual);
  while (!polled->look()) {
    if (spinner.spin()) continue;
    if (!Oversubscription::seen()) {
      if (patience == Patience::spin) continue;
      if (patience == Patience::yield) {
        std::this_thread::yield();
        continue;
      }
    }
    Poller::get().watch(polled);
    sleep_until(*polled, 1);
    return;
  }
}

}  // namespace cuvette::exec
