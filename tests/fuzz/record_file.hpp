// SPDX-License-Identifier: Apache-2.0
// Files of records that no process has written.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "sim/base/record_format.hpp"
#include "tests/fuzz/input.hpp"
#include "tools/cuvette/record/raw_file.hpp"

namespace made {

namespace format = cuvette::record_format;

inline void append(std::string& bytes, const void* from, size_t size) {
  bytes.append(static_cast<const char*>(from), size);
}

// A number of the few that other records have, too, or any.
inline uint64_t number(Input& input) {
  return input.below(8) == 0 ? input.number() : input.below(5);
}

// A file with a head and records of the kinds that there are.
inline std::string file_of(Input& input) {
  format::Header header{};
  std::memcpy(header.magic, format::magic, sizeof header.magic);
  header.version = format::version;
  header.record_bytes = format::record_bytes;
  header.block_bytes = format::block_bytes;
  header.used = input.number();
  std::string bytes;
  append(bytes, &header, sizeof header);
  if (input.below(32) == 0) bytes[input.below(sizeof header)] ^= static_cast<char>(input.byte());
  bytes.resize(format::block_bytes);
  while (!input.empty()) {
    char record[format::record_bytes] = {};
    const uint16_t kind =
        input.below(16) == 0
            ? static_cast<uint16_t>(input.number())
            : static_cast<uint16_t>(1 + input.below(static_cast<unsigned>(format::last_kind)));
    std::memcpy(record, &kind, sizeof kind);
    for (size_t at = sizeof kind; at + 4 <= sizeof record;) {
      const bool is_long = at % 8 == 0 && input.flip();
      const uint64_t value = number(input);
      std::memcpy(record + at, &value, is_long ? 8 : at == 2 ? 2 : 4);
      at += is_long ? 8 : at == 2 ? 2 : 4;
    }
    append(bytes, record, sizeof record);
  }
  if (input.below(4) == 0 && !bytes.empty()) bytes.resize(bytes.size() - 1 - input.below(60));
  return bytes;
}

// The bytes as they are, and a file made of them.
inline std::vector<cuvette::tools::RawFile> files_of(const uint8_t* data, size_t size) {
  Input input(data, size);
  std::vector<cuvette::tools::RawFile> files;
  files.emplace_back(std::string(reinterpret_cast<const char*>(data), size));
  files.emplace_back(file_of(input));
  return files;
}

}  // namespace made
