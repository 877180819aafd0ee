// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/opcodes.hpp"

#include <algorithm>
#include <unordered_map>

#include "sim/mutex.hpp"

namespace cuvette::ptx {
namespace {

struct Row {
  std::string_view name, modifiers;
};
constexpr Row rows[] = {
#define OPCODE(name, modifiers) {#name, modifiers},
#include "sim/ptx/opcodes.def"
#undef OPCODE
};

const std::unordered_map<std::string_view, Opcode>& by_name() {
  static const auto* const map = [] {
    auto* const result = new std::unordered_map<std::string_view, Opcode>;
    for (size_t i = 0; i < std::size(rows); ++i) (*result)[rows[i].name] = static_cast<Opcode>(i);
    return result;
  }();
  return *map;
}

}  // namespace

bool lists(std::string_view list, std::string_view word) {
  for (size_t at = 0; (at = list.find(word, at)) != std::string_view::npos; at += word.size()) {
    const bool begins = at == 0 || list[at - 1] == ' ';
    const size_t end = at + word.size();
    if (begins && (end == list.size() || list[end] == ' ')) return true;
  }
  return false;
}

std::optional<Opcode> opcode_named(std::string_view base) {
  const auto found = by_name().find(base);
  if (found == by_name().end()) return {};
  return found->second;
}

std::string split_opcode(Instruction& instruction) {
  const std::string_view text = instruction.text;
  size_t at = std::min(text.find('.'), text.size());
  instruction.opcode = text.substr(0, at);
  const std::optional<Opcode> opcode = opcode_named(instruction.opcode);
  if (!opcode) return "there is no instruction '" + std::string(instruction.opcode) + "' here";
  const std::string_view known = rows[static_cast<int>(*opcode)].modifiers;
  while (at < text.size()) {
    const size_t begin = at + 1;
    at = std::min(text.find('.', begin), text.size());
    const std::string_view part = text.substr(begin, at - begin);
    if (lists(known, part)) {
      instruction.modifiers.push_back(part);
    } else if (const std::optional<Type> type = type_named(part)) {
      instruction.types.push_back(*type);
    } else {
      return "'" + std::string(instruction.opcode) + "' has no '." + std::string(part) + "' here";
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
