// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/shapes.hpp"

#include <algorithm>
#include <set>

#include "sim/ptx/passes/meetings.hpp"
#include "sim/ptx/passes/needs.hpp"

namespace cuvette::ptx {
namespace {

// A stride as a signed number of the register's width.
int64_t wrap(int64_t stride, Type type) {
  switch (size_of(type)) {
    case 8:
      return stride;
    case 4:
      return static_cast<int32_t>(stride);
    case 2:
      return static_cast<int16_t>(stride);
    default:
      return static_cast<int8_t>(stride);
  }
}

class ShapeFinder {
 public:
  ShapeFinder(const Body& body, const Flow& flow, const BlockClass& block_class, Shapes& result)
      : body_(body), flow_(flow), class_(block_class), result_(result) {}

  void run() {
    const size_t count = body_.registers.size();
    result_.definitions.assign(count, 0);
    result_.definition.assign(count, UINT32_MAX);
    defining_blocks_.assign(count, {});
    std::vector<uint32_t> registers;
    for (BlockId b = 0; b < flow_.blocks.size(); ++b)
      for (uint32_t i = flow_.blocks[b].first; i < flow_.blocks[b].end; ++i) {
        registers.clear();
        Flow::written(body_.instructions[i], registers);
        for (const uint32_t r : registers) {
          ++result_.definitions[r];
          result_.definition[r] = i;
          if (defining_blocks_[r].empty() || defining_blocks_[r].back() != b)
            defining_blocks_[r].push_back(b);
        }
      }
    std::vector<bool> forced(count);
    for (;;) {
      result_.registers.assign(count, Shape{});
      for (size_t r = 0; r < count; ++r)
        if (forced[r]) result_.registers[r] = Shape::varying();
      propagate();
      // A sum that begins with itself has no first shape. What nothing writes is the same for
      // everybody.
      for (size_t r = 0; r < count; ++r)
        if (result_.registers[r].kind == Shape::Kind::none)
          result_.registers[r] = result_.definitions[r] > 0 ? Shape::varying() : Shape::uniform();
      propagate();
      std::vector<bool> next = forced;
      find_divergence(next);
      number_regions();
      force_where_others_wait(next);
      if (next == forced) break;
      forced = std::move(next);
    }
  }

 private:
  // --- Shapes of values ---

  void propagate() {
    std::vector<uint32_t> registers;
    for (bool changed = true; changed;) {
      changed = false;
      for (const Block& block : flow_.blocks)
        for (uint32_t i = block.first; i < block.end; ++i) {
          const Instruction& instruction = body_.instructions[i];
          registers.clear();
          Flow::written(instruction, registers);
          if (registers.empty()) continue;
          Shape shape = shape_of(instruction);
          if (instruction.predicate) {
            const Shape& predicate = result_.registers[*instruction.predicate];
            if (predicate.is_varying()) shape = Shape::varying();
          }
          if (shape.kind == Shape::Kind::none) continue;
          for (const uint32_t r : registers) {
            const Shape joined = join(result_.registers[r], narrowed(shape, r));
            if (joined == result_.registers[r]) continue;
            result_.registers[r] = joined;
            changed = true;
          }
        }
    }
  }

  // Predicates are one value or a mask; small integers are one value or a vector.
  Shape narrowed(const Shape& shape, uint32_t r) const {
    const Type type = body_.registers[r].type;
    if (type == Type::pred) return shape.is_uniform() ? shape : Shape::varying();
    if (size_of(type) < 4 || size_of(type) > 8 || is_floating(type))
      return shape.has_no_stride() && (shape.linear || size_of(type) == 4) ? shape
                                                                           : Shape::varying();
    // No address is that far from its neighbour: such numbers are products on the way to a
    // quotient. Nor is what only a step sets apart worth a scalar.
    if (shape.is_affine() && (shape.stride != static_cast<int32_t>(shape.stride) ||
                              (shape.stride == 0 && shape.stepped)))
      return Shape::varying();
    return shape;
  }

  static Shape join(const Shape& a, const Shape& b) {
    if (a.kind == Shape::Kind::none) return b;
    if (b.kind == Shape::Kind::none) return a;
    if (a.is_varying() || b.is_varying() || a.stride != b.stride) return Shape::varying();
    return {Shape::Kind::affine, a.linear && b.linear, a.stepped || b.stepped, a.stride};
  }

  static Shape add(const Shape& a, const Shape& b, int64_t sign, Type type) {
    if (a.kind == Shape::Kind::none || b.kind == Shape::Kind::none) return {};
    if (a.is_varying() || b.is_varying() || (a.stepped && b.stepped)) return Shape::varying();
    return {Shape::Kind::affine, a.linear && b.linear, a.stepped || b.stepped,
            wrap(a.stride + sign * b.stride, type)};
  }

  // As registers multiply.
  static int64_t product(int64_t stride, int64_t factor) {
    return static_cast<int64_t>(static_cast<uint64_t>(stride) * static_cast<uint64_t>(factor));
  }

  // `from` is what the operands are, `to` the product.
  Shape multiply(const Operand& x, const Operand& y, Type from, Type to) const {
    const Shape a = shape_of(x), b = shape_of(y);
    if (a.kind == Shape::Kind::none || b.kind == Shape::Kind::none) return {};
    if (a.is_varying() || b.is_varying()) return Shape::varying();
    if (a.has_no_stride() && b.has_no_stride())
      return {Shape::Kind::affine, a.linear && b.linear, false, 0};
    int64_t factor;
    if (constant_of(body_, result_, y, from, factor))
      return {Shape::Kind::affine, a.linear, a.stepped, wrap(product(a.stride, factor), to)};
    if (constant_of(body_, result_, x, from, factor))
      return {Shape::Kind::affine, b.linear, b.stepped, wrap(product(b.stride, factor), to)};
    return Shape::varying();
  }

  Shape shape_of(const Operand& operand) const {
    switch (operand.kind) {
      case Operand::Kind::reg:
        return result_.registers[operand.index];
      case Operand::Kind::special:
        return shape_of(operand.special);
      case Operand::Kind::vector: {
        Shape all = Shape::uniform();
        for (const Operand& element : operand.elements) {
          const Shape one = shape_of(element);
          if (one.kind == Shape::Kind::none) return one;
          if (!one.is_uniform()) all = Shape::varying();
        }
        return all;
      }
      case Operand::Kind::address:
        return operand.has_base && !operand.base_is_symbol ? result_.registers[operand.index]
                                                           : Shape::uniform();
      default:
        return Shape::uniform();
    }
  }

  Shape shape_of(Special special) const {
    const bool rows = class_.shape() == BlockClass::Shape::rows;
    const bool halves = class_.shape() == BlockClass::Shape::half_rows;
    switch (special) {
      case Special::tid_x:
        if (rows) return {Shape::Kind::affine, true, false, 1};
        if (halves) return {Shape::Kind::affine, false, false, 1};
        return Shape::varying();
      case Special::tid_y:
      case Special::tid_z:
        if (rows || class_.one_dimensional()) return Shape::uniform();
        if (halves) return {Shape::Kind::affine, false, false, 0};
        return Shape::varying();
      case Special::laneid:
        return {Shape::Kind::affine, true, false, 1};
      case Special::lanemask_eq:
      case Special::lanemask_ge:
      case Special::lanemask_gt:
      case Special::lanemask_le:
      case Special::lanemask_lt:
        return Shape::varying();
      default:
        return Shape::uniform();
    }
  }

  bool constant(const Operand& operand, int64_t& value) const {
    return constant_of(body_, result_, operand, value);
  }

  // The largest power of two, up to 32, that divides an affine value's base for certain.
  int64_t alignment(const Operand& operand, int depth = 0) const {
    int64_t value;
    if (constant(operand, value)) return value == 0 ? 32 : std::min<int64_t>(32, value & -value);
    if (operand.kind == Operand::Kind::special) {
      const bool x = operand.special == Special::tid_x;
      if (x && class_.shape() == BlockClass::Shape::rows) return 32;
      return operand.special == Special::laneid ? 32 : 1;
    }
    if (operand.kind != Operand::Kind::reg || depth > 8) return 1;
    const uint32_t r = operand.index;
    if (result_.definitions[r] != 1) return 1;
    const Instruction& by = body_.instructions[result_.definition[r]];
    if (by.predicate) return 1;
    // What saturates is none of these, nor are numbers with a point.
    for (const Type type : by.types)
      if (kind_of(type) > TypeKind::signed_integer) return 1;
    if (!by.modifiers.empty()) return 1;
    if (by.opcode == "mov" || by.opcode == "cvt") return alignment(by.operands[1], depth + 1);
    if (by.opcode == "add")
      return std::min(alignment(by.operands[1], depth + 1), alignment(by.operands[2], depth + 1));
    return 1;
  }

  Shape shape_of(const Instruction& instruction) const {
    const std::string_view op = instruction.opcode;
    const auto& operands = instruction.operands;
    const Type type = instruction.type();
    const bool whole = kind_of(type) <= TypeKind::signed_integer && size_of(type) >= 4;
    if (op == "atom" || op == "shfl" || op == "tex" || op == "tld4" || op == "suld" ||
        op == "elect" || op == "wmma" || op == "mma" || op == "ldmatrix" || op == "movmatrix" ||
        op == "call" || op == "mbarrier" || op == "txq" || op == "suq")
      return Shape::varying();
    // The carry is each lane's own, whatever the operands are.
    if (op == "addc" || op == "subc" || op == "madc") return Shape::varying();
    // Lanes that name different members get different answers.
    if ((op == "vote" || op == "redux") && instruction.has("sync")) {
      const Shape members = shape_of(operands.back());
      return members.kind == Shape::Kind::none || members.is_uniform() ? members : Shape::varying();
    }
    if (op == "vote" || op == "activemask" || op == "bar" || op == "barrier")
      return Shape::uniform();
    if (op == "match") return Shape::varying();
    if (op == "ld" || op == "ldu") return shape_of_load(instruction);

    if (operands.size() < 2) return Shape::varying();
    const Shape first = shape_of(operands[1]);
    if (op == "mov" || op == "cvta") {
      if (operands[0].kind == Operand::Kind::vector || operands[1].kind == Operand::Kind::vector)
        return first.kind == Shape::Kind::none || first.is_uniform() ? first : Shape::varying();
      // The address of local memory is the same offset in every thread, and a different generic
      // address: cvta makes it one.
      if (op == "cvta" && (instruction.has("local") || instruction.has("param")) &&
          !instruction.has("to"))
        return Shape::varying();
      return first;
    }
    if (op == "cvt" && instruction.types.size() == 2 && !instruction.has("sat")) {
      const Type to = instruction.types[0], from = instruction.types[1];
      if (kind_of(to) <= TypeKind::signed_integer && kind_of(from) <= TypeKind::signed_integer &&
          first.is_affine() && first.stride != 0) {
        if (size_of(from) < 4 || size_of(to) < 4) return Shape::varying();
        if (size_of(from) == 4 && size_of(to) == 8 && !steps_once(first.stride))
          return Shape::varying();
        Shape result = first;
        result.stride = wrap(first.stride, to);
        result.stepped = size_of(to) == 8 && (size_of(from) == 4 || first.stepped);
        return result;
      }
    }
    if (whole && (op == "add" || op == "sub") && instruction.modifiers.empty())
      return add(first, shape_of(operands[2]), op == "add" ? 1 : -1, type);
    if (whole && op == "mul" && instruction.has("lo"))
      return multiply(operands[1], operands[2], type, type);
    if (whole && op == "mul" && instruction.has("wide")) return widened(instruction);
    if (whole && op == "mad" && instruction.has("lo") && !instruction.has("cc"))
      return add(multiply(operands[1], operands[2], type, type), shape_of(operands[3]), 1, type);
    if (whole && op == "mad" && instruction.has("wide"))
      return add(widened(instruction), shape_of(operands[3]), 1, Type::s64);
    int64_t value;
    if (whole && op == "shl" && first.is_affine() && first.stride != 0 &&
        constant(operands[2], value) && value >= 0 && value < 8 * size_of(type)) {
      Shape result = first;
      result.stride =
          wrap(static_cast<int64_t>(static_cast<uint64_t>(first.stride) << value), type);
      return result;
    }
    if (op == "neg" && whole && first.is_affine()) {
      Shape result = first;
      result.stride = wrap(-first.stride, type);
      return result;
    }
    if (op == "and" && first.is_affine() && first.stride == 1 && first.linear &&
        constant(operands[2], value) && value == 31 && alignment(operands[1]) == 32)
      return {Shape::Kind::affine, true, false, 1};
    if (op == "shr" && first.is_affine() && first.stride == 1 && first.linear && !first.stepped &&
        constant(operands[2], value) && value >= 5 && value < 8 * size_of(type) &&
        alignment(operands[1]) == 32)
      return Shape::uniform();

    // Everything else: one value from values, else varying.
    bool linear = true;
    for (size_t i = 1; i < operands.size(); ++i) {
      const Shape shape = shape_of(operands[i]);
      if (shape.kind == Shape::Kind::none) return {};
      if (!shape.has_no_stride()) return Shape::varying();
      linear &= shape.linear;
    }
    return {Shape::Kind::affine, linear, false, 0};
  }

  Shape widened(const Instruction& instruction) const {
    const Type narrow = instruction.type();
    const Shape product =
        multiply(instruction.operands[1], instruction.operands[2], narrow, Type::s64);
    if (!product.is_affine() || product.stride == 0) return product;
    if (size_of(narrow) != 4) return Shape::varying();
    // One factor is a constant, the other the line.
    for (size_t n = 1; n <= 2; ++n)
      if (!steps_once(shape_of(instruction.operands[n]).stride)) return Shape::varying();
    Shape result = product;
    result.stepped = true;
    return result;
  }

  Shape shape_of_load(const Instruction& instruction) const {
    const Operand& address = instruction.operands[1];
    const Shape shape = shape_of(address);
    if (instruction.has("param") || instruction.has("param::entry"))
      // A variable of the body holds what a call gives back: each thread has its own.
      return address.index > 0 && address.base_is_symbol ? Shape::varying() : same_for_all(shape);
    if (instruction.has("local") || instruction.has("param::func")) return Shape::varying();
    // A generic address may be one of local memory: then it is varying already.
    return same_for_all(shape);
  }

  // What lies at one place is one value; at a line of places are many.
  static Shape same_for_all(const Shape& place) {
    if (place.kind == Shape::Kind::none) return {};
    return place.has_no_stride() ? place : Shape::varying();
  }

  // --- Divergence ---

  // Where all lanes are together again that go on behind `block`, some of them without those that
  // spin.
  BlockId gathering(BlockId block) const {
    while (block != exit_block && flow_.blocks[block].meeting != Meeting::all)
      block = flow_.blocks[block].post_dominator;
    return block;
  }

  bool branches_apart(const Block& block) const {
    if (!block.has_terminator || block.successors.size() < 2) return false;
    const Instruction& last = body_.instructions[block.end - 1];
    if (last.predicate && !result_.registers[*last.predicate].is_uniform()) return true;
    return last.opcode == "brx" && !shape_of(last.operands[0]).is_uniform();
  }

  void find_divergence(std::vector<bool>& forced) {
    divergent_.assign(flow_.blocks.size(), false);
    groups_.clear();
    for (BlockId b = 0; b < flow_.blocks.size(); ++b) {
      if (!branches_apart(flow_.blocks[b])) continue;
      BlockId meet = flow_.blocks[b].post_dominator;
      // Lanes that have left a loop in which others wait for them must be able to go on.
      for (const Loop& loop : flow_.loops)
        if (loop.spins && loop.contains(b) && (meet == exit_block || !loop.contains(meet)))
          meet = gathering(meet);
      std::vector<BlockId> region = reach(b, meet);
      for (const BlockId block : region) divergent_[block] = true;
      force_at_joins(b, meet, region, forced);
      for (const Loop& loop : flow_.loops)
        if (loop.contains(b) && (meet == exit_block || !loop.contains(meet)))
          force_at_exits(loop, forced);
      groups_.push_back({b, std::move(region), meet});
    }
  }

  std::vector<BlockId> reach(BlockId branch, BlockId stop) const {
    std::vector<bool> seen(flow_.blocks.size());
    std::vector<BlockId> work, region;
    const auto visit = [&](const Block& block) {
      for (const BlockId next : block.successors)
        if (next != exit_block && next != stop && !seen[next]) {
          seen[next] = true;
          work.push_back(next);
        }
    };
    visit(flow_.blocks[branch]);
    while (!work.empty()) {
      const BlockId block = work.back();
      work.pop_back();
      region.push_back(block);
      visit(flow_.blocks[block]);
    }
    std::sort(region.begin(), region.end());
    return region;
  }

  // Where lanes that took different ways meet, a register that was written on one of them differs.
  void force_at_joins(BlockId branch, BlockId meet, const std::vector<BlockId>& region,
                      std::vector<bool>& forced) {
    std::vector<uint32_t> label(flow_.blocks.size(), exit_block);
    std::vector<bool> is_join(flow_.blocks.size());
    const auto give = [&](BlockId block, uint32_t one) {
      if (label[block] == exit_block) {
        label[block] = one;
      } else if (label[block] != one) {
        is_join[block] = true;
        label[block] = block;
      }
    };
    // A label is the block at which a way begins.
    std::set<BlockId> targets;
    for (const BlockId next : flow_.blocks[branch].successors)
      if (next != exit_block) targets.insert(next);
    for (const BlockId target : targets) give(target, target);
    // At the branch itself, in a later turn, lanes go apart anew.
    for (const BlockId block : region) {
      if (label[block] == exit_block || block == branch) continue;
      for (const BlockId next : flow_.blocks[block].successors)
        if (next != exit_block && next > block) {
          // A way's first block is one of its own, even if another leads there.
          if (targets.contains(next) && label[next] == next && label[block] != next)
            is_join[next] = true;
          else
            give(next, label[block]);
        }
    }
    // Round the loop: at a header lanes meet that went different ways through the body.
    std::vector<uint32_t> round(flow_.blocks.size(), exit_block);
    const auto give_round = [&](BlockId header, uint32_t one) {
      if (round[header] == exit_block)
        round[header] = one;
      else if (round[header] != one)
        is_join[header] = true;
    };
    for (const BlockId block : region)
      for (const BlockId next : flow_.blocks[block].successors)
        if (next != exit_block && next <= block && label[block] != exit_block && block != branch)
          give_round(next, label[block]);
    for (const BlockId next : flow_.blocks[branch].successors)
      if (next != exit_block && next <= branch) give_round(next, next);
    if (meet != exit_block && targets.contains(meet)) is_join[meet] = true;

    std::vector<bool> inside(flow_.blocks.size());
    for (const BlockId block : region) inside[block] = true;
    for (BlockId block = 0; block < flow_.blocks.size(); ++block)
      if (is_join[block])
        flow_.blocks[block].live_in.each([&](uint32_t r) {
          if (result_.registers[r].is_varying() || result_.definitions[r] < 2) return;
          for (const BlockId by : defining_blocks_[r])
            if (inside[by]) forced[r] = true;
        });
  }

  // Lanes leave the loop at different turns: what it writes differs behind it.
  void force_at_exits(const Loop& loop, std::vector<bool>& forced) {
    for (BlockId b = loop.first; b <= loop.last; ++b)
      for (const BlockId next : flow_.blocks[b].successors) {
        if (next == exit_block || loop.contains(next)) continue;
        flow_.blocks[next].live_in.each([&](uint32_t r) {
          if (result_.registers[r].is_varying()) return;
          for (const BlockId by : defining_blocks_[r])
            if (loop.contains(by)) forced[r] = true;
        });
      }
  }

  // Who waits must not see what others write meanwhile into a register that is one for all.
  void force_where_others_wait(std::vector<bool>& forced) const {
    const Needs needs = find_needs(body_, flow_, result_);
    for (uint32_t r = 0; r < forced.size(); ++r) {
      if (result_.registers[r].is_varying()) continue;
      for (const BlockId by : defining_blocks_[r])
        if (result_.region[by] >= 0 && needs.waiting[by].contains(r)) forced[r] = true;
    }
  }

  // Regions that share a block are one; it ends where the last of them does.
  void number_regions() {
    std::vector<int32_t> parent(groups_.size());
    for (size_t g = 0; g < groups_.size(); ++g) parent[g] = static_cast<int32_t>(g);
    const auto root = [&](int32_t g) {
      while (parent[static_cast<size_t>(g)] != g) g = parent[static_cast<size_t>(g)];
      return g;
    };
    std::vector<int32_t> owner(flow_.blocks.size(), -1);
    for (size_t g = 0; g < groups_.size(); ++g)
      for (const BlockId block : groups_[g].blocks) {
        if (owner[block] < 0)
          owner[block] = static_cast<int32_t>(g);
        else
          parent[static_cast<size_t>(root(static_cast<int32_t>(g)))] = root(owner[block]);
      }
    result_.region.assign(flow_.blocks.size(), -1);
    for (BlockId b = 0; b < flow_.blocks.size(); ++b)
      if (owner[b] >= 0) result_.region[b] = root(owner[b]);
    result_.opens.assign(flow_.blocks.size(), -1);
    result_.region_exit.assign(groups_.size(), exit_block);
    for (size_t g = 0; g < groups_.size(); ++g) {
      const BlockId meet = groups_[g].meet;
      const int32_t region = root(static_cast<int32_t>(g));
      if (!groups_[g].blocks.empty()) result_.opens[groups_[g].branch] = region;
      if (meet != exit_block && result_.region[meet] != region)
        result_.region_exit[static_cast<size_t>(region)] = meet;
    }
  }

  struct Group {
    BlockId branch;
    std::vector<BlockId> blocks;
    BlockId meet;
  };

  const Body& body_;
  const Flow& flow_;
  const BlockClass class_;
  Shapes& result_;
  std::vector<std::vector<BlockId>> defining_blocks_;
  std::vector<bool> divergent_;
  std::vector<Group> groups_;
};

}  // namespace

bool constant_of(const Body& body, const Shapes& shapes, const Operand& operand, int64_t& value) {
  if (operand.kind == Operand::Kind::immediate) {
    value = static_cast<int64_t>(operand.bits);
    return !operand.floating;
  }
  if (operand.kind != Operand::Kind::reg || shapes.definitions[operand.index] != 1) return false;
  const Instruction& by = body.instructions[shapes.definition[operand.index]];
  if (by.opcode != "mov" || by.predicate || by.operands[1].kind != Operand::Kind::immediate ||
      by.operands[1].floating)
    return false;
  value = static_cast<int64_t>(by.operands[1].bits);
  if (size_of(by.type()) == 4) value = static_cast<int32_t>(value);
  return true;
}

bool constant_of(const Body& body, const Shapes& shapes, const Operand& operand, Type type,
                 int64_t& value) {
  if (!constant_of(body, shapes, operand, value)) return false;
  if (size_of(type) == 4)
    value = is_signed(type) ? static_cast<int32_t>(value) : int64_t{static_cast<uint32_t>(value)};
  return true;
}

std::vector<BlockId> Shapes::next_turns(const Flow& flow, int32_t in_region) const {
  std::vector<BlockId> places;
  for (const Loop& loop : flow.loops)
    if (loop.spins)
      for (const BlockId block : loop.next_turn)
        if (region[block] == in_region) places.push_back(block);
  std::ranges::sort(places);
  return places;
}

std::vector<BlockId> Shapes::waiting_places(const Flow& flow, int32_t in_region) const {
  std::vector<BlockId> places = next_turns(flow, in_region);
  if (places.empty()) return places;
  for (const Loop& loop : flow.loops)
    for (const BlockId block : loop.meetings)
      if (region[block] == in_region && std::ranges::count(places, block) == 0)
        places.push_back(block);
  std::ranges::sort(places);
  return places;
}

bool Shapes::turns_freely(const Flow& flow, int32_t in_region) const {
  return flow.irreducible || !next_turns(flow, in_region).empty();
}

Shapes find_shapes(const Body& body, const Flow& flow, const BlockClass& block_class) {
  Shapes result;
  ShapeFinder(body, flow, block_class, result).run();
  return result;
}

}  // namespace cuvette::ptx
