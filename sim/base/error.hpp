// SPDX-License-Identifier: Apache-2.0
// Errors are values: Error is one of CUDA's error codes, Result<T> is a T or an Error, and TRY
// passes an Error on to the caller.
//
// Threads: all of it is plain values; refuse() may be called from any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

namespace cuvette {

// CUDA's error codes with CUDA's numbers; success is not an Error.
enum class Error : int {
#define CUVETTE_ERROR(name, number, constant, string) name = number,
#include "sim/base/error.def"
#undef CUVETTE_ERROR
};

template <typename T = void>
class [[nodiscard]] Result {
 public:
  Result(Error error) : error_(error) {}
  Result(T value) : value_(std::move(value)) {}

  bool ok() const { return value_.has_value(); }
  Error error() const { return error_; }
  T& value() & { return *value_; }
  T&& value() && { return std::move(*value_); }
  const T& value() const& { return *value_; }

 private:
  std::optional<T> value_;
  Error error_{};
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(error) {}

  bool ok() const { return error_ == Error{}; }
  Error error() const { return error_; }
  void value() const {}

 private:
  Error error_{};
};

// Evaluates to the value of a Result expression, or returns its Error from the enclosing function.
#define TRY(...)                        \
  ({                                    \
    auto try_result_ = (__VA_ARGS__);   \
    if (!try_result_.ok()) [[unlikely]] \
      return try_result_.error();       \
    std::move(try_result_).value();     \
  })

// Returns `error`. If CUVETTE_EXPLAIN=1 asks for it, also keeps the reason, for the call that
// answers with this error (sim/base/refusal.hpp): `format` (printf's) is a sentence that names the
// value given and the limit.
[[gnu::cold]] [[gnu::format(printf, 2, 3)]] Error refuse(Error error, const char* format, ...);

}  // namespace cuvette
