// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/image/cubin_registers.hpp"

#include "sim/base/elf.hpp"

namespace cuvette::image {
namespace {

constexpr std::string_view info_section = ".nv.info";
// A record of that section is a format, an attribute, and either a value of 2 bytes or, in the
// format `sized`, the number of bytes that follow.
constexpr uint8_t sized = 4, register_count = 0x2f;
constexpr uint64_t record_head = 4, symbol_bytes = 24;

// The name of a symbol; empty if there is none.
std::string_view name_of(const Elf& elf, const Elf::Section& symbols, uint32_t number) {
  if (!symbols.contents.has(number * symbol_bytes, symbol_bytes)) return {};
  if (symbols.link >= elf.sections.size()) return {};
  const std::string_view names = elf.sections[symbols.link].contents.text();
  const auto at = symbols.contents.at<uint32_t>(number * symbol_bytes);
  if (at >= names.size()) return {};
  return names.substr(at, names.find('\0', at) - at);
}

}  // namespace

std::map<std::string, uint32_t> registers_in_cubin(ByteView cubin) {
  const auto elf = read_elf(cubin);
  if (!elf || !elf->cubin) return {};
  const Elf::Section *info = nullptr, *symbols = nullptr;
  for (const Elf::Section& section : elf->sections) {
    if (section.name == info_section) info = &section;
    if (section.type == Elf::symbol_table) symbols = &section;
  }
  if (!info || !symbols) return {};
  std::map<std::string, uint32_t> result;
  const ByteView records = info->contents;
  for (uint64_t at = 0; records.has(at, record_head);) {
    const auto format = records.at<uint8_t>(at), attribute = records.at<uint8_t>(at + 1);
    const uint64_t bytes = format == sized ? records.at<uint16_t>(at + 2) : 0;
    at += record_head;
    if (!records.has(at, bytes)) return {};
    if (attribute == register_count && bytes >= 8)
      if (const auto name = name_of(*elf, *symbols, records.at<uint32_t>(at)); !name.empty())
        result[std::string(name)] = records.at<uint32_t>(at + 4);
    at += bytes;
  }
  return result;
}

}  // namespace cuvette::image
