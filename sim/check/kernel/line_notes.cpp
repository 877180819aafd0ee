// SPDX-License-Identifier: Apache-2.0
#include "sim/check/kernel/line_notes.hpp"

#include "sim/check/kernel/sheet_pool.hpp"

namespace cuvette::watch {

std::unique_ptr<NoteSheets> NoteSheets::take(uint64_t begin, uint64_t bytes) {
  if (auto taken = SheetPool<NoteSheets>::take(begin, bytes)) return taken;
  Result<os::SparseMemory> memory =
      os::SparseMemory::create(bytes / LineNote::bytes * sizeof(LineNote));
  if (!memory.ok()) return nullptr;
  return std::unique_ptr<NoteSheets>(new NoteSheets(std::move(memory).value(), begin, bytes));
}

void NoteSheets::give(std::unique_ptr<NoteSheets> sheets, size_t opened) {
  // A quarter of a gigabyte, if no page was opened twice.
  constexpr size_t most_opened = 60'000;
  sheets->opened_ += opened;
  if (sheets->opened_ > most_opened) return;
  SheetPool<NoteSheets>::give(std::move(sheets));
}

}  // namespace cuvette::watch
