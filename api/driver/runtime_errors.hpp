// SPDX-License-Identifier: Apache-2.0
// What a library that calls the driver for the program says of its own calls (cuvetteCallSite.h),
// for the check of the API.
//
// Threads: any; each says it of its own calls.
#pragma once

namespace cuvette::driver::detail {

// The call that the thread's slot names fails with `error`, which the library keeps. `unseen`: the
// program gets no result of it.
void runtime_fails(int error, int unseen);
// The program has asked for the error that is kept.
void runtime_is_asked();

}  // namespace cuvette::driver::detail
