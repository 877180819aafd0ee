// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/source_lines.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/base/elf.hpp"
#include "sim/callsite/host_code.hpp"
#include "tools/cuvette/library.hpp"
#include "tools/cuvette/whole_file.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;
using callsite::SourceFrame;

// The reader of debug information is in the compiler's library; null if that is missing.
callsite::SourceFramesFunction* reader() {
  static auto* const function = [] {
    const auto folder = library_folder();
    const std::string path = folder ? *folder / "libcuvette-jit.so" : fs::path();
    void* const library = folder ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    void* const found = library ? dlsym(library, CUVETTE_JIT_SOURCE_FRAMES) : nullptr;
    return reinterpret_cast<callsite::SourceFramesFunction*>(found);
  }();
  return function;
}

// Returns the address within the ELF file of its first byte; nothing if it is no such file.
std::optional<uint64_t> begin_of(const std::string& file) {
  std::error_code failure;
  if (!fs::is_regular_file(file, failure)) return std::nullopt;
  const std::optional<std::string> bytes = whole_file(file);
  const auto elf = bytes ? read_elf({bytes->data(), bytes->size()}) : std::nullopt;
  if (!elf) return std::nullopt;
  return elf->is_relocated ? 0 : elf->first_address;
}

// Returns the address within the ELF file of the code at `offset`. A record names many places in
// one file, which may be large: it is read once.
std::optional<uint64_t> address_in(const std::string& file, uint64_t offset) {
  static std::map<std::string, std::optional<uint64_t>> known;
  const auto [found, fresh] = known.try_emplace(file);
  if (fresh) found->second = begin_of(file);
  if (!found->second) return std::nullopt;
  return *found->second + offset;
}

// Whether a function is a form of one of CUDA's own as a template, which is inlined into programs.
bool is_of_runtime(const std::string& function) {
  return function.starts_with("cuda") && function.size() > 4 && function[4] >= 'A' &&
         function[4] <= 'Z';
}

// Returns the line that the call at a place was made in, in `function` if the debug information
// does not name it; empty if the line is not known.
std::string line_of(const std::string& file, uint64_t offset, const std::string& function) {
  const auto address = address_in(file, offset);
  if (!address || !reader()) return "";
  std::vector<SourceFrame> frames;
  reader()({file.c_str(), *address}, frames);
  if (frames.empty()) return "";
  const auto own = std::ranges::find_if_not(
      frames, [](const SourceFrame& frame) { return is_of_runtime(frame.function); });
  const SourceFrame& frame = own == frames.end() ? frames.front() : *own;
  return (frame.function.empty() ? function : frame.function) + " (" +
         fs::path(frame.file).lexically_normal().string() + ":" + std::to_string(frame.line) + ")";
}

// A place in a text: FILE+0xNUMBER. If it is in parentheses, the name in front belongs to it.
struct Place {
  size_t begin, end;
  std::string file;
  uint64_t offset;
};

// Returns the next place with its number at or after `from`.
std::optional<Place> next_place(const std::string& text, size_t from) {
  constexpr std::string_view plus = "+0x";
  for (size_t at = text.find(plus, from); at != text.npos; at = text.find(plus, at + 1)) {
    const size_t digits = at + plus.size();
    const size_t end = std::min(text.find_first_not_of("0123456789abcdef", digits), text.size());
    const size_t before = at == 0 ? text.npos : text.find_last_of(" (", at - 1);
    const size_t begin = before == text.npos ? 0 : before + 1;
    const bool enclosed =
        begin > 0 && text[begin - 1] == '(' && end < text.size() && text[end] == ')';
    const std::string file = text.substr(begin, at - begin);
    std::error_code failure;
    if (end == digits || !fs::is_regular_file(file, failure)) continue;
    Place place{begin, end + (enclosed ? 1 : 0), file,
                strtoull(text.substr(digits, end - digits).c_str(), nullptr, 16)};
    if (!enclosed) return place;
    place.begin = 0;
    for (const std::string_view word : {"called at ", "allocated at "})
      if (const size_t found = text.rfind(word, begin); found != text.npos)
        place.begin = std::max(place.begin, found + word.size());
    return place;
  }
  return std::nullopt;
}

// Returns the name in front of a place: "main" of "main+0x1f (./app+0x114f)".
std::string function_of(const std::string& text, const Place& place) {
  const std::string front = text.substr(place.begin, place.end - place.begin);
  const size_t offset = front.find("+0x");
  const size_t file = front.rfind(" (");
  if (file == front.npos || offset > file) return "unknown";
  return front.substr(0, offset);
}

}  // namespace

std::string with_source_lines(const std::string& text) {
  std::string changed = text;
  size_t from = 0;
  while (const auto place = next_place(changed, from)) {
    const std::string line = line_of(place->file, place->offset, function_of(changed, *place));
    if (!line.empty()) changed.replace(place->begin, place->end - place->begin, line);
    from = line.empty() ? place->end : place->begin + line.size();
  }
  return changed;
}

}  // namespace cuvette::tools
