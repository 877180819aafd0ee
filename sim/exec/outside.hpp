// SPDX-License-Identifier: Apache-2.0
// A host thread that waits for what another process does.
//
// Threads: any.
#pragma once

#include "sim/exec/poller.hpp"
#include "sim/exec/serial_queue.hpp"
#include "sim/ref.hpp"

namespace cuvette::exec {

// Returns when `polled`, which nobody watches yet, has come. The thread looks itself for as long as
// it has the patience, and leaves that to the poller then; the poller has been started. Under a
// schedule it does meanwhile what is to be done here, because the other process may wait for that.
void wait_for_outside(const Ref<Polled>& polled, Patience patience);

}  // namespace cuvette::exec
