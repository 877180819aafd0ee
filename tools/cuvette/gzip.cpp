// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <climits>
#include <new>

namespace cuvette::tools {

std::string gzip_of(std::string_view bytes) {
  constexpr int with_header_of_gzip = 16, most_memory = 9;
  z_stream stream = {};
  // Without an input, it fails for want of memory alone.
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + with_header_of_gzip,
                   most_memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string packed;
  char part[1 << 16];
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    // zlib counts in 32 bits.
    const size_t given = std::min<size_t>(bytes.size(), UINT_MAX);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(given);
    do {
      stream.next_out = reinterpret_cast<Bytef*>(part);
      stream.avail_out = sizeof part;
      state = deflate(&stream, given == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
      packed.append(part, sizeof part - stream.avail_out);
    } while (stream.avail_out == 0);
    bytes.remove_prefix(given);
  }
  deflateEnd(&stream);
  return packed;
}

}  // namespace cuvette::tools
