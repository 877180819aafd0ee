// SPDX-License-Identifier: Apache-2.0
// Compiled with --extended-lambda: direct and mutual recursion with large frames; memory whose size
// is only known at run time (alloca).
#include "../same.hpp"

#define BOTH __host__ __device__
using U64 = unsigned long long;

BOTH unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

BOTH void quicksort(int* data, int from, int to) {
  if (from >= to) return;
  const int pivot = data[(from + to) / 2];
  int i = from, j = to;
  while (i <= j) {
    while (data[i] < pivot) ++i;
    while (data[j] > pivot) --j;
    if (i <= j) {
      const int t = data[i];
      data[i++] = data[j], data[j--] = t;
    }
  }
  quicksort(data, from, j);
  quicksort(data, i, to);
}

BOTH void merge_sort(int* data, int n) {
  if (n < 2) return;
  int copy[64];
  merge_sort(data, n / 2), merge_sort(data + n / 2, n - n / 2);
  for (int k = 0; k < n; ++k) copy[k] = data[k];
  for (int a = 0, b = n / 2, k = 0; k < n; ++k)
    data[k] = b == n || (a < n / 2 && copy[a] <= copy[b]) ? copy[a++] : copy[b++];
}

BOTH int queens(int n, unsigned columns, unsigned left, unsigned right) {
  const unsigned all = (1u << n) - 1;
  if (columns == all) return 1;
  int count = 0;
  for (unsigned free = all & ~(columns | left | right); free; free &= free - 1) {
    const unsigned bit = free & (0u - free);
    count += queens(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
  }
  return count;
}

// A grammar: sum = product {(+|-) product}; product = factor {* factor}; factor = digit | ( sum ).
struct Parser {
  const char* at;
  BOTH __noinline__ int sum() {
    int r = product();
    while (*at == '+' || *at == '-') {
      const char sign = *at++;
      const int next = product();
      r = sign == '+' ? r + next : r - next;
    }
    return r;
  }
  BOTH __noinline__ int product() {
    int r = factor();
    while (*at == '*') ++at, r *= factor();
    return r;
  }
  BOTH __noinline__ int factor() {
    if (*at == '(') {
      ++at;
      const int r = sum();
      ++at;
      return r;
    }
    int r = 0;
    while (*at >= '0' && *at <= '9') r = r * 10 + (*at++ - '0');
    return r;
  }
};

BOTH void hanoi(int n, int from, int to, int spare, U64& moves) {
  if (n == 0) return;
  hanoi(n - 1, from, spare, to, moves);
  moves = moves * 7 + from * 3 + to;
  hanoi(n - 1, spare, to, from, moves);
}

BOTH int fill(unsigned char* field, int x, int y) {
  if (x < 0 || y < 0 || x >= 16 || y >= 16 || field[y * 16 + x]) return 0;
  field[y * 16 + x] = 2;
  return 1 + fill(field, x + 1, y) + fill(field, x - 1, y) + fill(field, x, y + 1) +
         fill(field, x, y - 1);
}

BOTH bool even(unsigned n);
BOTH bool odd(unsigned n) { return n == 0 ? false : even(n - 1); }
BOTH bool even(unsigned n) { return n == 0 ? true : odd(n - 1); }

BOTH void permute(int* items, int k, int n, U64& sum) {
  if (k == n) {
    U64 r = 0;
    for (int i = 0; i < n; ++i) r = r * 10 + items[i];
    sum = sum * 3 + r;
    return;
  }
  for (int i = k; i < n; ++i) {
    int copy[6];
    for (int j = 0; j < n; ++j) copy[j] = items[j];
    copy[k] = items[i], copy[i] = items[k];
    permute(copy, k + 1, n, sum);
  }
}

struct Tree {
  int key;
  Tree *left, *right;
};
BOTH Tree* insert(Tree* tree, Tree* node) {
  if (!tree) return node;
  (node->key < tree->key ? tree->left : tree->right) =
      insert(node->key < tree->key ? tree->left : tree->right, node);
  return tree;
}
BOTH int height(const Tree* tree) {
  if (!tree) return 0;
  const int a = height(tree->left), b = height(tree->right);
  return 1 + (a > b ? a : b);
}
BOTH void visit(const Tree* tree, U64& sum) {
  if (!tree) return;
  visit(tree->left, sum);
  sum = sum * 11 + tree->key;
  visit(tree->right, sum);
}

using Step = int (*)(int, int);
__device__ int down(int n, int sum);
__device__ int sideways(int n, int sum);
__device__ Step steps[2] = {down, sideways};
__device__ int down(int n, int sum) { return n <= 0 ? sum : steps[n % 2](n - 1, sum + n); }
__device__ int sideways(int n, int sum) {
  return n <= 0 ? -sum : steps[(n + sum) % 2](n - 2, sum * 3 % 1000);
}
__global__ void by_address(int* out) { out[threadIdx.x] = steps[threadIdx.x % 2](threadIdx.x, 1); }

// Lanes at different depths; each takes part in a vote of the lanes that are converged.
__device__ int voted(int depth) {
  const unsigned here = __ballot_sync(__activemask(), depth % 2);
  if (depth == 0) return 0;
  return voted(depth - 1) + (here != 0 ? 1 : 0);
}
__global__ void votes(int* out) { out[threadIdx.x] = voted(7); }

__global__ void late_sizes(int* out) {
  const int n = threadIdx.x % 20 + 1;
  int* const room = static_cast<int*>(alloca(n * sizeof(int)));
  long long* const more = static_cast<long long*>(alloca((threadIdx.x % 3 + 1) * 8));
  for (int k = 0; k < n; ++k) room[k] = k * k;
  more[0] = 5;
  int sum = 0;
  for (int k = 0; k < n; ++k) sum += room[k];
  out[threadIdx.x] = sum + static_cast<int>(more[0]);
}

int main() {
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 32 * 1024));
  SAME("ackermann", 32, [] BOTH(unsigned i) -> U64 { return ackermann(i % 3, i % 7); });
  SAME("quicksort", 64, [] BOTH(unsigned i) {
    int data[64];
    for (int k = 0; k < 64; ++k) data[k] = corpus::scramble(i * 64 + k) % 1000;
    quicksort(data, 0, 63);
    U64 r = 0;
    for (int v : data) r = r * 31 + v;
    return r;
  });
  SAME("merge sort", 64, [] BOTH(unsigned i) {
    int data[64];
    for (int k = 0; k < 64; ++k) data[k] = corpus::scramble(i * 64 + k) % 1000;
    merge_sort(data, 20 + i % 44);
    U64 r = 0;
    for (int v : data) r = r * 31 + v;
    return r;
  });
  SAME("queens", 16, [] BOTH(unsigned i) -> U64 {
    return queens(8, 1u << i % 8, 1u << i % 8 << 1, 1u << i % 8 >> 1);
  });
  SAME("parser", 64, [] BOTH(unsigned i) -> U64 {
    const char* const texts[] = {"1+2*3",      "(1+2)*3-4",           "((((7))))*(2-(3-4))",
                                 "12*12*12-1", "1-2-3-4*(5-6*(7-8))", "9"};
    Parser parser{texts[i % 6]};
    return parser.sum() + 1000;
  });
  SAME("hanoi", 40, [] BOTH(unsigned i) {
    U64 moves = 0;
    hanoi(i % 7, 0, 2, 1, moves);
    return moves;
  });
  SAME("fill", 40, [] BOTH(unsigned i) -> U64 {
    unsigned char field[256];
    for (int k = 0; k < 256; ++k) field[k] = corpus::scramble(k + i % 4 * 999) % 3 == 0;
    return fill(field, i % 16, i / 2 % 16);
  });
  SAME("even", 64, [] BOTH(unsigned i) -> U64 { return even(i * 3 % 100) + 2 * odd(i); });
  SAME("permutations", 33, [] BOTH(unsigned i) {
    int items[6] = {1, 2, 3, 4, 5, 6};
    U64 sum = i;
    permute(items, 0, 3 + i % 3, sum);
    return sum;
  });
  SAME("tree", 64, [] BOTH(unsigned i) {
    Tree nodes[24];
    Tree* root = nullptr;
    for (int k = 0; k < 24; ++k) {
      nodes[k] = {static_cast<int>(corpus::scramble(i * 24 + k) % 100), nullptr, nullptr};
      root = insert(root, &nodes[k]);
    }
    U64 sum = height(root);
    visit(root, sum);
    return sum;
  });
  Buffer<int> out(64);
  RUN(by_address<<<1, 64>>>(out));
  corpus::show("by address", out.read());
  RUN(votes<<<1, 64>>>(out));
  corpus::show("votes", out.read());
  RUN(late_sizes<<<1, 64>>>(out));
  corpus::show("alloca", out.read());
  return 0;
}
