// SPDX-License-Identifier: Apache-2.0
#include "sim/base/elf.hpp"

#include <algorithm>

namespace cuvette {
namespace {

// Offsets and numbers of the format.
constexpr uint64_t head_bytes = 64, section_bytes = 64, segment_bytes = 56;
constexpr uint16_t machine_cuda = 190, type_executable = 2;
constexpr uint32_t section_without_contents = 8, segment_loaded = 1;
constexpr uint64_t most_sections = 1 << 20;

struct Table {
  uint64_t at, entry, count;
};

std::optional<Table> section_table(ByteView head) {
  constexpr unsigned char magic[] = {0x7f, 'E', 'L', 'F', 2, 1};  // 64 bits, little-endian
  if (head.size() < head_bytes || std::memcmp(head.data(), magic, sizeof magic) != 0) return {};
  const Table table{head.at<uint64_t>(40), head.at<uint16_t>(58), head.at<uint16_t>(60)};
  if (table.at < head_bytes || table.at > (uint64_t{1} << 40) || table.entry < section_bytes ||
      table.count == 0 || table.count > most_sections)
    return {};
  return table;
}

// Returns the address of the first segment that is loaded; they lie in the order of their
// addresses.
uint64_t first_address(ByteView file) {
  const auto at = file.at<uint64_t>(32);
  const uint64_t entry = file.at<uint16_t>(54), count = file.at<uint16_t>(56);
  for (uint64_t i = 0; entry >= segment_bytes && i < count; ++i) {
    const ByteView head = file.part(at + i * entry, segment_bytes);
    if (head.at<uint32_t>(0) == segment_loaded) return head.at<uint64_t>(16);
  }
  return 0;
}

}  // namespace

// Compilers and linkers put the table of sections at the end. If it were elsewhere, read_elf()
// would find sections cut off.
uint64_t elf_bytes(ByteView head) {
  const auto table = section_table(head);
  return table ? table->at + table->entry * table->count : 0;
}

std::optional<Elf> read_elf(ByteView file) {
  const auto table = section_table(file);
  if (!table || !file.has(table->at, table->entry * table->count)) return {};
  Elf elf;
  elf.cubin = file.at<uint16_t>(18) == machine_cuda;
  elf.is_relocated = file.at<uint16_t>(16) != type_executable;
  elf.first_address = first_address(file);
  const auto section = [&](uint64_t index) {
    return file.part(table->at + index * table->entry, section_bytes);
  };
  const uint16_t names_index = file.at<uint16_t>(62);
  if (names_index >= table->count) return {};
  const ByteView names_head = section(names_index);
  const ByteView names = file.part(names_head.at<uint64_t>(24), names_head.at<uint64_t>(32));
  for (uint64_t i = 0; i < table->count; ++i) {
    const ByteView head = section(i);
    const auto type = head.at<uint32_t>(4), link = head.at<uint32_t>(40);
    const auto at = head.at<uint64_t>(24), bytes = head.at<uint64_t>(32);
    const bool empty = type == section_without_contents || bytes == 0;
    if (!empty && !file.has(at, bytes)) return {};
    elf.sections.push_back({names.string_at(head.at<uint32_t>(0)),
                            empty ? ByteView() : file.part(at, bytes), type, link});
  }
  return elf;
}

}  // namespace cuvette
