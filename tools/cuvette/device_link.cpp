// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/device_link.hpp"

#include <filesystem>
#include <set>
#include <string_view>

#include "sim/base/split.hpp"
#include "tools/cuvette/names.hpp"
#include "tools/cuvette/whole_file.hpp"

namespace cuvette::tools {
namespace {

// Runs after the constructors of all objects, because it is linked after them.
constexpr const char* beginning = R"(
#include <stdio.h>
#include <stdlib.h>
extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaUnregisterFatBinary(void**);
char __cudaInitModule(void**);
}
namespace {
struct Wrapper {
  unsigned magic, version;
  const void* data;
  const void* const* fat_binaries;
};
struct Piece {
  void (*register_all)(void**);
  const void* fat_binary;
};
// Without entries: the pieces have them.
alignas(8) const unsigned char none[16] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0};
volatile unsigned count = 0;  // or else clang takes the constructor for one that runs first
void** handle = nullptr;
void unregister() { __cudaUnregisterFatBinary(handle); }
)";

constexpr const char* end = R"(
void add(void (*register_all)(void**), const void* wrapper) {
  if (count == sizeof pieces / sizeof *pieces) {
    fputs("cuvette: an object of this program registers its kernels twice\\n", stderr);
    abort();
  }
  pieces[count] = {register_all, static_cast<const Wrapper*>(wrapper)->data};
  count = count + 1;
}
__attribute__((constructor)) void register_pieces() {
  if (count == 0) return;
  for (unsigned i = 0; i < count; ++i) fat_binaries[i] = pieces[i].fat_binary;
  handle = __cudaRegisterFatBinary(&whole);
  for (unsigned i = 0; i < count; ++i) pieces[i].register_all(handle);
  __cudaRegisterFatBinaryEnd(handle);
  // Host code does not ask before each use of a managed variable: they are there from here.
  if (managed) __cudaInitModule(handle);
  atexit(unregister);
}
}  // namespace
)";

// The words for the linker: "-Wl,A,B" is two of them.
std::vector<std::string> words_of(const std::vector<std::string>& linking) {
  std::vector<std::string> words;
  for (const std::string& word : linking) {
    if (!word.starts_with("-Wl,")) {
      words.push_back(word);
      continue;
    }
    const std::vector<std::string> parts = split(word, ',');
    words.insert(words.end(), parts.begin() + 1, parts.end());
  }
  return words;
}

}  // namespace

std::vector<std::string> archives_of(const std::vector<std::string>& linking) {
  std::vector<std::string> folders, names, archives;
  const std::vector<std::string> words = words_of(linking);
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.ends_with(".a") && word[0] != '-') archives.push_back(word);
    if (!word.starts_with("-L") && !word.starts_with("-l")) continue;
    std::vector<std::string>& list = word[1] == 'L' ? folders : names;
    if (word.size() > 2)
      list.push_back(word.substr(2));
    else if (i + 1 < words.size())
      list.push_back(words[++i]);
  }
  // Objects that the linker finds after the first, or does not take at all, define a function too
  // many.
  for (const std::string& folder : folders)
    for (const std::string& name : names) {
      const std::string file =
          folder + "/" + (name.starts_with(":") ? name.substr(1) : "lib" + name + ".a");
      std::error_code ignored;
      if (file.ends_with(".a") && std::filesystem::exists(file, ignored)) archives.push_back(file);
    }
  return archives;
}

DeviceLink device_link_of(const std::vector<std::string>& files) {
  constexpr std::string_view prefix = "__cudaRegisterLinkedBinary_";
  DeviceLink link;
  std::set<std::string> known;
  for (const std::string& file : files) {
    const std::string bytes = whole_file(file).value_or("");
    // Symbols' names are in the file as they are.
    for (size_t at = bytes.find(prefix); at != bytes.npos; at = bytes.find(prefix, at)) {
      const size_t end = end_of_name(bytes, at);
      std::string name = bytes.substr(at, end - at);
      at = end;
      if (known.insert(name).second) link.registrations.push_back(std::move(name));
    }
    link.managed |= bytes.find("__cudaRegisterManagedVar") != bytes.npos;
  }
  return link;
}

std::string device_link_source(const DeviceLink& link) {
  const std::string size = std::to_string(link.registrations.size());
  std::string text = beginning;
  text += link.managed ? "constexpr bool managed = true;\n" : "constexpr bool managed = false;\n";
  text += "Piece pieces[" + size + "];\n";
  text += "const void* fat_binaries[" + size + " + 1];\n";
  text += "Wrapper whole = {0x466243b1, 2, none, fat_binaries};\n";
  text += end;
  for (const std::string& name : link.registrations)
    text += "extern \"C\" __attribute__((visibility(\"hidden\"))) void " + name +
            "(void (*register_all)(void**), void* wrapper, void*, void (*)(void*)) {\n"
            "  add(register_all, wrapper);\n}\n";
  return text;
}

}  // namespace cuvette::tools
