// SPDX-License-Identifier: Apache-2.0
// The limit of registers for all kernels of a text, as -maxrregcount and CU_JIT_MAX_REGISTERS set
// it.
//
// Threads: plain functions.
#pragma once

#include <cstdint>
#include <string>

namespace cuvette::ptx {

// Returns `text` with .maxnreg for each kernel that sets no bounds itself; 0 means no limit. A text
// that is not PTX is returned as it is.
std::string limit_registers(std::string text, uint32_t most);

}  // namespace cuvette::ptx
