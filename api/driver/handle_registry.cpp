// SPDX-License-Identifier: Apache-2.0
#include "api/driver/handle_registry.hpp"

namespace cuvette::driver::detail {

Error refuse_handle(uintptr_t handle, const HandleErrors& errors, Ending ending) {
  if (handle == 0) return refuse(errors.null, "A null handle is not a live %s.", errors.words);
  const auto number = static_cast<unsigned long long>(handle);
  if (ending == Ending::with_its_context)
    return refuse(errors.orphan, "0x%llx was a %s of a context that has ended.", number,
                  errors.words);
  if (ending == Ending::alone)
    return refuse(errors.stale, "0x%llx is not a live %s any more.", number, errors.words);
  return refuse(errors.foreign, "0x%llx is not a live %s.", number, errors.words);
}

}  // namespace cuvette::driver::detail
