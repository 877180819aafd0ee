// SPDX-License-Identifier: Apache-2.0
#include "sim/callsite/symbol_table.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <span>

namespace cuvette::callsite {
namespace {

// A file in memory, for as long as the object lives. A file that shrinks during this time would
// raise SIGBUS; a program that is running is not written to (ETXTBSY), and a library is replaced by
// another file.
class MappedFile {
 public:
  explicit MappedFile(const char* path) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    struct stat status {};
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      size_ = static_cast<size_t>(status.st_size);
      void* const mapped = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
      if (mapped != MAP_FAILED) bytes_ = static_cast<const char*>(mapped);
    }
    close(fd);
  }
  ~MappedFile() {
    if (bytes_) munmap(const_cast<char*>(bytes_), size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Returns `count` objects that lie at `offset`; none if the file does not have them all, or they
  // are not aligned.
  template <typename T>
  std::span<const T> at(uint64_t offset, uint64_t count) const {
    if (!bytes_ || offset > size_ || offset % alignof(T) != 0 ||
        count > (size_ - offset) / sizeof(T))
      return {};
    return {reinterpret_cast<const T*>(bytes_ + offset), static_cast<size_t>(count)};
  }

 private:
  const char* bytes_ = nullptr;
  size_t size_ = 0;
};

}  // namespace

std::optional<LocalFunction> find_local_function(const char* file, uint64_t address,
                                                 uint64_t base) {
  const MappedFile mapped(file);
  const auto header = mapped.at<Elf64_Ehdr>(0, 1);
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0 ||
      header[0].e_ident[EI_CLASS] != ELFCLASS64 || header[0].e_shentsize != sizeof(Elf64_Shdr))
    return std::nullopt;
  // Symbols of a program that is not relocated have the addresses that they are loaded at.
  const uint64_t value = header[0].e_type == ET_EXEC ? address : address - base;
  const auto sections = mapped.at<Elf64_Shdr>(header[0].e_shoff, header[0].e_shnum);
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& strings = sections[section.sh_link];
    const auto names = mapped.at<char>(strings.sh_offset, strings.sh_size);
    for (const Elf64_Sym& symbol :
         mapped.at<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym))) {
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
          value < symbol.st_value || value - symbol.st_value >= symbol.st_size ||
          symbol.st_name >= names.size())
        continue;
      const auto name = names.subspan(symbol.st_name);
      return LocalFunction{{name.data(), strnlen(name.data(), name.size())},
                           value - symbol.st_value};
    }
  }
  return std::nullopt;
}

}  // namespace cuvette::callsite
