// SPDX-License-Identifier: Apache-2.0
#include "sim/device/kernel/kernel_print.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

namespace cuvette::device {
namespace {

// %[flags][width][.precision][size]type, with the values of stars in their place.
struct Conversion {
  std::string whole;        // as the format has it
  std::string begin = "%";  // up to the size
  bool is_long = false;
  int shorts = 0;
  char type = 0;          // 0: the format ends before it
  bool too_wide = false;  // its width, or for numbers its precision
  std::optional<uint64_t> precision;

  bool is_known() const { return type != 0 && strchr("%diuoxXcpsfFeEgGaA", type); }
  uint32_t argument_bytes() const {
    if (type == 'c') return 4;
    return is_long || !strchr("diuoxX", type) ? 8 : 4;
  }
};

class Formatter {
 public:
  Formatter(const std::string& format, PrintSource& source)
      : at_(format.c_str()), end_(at_ + format.size()), source_(source) {}

  Print run() {
    while (at_ != end_ && !print_.unreadable) {
      const char* const percent = std::find(at_, end_, '%');
      print_.text.append(at_, percent);
      at_ = percent;
      if (at_ != end_) convert();
    }
    if (print_.unreadable) print_.text.clear();
    return std::move(print_);
  }

 private:
  char now() const { return at_ == end_ ? '\0' : *at_; }
  bool is_one_of(const char* characters) const { return now() != 0 && strchr(characters, now()); }

  void doubt(std::string why) {
    if (print_.doubt.empty()) print_.doubt = std::move(why);
  }

  // Takes the next argument. False if there is none, or if it cannot be read.
  bool take(uint32_t bytes, uint64_t& value) {
    if (print_.arguments == most_print_arguments) {
      doubt("it has more than 32 arguments, and those after them are not printed");
      return false;
    }
    if (!source_.has_arguments()) {
      doubt("it is called without arguments, and its format asks for one");
      return false;
    }
    print_.unreadable = source_.argument(bytes, value);
    if (print_.unreadable) return false;
    ++print_.arguments;
    return true;
  }

  // Reads a number, or takes it from the arguments; nothing where there is neither. `taken` becomes
  // false if an argument is missing.
  std::optional<int64_t> number(bool& taken) {
    if (now() == '*') {
      ++at_;
      doubt("its format has '*', which is not part of the device's printf: write the number out");
      uint64_t value = 0;
      if (!take(4, value)) taken = false;
      return static_cast<int32_t>(value);
    }
    if (!is_one_of("0123456789")) return std::nullopt;
    int64_t value = 0;
    for (; is_one_of("0123456789"); ++at_)
      value = std::min<int64_t>(value * 10 + (*at_ - '0'), INT32_MAX);
    return value;
  }

  // Reads a conversion. False if an argument of it is missing.
  bool read(Conversion& one) {
    bool taken = true;
    const char* const start = at_++;
    while (is_one_of("#0 +-")) one.begin += *at_++;
    if (const auto width = number(taken)) {
      one.too_wide = static_cast<uint64_t>(std::abs(*width)) > longest_print;
      one.begin += std::to_string(*width);  // a negative one is a flag '-' and a width
    }
    if (now() == '.') {
      ++at_;
      const int64_t precision = number(taken).value_or(0);
      if (precision >= 0) {  // "a negative precision is taken as if it were omitted"
        one.precision = static_cast<uint64_t>(precision);
        one.begin += "." + std::to_string(precision);
      }
    }
    for (; is_one_of("hljztL"); ++at_) {
      if (*at_ == 'h') ++one.shorts;
      if (*at_ != 'h') one.is_long = true;
      if (strchr("jztL", *at_) || one.shorts == 2)
        doubt(std::string("its format has '") + (one.shorts == 2 ? "hh" : std::string(1, *at_)) +
              "', which is not part of the device's printf: convert the argument instead");
    }
    one.type = now();
    if (at_ != end_) ++at_;
    one.whole.assign(start, at_);
    one.too_wide |= one.type != 's' && one.precision.value_or(0) > longest_print;
    return taken;
  }

  void convert() {
    Conversion one;
    if (!read(one) || !print(one)) print_.text += one.whole;
  }

  // Prints the argument. False if the conversion is to be printed as it stands.
  bool print(const Conversion& one) {
    if (one.type == '%') {
      print_.text += '%';
      return true;
    }
    if (!one.is_known()) {
      doubt("'" + one.whole + "' of its format is not a conversion");
      return false;
    }
    uint64_t value = 0;
    if (!take(one.argument_bytes(), value)) return false;
    if (one.type == 's') return print_string(one, value);
    if (one.too_wide) {
      doubt("a field of its format is wider than 1,048,576 characters: " + one.whole +
            " is printed as it stands");
      return false;
    }
    switch (one.type) {
      case 'c':
        append(one, "", static_cast<int>(value));
        break;
      case 'p':
        append(one, "", std::bit_cast<void*>(value));
        break;
      case 'd':
      case 'i':
      case 'u':
      case 'o':
      case 'x':
      case 'X':
        if (one.is_long)
          append(one, "ll", value);
        else
          append(one,
                 one.shorts == 0   ? ""
                 : one.shorts == 1 ? "h"
                                   : "hh",
                 static_cast<uint32_t>(value));
        break;
      default:
        append(one, "", std::bit_cast<double>(value));
    }
    return true;
  }

  bool print_string(const Conversion& one, uint64_t address) {
    std::string string = "(null)";
    if (address != 0) {
      string.clear();
      // No more is read than printed: the string may lack an end.
      const uint64_t most = std::min(one.precision.value_or(longest_print), longest_print);
      print_.unreadable = source_.text_at(address, most, string);
      if (print_.unreadable) return false;
      if (string.size() == longest_print && one.precision.value_or(~0ull) > longest_print)
        doubt("a string is longer than 1,048,576 characters, and its rest is not printed");
    }
    Conversion cut = one;
    if (one.too_wide) {
      doubt("a field of its format is wider than 1,048,576 characters: " + one.whole +
            " is printed without its width");
      cut.begin = "%";
    }
    append(cut, "", string.c_str());
    return true;
  }

  // Appends what the C library makes of it, which may contain zeros and be of any length.
  template <typename T>
  void append(const Conversion& one, const char* size, T value) {
    const std::string format = one.begin + size + one.type;
    std::string& text = print_.text;
    const size_t before = text.size();
    constexpr size_t usual = 64;
    text.resize(before + usual);
    int length = snprintf(text.data() + before, usual, format.c_str(), value);
    if (length >= static_cast<int>(usual)) {
      text.resize(before + static_cast<size_t>(length) + 1);
      length =
          snprintf(text.data() + before, static_cast<size_t>(length) + 1, format.c_str(), value);
    }
    text.resize(before + static_cast<size_t>(std::max(length, 0)));
  }

  const char* at_;
  const char* const end_;
  PrintSource& source_;
  Print print_;
};

}  // namespace

Print format_print(const std::string& format, PrintSource& source) {
  return Formatter(format, source).run();
}

}  // namespace cuvette::device
