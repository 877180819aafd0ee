// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/program/register_limit.hpp"

#include <string_view>

#include "sim/ptx/syntax/parser.hpp"

namespace cuvette::ptx {
namespace {

// "The value of maxrregcount is ignored for functions with launch bounds."
bool is_limited(const Function& function) {
  return function.is_entry && !function.body.empty() && function.maxnreg == 0 &&
         function.maxntid[0] == 0 && function.minnctapersm == 0;
}

}  // namespace

std::string limit_registers(std::string text, uint32_t most) {
  if (most == 0) return text;
  Module module;
  Diagnostic ignored;  // whoever reads the text says what is wrong with it
  if (!read_module(text, UINT32_MAX, module, ignored)) return text;
  const std::string directive = ".maxnreg " + std::to_string(most) + " ";
  std::string limited;
  std::string_view rest = module.text;
  for (const Function& function : module.functions) {
    if (!is_limited(function)) continue;
    const auto before = static_cast<size_t>(function.body.data() - rest.data());
    limited += rest.substr(0, before);
    limited += directive;
    rest.remove_prefix(before);
  }
  limited += rest;
  return limited;
}

}  // namespace cuvette::ptx
