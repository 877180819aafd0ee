// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/step/watches.hpp"

#include <charconv>

namespace cuvette::tools {
namespace {

constexpr size_t most_values = 4096;
constexpr uint64_t most_offset = uint64_t{1} << 20;

template <typename Number>
bool parse_whole(std::string_view text, Number& number) {
  const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc{} && stop == text.data() + text.size();
}

}  // namespace

const char* Watch::wanted() {
  return "[NAME=]ALLOCATION[+OFFSET][:TYPE[COUNT]], such as sum=2:float[4]: an allocation is a "
         "number, in the "
         "order of allocation, or the name of a __device__ variable; an offset is at most 1048576 "
         "bytes; types "
         "are int8 to int64, uint8 to uint64, int, unsigned, float, double, char and hex; at most "
         "4096 values";
}

std::optional<Watch> Watch::parse(std::string_view text) {
  Watch watch;
  if (const size_t equals = text.find('='); equals != text.npos) {
    watch.name = text.substr(0, equals);
    text.remove_prefix(equals + 1);
  }
  // Names of variables have colons in pairs.
  size_t colon = text.find(':');
  while (colon != text.npos && text.substr(colon).starts_with("::"))
    colon = text.find(':', colon + 2);
  if (colon != text.npos) {
    std::string_view type = text.substr(colon + 1);
    text = text.substr(0, colon);
    if (const size_t bracket = type.find('['); bracket != type.npos) {
      if (!type.ends_with(']')) return std::nullopt;
      const std::string_view count = type.substr(bracket + 1, type.size() - bracket - 2);
      if (!parse_whole(count, watch.count) || watch.count == 0 || watch.count > most_values)
        return std::nullopt;
      type = type.substr(0, bracket);
    }
    watch.type = value_type_of(type);
    if (!watch.type) return std::nullopt;
  }
  if (const size_t plus = text.find('+'); plus != text.npos) {
    if (!parse_whole(text.substr(plus + 1), watch.offset) || watch.offset > most_offset)
      return std::nullopt;
    text = text.substr(0, plus);
  }
  if (text.empty()) return std::nullopt;
  watch.allocation = text;
  return watch;
}

}  // namespace cuvette::tools
