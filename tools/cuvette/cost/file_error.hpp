// SPDX-License-Identifier: Apache-2.0
// CostFileError: a sentence about a file that cannot be used.
#pragma once

#include <stdexcept>

namespace cuvette::tools {

struct CostFileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace cuvette::tools
