// SPDX-License-Identifier: Apache-2.0
// Writes down what the machine does, for people to read.
//
// Threads: any.
#pragma once

namespace cuvette::check::log {

// Starts to write what the knobs ask for. The machine must be running. Calls after the first do
// nothing.
void attach();

}  // namespace cuvette::check::log
