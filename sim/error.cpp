// SPDX-License-Identifier: Apache-2.0
#include "sim/error.hpp"

#include <cstdarg>
#include <cstdio>

#include "sim/config.hpp"

namespace cuvette {

Error refuse(Error error, const char* format, ...) {
  static const bool explain = config().explain == "1";
  if (explain) {
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    fprintf(stderr, "cuvette: refused: %s\n", sentence);
  }
  return error;
}

}  // namespace cuvette
