// SPDX-License-Identifier: Apache-2.0
// Hand-written entries for kernels without frames.
#pragma once

#include "sim/ptx/abi/abi.hpp"

namespace cuvette::exec {

// Calls `one_block` for each block of the row, as compiled code does.
template <ptx::KernelEntry* one_block>
uint32_t row_of(ptx::BlockContext* context, uint32_t first, uint32_t end) {
  for (uint32_t left = context->row_blocks;;) {
    const uint32_t status = one_block(context, first, end);
    if (status != static_cast<uint32_t>(ptx::Status::finished) || --left == 0) return status;
    ++context->ctaid[0];
    context->smid = (context->smid + 1) % context->nsmid;
  }
}

}  // namespace cuvette::exec
