// SPDX-License-Identifier: Apache-2.0
#include "sim/os/library.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace cuvette::os {

void* find_loaded(const char* library, const char* symbol) {
  if (!library) return dlsym(RTLD_DEFAULT, symbol);
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (!handle) return nullptr;
  void* const address = dlsym(handle, symbol);
  dlclose(handle);  // the program's own reference keeps it loaded
  return address;
}

namespace {

struct BuildId {
  uintptr_t address;  // in the file that is looked for
  std::string id;
};

// Looks for the linker's build id in the notes of one loaded file.
int find_build_id(dl_phdr_info* file, size_t, void* data) {
  BuildId& wanted = *static_cast<BuildId*>(data);
  bool holds = false;
  for (int i = 0; i < file->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = file->dlpi_phdr[i];
    holds |=
        part.p_type == PT_LOAD && wanted.address - (file->dlpi_addr + part.p_vaddr) < part.p_memsz;
  }
  if (!holds) return 0;
  for (int i = 0; i < file->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = file->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const char*>(file->dlpi_addr + part.p_vaddr);
    const char* const end = at + part.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(at);
      const char* const name = at + sizeof *note;
      const char* const description = name + (note->n_namesz + 3) / 4 * 4;
      at = description + (note->n_descsz + 3) / 4 * 4;
      if (at > end) break;
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
          std::memcmp(name, "GNU", 4) == 0)
        wanted.id.assign(description, note->n_descsz);
    }
  }
  return 1;
}

// Adds the folder of one loaded file.
int add_folder(dl_phdr_info* file, size_t, void* data) {
  auto& folders = *static_cast<std::vector<std::string>*>(data);
  const std::string path = file->dlpi_name ? file->dlpi_name : "";
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return 0;
  std::string folder = path.substr(0, slash);
  if (std::ranges::find(folders, folder) == folders.end()) folders.push_back(std::move(folder));
  return 0;
}

// Describes a file without a build id by its size and time.
std::string stamp(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {};
  return std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) + " " +
         std::to_string(status.st_mtim.tv_nsec);
}

// Returns the name of the file that holds this code.
std::string own_file() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<const void*>(&own_build), &info) || !info.dli_fname) return {};
  return info.dli_fname;
}

std::string beside(const char* library) {
  const std::string path = own_file();
  const size_t slash = path.rfind('/');
  return (slash == std::string::npos ? std::string(".") : path.substr(0, slash)) + "/" + library;
}

}  // namespace

std::vector<std::string> folders_of_loaded() {
  std::vector<std::string> folders;
  dl_iterate_phdr(add_folder, &folders);
  return folders;
}

std::string own_build() {
  BuildId wanted{reinterpret_cast<uintptr_t>(&own_build), {}};
  dl_iterate_phdr(find_build_id, &wanted);
  return wanted.id.empty() ? stamp(own_file()) : wanted.id;
}

std::string build_beside(const char* library) { return stamp(beside(library)); }

void* load_beside(const char* library, const char* symbol, std::string& reason) {
  return load(beside(library), symbol, reason);
}

void* load(const std::string& path, const char* symbol, std::string& reason) {
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const address = handle ? dlsym(handle, symbol) : nullptr;
  if (!address)
    if (const char* const error = dlerror()) reason = error;
  return address;
}

std::string find_other(const char* library, const std::vector<std::string>& folders) {
  struct stat own {};
  const bool have_own = stat(beside(library).c_str(), &own) == 0;
  for (const std::string& folder : folders) {
    const std::string path = folder + "/" + library;
    struct stat found {};
    if (folder.empty() || stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
    if (!have_own || found.st_dev != own.st_dev || found.st_ino != own.st_ino) return path;
  }
  return {};
}

}  // namespace cuvette::os
