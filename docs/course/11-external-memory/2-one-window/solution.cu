// SPDX-License-Identifier: Apache-2.0
// Makes both pieces of the memory addressable: maps the combined range once, and adds offsets to
// its address. Then each byte has one address.
Pieces map_both(cudaExternalMemory_t memory, size_t from_offset, size_t to_offset, size_t bytes) {
  const size_t begin = std::min(from_offset, to_offset);
  const size_t end = std::max(from_offset, to_offset) + bytes;
  char* const window = static_cast<char*>(map(memory, begin, end - begin));
  Pieces pieces;
  pieces.from = reinterpret_cast<int*>(window + (from_offset - begin));
  pieces.to = reinterpret_cast<int*>(window + (to_offset - begin));
  pieces.windows = {window};
  return pieces;
}
