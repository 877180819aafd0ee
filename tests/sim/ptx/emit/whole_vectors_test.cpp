// SPDX-License-Identifier: Apache-2.0
// A vector of 4 to 16 bytes that one thread writes while another reads is never torn: programs send
// flags along with values in this way. A thread of the test is the other side for each form.
#include <emmintrin.h>

#include <atomic>
#include <chrono>
#include <random>
#include <sstream>
#include <thread>

#include "tests/sim/ptx/emit/kernel.hpp"

namespace cuvette::ptx::test {
namespace {

constexpr uint32_t apart = 64;  // bytes between two lanes' places, if they are not adjacent
constexpr auto long_enough = std::chrono::milliseconds(10);

struct VectorForm {
  const char* type;
  uint32_t count, bytes;
  bool is_one = false;  // .b128
};
constexpr VectorForm vector_forms[] = {{"b16", 2, 4},  {"b32", 2, 8},  {"b16", 4, 8},
                                       {"f32", 2, 8},  {"b64", 2, 16}, {"b32", 4, 16},
                                       {"f64", 2, 16}, {"f32", 4, 16}, {"b64", 2, 16, true}};
constexpr const char* orders_of_loads[] = {"relaxed.gpu.global", "volatile", "acquire.sys.global",
                                           "global.cg", "global.cv"};
constexpr const char* orders_of_stores[] = {"relaxed.gpu.global", "volatile", "release.sys.global",
                                            "global.cg", "global.wt"};
// The lanes' places: one for all, adjacent, further apart, or read from memory; or for only some of
// the lanes.
enum class Places { one, line, far, looked_up, some };
constexpr Places all_places[] = {Places::one, Places::line, Places::far, Places::looked_up,
                                 Places::some};

class WholeVectors : public testing::TestWithParam<Vectors> {
 protected:
  struct alignas(64) Memory {
    uint8_t words[warp_size * apart];
    uint32_t lanes[warp_size];
    uint32_t torn[warp_size];
  };

  static uint32_t distance(const VectorForm& form, Places places) {
    return places == Places::one ? 0 : places == Places::line ? form.bytes : apart;
  }

  // Sets %d0 to the address of a lane's word.
  static std::string address(const VectorForm& form, Places places) {
    std::ostringstream text;
    text << "ld.param.u64 %d0, [words]; ld.param.u64 %d1, [lanes]; ld.param.u32 %turns, [turns];\n"
            "mov.u32 %lane, %tid.x;\n";
    if (places == Places::looked_up)
      text << "mad.wide.u32 %d1, %lane, 4, %d1; ld.global.u32 %lane, [%d1];\n";
    if (places != Places::one)
      text << "mad.wide.u32 %d0, %lane, " << distance(form, places) << ", %d0;\n";
    text << "and.b32 %odd, %lane, 1; setp.ne.u32 %some, %odd, 0;\n";
    return text.str();
  }
  static std::string list(const VectorForm& form, const char* name) {
    if (form.is_one) return "%q";
    std::string text = "{";
    for (uint32_t n = 0; n < form.count; ++n)
      text += (n ? ", %" : "%") + std::string(name) + std::to_string(n);
    return text + "}";
  }
  static std::string access(const char* name, const VectorForm& form, Places places,
                            const char* order) {
    const std::string vector =
        form.is_one ? "b128" : "v" + std::to_string(form.count) + "." + form.type;
    return std::string(places == Places::some ? "@%some " : "") + name + "." + order + "." +
           vector + " ";
  }
  static std::string module(const VectorForm& form, const std::string& body) {
    std::ostringstream text;
    text << ".reg .b128 %q; .reg .b64 %d<4>; .reg .b32 %turns, %lane, %odd, %torn; .reg .pred "
            "%some, %p;\n.reg ."
         << form.type << " %v<4>; .reg .b" << form.type + 1 << " %w<4>;\n"
         << body << "ret;\n";
    return module_of(".param .u64 words, .param .u64 lanes, .param .u64 torn, .param .u32 turns",
                     text.str());
  }

  static std::string reader(const VectorForm& form, Places places, const char* order) {
    const std::string bits = form.type + 1;
    std::ostringstream text;
    text << address(form, places) << "mov.u32 %torn, 0;\n";
    for (uint32_t n = 0; n < form.count; ++n)  // for lanes that do not read
      text << "mov.b" << bits << " %w" << n << ", 0; mov.b" << bits << " %v" << n << ", %w" << n
           << ";\n";
    if (form.is_one) text << "mov.b128 %q, {%v0, %v1};\n";
    text << "again:\n" << access("ld", form, places, order) << list(form, "v") << ", [%d0];\n";
    if (form.is_one) text << "mov.b128 {%v0, %v1}, %q;\n";
    for (uint32_t n = 0; n < form.count; ++n)
      text << "mov.b" << bits << " %w" << n << ", %v" << n << ";\n";
    for (uint32_t n = 1; n < form.count; ++n)
      text << "xor.b" << bits << " %w" << n << ", %w" << n << ", %w0; setp.ne.b" << bits
           << " %p, %w" << n << ", 0; @%p add.u32 %torn, %torn, 1;\n";
    text << "sub.u32 %turns, %turns, 1; setp.ne.u32 %p, %turns, 0; @%p bra again;\n"
            "ld.param.u64 %d0, [torn]; mov.u32 %lane, %tid.x; mad.wide.u32 %d0, %lane, 4, %d0;\n"
            "st.global.u32 [%d0], %torn;\n";
    return module(form, text.str());
  }
  static std::string writer(const VectorForm& form, Places places, const char* order) {
    const std::string bits = form.type + 1;
    std::ostringstream text;
    text << address(form, places) << "again:\n"
         << "and.b32 %odd, %turns, 1; neg.s32 %odd, %odd; cvt.s64.s32 %d1, %odd;\n"
         << (bits == "64" ? "mov.b64" : "cvt.u" + bits + ".u64") << " %w0, %d1;\n";
    for (uint32_t n = 0; n < form.count; ++n) text << "mov.b" << bits << " %v" << n << ", %w0;\n";
    if (form.is_one) text << "mov.b128 %q, {%v0, %v1};\n";
    text << access("st", form, places, order) << "[%d0], " << list(form, "v") << ";\n"
         << "sub.u32 %turns, %turns, 1; setp.ne.u32 %p, %turns, 0; @%p bra again;\n";
    return module(form, text.str());
  }

  static void write_whole(uint8_t* place, uint32_t bytes, bool ones) {
    const uint64_t word = ones ? ~uint64_t{0} : 0;
    if (bytes == 16)
      _mm_store_si128(reinterpret_cast<__m128i*>(place),
                      _mm_set1_epi64x(static_cast<int64_t>(word)));
    else if (bytes == 8)
      std::atomic_ref(*reinterpret_cast<uint64_t*>(place)).store(word);
    else
      std::atomic_ref(*reinterpret_cast<uint32_t*>(place)).store(static_cast<uint32_t>(word));
  }
  static bool is_torn(const uint8_t* place, uint32_t bytes) {
    uint64_t words[2];
    if (bytes == 16)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(words),
                       _mm_load_si128(reinterpret_cast<const __m128i*>(place)));
    else if (bytes == 8)
      words[0] = words[1] =
          std::atomic_ref(*const_cast<uint64_t*>(reinterpret_cast<const uint64_t*>(place))).load();
    else
      words[0] = words[1] =
          uint64_t{0x1'0000'0001} *
          std::atomic_ref(*const_cast<uint32_t*>(reinterpret_cast<const uint32_t*>(place))).load();
    return words[0] != words[1] || (words[0] != 0 && words[0] != ~uint64_t{0});
  }

  // Runs `kernel` for a while beside a thread that keeps calling `other` for each lane's place.
  template <typename F>
  void run_beside(Kernel& kernel, Memory& memory, const VectorForm& form, Places places,
                  const F& other) {
    std::atomic<bool> over{false};
    std::thread beside([&] {
      for (uint32_t turn = 0; !over; ++turn)
        for (uint32_t lane = 0; lane < warp_size; ++lane)
          other(memory.words + lane * distance(form, places), turn);
    });
    const auto end = std::chrono::steady_clock::now() + long_enough;
    do {
      EXPECT_EQ(kernel(&memory.words, &memory.lanes, &memory.torn, uint32_t{300}),
                Status::finished);
      for (const uint32_t torn : memory.torn) EXPECT_EQ(torn, 0u);
    } while (std::chrono::steady_clock::now() < end && !HasFailure());
    over = true;
    beside.join();
  }

  template <typename F>
  void each_form(const F& check) {
    for (size_t f = 0; f < std::size(vector_forms); ++f)
      for (size_t p = 0; p < std::size(all_places); ++p) {
        const size_t order = (f + p) % std::size(orders_of_loads);
        SCOPED_TRACE(testing::Message()
                     << "v" << vector_forms[f].count << "." << vector_forms[f].type << ", "
                     << orders_of_loads[order] << ", places " << p);
        Memory memory{};
        for (uint32_t lane = 0; lane < warp_size; ++lane) memory.lanes[lane] = lane * 7 % warp_size;
        check(memory, vector_forms[f], all_places[p], order);
      }
  }
};

TEST_P(WholeVectors, AreNotReadHalfWritten) {
  each_form([&](Memory& memory, const VectorForm& form, Places places, size_t order) {
    Kernel kernel(reader(form, places, orders_of_loads[order]), "kernel", GetParam());
    run_beside(kernel, memory, form, places,
               [&](uint8_t* place, uint32_t turn) { write_whole(place, form.bytes, turn & 1); });
  });
}

TEST_P(WholeVectors, AreNotSeenHalfWritten) {
  each_form([&](Memory& memory, const VectorForm& form, Places places, size_t order) {
    Kernel kernel(writer(form, places, orders_of_stores[order]), "kernel", GetParam());
    std::atomic<uint32_t> torn{0};
    run_beside(kernel, memory, form, places,
               [&](uint8_t* place, uint32_t) { torn += is_torn(place, form.bytes); });
    EXPECT_EQ(torn, 0u);
  });
}

// Numbers of 128 bits go where they belong: to all kinds of memory, by lanes that are at one place,
// beside each other or anywhere, some of them or all.
TEST_P(WholeVectors, HaveHundredAndTwentyEightBits) {
  for (const char* const space : {"global", "shared", "local", ""})
    for (const uint32_t step : {0u, 1u, 3u, 7u})
      for (const bool some : {false, true}) {
        SCOPED_TRACE(std::string(space) + ", " + std::to_string(step) + (some ? ", some" : ""));
        const std::string dot = *space ? "." + std::string(space) : "";
        const std::string place = std::string(space) == "global" || !*space ? "[%d1]" : "[%r2]";
        const std::string guard = some ? "@%p " : "";
        Kernel kernel(module_of(".param .u64 in, .param .u64 work, .param .u64 out",
                                R"(
            .reg .b128 %q<4>; .reg .b64 %d<9>; .reg .b32 %r<9>; .reg .pred %p;
            .shared .align 16 .b8 tile[512]; .local .align 16 .b8 own[512];
            ld.param.u64 %d0, [in]; ld.param.u64 %d1, [work]; ld.param.u64 %d2, [out];
            mov.u32 %r0, %tid.x; mul.lo.u32 %r1, %r0, )" +
                                    std::to_string(step) + R"(;
            and.b32 %r1, %r1, 31; shl.b32 %r1, %r1, 4; and.b32 %r3, %r0, 5; setp.ne.u32 %p, %r3, 0;
            mov.u32 %r2, )" + (std::string(space) == "local" ? "own" : "tile") +
                                    R"(;
            add.u32 %r2, %r2, %r1; cvt.u64.u32 %d3, %r1; add.u64 %d1, %d1, %d3;
            mad.wide.u32 %d0, %r0, 16, %d0; mad.wide.u32 %d2, %r0, 16, %d2;
            ld.global.b128 %q0, [%d0]; mov.b128 {%d4, %d5}, %q0; mov.b128 %q1, {%d5, %d4};
            st)" + dot + ".b128 " + place +
                                    ", %q0;\n" + guard + "st" + dot + ".b128 " + place +
                                    ", %q1;\nmov.b128 %q2, %q0;\n" + guard + "ld" + dot +
                                    ".b128 %q2, " + place + ";\n" + guard + "ld" + dot +
                                    ".b128 _, " + place + ";\nst.global.b128 [%d2], %q2;\nret;"),
                      "kernel", GetParam());
        struct alignas(16) Wide {
          uint64_t low, high;
        };
        Wide in[warp_size], work[warp_size]{}, out[warp_size]{};
        std::mt19937_64 random(step);
        for (Wide& each : in) each = {random(), random()};
        ASSERT_EQ(kernel(&in, &work, &out), Status::finished);
        const auto writes = [&](uint32_t lane) { return !some || (lane & 5) != 0; };
        for (uint32_t lane = 0; lane < warp_size; ++lane) {
          // Of several lanes at one place the last one that writes wins; local memory is its own.
          uint32_t last = lane;
          if (std::string(space) != "local")
            for (uint32_t other = 0; other < warp_size; ++other)
              if (other * step % warp_size == lane * step % warp_size && writes(other))
                last = other;
          const Wide expected = writes(lane) ? Wide{in[last].high, in[last].low} : in[lane];
          EXPECT_EQ(out[lane].low, expected.low) << lane;
          EXPECT_EQ(out[lane].high, expected.high) << lane;
        }
      }
}

INSTANTIATE_TEST_SUITE_P(Vectors, WholeVectors, testing::ValuesIn(vectors_here()),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace cuvette::ptx::test
