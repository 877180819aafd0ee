// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/manual.hpp"

#include <algorithm>
#include <sstream>

namespace cuvette::tools {
namespace {

// Returns the text escaped for troff; text between backticks becomes bold.
std::string troff_text(const std::string& text) {
  std::string result;
  bool bold = false;
  for (const char c : text) {
    if (c == '`')
      result += (bold = !bold) ? "\\fB" : "\\fR";
    else if (c == '\\')
      result += "\\(rs";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  return result + (bold ? "\\fR" : "");
}

// Returns lines of the page. A line that troff would take for a request gets a zero-width character
// in front.
std::string troff_lines(const std::string& text) {
  std::istringstream in(troff_text(text));
  std::string result;
  for (std::string line; std::getline(in, line);)
    result += (line.starts_with(".") || line.starts_with("'") ? "\\&" : "") + line + "\n";
  return result;
}

std::string as_it_is(const std::string& text) { return ".nf\n" + troff_lines(text) + ".fi\n"; }

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string option_text(const HelpPage::Option& option) {
  std::string names;
  for (const std::string& name : option.names)
    names += (names.empty() ? "" : ", ") + ("\\fB" + troff_text(name) + "\\fR");
  const bool is_long = !option.names.empty() && option.names.back().starts_with("--");
  if (!option.value.empty())
    names += (is_long ? "=" : " ") + ("\\fI" + troff_text(option.value) + "\\fR");
  return ".TP\n" + names + "\n" + troff_lines(option.text);
}

std::string title_of(const HelpPage& page) {
  return page.name.empty() ? "cuvette" : "cuvette-" + page.name;
}

}  // namespace

std::string manual_name(const HelpPage& page) { return title_of(page) + ".1"; }

std::string manual(const HelpPage& page, const std::vector<HelpPage>& others) {
  std::string text = ".TH " + troff_text(upper(title_of(page))) +
                     " 1 \"\" \"Cuvette " CUVETTE_VERSION "\" \"Cuvette\"\n.nh\n";
  text += ".SH NAME\n" + troff_text(title_of(page)) + " \\- " + troff_lines(page.about);
  text += ".SH SYNOPSIS\n" + troff_lines(page.usage);
  text += ".SH DESCRIPTION\n" + (page.description.empty() ? troff_lines(page.about + ".") : "");
  for (size_t i = 0; i < page.description.size(); ++i)
    text += (i > 0 ? ".PP\n" : "") + troff_lines(page.description[i]);
  if (!page.groups.empty()) text += ".SH OPTIONS\n";
  for (const HelpPage::Group& group : page.groups) {
    if (!group.title.empty()) text += ".SS " + troff_lines(group.title);
    for (const HelpPage::Option& option : group.options) text += option_text(option);
  }
  if (page.name.empty()) {
    text += ".SH COMMANDS\n";
    for (const HelpPage& other : others)
      text +=
          ".TP\n\\fB" + troff_text("cuvette " + other.name) + "\\fR\n" + troff_lines(other.about);
  }
  if (!page.examples.empty()) text += ".SH EXAMPLES\n" + as_it_is(page.examples);
  if (!page.exit_status.empty()) text += ".SH EXIT STATUS\n" + troff_lines(page.exit_status);
  text += ".SH SEE ALSO\n";
  std::string see;
  for (const HelpPage& other : others)
    if (other.name != page.name)
      see += (see.empty() ? "" : " ,\n") + (".BR " + troff_text(title_of(other)) + " (1)");
  return text + see + "\n";
}

}  // namespace cuvette::tools
