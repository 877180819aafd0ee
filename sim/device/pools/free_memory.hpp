// SPDX-License-Identifier: Apache-2.0
// Frees memory of any kind that the program has an address of: which call may free which, and what
// it waits for.
//
// Threads: any.
#pragma once

#include "sim/base/error.hpp"
#include "sim/base/ref.hpp"
#include "sim/memory/allocation.hpp"

namespace cuvette::device {

class Stream;

// Frees memory as cuMemFree does, which first waits for the work of the context that owns it, of
// the thread's own context and of all that use it. Errors: invalid_value, with a sentence that
// names the right call, for memory that another call frees; an error of the thread's context that
// the work ended with.
Result<> free_as_device(const Ref<memory::Allocation>& memory);

// Frees memory as cuMemFreeAsync does, in the stream's order. Errors: invalid_value for memory that
// another call frees; not_supported for what cuMemFree alone frees.
Result<> free_in_stream(const Ref<memory::Allocation>& memory, Stream& stream,
                        const void* call_site);

// Frees pinned, managed or registered host memory when no work uses it any more.
Result<> free_as_host(const Ref<memory::Allocation>& memory);

}  // namespace cuvette::device
