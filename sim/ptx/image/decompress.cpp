// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/image/decompress.hpp"

#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <climits>
#include <memory>

namespace cuvette::image {

// Decompresses in steps, because a damaged image may name a huge size: memory is taken only when
// there is something to fill it.
std::optional<std::string> decompress_zstd(ByteView bytes, size_t size) {
  const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(),
                                                                   ZSTD_freeDCtx);
  if (!context) return {};
  std::string result;
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  std::string step(std::min<size_t>(size + 1, ZSTD_DStreamOutSize()), '\0');
  for (;;) {
    ZSTD_outBuffer output{step.data(), step.size(), 0};
    const size_t before = input.pos;
    const size_t left = ZSTD_decompressStream(context.get(), &output, &input);
    if (ZSTD_isError(left)) return {};
    result.append(step.data(), output.pos);
    if (result.size() > size) return {};
    if (left == 0) break;                                   // the end of the frame
    if (output.pos == 0 && input.pos == before) return {};  // there is too little of it
  }
  if (result.size() != size) return {};
  return result;
}

std::optional<std::string> decompress_lz4(ByteView bytes, size_t size) {
  // LZ4 expands a byte to 255 bytes at most.
  if (bytes.size() > INT_MAX || size > INT_MAX || size / 255 > bytes.size()) return {};
  std::string result(size, '\0');
  const int written = LZ4_decompress_safe(bytes.data(), result.data(),
                                          static_cast<int>(bytes.size()), static_cast<int>(size));
  if (written < 0 || static_cast<size_t>(written) != size) return {};
  return result;
}

}  // namespace cuvette::image
