// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/knob_words.hpp"

#include "sim/base/config.hpp"
#include "sim/check/report/report_kinds.hpp"
#include "sim/device/model/profile.hpp"

namespace cuvette::tools {
namespace {

// The words that knobs of this kind accept, separated by commas.
template <typename Kind>
struct WordsOf {
  static constexpr std::string_view words = "";
  static constexpr bool several = false;
};
template <typename Choice>
struct WordsOf<knob::OneOf<Choice>> {
  static constexpr std::string_view words = words_of(Choice{});
  static constexpr bool several = false;
};
template <typename Choice>
struct WordsOf<knob::SomeOf<Choice>> {
  static constexpr std::string_view words = words_of(Choice{});
  static constexpr bool several = true;
};
template <typename Kind>
struct WordsOf<knob::Perhaps<Kind>> : WordsOf<Kind> {};

using namespace knob;

struct KnobRow {
  std::string_view variable, words;
  bool several;
};

constexpr KnobRow knob_rows[] = {
#define KNOB(variable, field, kind, ...) {variable, WordsOf<kind>::words, WordsOf<kind>::several},
#include "sim/base/config.def"
#undef KNOB
};

}  // namespace

KnobWords words_of_knob(std::string_view variable) {
  KnobWords result;
  if (variable == "CUVETTE_DEVICE") {
    result.several = true;
    for (const device::Profile& profile : device::profiles())
      result.words.emplace_back(profile.key);
  } else if (variable == "CUVETTE_SUPPRESS") {
    result.several = true;
    for (const check::ReportKind& kind : check::report_kinds)
      result.words.emplace_back(kind.identifier);
  } else if (variable == "CUVETTE_SCHEDULE") {
    result.words = {"concurrent", "eager", "lazy", "turned"};
  }
  for (const KnobRow& row : knob_rows) {
    if (row.variable != variable || row.words.empty()) continue;
    result.several = row.several;
    for (const std::string_view word : parts_of(row.words, ',')) result.words.emplace_back(word);
  }
  return result;
}

}  // namespace cuvette::tools
