// SPDX-License-Identifier: Apache-2.0
#include "tools/run_watch/program_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <cstring>

#include "sim/base/run_notes.hpp"

namespace cuvette::run_watch {
namespace {

// A file that is open for reading.
class File {
 public:
  explicit File(const char* path)
      : descriptor_(open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)) {
    if (descriptor_ >= 0 && (fstat(descriptor_, &status_) != 0 || !S_ISREG(status_.st_mode))) {
      close(descriptor_);
      descriptor_ = -1;
    }
  }
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  size_t size() const { return static_cast<size_t>(status_.st_size); }
  bool read(void* to, size_t bytes, uint64_t begin) const {
    return pread(descriptor_, to, bytes, static_cast<off_t>(begin)) == static_cast<ssize_t>(bytes);
  }

 private:
  int descriptor_;
  struct stat status_ {};
};

enum class Linkage { unknown, dynamic, statically };

Linkage linkage_of(const File& file) {
  Elf64_Ehdr head;
  if (!file.read(&head, sizeof head, 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phentsize != sizeof(Elf64_Phdr))
    return Linkage::unknown;
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr part;
    if (!file.read(&part, sizeof part, head.e_phoff + i * sizeof part)) return Linkage::unknown;
    if (part.p_type == PT_INTERP) return Linkage::dynamic;
  }
  return Linkage::statically;
}

// Whether the file names a library of CUDA, which it then needs or opens. Our own command names
// them, too, but sets the environment itself.
bool uses_cuda(const File& file) {
  const size_t bytes = file.size();
  if (bytes == 0) return false;
  void* const content = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (content == MAP_FAILED) return false;
  const auto has = [&](const char* text) { return memmem(content, bytes, text, strlen(text)); };
  const bool uses = (has("libcuda.so") || has("libcudart.so")) && !has(run_notes::variable);
  munmap(content, bytes);
  return uses;
}

// Whether the value of the variable, a list, has an element that begins with `folder` and ends with
// `rest`.
bool lists(char* const* environment, const char* variable, const char* folder, const char* rest) {
  const size_t name = strlen(variable), length = strlen(folder), more = strlen(rest);
  for (; environment && *environment; ++environment) {
    const char* at = *environment;
    if (strncmp(at, variable, name) != 0 || at[name] != '=') continue;
    for (at += name + 1; *at; at += *at != '\0') {
      const size_t size = strcspn(at, ": ");
      if (size == length + more && strncmp(at, folder, length) == 0 &&
          strncmp(at + length, rest, more) == 0)
        return true;
      at += size;
    }
  }
  return false;
}

}  // namespace

const char* why_missed(const char* path, char* const* environment, const char* folder) {
  if (!path) return nullptr;
  const File file(path);
  if (!file.is_open()) return nullptr;
  const Linkage linkage = linkage_of(file);
  if (linkage == Linkage::unknown) return nullptr;
  const char* reason = nullptr;
  if (linkage == Linkage::statically) {
    reason = run_notes::statically;
  } else if (other_rights(path)) {
    reason = run_notes::set_user_id;
  } else if (!lists(environment, "LD_LIBRARY_PATH", folder, "") &&
             !lists(environment, "LD_PRELOAD", folder, "/libcuda.so.1")) {
    reason = run_notes::environment;
  }
  return reason && uses_cuda(file) ? reason : nullptr;
}

const char* other_rights(const char* file) {
  struct stat status;
  if (stat(file, &status) != 0) return nullptr;
  if ((status.st_mode & S_ISUID) && status.st_uid != getuid()) return "is a set-user-ID program";
  if ((status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP) && status.st_gid != getgid())
    return "is a set-group-ID program";
  if (getuid() != 0 && getxattr(file, "security.capability", nullptr, 0) > 0)
    return "has capabilities of its file";
  return nullptr;
}

bool find_program(const char* name, char* path) {
  if (!name || !*name) return false;
  const size_t length = strlen(name);
  if (strchr(name, '/')) {
    if (length >= PATH_MAX) return false;
    memcpy(path, name, length + 1);
    return true;
  }
  const char* folders = getenv("PATH");
  if (!folders) folders = "/bin:/usr/bin";
  for (;;) {
    const size_t size = strcspn(folders, ":");
    if (size + length + 2 <= PATH_MAX) {
      memcpy(path, folders, size);
      size_t at = size;
      if (size > 0) path[at++] = '/';
      memcpy(path + at, name, length + 1);
      struct stat status;
      if (access(path, X_OK) == 0 && stat(path, &status) == 0 && S_ISREG(status.st_mode))
        return true;
    }
    if (folders[size] == '\0') return false;
    folders += size + 1;
  }
}

}  // namespace cuvette::run_watch
