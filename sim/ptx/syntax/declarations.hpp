// SPDX-License-Identifier: Apache-2.0
// Parses declarations of variables, which modules and bodies share.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/ptx/syntax/reader.hpp"

namespace cuvette::ptx {

class Declarations : protected Reader {
 protected:
  using Names = std::vector<std::shared_ptr<const std::string>>;

  using Reader::Reader;

  // The part after a state space: ".align 4 .b8", then "x[16] = {...}".
  bool read_type(Variable& variable);
  bool read_declarator(Variable& variable);
  // Parses both, with commas between declarators, up to the ';'. All are like `pattern`. "x<2>"
  // declares two variables, x0 and x1; `made` owns their names.
  bool read_variables(const Variable& pattern, std::vector<Variable>& variables, Names& made);
  // "(.param .u64 x, .param .align 8 .b8 y[16])"
  bool read_parameters(std::vector<Variable>& parameters);

 private:
  bool read_dimensions(Variable& variable);
  bool read_initialiser(Variable& variable);
  bool read_element(Variable& variable);
};

std::optional<Space> space_named(std::string_view directive);

}  // namespace cuvette::ptx
