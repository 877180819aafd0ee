// SPDX-License-Identifier: Apache-2.0
// Compiled with --extended-lambda: dense and sparse switches, loops with several entries and exits,
// Duff's device, a byte code interpreter.
#include "../same.hpp"

#define BOTH __host__ __device__

BOTH unsigned long long dense(unsigned i) {
  unsigned r = i;
  for (int round = 0; round < 6; ++round) {
    switch (r % 24) {
      case 0:
        r = r * 3 + 1;
        break;
      case 1:
        r ^= 0x55;
        break;
      case 2:
        r += i << 3;  // falls through
      case 3:
        r -= 7;
        break;
      case 4:
        r = r >> 2 | r << 30;
        break;
      case 5:
        r *= 17;
        break;
      case 6:
        r = ~r;
        break;
      case 7:
        r += 99;
        break;
      case 8:
        r = r * r;
        break;
      case 9:
        r /= 3;
        break;
      case 10:
        r ^= r >> 7;
      case 11:
        r ^= r << 9;
      case 12:
        r ^= r >> 13;
        break;
      case 13:
        return r;
      case 14:
        r += round;
        break;
      case 15:
        r -= round * 5;
        continue;
      case 16:
        r = r % 1000;
        break;
      case 17:
        r |= 0x100;
        break;
      case 18:
        r &= 0xfffff;
        break;
      case 19:
        r = r * 31 + i;
        break;
      case 20:
        r ^= 0xdeadbeef;
        break;
      case 21:
        r = r * 5 >> 1;
        break;
      case 22:
        --r;
        break;
      default:
        r += 12345;
    }
    r = r * 1664525 + 1013904223;
    r ^= r >> 11;
  }
  return r;
}

BOTH unsigned long long sparse(unsigned i) {
  unsigned long long r = 0;
  unsigned k = corpus::scramble(i) % 12;
  static const int keys[] = {-1000000, -5, 0, 3, 77, 4096, 4097, 65535, 1 << 20, 1 << 30, 12, 13};
#ifdef __CUDA_ARCH__
  const int mine[] = {-1000000, -5, 0, 3, 77, 4096, 4097, 65535, 1 << 20, 1 << 30, 12, 13};
  const int key = mine[k];
#else
  const int key = keys[k];
#endif
  switch (key) {
    case -1000000:
      r = 1;
      break;
    case -5:
      r = 2 + i;
      break;
    case 0:
      r = 3;
      break;
    case 3:
      r = 4 * i;
      break;
    case 77:
      r = 5;
      break;
    case 4096:
      r = 6;
    case 4097:
      r += 7;
      break;
    case 65535:
      r = 8;
      break;
    case 1 << 20:
      r = 9;
      break;
    case 1 << 30:
      r = 10 - i;
      break;
    default:
      r = 99;
  }
  switch (static_cast<unsigned long long>(key) * 0x100000001ull) {
    case 0:
      r += 100;
      break;
    case 0x300000003ull:
      r += 200;
      break;
    case 0x4d0000004dull:
      r += 300;
      break;
    case 0xc0000000cull:
      r += 400;
      break;
  }
  return r;
}

// A loop that is entered in the middle from two places.
BOTH unsigned long long two_entries(unsigned i) {
  unsigned a = i, b = 0, steps = 0;
  if (i % 3 == 0) goto second;
  if (i % 3 == 1) goto third;
first:
  a = a * 7 + 3;
  if (++steps > 40) goto done;
second:
  b += a % 11;
  if (b % 5 == 2 && steps < 30) {
    ++steps;
    goto third;
  }
  if (++steps > 40) goto done;
  if (a % 2) goto first;
third:
  a ^= b * 13;
  if (a % 17 == 4) goto done;
  if (++steps > 40) goto done;
  if (a % 4 < 2)
    goto second;
  else
    goto first;
done:
  return a * 1000ull + b + (static_cast<unsigned long long>(steps) << 40);
}

BOTH unsigned long long duff(unsigned i) {
  unsigned char from[40], to[40] = {};
  for (int k = 0; k < 40; ++k) from[k] = static_cast<unsigned char>(i * 3 + k * 7);
  int count = i % 37 + 1, k = 0, n = (count + 7) / 8;
  switch (count % 8) {
    case 0:
      do {
        to[k] = from[k], ++k;
        case 7:
          to[k] = from[k], ++k;
        case 6:
          to[k] = from[k], ++k;
        case 5:
          to[k] = from[k], ++k;
        case 4:
          to[k] = from[k], ++k;
        case 3:
          to[k] = from[k], ++k;
        case 2:
          to[k] = from[k], ++k;
        case 1:
          to[k] = from[k], ++k;
      } while (--n > 0);
  }
  unsigned long long sum = k;
  for (int j = 0; j < 40; ++j) sum = sum * 31 + to[j];
  return sum;
}

BOTH unsigned long long nests(unsigned i) {
  unsigned long long r = i;
  for (int a = 0; a < 9; ++a) {
    if ((a + i) % 7 == 3) continue;
    for (int b = a;; ++b) {
      if (b * b > 50 + static_cast<int>(i % 20)) break;
      int c = b;
      do {
        r = r * 33 + c;
        if (r % 13 == 0) goto next;
        if (r % 29 == 1) break;
        while (c > 0 && r % 5 != 2) {
          --c, r += 3;
          if (r % 101 == 7) return r;
        }
      } while (c-- > 1);
    }
    r ^= a;
  next:
    r += 1;
  }
  return r;
}

struct Instruction {
  unsigned char operation, a, b;
};

// A machine with eight registers.
BOTH unsigned long long interpret(unsigned i) {
  Instruction program[24];
  for (int k = 0; k < 24; ++k) {
    const unsigned s = corpus::scramble(k * 77 + 5);
    program[k] = {static_cast<unsigned char>(s % 12), static_cast<unsigned char>(s >> 8 & 7),
                  static_cast<unsigned char>(s >> 16 & 7)};
  }
  unsigned registers[8];
  for (int k = 0; k < 8; ++k) registers[k] = i * (k + 1);
  int at = 0;
  for (int steps = 0; steps < 200 && at < 24; ++steps) {
    const Instruction now = program[at++];
    unsigned& to = registers[now.a];
    const unsigned from = registers[now.b];
    switch (now.operation) {
      case 0:
        to += from;
        break;
      case 1:
        to -= from;
        break;
      case 2:
        to *= from | 1;
        break;
      case 3:
        to ^= from;
        break;
      case 4:
        to = to >> (from & 31);
        break;
      case 5:
        to = to << (from & 31);
        break;
      case 6:
        if (to < from) at += now.b % 3;
        break;
      case 7:
        if (to & 1 && at > 6) at -= now.b % 6;
        break;
      case 8:
        to = from ? to / from : 5;
        break;
      case 9:
        to = from ? to % from : 6;
        break;
      case 10: {
        const unsigned t = registers[now.b];
        registers[now.b] = to;
        to = t;
        break;
      }
      case 11:
        to = ~from;
        break;
    }
  }
  unsigned long long sum = at;
  for (unsigned r : registers) sum = sum * 1000003 + r;
  return sum;
}

BOTH int weekday(int day, int month, int year) {
  static constexpr int shift[] = {0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4};
  if (month < 3) --year;
  return (year + year / 4 - year / 100 + year / 400 + shift[month - 1] + day) % 7;
}

enum class Suit : signed char { clubs = -3, diamonds = 0, hearts = 5, spades = 100 };

int main() {
  SAME("dense", 2000, [] BOTH(unsigned i) { return dense(i); });
  SAME("sparse", 1000, [] BOTH(unsigned i) { return sparse(i); });
  SAME("two entries", 1000, [] BOTH(unsigned i) { return two_entries(i); });
  SAME("duff", 500, [] BOTH(unsigned i) { return duff(i); });
  SAME("nests", 1000, [] BOTH(unsigned i) { return nests(i); });
  SAME("interpreter", 1000, [] BOTH(unsigned i) { return interpret(i); });
  SAME("weekday", 3000, [] BOTH(unsigned i) -> unsigned long long {
    return weekday(i % 28 + 1, i % 12 + 1, 1900 + i % 300);
  });
  SAME("enumeration", 1000, [] BOTH(unsigned i) -> unsigned long long {
    const Suit all[] = {Suit::clubs, Suit::diamonds, Suit::hearts, Suit::spades};
    switch (all[corpus::scramble(i) % 4]) {
      case Suit::clubs:
        return 1 + i;
      case Suit::diamonds:
        return 20;
      case Suit::hearts:
        return i * 2;
      case Suit::spades:
        return 4000;
    }
    return 0;
  });
  SAME("exits of a loop", 1000, [] BOTH(unsigned i) -> unsigned long long {
    unsigned x = i + 1, n = 0;
    while (true) {
      if (x % 7 == 0) break;
      if (x > 1u << 28) return x;
      for (unsigned k = 0;; ++k) {
        x += k * i;
        if (k > 5 + i % 3) break;
        if (x % 11 == 0) goto out;
      }
      if (++n > 30) return n + 1000000;
      x = x * 3 + 2;
    }
    x += 5;
  out:
    return x * 100ull + n;
  });
  return 0;
}
