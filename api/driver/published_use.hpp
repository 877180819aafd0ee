// SPDX-License-Identifier: Apache-2.0
// What this process uses of its devices, for readers of the register (sim/processes).
//
// From the first context on, a thread sleeps until a reader asks, and writes it then. Nothing else
// is ever done for readers, so the program pays nothing while there are none.
//
// Threads: any.
#pragma once

namespace cuvette::driver {

// Enters this process into the register, once the machine is up. Calls after the first do nothing.
void publish_use();

}  // namespace cuvette::driver
