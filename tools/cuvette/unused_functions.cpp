// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/unused_functions.hpp"

#include <algorithm>
#include <string_view>

#include "tools/cuvette/names.hpp"

namespace cuvette::tools {
namespace {

// The functions that api/include/cuvette/kernel/integers_128.h defines, callers before callees.
constexpr std::string_view names[] = {
    "__udivti3",     "__umodti3",     "__divti3",  "__modti3",  "__floattidf",  "__floattisf",
    "__floatuntidf", "__floatuntisf", "__fixsfti", "__fixdfti", "__fixunssfti", "__fixunsdfti",
};

// Takes a function's declaration and definition out. Without its name in what is left, nothing
// called it; otherwise the text is as it was.
std::string without(const std::string& ptx, std::string_view name) {
  std::string rest;
  bool inside = false;
  for (size_t begin = 0; begin < ptx.size();) {
    const size_t end = std::min(ptx.find('\n', begin), ptx.size() - 1) + 1;
    const std::string_view line = std::string_view(ptx).substr(begin, end - begin);
    begin = end;
    const bool begins = line.substr(0, 11) == ".weak .func" && has_name(line, name);
    const size_t word = line.find_first_not_of(" \t");
    if (!inside && !begins) {
      // The name in a comment is not a call.
      if (word != std::string_view::npos && line.substr(word, 2) == "//" && has_name(line, name))
        continue;
      rest += line;
      continue;
    }
    // A declaration ends with a line that begins with ';', a definition with one of '}'.
    inside = line[0] != ';' && line[0] != '}';
  }
  return has_name(rest, name) ? ptx : rest;
}

}  // namespace

std::string without_unused_functions(const std::string& ptx) {
  std::string text = ptx;
  for (const std::string_view name : names)
    if (text.find(name) != std::string::npos) text = without(text, name);
  return text;
}

}  // namespace cuvette::tools
