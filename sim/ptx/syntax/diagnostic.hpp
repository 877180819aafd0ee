// SPDX-License-Identifier: Apache-2.0
// Describes an error in a program's PTX, for the error and information logs of cuModuleLoadDataEx.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/base/error.hpp"

namespace cuvette::ptx {

// The newest version of PTX whose instructions are known, as 94 for 9.4.
constexpr uint32_t newest_version = 94;

struct Diagnostic {
  Error error = Error::invalid_ptx;
  uint32_t line = 0;  // from 1; 0: no particular line
  std::string token;  // the text at fault
  std::string message;
  uint32_t column = 0;  // of the token, from 1; 0: it is the first of its kind in the line
  std::string quote =
      {};  // the line, and another with a caret below the token; empty: none is known

  // Whether PTX has what is refused, or may have it, and Cuvette lacks it: then the message says
  // that it is "not implemented", or the version of PTX is newer than any that is known. Such a
  // mistake refuses the kernels that need it, and not their module.
  bool is_lacking() const;
  // Makes a mistake in PTX that is newer than any that is known one of the version.
  void blame_version(uint32_t version);

  // "line 12, at 'addd.f32': there is no instruction of this name"
  std::string sentence() const;
  // Fills `quote` from the text that `line` counts in.
  void quote_from(std::string_view text);
};

}  // namespace cuvette::ptx
