// SPDX-License-Identifier: Apache-2.0
// How reports name an access and the command that it belongs to.
//
// Threads: any.
#pragma once

#include <string>

#include "sim/check/order/access_history.hpp"
#include "sim/check/report/report_text.hpp"

namespace cuvette::check {

// How a stream is named. Schedules and logs use the same number; cuStreamGetId gives one more.
struct StreamName {
  StreamName(const device::Stream& stream)
      : kind(stream.kind()), number(stream.id()), handle(stream.api_name()) {}
  StreamName(const Access& access)
      : kind(access.stream_kind), number(access.point.stream), handle(access.stream_handle) {}

  device::StreamKind kind;
  uint64_t number;
  uintptr_t handle;  // 0: it has none
};
// Returns "stream 5", "the legacy stream" and the like; as a fact always with its number.
std::string stream_in_words(const StreamName& stream);
std::string stream_as_fact(const StreamName& stream);

// Returns "copy", "kernel add in a graph" and the like.
std::string name_of(const Access& access);
// Returns "a copy", "an event record" and the like.
std::string with_article(const std::string& noun);
// Returns the sentence as it begins.
std::string with_capital(std::string sentence);

// Returns "command 3" and the like.
std::string place_in_words(const Access& access);

// Returns its command, as a report names it.
ReportedCommand command_of(const Access& access);

}  // namespace cuvette::check
