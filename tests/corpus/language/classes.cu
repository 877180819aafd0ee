// SPDX-License-Identifier: Apache-2.0
// Compiled with --extended-lambda: virtual inheritance, several bases, members by pointer, objects
// made in place, variadic templates, lambdas that are handed on.
#include <new>
#include <type_traits>

#include "../same.hpp"

#define BOTH __host__ __device__
using U64 = unsigned long long;

struct Counted {
  int number;
  BOTH explicit Counted(int n) : number(n) {}
  BOTH virtual int value() const { return number; }
  BOTH virtual ~Counted() { number = -1; }
};
struct Left : virtual Counted {
  int left;
  BOTH explicit Left(int n) : Counted(n), left(n * 2) {}
  BOTH int value() const override { return left + number; }
  BOTH virtual int sideways() const { return 3; }
};
struct Right : virtual Counted {
  long long right;
  BOTH explicit Right(int n) : Counted(n), right(n * 3ll) {}
  BOTH virtual long long other(int k) const { return right * k; }
};
struct Both : Left, Right {
  double extra;
  BOTH explicit Both(int n) : Counted(n + 1), Left(n + 2), Right(n + 3), extra(n * 0.5) {}
  BOTH int value() const override { return Left::value() * 7 + static_cast<int>(right); }
  BOTH int sideways() const override { return static_cast<int>(extra * 2); }
  BOTH long long other(int k) const override { return Right::other(k) + number; }
};

BOTH U64 diamond(unsigned i) {
  alignas(16) unsigned char room[sizeof(Both)];
  U64 r = 0;
  Counted* object;
  switch (i % 4) {
    case 0:
      object = new (room) Counted(i);
      break;
    case 1:
      object = new (room) Left(i);
      break;
    case 2:
      object = new (room) Right(i);
      break;
    default:
      object = new (room) Both(i);
  }
  r = object->value();
  if (i % 4 == 3) {
    Both* const both = static_cast<Both*>(static_cast<void*>(room));
    Left* const left = both;
    Right* const right = both;
    Counted* const base = right;
    r = r * 31 + left->sideways() * 5 + right->other(4) + base->value() + (base == object);
  }
  object->~Counted();
  return r;
}

struct Visitor;
struct Shape {
  BOTH virtual float area() const = 0;
  BOTH virtual void grow(float by) { (void)by; }
  BOTH virtual const char* name() const { return "shape"; }
};
struct Box final : Shape {
  float w, h;
  BOTH Box(float a, float b) : w(a), h(b) {}
  BOTH float area() const override { return w * h; }
  BOTH void grow(float by) override { w += by, h += by; }
  BOTH const char* name() const override { return "box"; }
};
struct Triangle : Shape {
  float base, height;
  BOTH Triangle(float a, float b) : base(a), height(b) {}
  BOTH float area() const override { return base * height / 2; }
  BOTH const char* name() const override { return "triangle"; }
};
struct Pair : Shape {
  Shape *a, *b;
  BOTH Pair(Shape* first, Shape* second) : a(first), b(second) {}
  BOTH float area() const override { return a->area() + b->area(); }
  BOTH void grow(float by) override { a->grow(by), b->grow(by * 2); }
};

BOTH U64 shapes(unsigned i) {
  Box box(i % 10, 3);
  Triangle triangle(i % 7, 4);
  Pair inner(&box, &triangle);
  Pair outer(&inner, i % 2 ? static_cast<Shape*>(&box) : &triangle);
  Shape* const all[] = {&box, &triangle, &inner, &outer};
  Shape* const chosen = all[i / 3 % 4];
  chosen->grow(2);
  U64 r = static_cast<U64>(chosen->area() * 4);
  for (const char* c = chosen->name(); *c; ++c) r = r * 5 + *c;
  return r;
}

struct Machine {
  int state = 1;
  BOTH int add(int x) { return state += x; }
  BOTH int times(int x) { return state *= x; }
  BOTH int keep(int x) { return state + 0 * x; }
  int fields[3] = {4, 5, 6};
  int named = 9;
};

BOTH U64 by_member(unsigned i) {
  Machine machine;
  int (Machine::*const steps[])(int) = {&Machine::add, &Machine::times, &Machine::keep};
  int Machine::*const field = i % 2 ? &Machine::state : &Machine::named;
  U64 r = 0;
  for (int k = 0; k < 6; ++k) r = r * 17 + (machine.*steps[(i + k * k) % 3])(k + 2);
  return r + (machine.*field) * 1000;
}

template <typename... T>
BOTH auto total(T... values) {
  return (values + ... + 0);
}
template <typename F, typename... T>
BOTH U64 each(F f, T... values) {
  U64 r = 0;
  ((r = r * 13 + f(values)), ...);
  return r;
}
template <int N>
struct Power {
  static constexpr U64 value = 3 * Power<N - 1>::value;
};
template <>
struct Power<0> {
  static constexpr U64 value = 1;
};
template <typename T, int N>
struct Vector {
  T elements[N];
  BOTH T& operator[](int k) { return elements[k]; }
  BOTH const T& operator[](int k) const { return elements[k]; }
  template <typename U>
  BOTH auto operator+(const Vector<U, N>& other) const {
    Vector<std::common_type_t<T, U>, N> sum;
    for (int k = 0; k < N; ++k) sum[k] = elements[k] + other[k];
    return sum;
  }
  BOTH friend T dot(const Vector& a, const Vector& b) {
    T r{};
    for (int k = 0; k < N; ++k) r += a[k] * b[k];
    return r;
  }
};

BOTH U64 templates(unsigned i) {
  const int k = i % 50;
  Vector<int, 5> a;
  Vector<long long, 5> b;
  for (int n = 0; n < 5; ++n) a[n] = k * n - 3, b[n] = k + n * 10007ll;
  const auto c = a + b;
  static_assert(std::is_same_v<decltype(c[0] + 0), long long>);
  const auto twice = [](auto x) { return x * 2; };
  const auto add = [k](auto x) { return x + k; };
  return static_cast<U64>(total(1, 2ll, k, 4.5)) + each(twice, 1, short(k), 7ll) +
         each(add, 2u, 3.0f, k) + Power<20>::value + static_cast<U64>(dot(c, c)) +
         (std::is_same_v<decltype(total(1, 2.0)), double> ? 5 : 6);
}

template <typename F>
BOTH __noinline__ int apply(F f, int n) {
  return n <= 0 ? 0 : f(n) + apply(f, n - 1);
}

struct List {
  struct Node {
    int value;
    Node* next;
  };
  Node* first = nullptr;
  BOTH void push(Node* node) { node->next = first, first = node; }
  BOTH void reverse() {
    Node* done = nullptr;
    while (first) {
      Node* const next = first->next;
      first->next = done, done = first, first = next;
    }
    first = done;
  }
};

BOTH U64 linked(unsigned i) {
  List::Node nodes[12];
  List list;
  for (int k = 0; k < 12; ++k) {
    nodes[k].value = k * i % 17;
    if (nodes[k].value % 3) list.push(&nodes[k]);
  }
  if (i % 2) list.reverse();
  U64 r = 0;
  for (const List::Node* at = list.first; at; at = at->next) r = r * 19 + at->value;
  return r;
}

// Takes and returns structures by value that are larger than any register.
struct Large {
  int values[25];
  double d;
  char c;
};
BOTH __noinline__ Large changed(Large x, int by) {
  for (int& v : x.values) v += by;
  x.d *= by, x.c += by;
  return x;
}
BOTH U64 by_value(unsigned i) {
  Large x{};
  x.d = 1.5, x.c = 'a';
  x.values[i % 25] = i;
  const Large y = changed(changed(x, 3), i % 5), z = i % 2 ? changed(y, 1) : x;
  U64 r = 0;
  for (int v : y.values) r = r * 3 + v;
  for (int v : z.values) r = r * 5 + v;
  return r + static_cast<U64>(y.d * 100) + y.c + z.c * 10;
}

// Objects that stay in device memory from one kernel to the next.
struct Account {
  int id;
  __device__ virtual int pay(int much) { return id + much; }
  __device__ virtual ~Account() {}
};
struct Savings : Account {
  int saved = 10;
  __device__ int pay(int much) override { return saved += much * id; }
};
__global__ void open(Account** accounts, unsigned char* room) {
  const int t = threadIdx.x;
  void* const place = room + t * sizeof(Savings);
  accounts[t] = t % 3 ? new (place) Savings : new (place) Account;
  accounts[t]->id = t;
}
__global__ void pay(Account** accounts, int* out) {
  const int t = threadIdx.x;
  out[t] = accounts[t]->pay(5) + accounts[(t + 1) % blockDim.x]->id;
}

__device__ int calls = 0;
struct Guard {
  int* where;
  __device__ explicit Guard(int* w) : where(w) { atomicAdd(where, 1); }
  __device__ ~Guard() { atomicAdd(where, 1000); }
};
__global__ void guards(int* out) {
  Guard first(&calls);
  if (threadIdx.x % 3 == 0) return;
  for (int k = 0; k < 3; ++k) {
    Guard each(&calls);
    if (k == static_cast<int>(threadIdx.x % 4)) break;
  }
  out[threadIdx.x] = 1;
}

int main() {
  SAME("diamond", 400, [] BOTH(unsigned i) { return diamond(i); });
  SAME("shapes", 400, [] BOTH(unsigned i) { return shapes(i); });
  SAME("members", 400, [] BOTH(unsigned i) { return by_member(i); });
  SAME("templates", 400, [] BOTH(unsigned i) { return templates(i); });
  SAME("list", 400, [] BOTH(unsigned i) { return linked(i); });
  SAME("values", 400, [] BOTH(unsigned i) { return by_value(i); });
  const int captured = 5;
  const auto square = [captured] BOTH(int n) { return n * n + captured; };
  SAME("captures", 200, [=] BOTH(unsigned i) -> U64 {
    const auto twice = [&](int n) { return square(n) * 2 + captured; };
    return square(i) + apply(twice, i % 9) * 3;
  });
  Buffer<Account*> accounts(64);
  Buffer<unsigned char> room(64 * sizeof(Savings));
  Buffer<int> out(64);
  RUN(open<<<1, 64>>>(accounts.get(), room));
  RUN(pay<<<1, 64>>>(accounts.get(), out));
  RUN(pay<<<1, 64>>>(accounts.get(), out));
  corpus::show("accounts", out.read());
  RUN(guards<<<1, 64>>>(out));
  int count;
  CHECK(cudaMemcpyFromSymbol(&count, calls, sizeof count));
  printf("guards %d\n", count);
  return 0;
}
