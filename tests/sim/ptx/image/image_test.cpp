// SPDX-License-Identifier: Apache-2.0
// What is found in good and in damaged images.
#include "sim/ptx/image/image.hpp"

#include <gtest/gtest.h>

#include <random>

#include "sim/ptx/image/fat_binary.hpp"
#include "sim/ptx/image/make_fat_binary.hpp"
#include "tests/sim/ptx/image/build_image.hpp"

namespace {

using namespace cuvette;
using image::Kind;

constexpr uint64_t one_model = 0x100000, one_family = 0x200000;

struct Answer {
  std::vector<std::string> texts;
  Error error{};
  std::string sentence;
};

Answer extract(const std::string& bytes, uint32_t target = 90) {
  Answer answer;
  auto extract = image::extract_ptx(bytes.data(), bytes.size(), target, answer.sentence);
  if (extract.ok())
    answer.texts = std::move(extract.value().texts);
  else
    answer.error = extract.error();
  return answer;
}

// The target of the only text, or the error's number.
std::string chosen(const std::vector<std::string>& entries, uint32_t target = 90) {
  const Answer answer = extract(make_container(entries), target);
  if (answer.texts.size() != 1) return std::to_string(static_cast<int>(answer.error));
  const std::string& text = answer.texts[0];
  const size_t at = text.find(".target ") + 8;
  return text.substr(at, text.find('\n', at) - at);
}

TEST(Image, IsRecognisedByItsFirstBytes) {
  const auto kind = [](std::string_view text) { return image::kind_of(text.data(), text.size()); };
  EXPECT_EQ(kind(".version 8.0"), Kind::ptx);
  EXPECT_EQ(kind("\n // text\n/* more */ .version 8.0"), Kind::ptx);
  EXPECT_EQ(kind(".target sm_80"), Kind::nothing);
  EXPECT_EQ(kind(""), Kind::nothing);
  EXPECT_EQ(kind("/* never closed"), Kind::nothing);
  EXPECT_EQ(kind("\177ELF"), Kind::elf);
  EXPECT_EQ(kind("!<arch>\n"), Kind::archive);
  EXPECT_EQ(kind(make_container({})), Kind::fat_binary);
  // No byte after the terminator is read.
  const auto one = std::make_unique<char[]>(1);
  EXPECT_EQ(image::kind_of(one.get(), image::unknown_size), Kind::nothing);
}

TEST(Image, TextEndsAtItsTerminator) {
  const std::string text = ptx("sm_80");
  const Answer answer = extract(text + '\0' + "garbage");
  ASSERT_EQ(answer.texts.size(), 1u);
  EXPECT_EQ(answer.texts[0], text);
  std::string sentence;
  EXPECT_EQ(image::extract_ptx(text.c_str(), image::unknown_size, 90, sentence).value().texts[0],
            text);
}

TEST(FatBinary, GivesTheNewestPtxThatTheDeviceRuns) {
  const auto plain = [](uint32_t target) {
    return make_entry(ptx("sm_" + std::to_string(target)), target);
  };
  EXPECT_EQ(chosen({plain(70), plain(80)}), "sm_80");
  EXPECT_EQ(chosen({plain(80), plain(70)}), "sm_80");
  EXPECT_EQ(chosen({plain(80), plain(100)}), "sm_80");
  EXPECT_EQ(chosen({plain(75), plain(80), plain(90)}, 86), "sm_80");
  const std::string only90 = make_entry(ptx("sm_90a"), 90, {.flags = one_model});
  EXPECT_EQ(chosen({plain(90), only90}), "sm_90a");
  EXPECT_EQ(chosen({only90, plain(90)}), "sm_90a");
  EXPECT_EQ(chosen({only90, plain(80)}, 100), "sm_80");
  EXPECT_EQ(chosen({make_entry(ptx("sm_80a"), 80, {.flags = one_model}), plain(75)}), "sm_75");
  const std::string family = make_entry(ptx("sm_100f"), 100, {.flags = one_family});
  EXPECT_EQ(chosen({family, plain(100)}, 103), "sm_100f");
  EXPECT_EQ(chosen({family, plain(90)}, 120), "sm_90");
}

TEST(FatBinary, SaysWhatItHoldsInsteadOfPtx) {
  const Answer cubin = extract(make_container({make_entry("code", 90, {.kind = 2})}));
  EXPECT_EQ(cubin.error, Error::no_binary_for_gpu);
  EXPECT_NE(cubin.sentence.find("code=compute_75"), std::string::npos) << cubin.sentence;
  const Answer newer = extract(make_container({make_entry(ptx("sm_100"), 100)}));
  EXPECT_EQ(newer.error, Error::no_binary_for_gpu);
  EXPECT_NE(newer.sentence.find("10.0"), std::string::npos) << newer.sentence;
  EXPECT_EQ(extract(make_container({})).error, Error::no_binary_for_gpu);
}

TEST(FatBinary, IsDecompressed) {
  std::string text = ptx("sm_80");
  for (int i = 0; i < 20000; ++i) text += "// the same again and again\n";
  for (const Compression way : {Compression::none, Compression::zstd, Compression::lz4}) {
    const Answer answer = extract(make_container({make_entry(text, 80, {.compression = way})}));
    ASSERT_EQ(answer.texts.size(), 1u) << answer.sentence;
    EXPECT_EQ(answer.texts[0], text);
  }
}

TEST(FatBinary, SaysHowManyRegistersKernelsMayUse) {
  const auto most_of = [](const std::string& image) {
    std::string sentence;
    return image::extract_ptx(image.data(), image.size(), 90, sentence).value().most_registers[0];
  };
  const auto with = [](const std::string& words) {
    return make_container({make_entry(ptx("sm_80"), 80, {.words = words})});
  };
  EXPECT_EQ(most_of(with("")), 0u);
  EXPECT_EQ(most_of(with(" --compile-only ")), 0u);
  EXPECT_EQ(most_of(with(" -maxrregcount=32 --generate-line-info ")), 32u);
  EXPECT_EQ(most_of(with(" -maxrregcount=")), 0u);
  EXPECT_EQ(most_of(with(" -maxrregcount=99999999999 ")), 0u);
  // Places outside the entry.
  for (const auto& [place, value] : {std::pair<size_t, uint32_t>{16 + 20, 1000},
                                     {16 + 64, 1000},
                                     {16 + 68, ~0u},
                                     {16 + 20, ~0u}}) {
    std::string image = with(" -maxrregcount=32 ");
    put(image, place, value);
    EXPECT_EQ(most_of(image), 0u) << place;
  }
}

TEST(FatBinary, RefusesAWrongSizeOfWhatIsCompressed) {
  for (const Compression way : {Compression::zstd, Compression::lz4}) {
    for (const int64_t wrong : {-1, 1, 1 << 20}) {
      std::string image = make_container({make_entry(ptx("sm_80"), 80, {.compression = way})});
      uint64_t size;
      std::memcpy(&size, image.data() + 16 + 56, sizeof size);
      put(image, 16 + 56, size + static_cast<uint64_t>(wrong));
      EXPECT_EQ(extract(image).error, Error::invalid_image);
    }
    std::string image = make_container({make_entry(ptx("sm_80"), 80, {.compression = way})});
    put(image, 16 + 56, uint64_t{1} << 62);  // never allocated
    EXPECT_EQ(extract(image).error, Error::invalid_image);
  }
}

TEST(Elf, HoldsFatBinariesInItsSections) {
  const std::string a = make_container({make_entry(ptx("sm_75"), 75)}),
                    b = make_container({make_entry(ptx("sm_80"), 80)});
  EXPECT_EQ(extract(make_elf({{".text", "code"}, {".nv_fatbin", a}})).texts.size(), 1u);
  EXPECT_EQ(extract(make_elf({{"__nv_relfatbin", a + b}})).texts.size(), 2u);
  // Parts for other devices are skipped if there is one for this device.
  const std::string newer = make_container({make_entry(ptx("sm_100"), 100)});
  EXPECT_EQ(extract(make_elf({{"__nv_relfatbin", newer + a}})).texts.size(), 1u);
  EXPECT_EQ(extract(make_elf({{"__nv_relfatbin", newer}})).error, Error::no_binary_for_gpu);
  EXPECT_EQ(extract(make_elf({{".text", "code"}})).error, Error::no_binary_for_gpu);
  const Answer cubin = extract(make_elf({{".text", "code"}}, 190));
  EXPECT_EQ(cubin.error, Error::no_binary_for_gpu);
  EXPECT_NE(cubin.sentence.find("nvcc"), std::string::npos);
}

TEST(Elf, InMemoryTellsHowLongItIs) {
  const std::string elf =
      make_elf({{".nv_fatbin", make_container({make_entry(ptx("sm_75"), 75)})}});
  std::string sentence;
  EXPECT_EQ(image::extract_ptx(elf.data(), image::unknown_size, 90, sentence).value().texts.size(),
            1u);
}

TEST(Archive, GivesThePartsOfItsObjects) {
  const std::string object =
      make_elf({{"__nv_relfatbin", make_container({make_entry(ptx("sm_75"), 75)})}});
  const std::string archive = make_archive(
      {{"/", "symbols"}, {"//", "long names"}, {"a.o/", object}, {"/0", object}, {"t/", "text"}});
  EXPECT_EQ(extract(archive).texts.size(), 2u);
}

// Like libcudadevrt.a: a linker takes from a library only what it needs, which may be nothing.
TEST(Archive, MayHoldNothingForThisDevice) {
  const std::string object =
      make_elf({{"__nv_relfatbin", make_container({make_entry(ptx("sm_121"), 121)})}});
  const std::string archive = make_archive({{"a.o/", object}});
  std::string sentence;
  const auto extract = image::extract_ptx(archive.data(), archive.size(), 90, sentence);
  ASSERT_TRUE(extract.ok());
  EXPECT_TRUE(extract.value().texts.empty());
  EXPECT_NE(extract.value().nothing_fits.find("12.1"), std::string::npos)
      << extract.value().nothing_fits;
}

struct Wrapper {
  uint32_t magic = 0x466243B1, version = 1;
  const void* data = nullptr;
  const void* more = nullptr;
};

TEST(Wrapper, LeadsToFatBinaries) {
  const std::string a = make_container({make_entry(ptx("sm_75"), 75)}),
                    b = make_container({make_entry(ptx("sm_80"), 80)});
  std::string sentence;
  Wrapper wrapper;
  wrapper.data = a.data();
  const auto count = [&]() -> int {
    auto extract = image::extract_ptx(&wrapper, image::unknown_size, 90, sentence);
    return extract.ok() ? static_cast<int>(extract.value().texts.size()) : -1;
  };
  EXPECT_EQ(count(), 1);
  const std::string empty = make_container({});
  const void* list[] = {a.data(), b.data(), nullptr};
  wrapper = {.version = 2, .data = empty.data(), .more = list};
  EXPECT_EQ(count(), 2);
  wrapper.more = nullptr;
  EXPECT_EQ(count(), -1);
  wrapper.more = reinterpret_cast<const void*>(uintptr_t{0x10});
  EXPECT_EQ(count(), -1);
  wrapper = {.version = 1, .data = reinterpret_cast<const void*>(uintptr_t{0x1000})};
  EXPECT_EQ(count(), -1);
  wrapper = {.version = 7, .data = a.data()};
  EXPECT_EQ(count(), -1);
}

// Good images with changed bytes or cut short give an error or an answer, and never crash.
TEST(Image, MayBeDamagedAnywhere) {
  const std::string container =
      make_container({make_entry(ptx("sm_75"), 75, {.compression = Compression::zstd}),
                      make_entry(ptx("sm_80"), 80, {.compression = Compression::lz4}),
                      make_entry("x", 90, {.kind = 2})});
  const std::string elf = make_elf({{"__nv_relfatbin", container + container}});
  const std::string images[] = {container, elf, make_archive({{"a.o/", elf}})};
  std::mt19937 random(1);
  for (int i = 0; i < 30000; ++i) {
    std::string image = images[random() % 3];
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
      const size_t at = random() % (random() % 2 ? image.size() : 160);
      image[at % image.size()] = static_cast<char>(random() % 2 ? random() : 0xff);
    }
    if (random() % 2) image.resize(random() % (image.size() + 1));
    extract(image);
  }
}

TEST(Image, MadeHereIsReadHere) {
  for (size_t length : {0, 1, 7, 8, 9}) {
    const std::string text = ptx("sm_80") + std::string(length, ' ');
    const std::string image = image::make_fat_binary(text, 80);
    EXPECT_EQ(image.size() % 8, 0u);
    std::string sentence;
    EXPECT_EQ(image::extract_ptx(image.data(), image::unknown_size, 90, sentence).value().texts[0],
              text);
  }
}

TEST(Image, MadeHereForSeveralDevicesServesEach) {
  const image::PtxFor entries[] = {{80, ptx("sm_80")}, {90, ptx("sm_90") + "//"}};
  const std::string image = image::make_fat_binary(entries);
  const auto text = [&](uint32_t target) {
    std::string sentence;
    return image::extract_ptx(image.data(), image::unknown_size, target, sentence).value().texts[0];
  };
  EXPECT_EQ(text(80), entries[0].text);
  EXPECT_EQ(text(89), entries[0].text);
  EXPECT_EQ(text(90), entries[1].text);
}

}  // namespace
