// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/page/page.hpp"

#include <string_view>

#include "tools/cuvette/gzip.hpp"
#include "tools/cuvette/page/base64.hpp"
#include "tools/cuvette/page/page_data.hpp"
#include "tools/cuvette/page/sources.hpp"

namespace cuvette::tools {
namespace {

// A page of so many events opens within a second.
constexpr size_t event_limit = 1'000'000;

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '\0':
        break;
      default:
        safe += letter;
    }
  }
  return safe;
}

// The hash in the form that a page's policy has.
std::string policy_hash(std::string_view digits) {
  std::string bytes;
  const auto value = [](char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; };
  for (size_t at = 0; at + 1 < digits.size(); at += 2)
    bytes += static_cast<char>(value(digits[at]) * 16 + value(digits[at + 1]));
  return "'sha256-" + base64(bytes) + "'";
}

// Returns page.html with each {{name}} replaced; the replacements are not looked at.
template <typename ValueOf>
std::string filled(std::string_view html, const ValueOf& value_of) {
  std::string page;
  for (size_t at = 0;;) {
    const size_t begin = html.find("{{", at);
    page += html.substr(at, begin - at);
    if (begin == std::string_view::npos) return page;
    const size_t end = html.find("}}", begin);
    page += value_of(html.substr(begin + 2, end - begin - 2));
    at = end + 2;
  }
}

}  // namespace

std::string page_of(const Record& record, const std::string& title) {
  return page_of({PageView{&record, title, {}}}, title);
}

std::string page_of(const std::vector<PageView>& views, const std::string& title) {
  return filled(page_sources::html, [&](std::string_view name) -> std::string {
    if (name == "title") return escaped(title);
    if (name == "style") return std::string(page_sources::style);
    if (name == "style_hash") return policy_hash(page_sources::style_hash);
    if (name == "script") return std::string(page_sources::script);
    if (name == "script_hash") return policy_hash(page_sources::script_hash);
    if (name == "data") return base64(gzip_of(page_data(views, title, event_limit)));
    return {};
  });
}

}  // namespace cuvette::tools
