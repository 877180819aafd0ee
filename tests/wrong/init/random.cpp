// SPDX-License-Identifier: Apache-2.0
#include "tests/wrong/init/random.hpp"

#include <array>
#include <random>

namespace {

constexpr unsigned registers = 6, spaces = 3, bytes_of_register = 8;
const char* const names[spaces] = {"global", "shared", "local"};
constexpr unsigned local = 2, word = 4;

// What is known of a byte.
enum class Byte : uint8_t { written, moved, computed };

class Maker {
 public:
  explicit Maker(uint32_t seed) : random_(seed), in_rows_(pick(2) == 0) {
    for (auto& space : memory_) space.fill(Byte::moved);
    for (auto& one : registers_) one.fill(Byte::written);
  }

  RandomKernel make(const std::string& name) {
    std::string body;
    for (int n = 0; n < 24; ++n) body += step();
    body += branch(pick(registers));
    const std::string size = std::to_string(random_bytes), all = std::to_string(32 * random_bytes);
    const std::string step = in_rows_ ? std::to_string(word) : size;
    const std::string skew = std::to_string(in_rows_ ? word * (pick(3) * 16 + pick(2)) : 0);
    return {".visible .entry " + name + "(.param .u64 memory)\n{\n" + ".reg .b64 %x<" +
                std::to_string(registers) +
                ">, %global, %offset;\n.reg .b32 %shared, %local, %lane;\n.reg .pred %p;\n" +
                ".shared .align 128 .b8 all[" + all + "];\n.local .align 8 .b8 own[" + size +
                "];\nmov.u32 %lane, %tid.x;\nmul.lo.u32 %lane, %lane, " + step +
                ";\nmov.u32 %shared, all;\nadd.u32 %shared, %shared, %lane;\n" +
                "mov.u32 %local, own;\nld.param.u64 %global, [memory];\n" +
                "cvt.u64.u32 %offset, %lane;\nadd.u64 %global, %global, %offset;\n" +
                "add.u64 %global, %global, " + skew + ";\n" + clear() + body + "END:\nret;\n}\n",
            wrong_};
  }

 private:
  using Register = std::array<Byte, bytes_of_register>;

  unsigned pick(unsigned below) { return static_cast<unsigned>(random_()) % below; }
  static std::string reg(unsigned r) { return "%x" + std::to_string(r); }

  static std::string clear() {
    std::string text;
    for (unsigned r = 0; r < registers; ++r) text += "mov.u64 " + reg(r) + ", 1;\n";
    return text;
  }

  static bool any(const Register& one, Byte what) {
    for (const Byte byte : one)
      if (byte == what) return true;
    return false;
  }
  static bool tainted(const Register& one) {
    return any(one, Byte::moved) || any(one, Byte::computed);
  }
  // One byte that was computed makes a computed value of all that are not written.
  static void settle(Register& one) {
    if (!any(one, Byte::computed)) return;
    for (Byte& byte : one)
      if (byte != Byte::written) byte = Byte::computed;
  }

  std::string place(unsigned space, unsigned at) const {
    if (in_rows_ && space != local) at = at / word * word * 32 + at % word;
    return std::string("[%") + names[space] + "+" + std::to_string(at) + "]";
  }

  std::string step() {
    const unsigned to = pick(registers), from = pick(registers), space = pick(spaces);
    const unsigned size = 1u << pick(in_rows_ ? 3 : 4), at = pick(random_bytes / size) * size;
    const std::string type = std::to_string(8 * size);
    Register& result = registers_[to];
    switch (pick(9)) {
      case 0:
      case 1:
        for (unsigned n = 0; n < size; ++n) {
          const Byte byte = registers_[from][n];
          if (space == 0 && byte == Byte::computed) {
            wrong_ = true;
            memory_[space][at + n] = Byte::written;
            continue;
          }
          memory_[space][at + n] = byte;
        }
        return std::string("st.") + names[space] + ".u" + type + " " + place(space, at) + ", " +
               reg(from) + ";\n";
      case 2:
      case 3:
        result.fill(Byte::written);
        for (unsigned n = 0; n < size; ++n) result[n] = memory_[space][at + n];
        settle(result);
        return std::string("ld.") + names[space] + ".u" + type + " " + reg(to) + ", " +
               place(space, at) + ";\n";
      case 4: {
        const unsigned shift = pick(bytes_of_register);
        const Register old = registers_[from];
        result.fill(Byte::written);
        for (unsigned n = 0; n + shift < bytes_of_register; ++n) result[n] = old[n + shift];
        return "shr.u64 " + reg(to) + ", " + reg(from) + ", " + std::to_string(8 * shift) + ";\n";
      }
      case 5: {
        const unsigned shift = pick(bytes_of_register);
        const Register old = registers_[from];
        result.fill(Byte::written);
        for (unsigned n = shift; n < bytes_of_register; ++n) result[n] = old[n - shift];
        return "shl.b64 " + reg(to) + ", " + reg(from) + ", " + std::to_string(8 * shift) + ";\n";
      }
      case 6: {
        uint64_t mask = 0;
        const Register old = registers_[from];
        for (unsigned n = 0; n < bytes_of_register; ++n) {
          const bool keeps = pick(2) == 0;
          result[n] = keeps ? old[n] : Byte::written;
          if (keeps) mask |= uint64_t{0xff} << (8 * n);
        }
        return "and.b64 " + reg(to) + ", " + reg(from) + ", " +
               std::to_string(static_cast<int64_t>(mask)) + ";\n";
      }
      case 7:
        if (pick(4) == 0) {
          const bool of_either = tainted(result) || tainted(registers_[from]);
          result.fill(of_either ? Byte::computed : Byte::written);
          return "add.u64 " + reg(to) + ", " + reg(to) + ", " + reg(from) + ";\n";
        }
        result = Register(registers_[from]);
        return "mov.u64 " + reg(to) + ", " + reg(from) + ";\n";
      default:
        if (pick(4) == 0) {
          result.fill(Byte::written);
          return "mov.u64 " + reg(to) + ", 7;\n";
        }
        const unsigned other = pick(registers);
        const Register low = registers_[from], high = registers_[other];
        for (unsigned n = 0; n < 4; ++n) {
          result[n] = low[n];
          result[4 + n] = high[n];
        }
        settle(result);
        return "{\n.reg .b32 %a, %b, %c;\nmov.b64 {%a, %c}, " + reg(from) +
               ";\nmov.b64 {%b, %c}, " + reg(other) + ";\nmov.b64 " + reg(to) + ", {%a, %b};\n}\n";
    }
  }

  std::string branch(unsigned by) {
    wrong_ = wrong_ || tainted(registers_[by]);
    return "setp.eq.u64 %p, " + reg(by) + ", 123456;\n@%p bra END;\n";
  }

  std::mt19937 random_;
  const bool in_rows_;  // the threads' words lie side by side; else each has its bytes to itself
  std::array<Register, registers> registers_;
  std::array<std::array<Byte, random_bytes>, spaces> memory_;
  bool wrong_ = false;
};

}  // namespace

RandomKernel random_kernel(const std::string& name, uint32_t seed) {
  return Maker(seed).make(name);
}
