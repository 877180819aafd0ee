// SPDX-License-Identifier: Apache-2.0
// How a host thread waits for what another process does.
//
// Threads: any.
#pragma once

#include "sim/base/ref.hpp"
#include "sim/exec/poller.hpp"
#include "sim/exec/serial_queue.hpp"

namespace cuvette::exec {

// Returns when `polled`, which is not watched yet, has been reached. The calling thread looks for
// as long as `patience` says, then leaves that to the poller, which must have been started. Under a
// schedule it runs this process's work while it waits, because the other process may wait for that.
void wait_for_outside(const Ref<Polled>& polled, Patience patience);

}  // namespace cuvette::exec
