// SPDX-License-Identifier: Apache-2.0
// The kinds of values that knobs have (config.def says which has which). Each kind has
//
//   Value                  what the knob is in Config
//   parse(text)            the value; nothing if the text means none
//   complaint(text)        what is wrong with it: the end of a sentence about the knob that begins
//                          with "is"; empty if nothing is
//
// Threads: any; pure functions.
#pragma once

#include <algorithm>
#include <bitset>
#include <charconv>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/choices.hpp"

namespace cuvette {

// Returns the one of `names` that is nearest to a misspelt one; empty if none is near.
std::string nearest(std::string_view name, std::span<const std::string_view> names);

// Returns the parts of a list, which `separator` separates, without leading blanks.
std::vector<std::string_view> parts_of(std::string_view list, char separator);

// Reads a number of bytes with an optional binary suffix ("64", "512K", "16G"); nothing if it is
// not such a text.
std::optional<size_t> parse_bytes(std::string_view text);

namespace knob {

// Return what is wrong with a word that is none of `words`, with a number, with bytes.
std::string not_among(std::string_view word, std::string_view words);
std::string not_a_number(std::string_view text, unsigned least, unsigned most);
std::string not_bytes(std::string_view text, size_t least);

// Whether there is a regular file of this name.
bool is_file(std::string_view name);

// Any text; its reader validates it.
struct Text {
  using Value = std::string;
  static std::optional<Value> parse(std::string_view text) { return Value(text); }
  static std::string complaint(std::string_view) { return ""; }
};

// A file or a folder. `names_path` says whether a text that is not empty does: `cuvette run` makes
// it absolute, since programs such as ctest change their folder.
struct Path : Text {
  static bool names_path(std::string_view) { return true; }
};
// A folder, or a word for none.
struct FolderOrOff : Text {
  static bool names_path(std::string_view text) { return text != "0" && text != "off"; }
};
// A file that exists, or a list of names.
struct FileOrNames : Text {
  static bool names_path(std::string_view text) { return is_file(text); }
};

// A word that may be a part of a file's name.
struct WordOrOff {
  using Value = std::string;
  static constexpr size_t longest = 64;
  static std::optional<Value> parse(std::string_view text);
  static std::string complaint(std::string_view text);
};

// Any text, the empty one included. A knob of another kind that is set to the empty text counts as
// not set.
struct AnyText : Text {
  static constexpr bool takes_empty = true;
};

template <typename Kind>
constexpr bool takes_empty = requires {
  requires Kind::takes_empty;
};

// "1" or "0".
struct Switch {
  using Value = bool;
  static std::optional<Value> parse(std::string_view text) {
    if (text == "0" || text == "1") return text == "1";
    return std::nullopt;
  }
  static std::string complaint(std::string_view text) {
    return parse(text) ? "" : not_among(text, "0, 1");
  }
};

template <unsigned least, unsigned most>
struct Number {
  using Value = unsigned;
  static std::optional<Value> parse(std::string_view text) {
    unsigned number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, number);
    if (failure != std::errc{} || stop != end || number < least || number > most)
      return std::nullopt;
    return number;
  }
  static std::string complaint(std::string_view text) {
    return parse(text) ? "" : not_a_number(text, least, most);
  }
};

template <size_t least = 0>
struct Bytes {
  using Value = size_t;
  static std::optional<Value> parse(std::string_view text) {
    const std::optional<size_t> bytes = parse_bytes(text);
    return bytes && *bytes >= least ? bytes : std::nullopt;
  }
  static std::string complaint(std::string_view text) {
    return parse(text) ? "" : not_bytes(text, least);
  }
};

// One word of a choice.
template <typename Choice>
struct OneOf {
  using Value = Choice;
  static std::optional<Value> parse(std::string_view text) {
    const std::vector<std::string_view> words = parts_of(words_of(Choice{}), ',');
    const auto found = std::find(words.begin(), words.end(), text);
    if (found == words.end()) return std::nullopt;
    return static_cast<Choice>(found - words.begin());
  }
  static std::string complaint(std::string_view text) {
    return parse(text) ? "" : not_among(text, words_of(Choice{}));
  }
};

// Several words of a choice, with commas between them.
template <typename Choice>
struct SomeOf {
  class Value {
   public:
    // The word `all`, where a choice has it, means every other.
    bool has(Choice one) const {
      if constexpr (requires { Choice::all; })
        if (chosen_[static_cast<size_t>(Choice::all)]) return true;
      return chosen_[static_cast<size_t>(one)];
    }
    void add(Choice one) { chosen_.set(static_cast<size_t>(one)); }

   private:
    std::bitset<32> chosen_;
  };
  static std::optional<Value> parse(std::string_view text) {
    Value value;
    for (const std::string_view word : parts_of(text, ',')) {
      if (word.empty()) continue;
      const std::optional<Choice> one = OneOf<Choice>::parse(word);
      if (!one) return std::nullopt;
      value.add(*one);
    }
    return value;
  }
  static std::string complaint(std::string_view text) {
    for (const std::string_view word : parts_of(text, ','))
      if (std::string wrong = OneOf<Choice>::complaint(word); !word.empty() && !wrong.empty())
        return wrong;
    return "";
  }
};

// A kind without a default: nothing if the knob is not set.
template <typename Kind>
struct Perhaps {
  using Value = std::optional<typename Kind::Value>;
  static constexpr bool takes_empty = knob::takes_empty<Kind>;
  static std::optional<Value> parse(std::string_view text) {
    if (auto value = Kind::parse(text)) return Value(std::move(*value));
    return std::nullopt;
  }
  static std::string complaint(std::string_view text) { return Kind::complaint(text); }
};

}  // namespace knob
}  // namespace cuvette
