// SPDX-License-Identifier: Apache-2.0
// How reports name an access and the command that it belongs to.
//
// Threads: any.
#pragma once

#include <string>

#include "sim/check/order/access_history.hpp"

namespace cuvette::check {

// Returns "stream 5", "the legacy stream" and the like; as a fact with the stream's handle.
std::string stream_in_words(const Access& access);
std::string stream_as_fact(const Access& access);

// Returns "copy", "kernel add in a graph" and the like.
std::string name_of(const Access& access);
// Returns "a copy", "an event record" and the like.
std::string with_article(const std::string& noun);
// Returns the sentence as it begins.
std::string with_capital(std::string sentence);

// Returns "command 3" and the like.
std::string place_in_words(const Access& access);

}  // namespace cuvette::check
