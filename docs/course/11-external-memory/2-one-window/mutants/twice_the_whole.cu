// SPDX-License-Identifier: Apache-2.0
// Maps the combined range twice, which is no better than two pieces.
Pieces map_both(cudaExternalMemory_t memory, size_t from_offset, size_t to_offset, size_t bytes) {
  const size_t end = std::max(from_offset, to_offset) + bytes;
  char* const window = static_cast<char*>(map(memory, 0, end));
  char* const other = static_cast<char*>(map(memory, 0, end));
  Pieces pieces;
  pieces.from = reinterpret_cast<int*>(window + from_offset);
  pieces.to = reinterpret_cast<int*>(other + to_offset);
  pieces.windows = {window, other};
  return pieces;
}
