// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/page/base64.hpp"

#include <cstdint>

namespace cuvette::tools {

std::string base64(std::string_view bytes) {
  static constexpr char letters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    uint32_t three = 0;
    for (size_t i = 0; i < 3; ++i)
      three = three << 8 | (at + i < bytes.size() ? static_cast<uint8_t>(bytes[at + i]) : 0);
    for (size_t i = 0; i < 4; ++i)
      text += at + i > bytes.size() ? '=' : letters[three >> (18 - 6 * i) & 63];
  }
  return text;
}

}  // namespace cuvette::tools
