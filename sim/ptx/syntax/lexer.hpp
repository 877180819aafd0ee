// SPDX-License-Identifier: Apache-2.0
// Cuts PTX text into tokens.
#pragma once

#include <cstdint>
#include <string_view>

namespace cuvette::ptx {

struct Token {
  enum class Kind : uint8_t {
    end,
    word,          // an identifier or an opcode with its modifiers: "%r1", "ld.global.u32", "$L_1"
    directive,     // begins with a dot: ".reg", ".b32"
    number,        // as it is written
    string,        // without its quotes
    punctuation,   // one character
    unterminated,  // first character of a comment or string without an end
  };
  Kind kind = Kind::end;
  std::string_view text;
  uint32_t line = 0;

  bool is(char character) const { return kind == Kind::punctuation && text[0] == character; }
  bool is(std::string_view word) const { return text == word && kind != Kind::string; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text, uint32_t line = 1) : text_(text), line_(line) { advance(); }

  const Token& peek() const { return token_; }
  Token next() {
    Token token = token_;
    advance();
    return token;
  }
  bool accept(char character) {
    if (!token_.is(character)) return false;
    advance();
    return true;
  }

  // The same for several adjacent punctuation characters: "<<", "&&".
  bool accept(std::string_view sequence);
  // Returns whether these characters come next.
  bool stands(std::string_view sequence) const;
  // Goes back to a token that was read before.
  void rewind(const Token& token);

  // Skips what is between the braces of which `next()` has just returned the first, without looking
  // into it: the text with both braces. False if the other one is missing. `declares`: set where
  // .global or .const may begin a statement.
  bool skip_braces(std::string_view& body, bool* declares = nullptr);
  // The place of the current token in the text.
  const char* position() const { return token_.text.data(); }

 private:
  void advance();
  void skip_blanks();

  std::string_view text_;
  size_t at_ = 0;
  uint32_t line_;
  Token token_;
};

}  // namespace cuvette::ptx
