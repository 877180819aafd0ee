// SPDX-License-Identifier: Apache-2.0
#include "sim/check/order/access_words.hpp"

#include <cctype>

#include "sim/check/report/allocation_facts.hpp"

namespace cuvette::check {

using device::StreamKind;

std::string stream_in_words(const StreamName& stream) {
  switch (stream.kind) {
    case StreamKind::legacy:
      return "the legacy stream";
    case StreamKind::per_thread:
      return "per-thread stream " + std::to_string(stream.number);
    case StreamKind::blocking:
    case StreamKind::non_blocking:
      break;
  }
  return "stream " + std::to_string(stream.number);
}

std::string stream_as_fact(const StreamName& stream) {
  const std::string words = stream_in_words(stream);
  if (stream.kind == StreamKind::legacy)
    return words + " (stream " + std::to_string(stream.number) + ")";
  return stream.handle ? words + " (" + hexadecimal(stream.handle) + ")" : words;
}

std::string name_of(const Access& access) {
  const std::string what =
      access.kernel ? std::string(access.what) + " " + access.kernel->name : access.what;
  return access.in_graph ? what + " in a graph" : what;
}

std::string with_article(const std::string& noun) {
  if (noun.starts_with("kernel ")) return "the " + noun;
  return (std::string("aeiou").find(noun[0]) == std::string::npos ? "a " : "an ") + noun;
}

std::string with_capital(std::string sentence) {
  sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
  return sentence;
}

std::string place_in_words(const Access& access) {
  return access.hands_over ? "the " + name_of(access) : "command " + std::to_string(access.number);
}

ReportedCommand command_of(const Access& access) {
  return {access.point.stream, access.number, access.in_graph ? access.step + 1 : 0};
}

}  // namespace cuvette::check
