// SPDX-License-Identifier: Apache-2.0
// The answers of cuFuncGetParamInfo and cuKernelGetParamInfo.
//
// Threads: any.
#pragma once

#include <cstddef>

#include "sim/base/error.hpp"
#include "sim/ptx/program/program.hpp"

namespace cuvette::driver {

// Errors: invalid_value past the last parameter. `size` may be null.
inline Result<> tell_parameter(const ptx::ParameterLayout& layout, size_t index, size_t* offset,
                               size_t* size) {
  if (index >= layout.parameters.size())
    return refuse(Error::invalid_value,
                  "The kernel has %zu parameters, counted from 0: there is no parameter %zu.",
                  layout.parameters.size(), index);
  *offset = layout.parameters[index].offset;
  if (size) *size = layout.parameters[index].bytes;
  return {};
}

}  // namespace cuvette::driver
