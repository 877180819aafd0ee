// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/help_page.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

namespace cuvette::tools {
namespace {

using Lines = std::vector<std::string>;

std::vector<Lines> paragraphs_of(const std::string& text) {
  std::vector<Lines> paragraphs(1);
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!line.empty())
      paragraphs.back().push_back(line);
    else if (!paragraphs.back().empty())
      paragraphs.emplace_back();
  }
  if (paragraphs.back().empty()) paragraphs.pop_back();
  return paragraphs;
}

std::string joined(const Lines& lines, char separator) {
  std::string text;
  for (const std::string& line : lines)
    text += (text.empty() ? "" : std::string(1, separator)) + line;
  return text;
}

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  return begin == text.npos ? "" : text.substr(begin, end - begin + 1);
}

// "-i, --id=DEVICE,..." -> {"-i", "--id"} and "DEVICE,..."; "-I -D" are two names.
HelpPage::Option option_in(const std::string& left) {
  HelpPage::Option option;
  std::istringstream words(left);
  for (std::string word; words >> word;) {
    if (word.ends_with(',')) word.pop_back();
    const bool is_name = word.size() > 1 && word[0] == '-';
    if (!is_name && option.names.empty()) {
      option.names.push_back(left);
      break;
    }
    if (!is_name) {
      option.value += (option.value.empty() ? "" : " ") + word;
      continue;
    }
    const size_t equals = word.find_first_of("=[");
    option.names.push_back(word.substr(0, equals));
    if (equals != word.npos && word[equals] == '=') option.value = word.substr(equals + 1);
  }
  return option;
}

// Takes the options of a paragraph in two columns; false if the paragraph has another form.
bool take_options(const Lines& lines, HelpPage::Group& group) {
  constexpr size_t right_column = 20;
  if (!lines.front().starts_with("  ") || trimmed(lines.front()).find_first_of("-(") != 0)
    return false;
  for (const std::string& line : lines) {
    const size_t indent = line.find_first_not_of(' ');
    if (indent == line.npos) continue;
    const bool is_new = indent < right_column;
    std::string left = is_new ? line.substr(indent) : "", right = is_new ? "" : line.substr(indent);
    if (const size_t gap = left.find("  "); gap != left.npos) {
      right = trimmed(left.substr(gap));
      left.resize(gap);
    }
    // A line that is indented further than options continues the value of the option above.
    if (is_new && indent > 2 && !group.options.empty())
      group.options.back().value += " " + left;
    else if (is_new)
      group.options.push_back(option_in(left));
    if (group.options.empty()) return false;
    std::string& text = group.options.back().text;
    text += (text.empty() || right.empty() ? "" : " ") + right;
  }
  return true;
}

// Takes the paragraphs of a text into the page.
void take(const std::string& text, HelpPage& page) {
  constexpr std::string_view usage = "Usage: ", examples = "Examples:", status = "Exit status: ";
  for (const Lines& lines : paragraphs_of(text)) {
    const std::string& first = lines.front();
    HelpPage::Group group;
    if (first.starts_with(usage))
      page.usage = first.substr(usage.size());
    else if (first.starts_with(examples))
      page.examples = joined({lines.begin() + 1, lines.end()}, '\n');
    else if (first.starts_with(status))
      page.exit_status = joined(lines, ' ').substr(status.size());
    else if (take_options(lines, group))
      page.groups.push_back(std::move(group));
    else
      page.description.push_back(joined(lines, ' '));
  }
}

}  // namespace

HelpPage help_page(const CLI::App& command) {
  HelpPage page;
  const bool is_all = command.get_parent() == nullptr;
  page.name = is_all ? "" : command.get_name();
  page.about = command.get_description();
  std::string words;
  for (const CLI::Option* option : command.get_options()) {
    if (option->nonpositional()) {
      const std::string& title = option->get_group();
      auto group = std::ranges::find(page.groups, title, &HelpPage::Group::title);
      if (group == page.groups.end())
        group = page.groups.insert(page.groups.end(), HelpPage::Group{title, {}});
      HelpPage::Option one;
      for (const std::string& name : option->get_snames()) one.names.push_back("-" + name);
      for (const std::string& name : option->get_lnames()) one.names.push_back("--" + name);
      if (option->get_items_expected_max() > 0) one.value = option->get_type_name();
      one.text = option->get_description();
      group->options.push_back(std::move(one));
    } else {
      words += " [" + option->get_name(true) + "...]";
    }
  }
  for (HelpPage::Group& group : page.groups)
    if (group.title == "Options") group.title.clear();
  page.usage = "cuvette " + (is_all ? "COMMAND" : page.name) + " [OPTIONS]" + words;
  take(command.get_footer(), page);
  return page;
}

HelpPage help_page(const std::string& name, const std::string& about, const std::string& text) {
  HelpPage page;
  page.name = name;
  page.about = about;
  take(text, page);
  return page;
}

}  // namespace cuvette::tools
