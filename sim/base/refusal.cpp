// SPDX-License-Identifier: Apache-2.0
#include "sim/base/refusal.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>

#include "sim/base/config.hpp"

namespace cuvette {
namespace {

struct Refusal {
  Error error{};
  char sentence[512];
};
thread_local Refusal last;

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

void forget_refusal() { last.error = Error{}; }

Error refused_about(Error error, const char* what) {
  if (!refusal_of(error)) return error;
  std::string sentence = std::string(what) + ": " + last.sentence;
  sentence.resize(std::min(sentence.size(), sizeof last.sentence - 1));
  memcpy(last.sentence, sentence.c_str(), sentence.size() + 1);
  return error;
}

const char* refusal_of(Error error) {
  return error != Error{} && last.error == error ? last.sentence : nullptr;
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
  if (keeps_sentences()) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(last.sentence, sizeof last.sentence, format, arguments);
    va_end(arguments);
    last.error = error;
  }
  return error;
}

}  // namespace cuvette
