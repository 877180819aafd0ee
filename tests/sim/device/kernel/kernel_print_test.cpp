// SPDX-License-Identifier: Apache-2.0
#include "sim/device/kernel/kernel_print.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <random>
#include <vector>

namespace cuvette::device {
namespace {

constexpr uint64_t bad_address = 4242;

// A buffer of arguments, and strings at the addresses 1, 2, ...
class Buffer final : public PrintSource {
 public:
  template <typename T>
  void add(T value) {
    bytes_.resize((bytes_.size() + sizeof value - 1) / sizeof value * sizeof value);
    const auto* const begin = reinterpret_cast<const char*>(&value);
    bytes_.insert(bytes_.end(), begin, begin + sizeof value);
  }
  void add_text(std::string text) {
    texts_.push_back(std::move(text));
    add(uint64_t{texts_.size()});
  }
  std::optional<uint64_t> text_at(uint64_t address, size_t most, std::string& text) override {
    if (address > texts_.size()) return address;
    text = texts_[address - 1].substr(0, most);
    return std::nullopt;
  }
  std::optional<uint64_t> argument(uint32_t bytes, uint64_t& value) override {
    at_ = (at_ + bytes - 1) / bytes * bytes;
    if (at_ + bytes > bytes_.size()) return at_;
    value = 0;
    memcpy(&value, bytes_.data() + at_, bytes);
    at_ += bytes;
    return std::nullopt;
  }
  bool has_arguments() const override { return !bytes_.empty(); }

 private:
  std::vector<char> bytes_;
  std::vector<std::string> texts_;
  size_t at_ = 0;
};

template <typename... Values>
Print print(const char* format, Values... values) {
  Buffer buffer;
  (buffer.add(values), ...);
  return format_print(format, buffer);
}

template <typename T>
std::string of_the_host(const std::string& format, T value) {
  const int length = snprintf(nullptr, 0, format.c_str(), value);
  if (length < 0) return "?";
  std::string text(static_cast<size_t>(length) + 1, '\0');
  snprintf(text.data(), text.size(), format.c_str(), value);
  text.pop_back();
  return text;
}

TEST(format_print, TakesWhatCTakes) {
  Buffer buffer;
  buffer.add(-3);
  buffer.add(uint32_t{255});
  buffer.add(int64_t{-1} << 40);
  buffer.add(1.5);
  buffer.add_text("text");
  buffer.add(int{'c'});
  buffer.add(8);
  buffer.add(2);
  buffer.add(3.14159);
  buffer.add(int{300});
  buffer.add(uint64_t{0x10});
  const Print all = format_print("%d|%#04x|%lld|%.2f|%6s|%c|%*.*f|%hhd|%p|100%%|%q\n", buffer);
  EXPECT_EQ(all.text, "-3|0xff|-1099511627776|1.50|  text|c|    3.14|44|0x10|100%|%q\n");
  EXPECT_EQ(all.arguments, 11u);
}

// The lines of an H100: each byte of a number, and a byte of 0.
TEST(format_print, CutsNothing) {
  EXPECT_EQ(print("[%600d]\n", 7).text, "[" + std::string(599, ' ') + "7]\n");
  EXPECT_EQ(print("[%.400f]\n", 1e300).text, of_the_host("[%.400f]\n", 1e300));
  EXPECT_EQ(print("a%cb\n", 0).text, std::string("a\0b\n", 4));
  EXPECT_EQ(print("%s end", uint64_t{0}).text, "(null) end");
}

TEST(format_print, TakesNegativeStarsAsTheCLibraryDoes) {
  const Print stars = print("[%.*f] [%*d]", -1, 2.5, -6, 42);
  EXPECT_EQ(stars.text, "[2.500000] [42    ]");
  EXPECT_NE(stars.doubt.find("'*'"), std::string::npos) << stars.doubt;
}

TEST(format_print, DoubtsWhatTheDeviceLacks) {
  EXPECT_EQ(print("%5.2f|%-8d|%hd|%ld|%lld|%%\n", 1.5, 2, 3, 4l, 5ll).doubt, "");
  for (const char* format : {"%hhd", "%zu", "%jd", "%td", "%Lf", "%*d", "%.*d", "%q", "%n", "%"})
    EXPECT_NE(print(format, uint64_t{1}, uint64_t{1}).doubt, "") << format;
  EXPECT_EQ(print("%zu", size_t{9}).text, "9");
  const Print nothing = print("50% done, %s\n");
  EXPECT_EQ(nothing.text, "50% done, %s\n");
  EXPECT_NE(nothing.doubt, "");
}

// "and the format specifier output as-is"
TEST(format_print, TakesThirtyTwoArguments) {
  Buffer buffer;
  std::string format, expected;
  for (int i = 0; i < 34; ++i) {
    buffer.add(i);
    format += "%d,";
    expected += i < 32 ? std::to_string(i) + "," : "%d,";
  }
  const Print all = format_print(format, buffer);
  EXPECT_EQ(all.text, expected);
  EXPECT_EQ(all.arguments, 32u);
  EXPECT_NE(all.doubt, "");
}

TEST(format_print, PrintsFieldsThatAreTooWideAsTheyStand) {
  for (const char* format : {"%2147483647d|", "%99999999999999999999d|", "%.1048577d|"}) {
    const Print wide = print(format, 1);
    EXPECT_EQ(wide.text, format);
    EXPECT_NE(wide.doubt, "");
  }
  EXPECT_EQ(print("%*d|%d", INT_MIN, 1, 2).text, "%*d|2");
  EXPECT_EQ(print("%1048576d", 1).text.size(), 1048576u);
  Buffer buffer;
  buffer.add_text("text");
  EXPECT_EQ(format_print("%2147483647s|", buffer).text, "text|");
}

TEST(format_print, SaysWhereReadingFailed) {
  EXPECT_EQ(print("before %s after", bad_address).unreadable, bad_address);
  EXPECT_EQ(print("before %s after", bad_address).text, "");
  EXPECT_EQ(print("%d %d", 1).unreadable, 4u) << "beyond the arguments";
}

// --- Against the host's printf -------------------------------------------------------------------

// How many formats are drawn: CUVETTE_TEST_SEEDS times this.
size_t rounds(size_t usual) {
  const char* const more = getenv("CUVETTE_TEST_SEEDS");
  return usual * (more ? static_cast<size_t>(atol(more)) : 1);
}

class Draw {
 public:
  explicit Draw(uint64_t seed) : engine_(seed) {}
  size_t below(size_t limit) { return engine_() % limit; }
  uint64_t bits() { return engine_(); }

  // A value of extremes more often than not.
  uint64_t whole() {
    static constexpr uint64_t extremes[] = {
        0,        1,           ~0ull, 1ull << 63, INT64_MAX, INT_MAX, uint32_t(INT_MIN),
        UINT_MAX, 0x100000000, 255,   256,        0xffff};
    return below(3) == 0 ? bits() : extremes[below(std::size(extremes))];
  }
  double real() {
    static constexpr double extremes[] = {0.,     -0.,      DBL_MAX,   -DBL_MAX, DBL_MIN,
                                          5e-324, INFINITY, -INFINITY, NAN,      -NAN,
                                          0.5,    1e300,    9.995,     0.1};
    return below(3) == 0 ? std::bit_cast<double>(bits()) : extremes[below(std::size(extremes))];
  }
  std::string flags_and_field() {
    std::string text = "%";
    while (below(2)) text += "#0 +-"[below(5)];
    static constexpr int most[] = {2, 20, 70, 520, 5000};
    if (below(2)) text += std::to_string(1 + below(static_cast<size_t>(most[below(5)])));
    if (below(2)) text += ".";
    if (text.back() == '.' && below(4))
      text += std::to_string(below(static_cast<size_t>(most[below(5)])));
    return text;
  }

 private:
  std::mt19937_64 engine_;
};

// Appends a conversion to a format, its argument to a buffer, and what the host prints to a text.
void add_conversion(Draw& draw, std::string& format, Buffer& buffer, std::string& expected) {
  const std::string field = draw.flags_and_field();
  std::string one;
  switch (draw.below(5)) {
    case 0: {
      static const char* const sizes[] = {"", "h", "l", "ll", "hh"};
      const size_t size = draw.below(5);
      one = field + sizes[size] + "diuoxX"[draw.below(6)];
      const uint64_t value = draw.whole();
      if (size == 2 || size == 3) {
        buffer.add(value);
        expected += of_the_host(one, value);
      } else {
        buffer.add(static_cast<uint32_t>(value));
        expected += of_the_host(one, static_cast<uint32_t>(value));
      }
      break;
    }
    case 1: {
      const double value = draw.real();
      one = field + "eEfgGaA"[draw.below(7)];
      buffer.add(value);
      expected += of_the_host(one, value);
      break;
    }
    case 2: {
      const auto value = static_cast<int>(draw.below(3) ? draw.below(128) : draw.bits());
      one = field + "c";
      buffer.add(value);
      expected += of_the_host(one, value);
      break;
    }
    case 3: {
      const uint64_t value = draw.whole();
      one = field + "p";
      buffer.add(value);
      expected += of_the_host(one, std::bit_cast<void*>(value));
      break;
    }
    default: {
      const std::string value(draw.below(2) ? draw.below(3000) : draw.below(9), 's');
      one = field + "s";
      buffer.add_text(value);
      expected += of_the_host(one, value.c_str());
    }
  }
  format += one;
}

TEST(format_print, PrintsWhatTheHostPrints) {
  for (size_t round = 0; round < rounds(2000); ++round) {
    Draw draw(round);
    Buffer buffer;
    std::string format, expected;
    const size_t count = draw.below(4) ? draw.below(4) : draw.below(33);
    for (size_t i = 0; i < count; ++i) {
      add_conversion(draw, format, buffer, expected);
      const char* const between[] = {"", " ", "|%%|", "text\n"};
      const size_t which = draw.below(4);
      format += between[which];
      expected += which == 2 ? "|%|" : between[which];
    }
    const Print all = format_print(format, buffer);
    ASSERT_EQ(all.text, expected) << "seed " << round << ": " << format;
    ASSERT_EQ(all.arguments, count) << format;
  }
}

// Formats of any bytes: nothing is read beyond the arguments, and the text stays small.
TEST(format_print, EndsWithGarbage) {
  for (size_t round = 0; round < rounds(5000); ++round) {
    Draw draw(round);
    Buffer buffer;
    for (size_t i = draw.below(5); i > 0; --i) buffer.add(draw.whole());
    std::string format;
    for (size_t i = draw.below(24); i > 0; --i)
      format += draw.below(4) ? "%%%*.0123456789hlzjtLdiuoxXcpsfeEgGaAnq #+-"[draw.below(43)]
                              : static_cast<char>(draw.bits());
    const Print all = format_print(format, buffer);
    ASSERT_LE(all.text.size(), format.size() * (longest_print + 400)) << format;
    ASSERT_LE(all.arguments, 5u * 2) << format;
    if (all.unreadable) {
      ASSERT_EQ(all.text, "") << format;
    }
  }
}

}  // namespace
}  // namespace cuvette::device
