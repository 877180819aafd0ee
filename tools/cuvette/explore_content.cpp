// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/explore_content.hpp"

#include <algorithm>
#include <iterator>

#include "tools/cuvette/output_difference.hpp"

namespace cuvette::tools {

OtherContent::OtherContent(const RunResult& eager) : order_(eager.order), output_(eager.output) {}

// Names of copies mean nothing where several processes wrote the log.
OtherContent::Found OtherContent::differences(const std::string& schedule,
                                              const RunResult& result) const {
  Found found{schedule, {}, ""};
  if (result.output != output_) found.output = output_difference(output_, result.output);
  if (order_.mixed || result.order.mixed) return found;
  for (const auto& [name, digest] : order_.digests)
    if (const auto other = result.order.digests.find(name);
        other != result.order.digests.end() && !(other->second == digest))
      found.copies.insert(name);
  return found;
}

void OtherContent::look(const std::string& schedule, const RunResult& result) {
  if (found_.size() == most_kept) return;
  Found found = differences(schedule, result);
  if (!found.copies.empty() || !found.output.empty()) found_.push_back(std::move(found));
}

std::vector<std::string> OtherContent::sentences(const Found& found) const {
  std::vector<std::string> sentences;
  for (const std::string& name : found.copies)
    sentences.push_back(order_.with_other_bytes(name, order_.digests.at(name)));
  if (!found.output.empty())
    sentences.push_back("The output is another one: " + found.output + ".");
  return sentences;
}

std::optional<OtherContent::Differences> OtherContent::without_those_of(
    const RunResult& again) const {
  const Found by_chance = differences("", again);
  for (const Found& one : found_) {
    Found rest{one.schedule, {}, by_chance.output.empty() ? one.output : ""};
    std::ranges::copy_if(one.copies, std::inserter(rest.copies, rest.copies.end()),
                         [&](const std::string& name) { return !by_chance.copies.contains(name); });
    if (!rest.copies.empty() || !rest.output.empty())
      return Differences{rest.schedule, sentences(rest)};
  }
  return std::nullopt;
}

}  // namespace cuvette::tools
