// SPDX-License-Identifier: Apache-2.0
#include "sim/callsite/symbol_table.hpp"

#include <elf.h>

#include <string_view>

#include "sim/base/elf.hpp"
#include "sim/os/mapped_view.hpp"

namespace cuvette::callsite {

std::optional<LocalFunction> find_local_function(const char* file, uint64_t address,
                                                 uint64_t base) {
  const std::optional<os::MappedView> mapped = os::MappedView::of_file(file);
  if (!mapped) return std::nullopt;
  const std::optional<Elf> elf = read_elf({mapped->data(), mapped->size()});
  if (!elf) return std::nullopt;
  const uint64_t value = elf->is_relocated ? address - base : address;
  for (const Elf::Section& section : elf->sections) {
    if (section.type != Elf::symbol_table || section.link >= elf->sections.size()) continue;
    const ByteView names = elf->sections[section.link].contents;
    for (uint64_t at = 0; section.contents.has(at, sizeof(Elf64_Sym)); at += sizeof(Elf64_Sym)) {
      const auto symbol = section.contents.at<Elf64_Sym>(at);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
          value < symbol.st_value || value - symbol.st_value >= symbol.st_size)
        continue;
      const std::string_view name = names.string_at(symbol.st_name);
      if (!name.empty()) return LocalFunction{std::string(name), value - symbol.st_value};
    }
  }
  return std::nullopt;
}

}  // namespace cuvette::callsite
