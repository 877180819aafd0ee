// SPDX-License-Identifier: Apache-2.0
// Files of counts (CUVETTE_PROFILE) that no process has written: what can be read is shown.
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <sstream>
#include <string>

#include "tests/fuzz/input.hpp"
#include "tools/cuvette/profile/profile.hpp"
#include "tools/cuvette/profile/profile_text.hpp"

using namespace cuvette::tools;

namespace {

constexpr const char* kinds[] = {"instructions", "predicated", "branch",      "barrier",
                                 "load",         "store",      "matrix load", "copy",
                                 "atomic",       "reduction",  "nonsense"};
constexpr const char* counts[] = {"executions",
                                  "lanes",
                                  "instructions",
                                  "divergent",
                                  "bytes",
                                  "global_requests",
                                  "global_lanes",
                                  "sectors",
                                  "ideal_sectors",
                                  "shared_requests",
                                  "shared_lanes",
                                  "wavefronts",
                                  "stride",
                                  "strided",
                                  "most_together",
                                  "behind_others",
                                  "ideal_wavefronts",
                                  "ptx"};

// A number, or a value that should be one.
std::string value(Input& input) {
  switch (input.below(8)) {
    case 0:
      return "-" + std::to_string(input.number());
    case 1:
      return "\"text\"";
    case 2:
      return "[{}]";
    default:
      return std::to_string(input.number());
  }
}

std::string place(Input& input) {
  std::string text = std::string(R"({"kind": ")") + kinds[input.below(std::size(kinds))] +
                     R"(", "source": "/nowhere.cu:)" + std::to_string(input.below(3)) + "\"";
  for (unsigned left = input.below(12); left > 0; --left)
    text += std::string(", \"") + counts[input.below(std::size(counts))] + "\": " + value(input);
  if (input.flip())
    text += R"(, "hottest": {"address": "0x1", "times": )" + value(input) + R"(, "of": )" +
            value(input) + R"(, "allocation_bytes": )" + value(input) + "}";
  return text + "}";
}

// The line of a kernel, of which a byte may be another.
std::string kernel(Input& input) {
  std::string text = R"({"kernel": "k", "symbol": "k)" + std::to_string(input.below(3)) +
                     R"(", "device": {"name": "d", "multiprocessors": )" + value(input) +
                     R"(, "warps_per_multiprocessor": )" + value(input) +
                     R"(}, "static_shared": )" + value(input) + R"(, "registers": )" +
                     value(input) + R"(, "launches": [{"grid": [)" + value(input) + "," +
                     value(input) + R"(], "block": [1, )" + value(input) + R"(, 2], "count": )" +
                     value(input) + R"(, "blocks": )" + value(input) + R"(, "warps_per_block": )" +
                     value(input) + R"(, "limit_warps": )" + value(input) +
                     R"(, "limit_shared": )" + value(input) + R"(, "limit_slots": )" +
                     value(input) + R"(, "limit_registers": )" + value(input) +
                     R"(}], "other_launches": )" + value(input) + R"(, "places": [)";
  for (unsigned left = input.below(5); left > 0; --left)
    text += place(input) + (left > 1 ? "," : "");
  text += "]}";
  if (input.below(4) == 0) text[input.place(text.size())] = static_cast<char>(input.byte());
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ProfileModel model;
  std::istringstream raw(std::string(reinterpret_cast<const char*>(data), size));
  for (std::string line; std::getline(raw, line);) model.add(line);
  Input input(data, size);
  model.add(R"({"cuvette_profile": 1})");
  while (!input.empty()) model.add(kernel(input));
  model.order();
  if (as_text(model, 3, stdout).empty() || as_json(model, 0).empty()) std::abort();
  return 0;
}
