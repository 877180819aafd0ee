// SPDX-License-Identifier: Apache-2.0
// Columns: the facts of a page as the page reads them, tables of columns of small numbers.
//
// A number is written seven bits a byte, the lowest first (LEB128). script/data.js reads it.
//
// Threads: for one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cuvette::tools {

// The texts of a page, each once.
class PageTexts {
 public:
  // Returns the text's position among the texts.
  uint32_t operator()(const std::string& text);
  nlohmann::json json() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  std::unordered_map<std::string, uint32_t> places_;
};

class Columns {
 public:
  // Begins a table of so many rows; its columns follow.
  void begin_table(const std::string& name, size_t rows);

  // Each adds a column of the last table, with a number of each row.
  // A number.
  template <typename Numbers>
  void number(const char* name, size_t rows, const Numbers& numbers) {
    begin(name, "number");
    for (size_t row = 0; row < rows; ++row) put(numbers(row));
  }
  // A number that may exceed 2^53 and is read exactly.
  template <typename Numbers>
  void address(const char* name, size_t rows, const Numbers& numbers) {
    begin(name, "address");
    for (size_t row = 0; row < rows; ++row) {
      const uint64_t value = numbers(row);
      put(value >> 32);
      put(value & 0xffffffffu);
    }
  }
  // A position in another table, or ~0u for none.
  template <typename Numbers>
  void index(const char* name, size_t rows, const Numbers& numbers) {
    begin(name, "index");
    for (size_t row = 0; row < rows; ++row) {
      const uint32_t value = numbers(row);
      put(value == ~0u ? 0 : uint64_t{value} + 1);
    }
  }
  // A time, near that of the row before.
  template <typename Numbers>
  void time(const char* name, size_t rows, const Numbers& numbers) {
    begin(name, "time");
    uint64_t before = 0;
    for (size_t row = 0; row < rows; ++row) {
      const uint64_t value = numbers(row);
      put(zigzag(value - before));
      before = value;
    }
  }
  // A time that may be open (~0), near another time of the same row.
  template <typename Numbers, typename Others>
  void time_near(const char* name, const char* other, size_t rows, const Numbers& numbers,
                 const Others& others) {
    begin(name, std::string("time near ") + other);
    for (size_t row = 0; row < rows; ++row) {
      const uint64_t value = numbers(row);
      const uint64_t near = others(row) == ~uint64_t{0} ? 0 : others(row);
      put(value == ~uint64_t{0} ? 0 : zigzag(value - near) + 1);
    }
  }

  // What was written: the names of tables and columns, in their order, and the numbers.
  const nlohmann::json& names() const { return names_; }
  std::string_view bytes() const { return bytes_; }

 private:
  void begin(const char* name, const std::string& kind);
  void put(uint64_t value);
  static uint64_t zigzag(uint64_t difference) {
    return (difference << 1) ^ (difference >> 63 ? ~uint64_t{0} : 0);
  }

  nlohmann::json names_ = nlohmann::json::array();
  std::string bytes_;
};

}  // namespace cuvette::tools
