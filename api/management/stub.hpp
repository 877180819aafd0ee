// SPDX-License-Identifier: Apache-2.0
// The result of an exported function without a body. Any thread may call these.
#pragma once

namespace cuvette::management {

// The kind of a function's first parameter.
enum class First { device, other };

// Answers as neighbouring functions do if the library is not in use, or if the first parameter
// should be a device and is none; otherwise NVML_ERROR_NOT_SUPPORTED.
int lack(First first, const void* parameter) noexcept;

// The same, and reports on stderr, once for each name in a process, what is not supported and why.
int refuse(const char* name, const char* reason, First first, const void* parameter) noexcept;

}  // namespace cuvette::management
