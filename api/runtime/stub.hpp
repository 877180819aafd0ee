// SPDX-License-Identifier: Apache-2.0
// The result of an exported function without a body. Any thread may call it.
#pragma once

namespace cuvette::runtime {

// Reports on stderr, once for each name in a process, what is not supported and why. Returns
// cudaErrorNotSupported, which becomes the thread's last error.
int refuse(const char* name, const char* reason) noexcept;

}  // namespace cuvette::runtime
