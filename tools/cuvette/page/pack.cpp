// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/page/pack.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace cuvette::tools {

std::string gzipped(std::string_view bytes) {
  z_stream stream = {};
  // 15 bits of window, and 16 for gzip's frame. Level 6 is zlib's own choice.
  if (deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib has no memory to compress the page's data");
  std::string packed;
  std::string part(size_t{1} << 18, '\0');
  int status = Z_OK;
  while (status == Z_OK) {
    // zlib counts in 32 bits.
    const size_t some = std::min<size_t>(bytes.size(), std::numeric_limits<uInt>::max());
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(some);
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    status = deflate(&stream, some == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    bytes.remove_prefix(some - stream.avail_in);
    packed.append(part, 0, part.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("zlib cannot compress the page's data");
  return packed;
}

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
