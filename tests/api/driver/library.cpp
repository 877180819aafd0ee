// SPDX-License-Identifier: Apache-2.0
#include "tests/api/driver/library.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace {

void* library() {
  static void* handle = dlopen("libcuda.so.1", RTLD_NOW);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  return handle;
}

std::filesystem::path this_folder() { return CUVETTE_DRIVER_TESTS; }

}  // namespace

std::filesystem::path library_path() {
  link_map* map = nullptr;
  if (dlinfo(library(), RTLD_DI_LINKMAP, &map) != 0) throw std::runtime_error(dlerror());
  return map->l_name;
}

void* library_symbol(const char* name) { return dlsym(library(), name); }

SharedLibrary read_library() {
  std::ifstream file(library_path(), std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (bytes.compare(0, SELFMAG, ELFMAG) != 0) throw std::runtime_error("not an ELF file");
  const char* start = bytes.data();
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(start);
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(start + header->e_shoff);
  SharedLibrary library{};
  for (int i = 0; i < header->e_shnum; ++i) {
    const Elf64_Shdr& section = sections[i];
    const char* content = start + section.sh_offset;
    const char* strings = start + sections[section.sh_link].sh_offset;
    if (section.sh_type == SHT_DYNSYM) {
      const auto* symbol = reinterpret_cast<const Elf64_Sym*>(content);
      for (const auto* end = symbol + section.sh_size / sizeof *symbol; symbol != end; ++symbol) {
        if (symbol->st_shndx == SHN_UNDEF || ELF64_ST_BIND(symbol->st_info) == STB_LOCAL) continue;
        library.exports[strings + symbol->st_name] = {ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT,
                                                      symbol->st_size};
      }
    } else if (section.sh_type == SHT_DYNAMIC) {
      const auto* entry = reinterpret_cast<const Elf64_Dyn*>(content);
      for (; entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag == DT_SONAME) library.soname = strings + entry->d_un.d_val;
        if (entry->d_tag == DT_FLAGS_1) library.never_unloaded = entry->d_un.d_val & DF_1_NODELETE;
      }
    }
  }
  return library;
}

std::vector<std::string> read_lines(const char* file) {
  std::ifstream in(this_folder() / file);
  if (!in) throw std::runtime_error(std::string("cannot read ") + file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  }
  return lines;
}

std::filesystem::path tests_api_folder() { return this_folder().parent_path(); }
