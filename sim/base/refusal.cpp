// SPDX-License-Identifier: Apache-2.0
#include "sim/base/refusal.hpp"

#include <threads.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "sim/base/config.hpp"

namespace cuvette {
namespace {

constexpr size_t most_bytes = 512;

// What the thread's sentence is about; of no error if there is none.
constinit thread_local Error last{};

// The sentence itself is on the heap, since this room is part of libraries that programs open late:
// glibc reserves 1,664 bytes for the thread-local variables of all such libraries. The key's
// destructor frees it with the thread. A thread_local object with a destructor would take the
// loader's lock (sim/base/thread_end.hpp). Null if the process has used up all keys.
const tss_t* key() {
  static tss_t made{};
  static const bool is_made = tss_create(&made, free) == thrd_success;
  return is_made ? &made : nullptr;
}

char* sentence() { return key() ? static_cast<char*>(tss_get(*key())) : nullptr; }

// Returns the thread's sentence; null if there is no room for it.
char* make_sentence() {
  if (char* const made = sentence()) return made;
  if (!key()) return nullptr;
  auto* const made = static_cast<char*>(malloc(most_bytes));
  if (made && tss_set(*key(), made) != thrd_success) {
    free(made);
    return nullptr;
  }
  return made;
}

}  // namespace

namespace detail {
constinit std::atomic<bool> keeping_sentences{false};
constinit std::atomic<bool> explaining{false};
}  // namespace detail

void read_explain_knob() {
  detail::explaining.store(config().explain, std::memory_order_relaxed);
  if (config().explain) keep_sentences();
}

void keep_sentences() { detail::keeping_sentences.store(true, std::memory_order_relaxed); }

void forget_refusal() { last = Error{}; }

Error refused_about(Error error, const char* what) {
  const char* const about = refusal_of(error);
  if (!about) return error;
  const std::string whole = std::string(what) + ": " + about;
  snprintf(sentence(), most_bytes, "%s", whole.c_str());
  return error;
}

const char* refusal_of(Error error) {
  return error != Error{} && last == error ? sentence() : nullptr;
}

const char* name_of(Error error) {
  switch (error) {
#define CUVETTE_ERROR(name, number, constant, string) \
  case Error::name:                                   \
    return #constant;
#include "sim/base/error.def"
#undef CUVETTE_ERROR
  }
  return nullptr;
}

Error refuse(Error error, const char* format, ...) {
  if (!keeps_sentences()) return error;
  if (char* const made = make_sentence()) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(made, most_bytes, format, arguments);
    va_end(arguments);
    last = error;
  }
  return error;
}

}  // namespace cuvette
