// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/page/columns.hpp"

namespace cuvette::tools {

uint32_t PageTexts::operator()(const std::string& text) {
  const auto [place, is_new] = places_.try_emplace(text, static_cast<uint32_t>(texts_.size()));
  if (is_new) texts_.push_back(text);
  return place->second;
}

void Columns::begin_table(const std::string& name, size_t rows) {
  names_.push_back({{"name", name}, {"rows", rows}, {"columns", nlohmann::json::array()}});
}

void Columns::begin(const char* name, const std::string& kind) {
  names_.back()["columns"].push_back({name, kind});
}

void Columns::put(uint64_t value) {
  while (value >= 0x80) {
    bytes_ += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  bytes_ += static_cast<char>(value);
}

}  // namespace cuvette::tools
