// SPDX-License-Identifier: Apache-2.0
// The functions that compiled code calls.
//
// Threads: any that run blocks.
#pragma once

#include "sim/ptx/abi/abi.hpp"

namespace cuvette::device {

const ptx::Helpers& kernel_helpers();

}  // namespace cuvette::device
