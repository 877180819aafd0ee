// SPDX-License-Identifier: Apache-2.0
// A column of the table of exported functions: what a stub checks before it refuses.
//
// Threads: plain values.
#pragma once

namespace cuvette::driver {

// The state that a function needs before it looks at its arguments.
enum class StubNeeds { nothing, initialisation, context };

}  // namespace cuvette::driver
