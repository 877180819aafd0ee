// SPDX-License-Identifier: Apache-2.0
#include "api/driver/handle_registry.hpp"

#include "api/driver/refused_argument.hpp"

namespace cuvette::driver::detail {

namespace {

// Returns what the number is a live handle of, in words; null if it is none.
const char* words_of(uintptr_t handle) {
#define HANDLE(type, room, class_, words, null, foreign, stale, orphan, names) \
  if (handle_table<room::class_>.live(handle)) return words;
#include "api/driver/handle_types.def"
  return nullptr;
}

}  // namespace

void note_ended(uintptr_t handle) {
  if (check::ApiMisuse* const misuse = check::ApiMisuse::get()) misuse->handle_ended(handle);
}

Error refuse_handle(uintptr_t handle, const HandleErrors& errors, Ending ending) {
  if (handle == 0) return refuse(errors.null, "A null handle is not a live %s.", errors.words);
  if (ending != Ending::with_its_context) {
    const bool ended = ending == Ending::alone;
    note_refused(check::RefusedHandle{handle, errors.words, words_of(handle), ended},
                 ended ? errors.stale : errors.foreign);
  }
  const auto number = static_cast<unsigned long long>(handle);
  if (ending == Ending::with_its_context)
    return refuse(errors.orphan, "0x%llx was a %s of a context that has ended.", number,
                  errors.words);
  if (ending == Ending::alone)
    return refuse(errors.stale, "0x%llx is no longer a live %s.", number, errors.words);
  return refuse(errors.foreign, "0x%llx is not a live %s.", number, errors.words);
}

}  // namespace cuvette::driver::detail
