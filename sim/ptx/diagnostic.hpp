// SPDX-License-Identifier: Apache-2.0
// What is wrong with a program's PTX, for the error and information logs of cuModuleLoadDataEx.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/error.hpp"

namespace cuvette::ptx {

struct Diagnostic {
  Error error = Error::invalid_ptx;
  uint32_t line = 0;  // from 1; 0 where no line is to blame
  std::string token;  // what stands there
  std::string message;

  // "line 12, at 'addd.f32': there is no instruction of this name"
  std::string sentence() const {
    std::string text;
    if (line > 0) text = "line " + std::to_string(line);
    if (!token.empty()) text += std::string(text.empty() ? "" : ", ") + "at '" + token + "'";
    return text.empty() ? message : text + ": " + message;
  }
};

}  // namespace cuvette::ptx
