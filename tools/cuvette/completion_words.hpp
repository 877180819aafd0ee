// SPDX-License-Identifier: Apache-2.0
// Parts of a help page that the completions of all shells need.
//
// Threads: any; pure functions.
#pragma once

#include <string>
#include <vector>

#include "tools/cuvette/help_page.hpp"
#include "tools/cuvette/knob_words.hpp"

namespace cuvette::tools {

// Returns the words that the option accepts as a value; none if it accepts any text.
inline KnobWords values_of(const HelpPage::Option& option) {
  if (option.value.find('|') == std::string::npos) return words_of_knob(option.value);
  KnobWords words;  // "full|partial|none"
  size_t begin = 0;
  for (size_t bar; (bar = option.value.find('|', begin)) != std::string::npos; begin = bar + 1)
    words.words.push_back(option.value.substr(begin, bar - begin));
  words.words.push_back(option.value.substr(begin));
  return words;
}

// Returns the beginning of the option's text, as much as fits into a menu.
inline std::string short_text(const HelpPage::Option& option) {
  constexpr size_t most = 70;
  std::string text;
  for (const char c : option.text) text += c == '\n' ? ' ' : c;
  if (const size_t end = text.find_first_of(".:;["); end != std::string::npos) text.resize(end);
  while (text.ends_with(' ')) text.pop_back();
  if (text.size() <= most) return text;
  return text.substr(0, text.rfind(' ', most)) + " ...";
}

inline std::string joined_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// Calls `each` for the options of a page, and skips words that are not options.
template <typename Each>
void for_each_option(const HelpPage& page, const Each& each) {
  for (const HelpPage::Group& group : page.groups)
    for (const HelpPage::Option& option : group.options)
      if (option.names.front().starts_with("-")) each(option);
}

}  // namespace cuvette::tools
