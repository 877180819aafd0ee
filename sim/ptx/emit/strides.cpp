// SPDX-License-Identifier: Apache-2.0
// Lanes that read elements a few apart, and lanes that read or write at an index of an array, on
// the straight way: there all lanes take part, and what lies between their elements may be read,
// too.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "sim/ptx/emit/memory.hpp"

namespace cuvette::ptx {

using llvm::ConstantInt;

namespace {

// Vectors of this size can be permuted by one instruction.
constexpr uint32_t piece_bytes = 32;
// From here on gathering costs less than reading everything between.
constexpr int64_t most_apart = 7;

}  // namespace

// --- Elements a few apart ---

bool is_strided(WarpBuilder& w, const Instruction& i, const Shape& shape) {
  if (w.input().request.vectors == Vectors::sse || i.opcode != Opcode::ld || i.predicate ||
      vector_length(i) != 1 || is_strong(i))
    return false;
  const int64_t size = size_of(i.type());
  // Processors gather no small elements.
  const int64_t most = size < 4 ? 4 : size == 4 ? most_apart : 3;
  return size <= 8 && shape.is_affine() && shape.stride > size && shape.stride % size == 0 &&
         shape.stride / size <= most;
}

// Everything from the first element to the last is read once, in pieces, from which each lane's is
// picked: pieces are blended, since the lanes' elements are at different places of them, and
// permuted once. The tests were made for a whole group of accesses; all of them use the same
// pieces.
llvm::Value* MemoryAccesses::load_strided(const Address& address, llvm::Type* type) {
  const Value& at = address.value;
  const int64_t size = bytes_of(type), apart = at.shape.stride / size;
  const int64_t in_piece = piece_bytes / size;
  const int64_t lanes_here = warp_size / at.scalars();
  int64_t first = 0,
          span = 1;  // this element among the ones that lane 0 reads, and their number
  const auto group = groups_.find(w.at.instruction);
  if (group != groups_.end()) {
    const Instruction& i = w.instruction();
    first = (static_cast<int64_t>(i.operands[1].bits) - group->second->begin) / size;
    span = (group->second->end - group->second->begin) / size;
  }
  const int64_t skipped = first / apart * apart, within = first - skipped;
  const int64_t readable = (lanes_here - 1) * apart + span - skipped;
  llvm::VectorType* const vector = w.vector_type(type, static_cast<unsigned>(in_piece));
  const llvm::Align align(static_cast<uint64_t>(size));

  std::vector<V*> parts;
  for (int half = 0; half < at.scalars(); ++half) {
    V* const begin = w.CreateConstGEP1_64(w.getInt8Ty(), pointer(w, address, at.scalar[half], 0),
                                          static_cast<uint64_t>((skipped - first) * size));
    std::map<int64_t, V*> pieces;
    const auto piece = [&](int64_t number) {
      V*& loaded = pieces[number];
      if (loaded) return loaded;
      V* const place =
          w.CreateConstGEP1_64(w.getInt8Ty(), begin, static_cast<uint64_t>(number * piece_bytes));
      const int64_t left = readable - number * in_piece;
      if (left >= in_piece) return loaded = w.CreateAlignedLoad(vector, place, align);
      std::vector<llvm::Constant*> mask;
      for (int64_t n = 0; n < in_piece; ++n) mask.push_back(w.getInt1(n < left));
      return loaded = w.CreateMaskedLoad(vector, place, align, llvm::ConstantVector::get(mask));
    };
    const int64_t in_part = std::min(in_piece, lanes_here);
    // So many neighbours have their elements at different places of a piece.
    const int64_t together = std::min(in_part, in_piece / std::gcd(apart, in_piece));
    for (int64_t lane = 0; lane < lanes_here; lane += in_part) {
      V* part = nullptr;
      for (int64_t set = 0; set < in_part; set += together) {
        V* blend = nullptr;
        std::vector<int> order(static_cast<size_t>(in_part), -1);
        const int64_t begin_of_set = within + apart * (lane + set);
        const int64_t end_of_set = begin_of_set + apart * (together - 1);
        for (int64_t number = begin_of_set / in_piece; number <= end_of_set / in_piece; ++number) {
          std::vector<int> mix(static_cast<size_t>(in_piece));
          std::iota(mix.begin(), mix.end(), 0);
          bool any = false;
          for (int64_t n = 0; n < together; ++n) {
            const int64_t place = begin_of_set + apart * n;
            if (place / in_piece != number) continue;
            any = true;
            mix[static_cast<size_t>(place % in_piece)] =
                static_cast<int>(in_piece + place % in_piece);
            order[static_cast<size_t>(set + n)] = static_cast<int>(place % in_piece);
          }
          if (!any) continue;
          blend = blend ? w.CreateShuffleVector(blend, piece(number), mix) : piece(number);
        }
        V* const picked = w.CreateShuffleVector(blend, order);
        if (!part) {
          part = picked;
          continue;
        }
        std::vector<int> mix(static_cast<size_t>(in_part));
        for (int64_t n = 0; n < in_part; ++n)
          mix[static_cast<size_t>(n)] =
              static_cast<int>(n < set || n >= set + together ? n : in_part + n);
        part = w.CreateShuffleVector(part, picked, mix);
      }
      parts.push_back(part);
    }
  }
  while (parts.size() > 1) {
    std::vector<V*> pairs;
    for (size_t n = 0; n < parts.size(); n += 2)
      pairs.push_back(concatenate(w, parts[n], parts[n + 1]));
    parts = std::move(pairs);
  }
  return parts[0];
}

// --- Elements of an array, by an index of 32 bits ---

namespace {

// Whether one of [first, end) writes `reg`.
bool is_written(const Body& body, uint32_t first, uint32_t end, uint32_t reg) {
  std::vector<uint32_t> written;
  for (uint32_t n = first; n < end; ++n) {
    written.clear();
    Flow::written(body.instructions[n], written);
    if (std::find(written.begin(), written.end(), reg) != written.end()) return true;
  }
  return false;
}

// Whether the warp may stop between the two instructions. The frame then keeps the values that the
// instructions after the stop read, as they are written.
bool may_stop_between(const WarpBuilder& w, uint32_t first, uint32_t end) {
  const auto begin = w.body().instructions.begin();
  return w.needs_frames() && std::any_of(begin + first, begin + end, [](const Instruction& i) {
           return i.is(Trait::barrier | Trait::meets_all | Trait::settles | Trait::acts);
         });
}

bool is_register(const Operand& operand) { return operand.kind == Operand::Kind::reg; }

}  // namespace

// Finds the block's accesses to base + index * factor, and the instructions that compute nothing
// else.
void MemoryAccesses::find_indexed(BlockId block) {
  indexed_.clear();
  put_off_.clear();
  if (!w.may_go_straight(block)) return;
  const Block& here = w.flow().blocks[block];
  // The one instruction of this block before `n` that writes `reg`, if nothing else does.
  const auto definition = [&](uint32_t reg, uint32_t n) -> const Instruction* {
    if (w.shapes().definitions[reg] != 1 || here.live_in.contains(reg)) return nullptr;
    const uint32_t at = w.shapes().definition[reg];
    if (at < here.first || at >= n || w.body().instructions[at].predicate) return nullptr;
    return &w.body().instructions[at];
  };
  const auto number = [&](const Instruction* i) {
    return static_cast<uint32_t>(i - w.body().instructions.data());
  };
  const auto is_base = [&](const Operand& operand) {
    return is_register(operand) && w.shapes().registers[operand.index].is_uniform() &&
           size_of(w.body().registers[operand.index].type) == 8;
  };
  // base + something; the product index * factor.
  const auto split = [&](uint32_t n, uint32_t reg, Indexed& found) {
    const Instruction* const sum = definition(reg, n);
    if (!sum || sum->operands.size() < 3) return false;
    const Instruction* product = nullptr;
    const Operand* base = nullptr;
    if (sum->opcode == Opcode::add && size_of(sum->type()) == 8 && sum->modifiers.empty() &&
        !is_floating(sum->type())) {
      const bool second = is_base(sum->operands[2]);
      base = &sum->operands[second ? 2 : 1];
      const Operand& rest = sum->operands[second ? 1 : 2];
      if (!is_base(*base) || !is_register(rest)) return false;
      product = definition(rest.index, number(sum));
    } else if (sum->opcode == Opcode::mad && sum->has(dot::wide)) {
      base = &sum->operands[3];
      product = sum;
    }
    if (!base || !is_base(*base) || !product) return false;
    const Operand* index = nullptr;
    int64_t factor = 0;
    bool with_sign = false;
    if ((product->opcode == Opcode::mul || product->opcode == Opcode::mad) &&
        product->has(dot::wide) && size_of(product->type()) == 4) {
      if (!constant_of(w.body(), w.shapes(), product->operands[2], product->type(), factor))
        return false;
      index = &product->operands[1];
      with_sign = is_signed(product->type());
    } else if (product->opcode == Opcode::shl && size_of(product->type()) == 8) {
      if (!constant_of(w.body(), w.shapes(), product->operands[2], factor) || factor < 0 ||
          factor > 20)
        return false;
      factor = int64_t{1} << factor;
      if (!is_register(product->operands[1])) return false;
      const Instruction* const wide = definition(product->operands[1].index, number(product));
      if (!wide || wide->opcode != Opcode::cvt || wide->types.size() != 2 || wide->has(dot::sat) ||
          size_of(wide->types[0]) != 8 || size_of(wide->types[1]) != 4 ||
          kind_of(wide->types[0]) > TypeKind::signed_integer ||
          kind_of(wide->types[1]) > TypeKind::signed_integer)
        return false;
      index = &wide->operands[1];
      with_sign = is_signed(wide->types[1]);
      product = wide;
    }
    if (!index || !is_register(*index) || factor <= 0 || factor > 1 << 20 ||
        !std::has_single_bit(static_cast<uint64_t>(factor)))
      return false;
    found = {base->index, index->index, factor, with_sign};
    return size_of(w.body().registers[index->index].type) == 4 &&
           w.shapes().registers[index->index].is_varying() &&
           !may_stop_between(w, number(product), n) &&
           !is_written(w.body(), number(product), n, index->index) &&
           !is_written(w.body(), number(sum), n, base->index);
  };
  for (uint32_t n = here.first; n < here.end; ++n) {
    const Instruction& i = w.body().instructions[n];
    const bool store = i.opcode == Opcode::st;
    if ((!store && i.opcode != Opcode::ld) || i.predicate || i.operands.size() != 2) continue;
    const Operand& place = i.operands[store ? 0 : 1];
    const Space space = space_of(i, place);
    if ((space != Space::global && space != Space::generic) || !place.has_base ||
        place.base_is_symbol || !w.shapes().registers[place.index].is_varying() ||
        size_of(i.type()) < 4 || size_of(i.type()) > 8 || is_one_access(i, space))
      continue;
    Indexed found;
    if (split(n, place.index, found) && found.factor % bytes_accessed(i) == 0) indexed_[n] = found;
  }
  if (indexed_.empty()) return;
  std::vector<uint32_t> read;
  for (uint32_t n = here.end; n-- > here.first;) {
    const Instruction& i = w.body().instructions[n];
    if (i.operands.empty() || !is_register(i.operands[0]) ||
        size_of(w.body().registers[i.operands[0].index].type) != 8 || i.is(needs_lanes))
      continue;
    const uint32_t reg = i.operands[0].index;
    if (!definition(reg, here.end) || here.live_out.contains(reg)) continue;
    bool only = std::none_of(indexed_.begin(), indexed_.end(), [&](const auto& one) {
      return one.second.base == reg || one.second.index == reg;
    });
    for (uint32_t m = n + 1; m < here.end && only; ++m) {
      if (put_off_.contains(m)) continue;
      read.clear();
      Flow::read(w.body().instructions[m], read);
      const auto uses = std::count(read.begin(), read.end(), reg);
      const Instruction& user = w.body().instructions[m];
      only = uses == 0 || (uses == 1 && indexed_.contains(m) &&
                           user.operands[user.opcode == Opcode::st ? 0 : 1].index == reg);
    }
    if (only) put_off_.insert(n);
  }
}

// Tests an access of `bytes` at all of these: in the window, aligned, and the product no larger
// than what the processor adds to an address by itself.
void MemoryAccesses::check_indexed(const Indexed& indexed, const Operand& place, uint32_t bytes,
                                   uint32_t element_bytes, uint32_t access) {
  llvm::Type* const wide = w.getInt64Ty();
  const unsigned shift =
      static_cast<unsigned>(std::countr_zero(static_cast<uint64_t>(indexed.factor)));
  V* const base =
      w.CreateAdd(w.read_register(indexed.base, Type::u64).scalar[0], w.i64(place.bits));
  V* const window = w.context_field(offsetof(BlockContext, window_base), wide);
  V* const size = w.CreateBinaryIntrinsic(
      llvm::Intrinsic::umin, w.context_field(offsetof(BlockContext, window_bytes), wide),
      w.i64(uint64_t{1} << 60));
  // -from <= index * factor <= size - bytes - from. Numbers large enough to spoil that are not
  // addresses.
  V* const from = w.CreateSub(base, window);
  V* const in_reach =
      w.CreateICmpULT(w.CreateAdd(from, w.i64(uint64_t{1} << 61)), w.i64(uint64_t{1} << 62));
  const int64_t most = (int64_t{1} << 31) >> (indexed.factor == element_bytes ? 0 : shift);
  V* const least_index =
      w.CreateBinaryIntrinsic(llvm::Intrinsic::smax, w.CreateNeg(w.CreateAShr(from, w.i64(shift))),
                              w.i64(indexed.with_sign ? static_cast<uint64_t>(-most) : 0));
  V* const last_index = w.CreateBinaryIntrinsic(
      llvm::Intrinsic::smin,
      w.CreateAShr(w.CreateSub(w.CreateSub(size, w.i64(bytes)), from), w.i64(shift)),
      w.i64(static_cast<uint64_t>(most - 1)));
  V* const aligned = w.CreateICmpEQ(w.CreateAnd(base, w.i64(bytes - 1)), w.i64(0));
  V* const possible =
      w.CreateAnd(w.CreateAnd(aligned, in_reach), w.CreateICmpSLE(least_index, last_index));
  // Testing the largest distance from the least index tests all lanes.
  llvm::Type* const word = w.getInt32Ty();
  V* distances = w.CreateSub(w.vector_of(w.read_register(indexed.index, Type::u32)),
                             w.splat(w.CreateTrunc(least_index, word)));
  for (unsigned count = warp_size; count > 8; count /= 2) {
    std::vector<int> low(count / 2), high(count / 2);
    std::iota(low.begin(), low.end(), 0);
    std::iota(high.begin(), high.end(), static_cast<int>(count / 2));
    distances =
        w.CreateBinaryIntrinsic(llvm::Intrinsic::umax, w.CreateShuffleVector(distances, low),
                                w.CreateShuffleVector(distances, high));
  }
  V* const room = w.CreateTrunc(w.CreateSub(last_index, least_index), word);
  V* const beyond = w.CreateBitCast(w.CreateICmpUGT(distances, w.splat(room, 8)), w.getInt8Ty());
  w.leave_straight(w.CreateOr(w.CreateNot(possible), w.CreateICmpNE(beyond, w.getInt8(0))));
  if (w.input().request.tracks) leave_tracks(indexed, place, bytes, access);
}

namespace {

llvm::Value* places_of(WarpBuilder& w, const Indexed& indexed, const Operand& place,
                       uint64_t offset, llvm::Type* type) {
  V* const base = w.CreateIntToPtr(
      w.CreateAdd(w.read_register(indexed.base, Type::u64).scalar[0], w.i64(place.bits + offset)),
      w.getPtrTy());
  V* index = w.vector_of(w.read_register(indexed.index, Type::u32));
  if (indexed.factor == bytes_of(type)) return w.CreateGEP(type, base, index);
  index =
      w.CreateMul(index, ConstantInt::get(index->getType(), static_cast<uint64_t>(indexed.factor)));
  return w.CreateGEP(w.getInt8Ty(), base, index);
}

}  // namespace

std::vector<Value> load_indexed(WarpBuilder& w, const Indexed& indexed, const Operand& place,
                                llvm::Type* type, uint32_t count) {
  std::vector<Value> values;
  const uint32_t size = bytes_of(type);
  for (uint32_t n = 0; n < count; ++n)
    values.push_back(varying(w.CreateMaskedGather(
        w.vector_type(type), places_of(w, indexed, place, n * size, type), llvm::Align(size),
        w.active_mask(), llvm::PoisonValue::get(w.vector_type(type)))));
  return values;
}

void store_indexed(WarpBuilder& w, const Indexed& indexed, const Operand& place,
                   const std::vector<V*>& values, llvm::Type* type) {
  const uint32_t size = bytes_of(type);
  if (w.input().request.vectors == Vectors::avx512) {
    for (size_t n = 0; n < values.size(); ++n)
      w.CreateMaskedScatter(values[n], places_of(w, indexed, place, n * size, type),
                            llvm::Align(size), w.active_mask());
    return;
  }
  V* const base = w.CreateIntToPtr(
      w.CreateAdd(w.read_register(indexed.base, Type::u64).scalar[0], w.i64(place.bits)),
      w.getPtrTy());
  V* const index = w.vector_of(w.read_register(indexed.index, Type::u32));
  for (size_t n = 0; n < values.size(); ++n)
    store_each(
        w, values[n],
        [&](uint32_t lane) {
          V* const distance =
              w.CreateMul(w.CreateSExt(w.CreateExtractElement(index, lane), w.getInt64Ty()),
                          w.i64(static_cast<uint64_t>(indexed.factor)));
          return w.CreateConstGEP1_64(w.getInt8Ty(), w.CreateGEP(w.getInt8Ty(), base, distance),
                                      n * size);
        },
        llvm::Align(size));
}

// In the lanes' order: where several write to one place, the last one counts.
void store_each(WarpBuilder& w, V* values, const std::function<V*(uint32_t lane)>& place_of,
                llvm::Align align) {
  for (uint32_t lane = 0; lane < warp_size; ++lane)
    w.CreateAlignedStore(w.CreateExtractElement(values, lane), place_of(lane), align);
}

const Indexed* MemoryAccesses::indexed() const {
  if (!w.at.straight) return nullptr;
  const auto found = indexed_.find(w.at.instruction);
  return found == indexed_.end() ? nullptr : &found->second;
}

}  // namespace cuvette::ptx
