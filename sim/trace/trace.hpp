// SPDX-License-Identifier: Apache-2.0
// What writes down what the machine does, for somebody to look at.
//
// Threads: any.
#pragma once

namespace cuvette::trace {

// Starts to write what the knobs ask for. The machine is running; the first call does it, the
// others do nothing.
void attach();

}  // namespace cuvette::trace
