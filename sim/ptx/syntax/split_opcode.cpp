// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/syntax/split_opcode.hpp"

#include <algorithm>
#include <unordered_map>

#include "sim/base/mutex.hpp"

namespace cuvette::ptx {
namespace {

// The parts of PTX that Cuvette lacks, by instruction.
const std::unordered_map<std::string_view, std::string_view>& lacking() {
  static const auto& all = *new std::unordered_map<std::string_view, std::string_view>{
#define LACKING(instruction, words) {#instruction, words},
#include "sim/ptx/syntax/lacking.def"
  };
  return all;
}

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

// Returns the sentence about an instruction, or with `part` about what it says after a dot.
std::string refusal(const std::string& name) {
  if (lacking().contains(name)) return "'" + name + "' is not implemented";
  return "there is no instruction '" + name + "' here";
}
std::string refusal(const std::string& name, std::string_view part) {
  const auto found = lacking().find(name);
  if (found != lacking().end() && has_word(found->second, part))
    return "'" + name + "' with '." + std::string(part) + "' is not implemented";
  return "'" + name + "' has no '." + std::string(part) + "' here";
}

}  // namespace

std::string split_opcode(Instruction& instruction) {
  const std::string_view text = instruction.text;
  size_t at = std::min(text.find('.'), text.size());
  const std::string name(text.substr(0, at));
  const std::optional<Opcode> opcode = opcode_named(name);
  if (!opcode) return refusal(name);
  instruction.opcode = *opcode;
  while (at < text.size()) {
    const size_t begin = at + 1;
    at = std::min(text.find('.', begin), text.size());
    const std::string_view part = text.substr(begin, at - begin);
    if (const std::optional<Modifier> modifier = modifier_named(*opcode, part)) {
      instruction.modifiers.push_back(*modifier);
    } else if (const std::optional<Type> type = type_named(part)) {
      instruction.types.push_back(*type);
    } else {
      return refusal(name, part);
    }
  }
  return {};
}

std::string check_opcode(std::string_view text) {
  // A program has some hundred different ones, and a hundred thousand instructions.
  static Mutex mutex;
  static std::unordered_map<std::string, std::string>* const known =
      new std::unordered_map<std::string, std::string>;
  MutexLock lock(mutex);
  const auto found = known->find(std::string(text));
  if (found != known->end()) return found->second;
  Instruction instruction;
  instruction.text = text;
  const std::string sentence = split_opcode(instruction);
  if (known->size() < 10'000) known->emplace(text, sentence);
  return sentence;
}

}  // namespace cuvette::ptx
