// SPDX-License-Identifier: Apache-2.0
// Structures that many threads change at once: hash tables with open addressing and cuckoo hashing,
// a lock-free stack and queue, union-find, lists whose heads are exchanged.
#include <algorithm>

#include "../corpus.hpp"

constexpr unsigned empty = 0xffffffffu;

__global__ void insert_linear(const unsigned* keys, int n, unsigned long long* table,
                              unsigned size) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned key = keys[i];
    for (unsigned at = corpus::scramble(key) % size;; at = (at + 1) % size) {
      const unsigned long long old =
          atomicCAS(&table[at], ~0ull, static_cast<unsigned long long>(key) << 32 | 1);
      if (old == ~0ull) break;
      if (old >> 32 == key) {
        atomicAdd(&table[at], 1ull);
        break;
      }
    }
  }
}
__global__ void find_linear(const unsigned* keys, int n, const unsigned long long* table,
                            unsigned size, unsigned* counts) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned at = corpus::scramble(keys[i]) % size;
    while (table[at] != ~0ull && table[at] >> 32 != keys[i]) at = (at + 1) % size;
    counts[i] = table[at] == ~0ull ? 0 : static_cast<unsigned>(table[at]);
  }
}

__device__ unsigned place(unsigned key, int which, unsigned size) {
  return corpus::scramble(key * 3 + which * 0x9e3779b9u) % size + which * size;
}
__global__ void cuckoo(unsigned n, unsigned* table, unsigned size, int* lost) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned key = i * 17 + 3;
  int which = 0;
  for (int turn = 0; turn < 200; ++turn) {
    key = atomicExch(&table[place(key, which, size)], key);
    if (key == empty) return;
    // An evicted key goes to one of its other places.
    which = 0;
    for (int k = 0; k < 3; ++k)
      if (corpus::scramble(key + turn) % 3 == static_cast<unsigned>(k)) which = k;
  }
  atomicAdd(lost, 1);
}
__global__ void cuckoo_find(unsigned n, const unsigned* table, unsigned size, int* found) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned key = i * 17 + 3;
  int here = 0;
  for (int which = 0; which < 3; ++which) here += table[place(key, which, size)] == key;
  atomicAdd(found, here > 0);
}

// A stack whose head contains an index and a count of changes.
struct Stack {
  unsigned long long head;
  unsigned next[4096];
};
__device__ void push(Stack* s, unsigned node) {
  unsigned long long old = *reinterpret_cast<volatile unsigned long long*>(&s->head), seen;
  do {
    seen = old;
    reinterpret_cast<volatile unsigned*>(s->next)[node] = static_cast<unsigned>(old);
    __threadfence();
    old = atomicCAS(&s->head, seen, ((seen >> 32) + 1) << 32 | node);
  } while (old != seen);
}
__device__ unsigned pop(Stack* s) {
  unsigned long long old = *reinterpret_cast<volatile unsigned long long*>(&s->head), seen;
  do {
    seen = old;
    if (static_cast<unsigned>(seen) == empty) return empty;
    const unsigned next =
        reinterpret_cast<volatile unsigned*>(s->next)[static_cast<unsigned>(seen)];
    old = atomicCAS(&s->head, seen, ((seen >> 32) + 1) << 32 | next);
  } while (old != seen);
  return static_cast<unsigned>(seen);
}
__global__ void stack_work(Stack* s, int* seen) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  push(s, t);
  for (int k = 0; k < 10; ++k) {
    const unsigned a = pop(s);
    if (a == empty) continue;
    atomicAdd(&seen[a], 1);
    push(s, a);
  }
}
__global__ void stack_count(Stack* s, int* out) {
  int n = 0;
  unsigned long long sum = 0;
  for (unsigned node = pop(s); node != empty; node = pop(s)) ++n, sum += node;
  out[0] = n, out[1] = static_cast<int>(sum);
}

// A ring of cells with turn numbers.
struct Ring {
  unsigned head, tail;
  struct Cell {
    unsigned turn;
    int value;
  } cells[256];
};
__global__ void ring_begin(Ring* r) { r->cells[threadIdx.x].turn = threadIdx.x; }
__global__ void ring_work(Ring* r, unsigned long long* sum, int each) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const bool producer = blockIdx.x % 2 == 0;
  for (int k = 0; k < each; ++k) {
    const unsigned at = atomicAdd(producer ? &r->tail : &r->head, 1u);
    Ring::Cell* const cell = &r->cells[at % 256];
    volatile unsigned* const turn = &cell->turn;
    const unsigned wanted = producer ? at : at + 1;
    bool done = false;
    while (!done) {
      if (*turn == wanted) {
        __threadfence();
        if (producer)
          *reinterpret_cast<volatile int*>(&cell->value) = t * 3 + k;
        else
          atomicAdd(
              sum, static_cast<unsigned long long>(*reinterpret_cast<volatile int*>(&cell->value)));
        __threadfence();
        *turn = producer ? at + 1 : at + 256;
        done = true;
      }
    }
  }
}

__device__ int root(int* parents, int x) {
  while (true) {
    const int p = reinterpret_cast<volatile int*>(parents)[x];
    if (p == x) return x;
    const int g = reinterpret_cast<volatile int*>(parents)[p];
    if (g != p) atomicCAS(&parents[x], p, g);
    x = p;
  }
}
__global__ void unite(int* parents, const int2* edges, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int a = edges[i].x, b = edges[i].y;
    while (true) {
      a = root(parents, a), b = root(parents, b);
      if (a == b) break;
      if (a < b) {
        const int t = a;
        a = b, b = t;
      }
      if (atomicCAS(&parents[a], a, b) == a) break;
    }
  }
}
__global__ void flatten(int* parents, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) reinterpret_cast<volatile int*>(parents)[i] = root(parents, i);
}

struct Node {
  int key;
  unsigned next;
};
__global__ void chains(const int* keys, int n, unsigned* heads, Node* nodes, unsigned* used) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned node = atomicAdd(used, 1u);
  nodes[node].key = keys[i];
  nodes[node].next = atomicExch(&heads[keys[i] % 61], node);
}
__global__ void walk(const unsigned* heads, const Node* nodes, int* out) {
  int n = 0, sum = 0;
  for (unsigned at = heads[threadIdx.x]; at != empty; at = nodes[at].next)
    ++n, sum += nodes[at].key;
  out[threadIdx.x] = n * 100000 + sum;
}

int main() {
  const int n = 6000;
  std::vector<unsigned> keys(n);
  for (int i = 0; i < n; ++i) keys[i] = corpus::scramble(i) % 1500;
  Buffer<unsigned> dk(keys), counts(n);
  Buffer<unsigned long long> table(4096);
  CHECK(cudaMemset(table, 0xff, 4096 * 8));
  RUN(insert_linear<<<16, 96>>>(dk, n, table, 4096));
  RUN(find_linear<<<16, 96>>>(dk, n, table, 4096, counts));
  corpus::show("linear", counts.read());
  Buffer<unsigned> cells(3 * 2048);
  Buffer<int> out(4096);
  CHECK(cudaMemset(cells, 0xff, 3 * 2048 * 4));
  RUN(cuckoo<<<16, 128>>>(2000, cells, 2048, out));
  RUN(cuckoo_find<<<16, 128>>>(2000, cells, 2048, out.get() + 1));
  printf("cuckoo: %d lost, %d found\n", out(0), out(1));
  Buffer<Stack> stack(1);
  CHECK(cudaMemset(stack, 0xff, 8));
  RUN(stack_work<<<8, 128>>>(stack, out));
  RUN(stack_count<<<1, 1>>>(stack, out));
  printf("stack: %d nodes, sum %d\n", out(0), out(1));
  Buffer<Ring> ring(1);
  Buffer<unsigned long long> sum(1);
  RUN(ring_begin<<<1, 256>>>(ring));
  RUN(ring_work<<<4, 64>>>(ring, sum, 20));
  printf("ring: %llu\n", sum(0));
  std::vector<int2> edges(1500);
  std::vector<int> parents(2000);
  for (int i = 0; i < 1500; ++i)
    edges[i] = {static_cast<int>(corpus::scramble(i) % 2000),
                static_cast<int>(corpus::scramble(i + 5000) % 2000)};
  for (int i = 0; i < 2000; ++i) parents[i] = i;
  Buffer<int2> de(edges);
  Buffer<int> dp(parents);
  RUN(unite<<<4, 128>>>(dp, de, 1500));
  RUN(flatten<<<16, 128>>>(dp, 2000));
  corpus::show("united", dp.read());
  Buffer<unsigned> heads(61), used(1);
  Buffer<Node> nodes(3000);
  Buffer<int> chained(corpus::numbers(3000, 900)), lengths(61);
  CHECK(cudaMemset(heads, 0xff, 61 * 4));
  RUN(chains<<<24, 128>>>(chained, 3000, heads, nodes, used));
  RUN(walk<<<1, 61>>>(heads, nodes, lengths));
  corpus::show("chains", lengths.read());
  return 0;
}
