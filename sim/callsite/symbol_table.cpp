// SPDX-License-Identifier: Apache-2.0
#include "sim/callsite/symbol_table.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string_view>

#include "sim/base/elf.hpp"

namespace cuvette::callsite {
namespace {

// A file in memory, for as long as the object lives. A file that shrinks meanwhile would raise
// SIGBUS; a program that is running is not written to (ETXTBSY), and a library is replaced by
// another file.
class MappedFile {
 public:
  explicit MappedFile(const char* path) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    struct stat status {};
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      const auto size = static_cast<size_t>(status.st_size);
      void* const mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
      if (mapped != MAP_FAILED) bytes_ = mapped, size_ = size;
    }
    close(fd);
  }
  ~MappedFile() {
    if (bytes_) munmap(bytes_, size_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  ByteView bytes() const { return {bytes_, size_}; }

 private:
  void* bytes_ = nullptr;
  size_t size_ = 0;
};

}  // namespace

std::optional<LocalFunction> find_local_function(const char* file, uint64_t address,
                                                 uint64_t base) {
  const MappedFile mapped(file);
  const std::optional<Elf> elf = read_elf(mapped.bytes());
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
