// SPDX-License-Identifier: Apache-2.0
// The results that a library which calls the driver for the program declares for its own calls
// (cuvetteCallSite.h), for the API check.
//
// Threads: any; each says it of the calls that it makes.
#pragma once

namespace cuvette::driver::detail {

// The call that the thread's slot names fails with `error`, which the library keeps. `unseen`: the
// program gets no result of it.
void runtime_fails(int error, int unseen);
// The program has asked for the error that is kept.
void runtime_is_asked();

}  // namespace cuvette::driver::detail
