// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/device_link.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace cuvette::tools {
namespace {

// Runs after the constructors of all objects, because it is linked behind them.
constexpr const char* beginning = R"(
extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaUnregisterFatBinary(void**);
int atexit(void (*)());
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
// Without entries of its own: the pieces have them.
alignas(8) const unsigned char none[16] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0};
volatile unsigned count = 0;  // or else clang takes the constructor for one that runs first
void** handle = nullptr;
void unregister() { __cudaUnregisterFatBinary(handle); }
)";

constexpr const char* end = R"(
void add(void (*register_all)(void**), const void* wrapper) {
  pieces[count] = {register_all, static_cast<const Wrapper*>(wrapper)->data};
  count = count + 1;
}
__attribute__((constructor)) void register_pieces() {
  if (count == 0) return;
  for (unsigned i = 0; i < count; ++i) fat_binaries[i] = pieces[i].fat_binary;
  handle = __cudaRegisterFatBinary(&whole);
  for (unsigned i = 0; i < count; ++i) pieces[i].register_all(handle);
  __cudaRegisterFatBinaryEnd(handle);
  atexit(unregister);
}
}  // namespace
)";

bool of_a_name(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

std::vector<std::string> linked_registrations(const std::vector<std::string>& files) {
  const std::string prefix = "__cudaRegisterLinkedBinary_";
  std::vector<std::string> names;
  for (const std::string& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    // Symbols' names stand in the file as they are.
    for (size_t at = bytes.find(prefix); at != std::string::npos; at = bytes.find(prefix, at)) {
      size_t stop = at + prefix.size();
      while (stop < bytes.size() && of_a_name(bytes[stop])) ++stop;
      std::string name = bytes.substr(at, stop - at);
      at = stop;
      if (std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(std::move(name));
    }
  }
  return names;
}

std::string device_link_source(const std::vector<std::string>& names) {
  const std::string size = std::to_string(names.size());
  std::string text = beginning;
  text += "Piece pieces[" + size + "];\n";
  text += "const void* fat_binaries[" + size + " + 1];\n";
  text += "Wrapper whole = {0x466243b1, 2, none, fat_binaries};\n";
  text += end;
  for (const std::string& name : names)
    text += "extern \"C\" __attribute__((visibility(\"hidden\"))) void " + name +
            "(void (*register_all)(void**), void* wrapper, void*, void (*)(void*)) {\n"
            "  add(register_all, wrapper);\n}\n";
  return text;
}

}  // namespace cuvette::tools
