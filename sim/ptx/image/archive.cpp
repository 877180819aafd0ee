// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/image/archive.hpp"

#include <charconv>

namespace cuvette::image {

std::vector<ByteView> members_of(ByteView archive) {
  constexpr uint64_t head_bytes = 60, size_at = 48, size_digits = 10;
  std::vector<ByteView> members;
  for (uint64_t at = archive_magic.size(); archive.has(at, head_bytes);) {
    const std::string_view head = archive.part(at, head_bytes).text();
    uint64_t bytes = 0;
    const char* const digits = head.data() + size_at;
    const auto [end, error] = std::from_chars(digits, digits + size_digits, bytes);
    if (error != std::errc{} || head.substr(58) != "`\n") return {};
    at += head_bytes;
    if (!archive.has(at, bytes)) return {};
    if (head[0] != '/' && !head.starts_with("__.SYMDEF"))
      members.push_back(archive.part(at, bytes));
    // A long name is "/123"; a table of them is "//", of symbols "/".
    if (head[0] == '/' && head[1] >= '0' && head[1] <= '9')
      members.push_back(archive.part(at, bytes));
    at += bytes + bytes % 2;
  }
  return members;
}

}  // namespace cuvette::image
