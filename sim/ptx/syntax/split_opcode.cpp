// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/syntax/split_opcode.hpp"

#include <algorithm>
#include <unordered_map>

#include "sim/base/mutex.hpp"

namespace cuvette::ptx {

std::string split_opcode(Instruction& instruction) {
  const std::string_view text = instruction.text;
  size_t at = std::min(text.find('.'), text.size());
  const std::string name(text.substr(0, at));
  const std::optional<Opcode> opcode = opcode_named(name);
  if (!opcode) return "there is no instruction '" + name + "' here";
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
      return "'" + name + "' has no '." + std::string(part) + "' here";
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
