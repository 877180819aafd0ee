// SPDX-License-Identifier: Apache-2.0
// Forgets to free the window.
Pieces map_both(cudaExternalMemory_t memory, size_t from_offset, size_t to_offset, size_t bytes) {
  const size_t begin = std::min(from_offset, to_offset);
  const size_t end = std::max(from_offset, to_offset) + bytes;
  char* const window = static_cast<char*>(map(memory, begin, end - begin));
  return {reinterpret_cast<int*>(window + (from_offset - begin)),
          reinterpret_cast<int*>(window + (to_offset - begin)),
          {}};
}
