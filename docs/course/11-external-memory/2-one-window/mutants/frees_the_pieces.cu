// SPDX-License-Identifier: Apache-2.0
// Frees addresses inside of the window.
Pieces map_both(cudaExternalMemory_t memory, size_t from_offset, size_t to_offset, size_t bytes) {
  const size_t begin = std::min(from_offset, to_offset);
  const size_t end = std::max(from_offset, to_offset) + bytes;
  char* const window = static_cast<char*>(map(memory, begin, end - begin));
  int* const from = reinterpret_cast<int*>(window + (from_offset - begin));
  int* const to = reinterpret_cast<int*>(window + (to_offset - begin));
  return {from, to, {from, to}};
}
