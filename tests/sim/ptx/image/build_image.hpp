// SPDX-License-Identifier: Apache-2.0
// Builds images byte by byte.
#pragma once

#include <lz4.h>
#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

template <typename T>
void put(std::string& bytes, size_t at, T value) {
  if (bytes.size() < at + sizeof value) bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

inline std::string ptx(const std::string& target) {
  return ".version 8.0\n.target " + target + "\n.address_size 64\n.visible .entry " + target +
         "() { ret; }\n";
}

enum class Compression { none, zstd, lz4 };

struct EntryOptions {
  uint16_t kind = 1;  // PTX
  uint64_t flags = 0;
  Compression compression = Compression::none;
  std::string words = {};  // options of the compiler
};

inline std::string make_entry(const std::string& contents, uint32_t target,
                              const EntryOptions& options = {}) {
  std::string text = contents + '\0', payload = text;
  uint64_t flags = options.flags | 0x11;
  if (options.compression == Compression::zstd) {
    flags |= 0x8000;
    payload.resize(ZSTD_compressBound(text.size()));
    payload.resize(ZSTD_compress(payload.data(), payload.size(), text.data(), text.size(), 3));
  } else if (options.compression == Compression::lz4) {
    flags |= 0x2000;
    payload.resize(static_cast<size_t>(LZ4_compressBound(static_cast<int>(text.size()))));
    payload.resize(static_cast<size_t>(LZ4_compress_default(text.data(), payload.data(),
                                                            static_cast<int>(text.size()),
                                                            static_cast<int>(payload.size()))));
  }
  const bool compressed = options.compression != Compression::none;
  const size_t size = payload.size();
  payload.resize((size + 7) / 8 * 8);
  // The options: where they are and how long, and what they are.
  const size_t head = options.words.empty() ? 64 : (72 + options.words.size() + 7) / 8 * 8;
  std::string entry(head, '\0');
  if (!options.words.empty()) {
    put(entry, 20, uint32_t{64});
    put(entry, 64, uint32_t{72});
    put(entry, 68, static_cast<uint32_t>(options.words.size()));
    std::memcpy(entry.data() + 72, options.words.data(), options.words.size());
  }
  put(entry, 0, options.kind);
  put(entry, 2, uint16_t{0x0101});
  put(entry, 4, static_cast<uint32_t>(head));
  put(entry, 8, uint64_t{payload.size()});
  put(entry, 16, static_cast<uint32_t>(compressed ? size : 0));
  put(entry, 28, target);
  put(entry, 40, flags);
  put(entry, 56, uint64_t{compressed ? text.size() : 0});
  return entry + payload;
}

inline std::string make_container(const std::vector<std::string>& entries) {
  std::string all;
  for (const std::string& entry : entries) all += entry;
  std::string head(16, '\0');
  put(head, 0, uint32_t{0xBA55ED50});
  put(head, 4, uint16_t{1});
  put(head, 6, uint16_t{16});
  put(head, 8, uint64_t{all.size()});
  return head + all;
}

// An ELF file with sections of the given names and contents.
inline std::string make_elf(const std::vector<std::pair<std::string, std::string>>& sections,
                            uint16_t machine = 62) {
  std::string file(64, '\0'), names(1, '\0'), table(64, '\0');
  std::memcpy(file.data(), "\177ELF\2\1\1", 7);
  put(file, 18, machine);
  const auto add = [&](const std::string& name, const std::string& contents) {
    std::string head(64, '\0');
    put(head, 0, static_cast<uint32_t>(names.size()));
    put(head, 4, uint32_t{1});
    put(head, 24, uint64_t{file.size()});
    put(head, 32, uint64_t{contents.size()});
    names += name + '\0';
    file += contents;
    file.resize((file.size() + 7) / 8 * 8);
    table += head;
  };
  for (const auto& [name, contents] : sections) add(name, contents);
  const std::string all_names = names + ".shstrtab" + '\0';
  add(".shstrtab", all_names);
  put(file, 40, uint64_t{file.size()});
  put(file, 58, uint16_t{64});
  put(file, 60, static_cast<uint16_t>(sections.size() + 2));
  put(file, 62, static_cast<uint16_t>(sections.size() + 1));
  return file + table;
}

inline std::string make_archive(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string archive = "!<arch>\n";
  for (const auto& [name, contents] : members) {
    std::string head(60, ' ');
    head.replace(0, name.size(), name);
    const std::string size = std::to_string(contents.size());
    head.replace(48, size.size(), size);
    head.replace(58, 2, "`\n");
    archive += head + contents;
    if (contents.size() % 2) archive += '\n';
  }
  return archive;
}
