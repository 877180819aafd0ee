// SPDX-License-Identifier: Apache-2.0
// Files of programs: what reports look up in their symbol tables, and `cuvette doctor` in the
// rest. The file may be damaged, or anything else.
#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "sim/callsite/symbol_table.hpp"
#include "tests/fuzz/input.hpp"
#include "tools/cuvette/linked_file.hpp"

using namespace cuvette;

namespace {

// Puts a value at a place of the file.
template <typename T>
void put(std::string& bytes, size_t at, const T& value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// A program with a symbol table, a dynamic section and device code, which the input changes.
std::string program(Input& input) {
  constexpr size_t names_at = 64, symbols_at = 192, dynamic_at = 288, code_at = 352,
                   sections_at = 512;
  constexpr char names[] = "\0.symtab\0.strtab\0.dynamic\0.nv_fatbin\0main\0libc.so.6\0.interp";
  std::string bytes(sections_at + 6 * sizeof(Elf64_Shdr), '\0');
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_type = ET_EXEC;
  head.e_machine = EM_X86_64;
  head.e_shoff = sections_at;
  head.e_shentsize = sizeof(Elf64_Shdr);
  head.e_shnum = 6;
  head.e_shstrndx = 2;
  put(bytes, 0, head);
  std::memcpy(bytes.data() + names_at, names, sizeof names);
  Elf64_Sym symbol{};
  symbol.st_name = 37;  // main
  symbol.st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC);
  symbol.st_shndx = 1;
  symbol.st_value = 0x1000;
  symbol.st_size = 0x100;
  put(bytes, symbols_at + sizeof symbol, symbol);
  const Elf64_Dyn dynamic[] = {{DT_NEEDED, {42}}, {DT_RUNPATH, {42}}, {DT_NULL, {0}}};
  put(bytes, dynamic_at, dynamic);
  const uint32_t container[] = {0xba55ed50, 0x00100001, 64, 0};
  put(bytes, code_at, container);
  const auto section = [&](size_t index, uint32_t name, uint32_t type, size_t at, size_t size,
                           uint32_t link) {
    Elf64_Shdr one{};
    one.sh_name = name;
    one.sh_type = type;
    one.sh_offset = at;
    one.sh_size = size;
    one.sh_link = link;
    put(bytes, sections_at + index * sizeof one, one);
  };
  section(1, 1, SHT_SYMTAB, symbols_at, 2 * sizeof symbol, 2);
  section(2, 9, SHT_STRTAB, names_at, sizeof names, 0);
  section(3, 17, SHT_DYNAMIC, dynamic_at, sizeof dynamic, 2);
  section(4, 26, SHT_PROGBITS, code_at, sections_at - code_at, 0);
  section(5, 53, SHT_PROGBITS, names_at, 1, 0);
  while (!input.empty()) {
    const size_t at = input.place(bytes.size());
    const uint64_t value = input.number();
    std::memcpy(bytes.data() + at, &value, std::min<size_t>(1 + input.below(8), bytes.size() - at));
    if (input.below(64) == 0) bytes.resize(std::max<size_t>(input.place(bytes.size()), 1));
  }
  return bytes;
}

void look_at(const std::string& bytes) {
  static char name[] = "/dev/shm/cuvette-fuzz-XXXXXX";
  static const int file = mkstemp(name);
  static const bool ends = std::atexit([] { unlink(name); }) == 0;
  if (file < 0 || !ends) std::abort();
  std::ofstream(name, std::ios::binary) << bytes;
  for (const uint64_t address : {uint64_t{0}, uint64_t{0x1010}, ~uint64_t{0}})
    if (const auto found = callsite::find_local_function(name, address, 0x1000))
      if (found->name.empty()) std::abort();
  tools::read_linked_file(name, 90);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  look_at(std::string(reinterpret_cast<const char*>(data), size));
  Input input(data, size);
  look_at(program(input));
  return 0;
}
