// SPDX-License-Identifier: Apache-2.0
// Makes both pieces of the memory addressable.
Pieces map_both(cudaExternalMemory_t memory, size_t from_offset, size_t to_offset, size_t bytes) {
  Pieces pieces;
  pieces.from = static_cast<int*>(map(memory, from_offset, bytes));
  pieces.to = static_cast<int*>(map(memory, to_offset, bytes));
  pieces.windows = {pieces.from, pieces.to};
  return pieces;
}
