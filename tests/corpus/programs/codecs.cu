// SPDX-License-Identifier: Apache-2.0
// Compiled with --extended-lambda: variable-length codes and texts, which the host computes, too:
// LZ, Huffman, run lengths, Base64, UTF-8, a regular expression, JSON, numbers as text,
// Levenshtein, suffixes, a game tree, Sudoku.
#include "../same.hpp"

#define BOTH __host__ __device__
using U8 = unsigned char;
using U64 = unsigned long long;

BOTH U64 told(const U8* bytes, int n) {
  U64 r = 1469598103934665603ull;
  for (int i = 0; i < n; ++i) r = (r ^ bytes[i]) * 1099511628211ull;
  return r;
}
BOTH void text(U8* to, int n, unsigned seed) {
  for (int i = 0; i < n; ++i)
    to[i] = i > 8 && corpus::scramble(seed + i / 5) % 3
                ? to[i - 1 - corpus::scramble(seed + i / 5) % 8]
                : 'a' + corpus::scramble(seed * 7 + i) % 5;
}

BOTH U64 lz(unsigned seed) {
  U8 plain[120], packed[260], again[130];
  text(plain, 120, seed);
  int size = 0;
  for (int at = 0; at < 120;) {
    int best = 0, from = 0;
    for (int back = 1; back <= at && back < 64; ++back) {
      int k = 0;
      while (k < 30 && at + k < 120 && plain[at + k] == plain[at - back + k]) ++k;
      if (k > best) best = k, from = back;
    }
    if (best > 2)
      packed[size++] = 128 | best, packed[size++] = from, at += best;
    else
      packed[size++] = plain[at++];
  }
  int n = 0;
  for (int i = 0; i < size;) {
    if (packed[i] & 128) {
      const int count = packed[i] & 127, back = packed[i + 1];
      for (int k = 0; k < count; ++k, ++n) again[n] = again[n - back];
      i += 2;
    } else {
      again[n++] = packed[i++];
    }
  }
  int wrong = n != 120;
  for (int i = 0; i < 120; ++i) wrong += again[i] != plain[i];
  return told(packed, size) * 3 + size + wrong * 1000000;
}

BOTH U64 huffman(unsigned seed) {
  U8 plain[100];
  text(plain, 100, seed);
  int weight[10] = {}, parent[10], nodes = 5;
  for (U8 c : plain) ++weight[c - 'a'];
  for (int i = 0; i < 10; ++i) parent[i] = -1;
  while (nodes < 9) {
    int a = -1, b = -1;
    for (int i = 0; i < nodes; ++i) {
      if (parent[i] >= 0) continue;
      if (a < 0 || weight[i] < weight[a])
        b = a, a = i;
      else if (b < 0 || weight[i] < weight[b])
        b = i;
    }
    weight[nodes] = weight[a] + weight[b];
    parent[a] = nodes * 2, parent[b] = nodes * 2 + 1;
    ++nodes;
  }
  U64 bits = 0, hash = 0;
  int length = 0, total = 0;
  for (U8 c : plain) {
    unsigned code = 0;
    int size = 0;
    for (int at = c - 'a'; parent[at] >= 0; at = parent[at] / 2) code |= (parent[at] & 1) << size++;
    for (int k = size - 1; k >= 0; --k) {
      bits = bits << 1 | (code >> k & 1);
      if (++length == 64) hash = hash * 31 + bits, length = 0, bits = 0;
    }
    total += size;
  }
  return hash * 31 + bits + total;
}

BOTH U64 base64(unsigned seed) {
  const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  U8 plain[50], coded[80], again[60];
  const int n = 20 + seed % 30;
  for (int i = 0; i < n; ++i) plain[i] = static_cast<U8>(corpus::scramble(seed + i));
  int size = 0;
  for (int i = 0; i < n; i += 3) {
    const unsigned v =
        plain[i] << 16 | (i + 1 < n ? plain[i + 1] << 8 : 0) | (i + 2 < n ? plain[i + 2] : 0);
    for (int k = 0; k < 4; ++k) coded[size++] = i + k > n ? '=' : letters[v >> (18 - 6 * k) & 63];
  }
  int m = 0;
  for (int i = 0; i < size; i += 4) {
    unsigned v = 0;
    int pads = 0;
    for (int k = 0; k < 4; ++k) {
      const U8 c = coded[i + k];
      unsigned d = 0;
      if (c >= 'A' && c <= 'Z')
        d = c - 'A';
      else if (c >= 'a' && c <= 'z')
        d = c - 'a' + 26;
      else if (c >= '0' && c <= '9')
        d = c - '0' + 52;
      else if (c == '+')
        d = 62;
      else if (c == '/')
        d = 63;
      else
        ++pads;
      v = v << 6 | d;
    }
    for (int k = 0; k < 3 - pads; ++k) again[m++] = static_cast<U8>(v >> (16 - 8 * k));
  }
  return told(coded, size) + (m == n && told(again, m) == told(plain, n));
}

BOTH U64 utf8(unsigned seed) {
  U8 bytes[64];
  int n = 0;
  for (int i = 0; i < 14; ++i) {
    const unsigned c = corpus::scramble(seed * 14 + i) >> (11 + corpus::scramble(i + seed) % 14);
    if (c < 0x80)
      bytes[n++] = c;
    else if (c < 0x800)
      bytes[n++] = 0xc0 | c >> 6, bytes[n++] = 0x80 | (c & 63);
    else if (c < 0x10000)
      bytes[n++] = 0xe0 | c >> 12, bytes[n++] = 0x80 | (c >> 6 & 63), bytes[n++] = 0x80 | (c & 63);
    else
      bytes[n++] = 0xf0 | (c >> 18 & 7), bytes[n++] = 0x80 | (c >> 12 & 63),
      bytes[n++] = 0x80 | (c >> 6 & 63), bytes[n++] = 0x80 | (c & 63);
  }
  U64 r = 0;
  for (int i = 0; i < n;) {
    unsigned c = bytes[i++], more = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
    if (more) c &= 0x3f >> more;
    for (; more; --more) c = c << 6 | (bytes[i++] & 63);
    r = r * 1000003 + c;
  }
  return r;
}

// A letter matches itself, . anything, * and + repeat, ? makes optional, $ is the end.
BOTH __noinline__ bool matches(const char* pattern, const U8* at, const U8* end) {
  if (!*pattern) return true;
  if (*pattern == '$' && !pattern[1]) return at == end;
  const auto one = [&](const U8* p) { return p < end && (*pattern == '.' || *pattern == *p); };
  if (pattern[1] == '*' || pattern[1] == '+') {
    const U8* p = at;
    while (one(p)) ++p;
    for (; p >= at + (pattern[1] == '+'); --p)
      if (matches(pattern + 2, p, end)) return true;
    return false;
  }
  if (pattern[1] == '?')
    return (one(at) && matches(pattern + 2, at + 1, end)) || matches(pattern + 2, at, end);
  return one(at) && matches(pattern + 1, at + 1, end);
}
BOTH U64 expression(unsigned seed) {
  const char* const patterns[] = {"a*b", "a.c+d?e", ".*ed", "ab?c*d$", "e+.a", "b.b", "a+b+c+"};
  U8 t[30];
  text(t, 30, seed);
  U64 r = 0;
#pragma unroll 1
  for (int p = 0; p < 7; ++p)
#pragma unroll 1
    for (int i = 0; i < 30; ++i)
      if (matches(patterns[p], t + i, t + 30)) {
        r = r * 31 + i + 1;
        break;
      }
  return r;
}

BOTH U64 numbers(unsigned seed) {
  char digits[40];
  int n = 0;
  long long v =
      static_cast<long long>(static_cast<U64>(corpus::scramble(seed)) << 32 | seed) >> seed % 60;
  const long long was = v;
  const bool negative = v < 0;
  U64 u = negative ? 0ull - v : v;
  do digits[n++] = static_cast<char>('0' + u % 10);
  while (u /= 10);
  if (negative) digits[n++] = '-';
  for (int i = 0; i < n / 2; ++i) {
    const char t = digits[i];
    digits[i] = digits[n - 1 - i], digits[n - 1 - i] = t;
  }
  U64 back = 0;
  for (int i = negative; i < n; ++i) back = back * 10 + (digits[i] - '0');
  const long long again =
      negative ? static_cast<long long>(0ull - back) : static_cast<long long>(back);
  return told(reinterpret_cast<U8*>(digits), n) + (again == was);
}

BOTH U64 distance(unsigned seed) {
  U8 a[30], b[30];
  text(a, 30, seed), text(b, 30, seed + 1);
  short row[31];
  for (int j = 0; j <= 30; ++j) row[j] = j;
  for (int i = 1; i <= 30; ++i) {
    short before = row[0];
    row[0] = i;
    for (int j = 1; j <= 30; ++j) {
      const short up = row[j], cost = before + (a[i - 1] != b[j - 1]);
      short best = up + 1 < row[j - 1] + 1 ? up + 1 : row[j - 1] + 1;
      row[j] = best < cost ? best : cost;
      before = up;
    }
  }
  return row[30];
}

BOTH U64 suffixes(unsigned seed) {
  U8 t[24];
  text(t, 24, seed);
  signed char order[24];
  for (int i = 0; i < 24; ++i) {
    int at = i;
    while (at > 0) {
      const int other = order[at - 1];
      int k = 0;
      while (i + k < 24 && other + k < 24 && t[i + k] == t[other + k]) ++k;
      const bool less = i + k == 24 || (other + k < 24 && t[i + k] < t[other + k]);
      if (!less) break;
      order[at] = order[at - 1], --at;
    }
    order[at] = i;
  }
  return told(reinterpret_cast<U8*>(order), 24);
}

BOTH int winner(const signed char* board) {
  const signed char lines[8][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6},
                                   {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}};
  for (const auto& l : lines)
    if (board[l[0]] && board[l[0]] == board[l[1]] && board[l[1]] == board[l[2]]) return board[l[0]];
  return 0;
}
BOTH int best(signed char* board, int player, int& visited) {
  ++visited;
  if (const int w = winner(board)) return w * player;
  int most = -2;
  for (int i = 0; i < 9; ++i) {
    if (board[i]) continue;
    board[i] = player;
    const int v = -best(board, -player, visited);
    board[i] = 0;
    if (v > most) most = v;
    if (most == 1) break;
  }
  return most == -2 ? 0 : most;
}
BOTH U64 game(unsigned seed) {
  signed char board[9] = {};
  board[seed % 9] = 1, board[(seed % 9 + 1 + seed / 9 % 8) % 9] = -1,
               board[(seed % 9 + 3 + seed % 2) % 9] |= 1;
  int visited = 0;
  return best(board, -1, visited) + 1 + visited * 10ull;
}

int main() {
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 16 * 1024));
  SAME("lz", 200, [] BOTH(unsigned i) { return lz(i); });
  SAME("huffman", 200, [] BOTH(unsigned i) { return huffman(i); });
  SAME("base64", 200, [] BOTH(unsigned i) { return base64(i); });
  SAME("utf8", 300, [] BOTH(unsigned i) { return utf8(i); });
  SAME("expression", 200, [] BOTH(unsigned i) { return expression(i); });
  SAME("numbers", 500, [] BOTH(unsigned i) { return numbers(i); });
  SAME("distance", 200, [] BOTH(unsigned i) { return distance(i); });
  SAME("suffixes", 200, [] BOTH(unsigned i) { return suffixes(i); });
  SAME("game", 72, [] BOTH(unsigned i) { return game(i); });
  return 0;
}
