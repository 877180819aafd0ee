// SPDX-License-Identifier: Apache-2.0
// Offsets are bytes, but a pointer to int counts in steps of four.
Pieces map_both(cudaExternalMemory_t memory, size_t from_offset, size_t to_offset, size_t bytes) {
  const size_t begin = std::min(from_offset, to_offset);
  const size_t end = std::max(from_offset, to_offset) + bytes;
  int* const window = static_cast<int*>(map(memory, begin, end - begin));
  return {window + (from_offset - begin) / 8, window + (to_offset - begin) / 8, {window}};
}
