// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/linked_file.hpp"

#include <elf.h>

#include <filesystem>

#include "sim/base/elf.hpp"
#include "sim/base/split.hpp"
#include "sim/ptx/image/fat_binary.hpp"
#include "tools/cuvette/whole_file.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;

// Folders of DT_RPATH and DT_RUNPATH; only $ORIGIN is replaced.
std::vector<std::string> folders_of(std::string_view list, const std::string& file) {
  std::error_code failure;
  const std::string origin = fs::canonical(file, failure).parent_path();
  std::vector<std::string> folders = split(list, ':');
  for (std::string& folder : folders)
    for (const std::string_view word : {"${ORIGIN}", "$ORIGIN"})
      if (const size_t at = folder.find(word); at != folder.npos)
        folder.replace(at, word.size(), origin);
  return folders;
}

void read_dynamic(const Elf& elf, const Elf::Section& section, const std::string& file,
                  LinkedFile& result) {
  if (section.link >= elf.sections.size()) return;
  const ByteView names = elf.sections[section.link].contents;
  for (uint64_t at = 0; section.contents.has(at, sizeof(Elf64_Dyn)); at += sizeof(Elf64_Dyn)) {
    const auto entry = section.contents.at<Elf64_Dyn>(at);
    if (entry.d_tag == DT_NULL) break;
    const std::string_view text = names.string_at(entry.d_un.d_val);
    if (entry.d_tag == DT_NEEDED) result.needed.emplace_back(text);
    if (entry.d_tag == DT_RPATH) result.rpath = folders_of(text, file);
    if (entry.d_tag == DT_RUNPATH) result.runpath = folders_of(text, file);
  }
  // The loader ignores DT_RPATH if there is a DT_RUNPATH.
  if (!result.runpath.empty()) result.rpath.clear();
}

// Counts the containers of a section, which lie one after the other.
void read_device_code(ByteView code, uint32_t capability, LinkedFile& result) {
  constexpr uint64_t head = 16, alignment = 8;
  for (uint64_t at = 0; at < code.size();) {
    const uint64_t bytes = image::container_bytes(code.from(at));
    if (bytes == 0 || !code.has(at, bytes)) {
      at += alignment;
      continue;
    }
    if (bytes > head) {  // there are empty ones
      std::string sentence;
      ++result.pieces;
      if (image::best_ptx(code.part(at, bytes), capability, sentence).ok())
        ++result.pieces_to_run;
      else if (result.refusal.empty())
        result.refusal = sentence;
    }
    at += (bytes + alignment - 1) / alignment * alignment;
  }
}

}  // namespace

std::optional<LinkedFile> read_linked_file(const std::string& file, uint32_t capability) {
  const std::optional<std::string> bytes = whole_file(file);
  const auto elf = bytes ? read_elf({bytes->data(), bytes->size()}) : std::nullopt;
  if (!elf || elf->cubin) return std::nullopt;
  LinkedFile result;
  bool has_interpreter = false, has_dynamic = false;
  for (const Elf::Section& section : elf->sections) {
    has_interpreter |= section.name == ".interp";
    has_dynamic |= section.type == SHT_DYNAMIC;
    if (section.type == SHT_DYNAMIC) read_dynamic(*elf, section, file, result);
    if (section.name == ".nv_fatbin") read_device_code(section.contents, capability, result);
  }
  const bool is_library = has_dynamic && !has_interpreter && file.find(".so") != file.npos;
  result.is_static = !has_interpreter && !is_library;
  // NVIDIA's runtime opens the driver by this name. Cuvette's does, too, but contains the prefix of
  // Cuvette's messages.
  const auto has = [&](const char* text) { return bytes->find(text) != bytes->npos; };
  result.has_nvidias_runtime =
      has("libcuda.so.1") && has("cudaErrorCudartUnloading") && !has("cuvette: ");
  return result;
}

}  // namespace cuvette::tools
