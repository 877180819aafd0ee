// SPDX-License-Identifier: Apache-2.0
// A signal in words: "signal 11 (Segmentation fault)".
//
// Threads: one at a time, as strsignal() wants.
#pragma once

#include <string.h>

#include <string>

namespace cuvette::tools {

inline std::string signal_text(int signal) {
  return "signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

}  // namespace cuvette::tools
