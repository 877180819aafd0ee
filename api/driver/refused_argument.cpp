// SPDX-License-Identifier: Apache-2.0
#include "api/driver/refused_argument.hpp"

#include <optional>
#include <string>
#include <variant>

#include "api/driver/runtime_errors.hpp"
#include "sim/callsite/symbol.hpp"
#include "sim/check/api/leaks.hpp"

namespace cuvette::driver {
namespace {

struct Refused {
  std::variant<check::RefusedHandle, check::RefusedAddress> what;
  Error error;
};
[[gnu::tls_model("initial-exec")]] thread_local constinit std::optional<Refused> refused;

}  // namespace

void note_refused(const check::RefusedHandle& handle, Error error) {
  if (check::ApiMisuse::get()) refused.emplace(Refused{handle, error});
}

void note_refused(const check::RefusedAddress& address, Error error) {
  if (check::ApiMisuse::get()) refused.emplace(Refused{address, error});
}

void note_passed(const check::RefusedAddress& address, const void* entry) {
  if (check::ApiMisuse* const misuse = check::ApiMisuse::get())
    misuse->passed(address, detail::called_function(entry));
}

namespace detail {

void forget_refused() { refused.reset(); }

bool tell_refused(const void* entry, Error error) {
  check::ApiMisuse* const misuse = check::ApiMisuse::get();
  if (!misuse || !refused || refused->error != error) return false;
  const std::string function = called_function(entry);
  return std::visit([&](const auto& what) { return misuse->refused(what, function); },
                    refused->what);
}

void tell_too_late(const void* entry) {
  check::Leaks* const leaks = check::Leaks::get();
  if (!leaks) return;
  // A runtime library that is to free something calls other functions first, and gives up: there
  // the name of its own function counts. An entry point that has nothing else to do jumps to where
  // this is called, so that the address is its caller's. So only what is known to end nothing is
  // left out. The code that a compiler puts into a program unloads its kernels at the very end.
  const std::string function = called_function(entry);
  if (check::unloads_code(function)) return;
  if (!callsite::is_of_this_library(entry) || check::ends(function)) leaks->freed_too_late();
}

}  // namespace detail

}  // namespace cuvette::driver
