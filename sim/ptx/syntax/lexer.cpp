// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/syntax/lexer.hpp"

#include <algorithm>
#include <cstring>

namespace cuvette::ptx {
namespace {

// Classes of characters, once: a table is what makes scanning fast.
struct Classes {
  bool word[256] = {}, digit[256] = {};
  bool skipped[256] = {};  // what skip_braces() looks at
  constexpr Classes() {
    for (int c = 'a'; c <= 'z'; ++c) word[c] = word[c - 'a' + 'A'] = true;
    for (int c = '0'; c <= '9'; ++c) word[c] = digit[c] = true;
    for (const int c : {'_', '$', '%'}) word[c] = true;
    for (int c = 128; c < 256; ++c) word[c] = true;
    for (const char c : {'\n', '.', '{', '}', '/', '"', '\0'}) skipped[static_cast<int>(c)] = true;
  }
};
constexpr Classes classes;

bool in_word(char c) { return classes.word[static_cast<unsigned char>(c)]; }
bool is_digit(char c) { return classes.digit[static_cast<unsigned char>(c)]; }

}  // namespace

void Lexer::skip_blanks() {
  const size_t size = text_.size();
  while (at_ < size) {
    const char c = text_[at_];
    if (c == '\n') {
      ++line_;
      ++at_;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
      ++at_;
    } else if (c == '/' && at_ + 1 < size && text_[at_ + 1] == '/') {
      const void* const newline = std::memchr(text_.data() + at_, '\n', size - at_);
      at_ = newline ? static_cast<size_t>(static_cast<const char*>(newline) - text_.data()) : size;
    } else if (c == '/' && at_ + 1 < size && text_[at_ + 1] == '*') {
      const size_t end = text_.find("*/", at_ + 2);
      if (end == std::string_view::npos) return;  // advance() says so
      line_ += static_cast<uint32_t>(std::count(text_.begin() + at_, text_.begin() + end, '\n'));
      at_ = end + 2;
    } else if (c == '\0') {
      at_ = size;  // what follows a terminator is not text
    } else {
      return;
    }
  }
}

void Lexer::advance() {
  skip_blanks();
  token_.line = line_;
  const size_t begin = at_, size = text_.size();
  if (at_ >= size) {
    token_.kind = Token::Kind::end;
    token_.text = text_.substr(size, 0);
    return;
  }
  const char c = text_[at_];
  const auto scan_word = [&] {
    for (; at_ < size; ++at_) {
      if (in_word(text_[at_])) continue;
      // A dot or two colons go on if a word follows: "ld.global", ".shared::cta".
      if (text_[at_] == '.' && at_ + 1 < size && in_word(text_[at_ + 1])) continue;
      if (text_[at_] == ':' && at_ + 2 < size && text_[at_ + 1] == ':' && in_word(text_[at_ + 2])) {
        ++at_;
        continue;
      }
      break;
    }
  };
  const bool comment = c == '/' && at_ + 1 < size && text_[at_ + 1] == '*';
  const size_t quote = c == '"' ? text_.find('"', at_ + 1) : 0;
  if (comment || quote == std::string_view::npos) {
    token_.kind = Token::Kind::unterminated;
    token_.text = text_.substr(begin, comment ? 2 : 1);
    at_ = size;
    return;
  }
  if (c == '"') {
    token_.kind = Token::Kind::string;
    token_.text = text_.substr(begin + 1, quote - begin - 1);
    at_ = quote + 1;
    for (const char one : token_.text) line_ += one == '\n';
    return;
  }
  if (is_digit(c)) {
    // 12, 0x1F, 0f3F800000, 1.5e-3, 7U
    token_.kind = Token::Kind::number;
    for (++at_; at_ < size; ++at_) {
      const char d = text_[at_];
      const bool exponent_sign = (d == '-' || d == '+') && (text_[at_ - 1] | 32) == 'e' &&
                                 at_ - begin > 1 && text_.substr(begin, 2) != "0x" &&
                                 text_.substr(begin, 2) != "0X" && (text_[begin + 1] | 32) != 'f' &&
                                 (text_[begin + 1] | 32) != 'd';
      if ((!in_word(d) || d == '%' || d == '$') && d != '.' && !exponent_sign) break;
    }
    token_.text = text_.substr(begin, at_ - begin);
    return;
  }
  if (c == '.' && at_ + 1 < size && in_word(text_[at_ + 1])) {
    ++at_;
    // Directives do not run on: ".param.u64" is not written, ".param .u64" is; but
    // ".shared::cta" and ".L2::128B" are one.
    for (; at_ < size; ++at_) {
      if (in_word(text_[at_])) continue;
      if (text_[at_] == ':' && at_ + 2 < size && text_[at_ + 1] == ':' && in_word(text_[at_ + 2])) {
        ++at_;
        continue;
      }
      break;
    }
    token_.kind = Token::Kind::directive;
    token_.text = text_.substr(begin, at_ - begin);
    return;
  }
  if (in_word(c)) {
    scan_word();
    token_.kind = Token::Kind::word;
    token_.text = text_.substr(begin, at_ - begin);
    return;
  }
  ++at_;
  token_.kind = Token::Kind::punctuation;
  token_.text = text_.substr(begin, 1);
}

bool Lexer::stands(std::string_view sequence) const {
  if (token_.kind != Token::Kind::punctuation) return false;
  return text_.substr(static_cast<size_t>(token_.text.data() - text_.data())).starts_with(sequence);
}

bool Lexer::accept(std::string_view sequence) {
  if (!stands(sequence)) return false;
  at_ = static_cast<size_t>(token_.text.data() - text_.data()) + sequence.size();
  advance();
  return true;
}

void Lexer::rewind(const Token& token) {
  at_ = static_cast<size_t>(token.text.data() - text_.data());
  if (token.kind == Token::Kind::string) --at_;
  line_ = token.line;
  advance();
}

bool Lexer::skip_braces(std::string_view& body, bool* declares) {
  // The current token is the first one after the brace; scanning begins at the brace.
  size_t at = static_cast<size_t>(token_.text.data() - text_.data());
  uint32_t line = token_.line;
  if (token_.kind == Token::Kind::string) --at;
  size_t begin = at;
  while (begin > 0 && text_[begin - 1] != '{') --begin;
  --begin;
  for (int depth = 1; at < text_.size(); ++at) {
    const char c = text_[at];
    if (!classes.skipped[static_cast<unsigned char>(c)]) continue;
    if (c == '\n') {
      ++line;
    } else if (c == '.') {
      // After an opcode these are not separate words.
      if (!declares || in_word(text_[at - 1]) || at + 1 == text_.size()) continue;
      const std::string_view rest = text_.substr(at, 7);
      *declares |= rest.starts_with(".global") || rest.starts_with(".const");
    } else if (c == '{') {
      ++depth;
    } else if (c == '}') {
      if (--depth > 0) continue;
      body = text_.substr(begin, at + 1 - begin);
      at_ = at + 1;
      line_ = line;
      advance();
      return true;
    } else if (c == '/' && at + 1 < text_.size() && text_[at + 1] == '/') {
      at = text_.find('\n', at);
      if (at == std::string_view::npos) return false;
      ++line;
    } else if (c == '/' && at + 1 < text_.size() && text_[at + 1] == '*') {
      const size_t end = text_.find("*/", at + 2);
      if (end == std::string_view::npos) return false;
      for (; at < end; ++at) line += text_[at] == '\n';
      ++at;
    } else if (c == '"') {
      const size_t end = text_.find('"', at + 1);
      if (end == std::string_view::npos) return false;
      for (; at < end; ++at) line += text_[at] == '\n';
    } else if (c == '\0') {
      return false;
    }
  }
  return false;
}

}  // namespace cuvette::ptx
