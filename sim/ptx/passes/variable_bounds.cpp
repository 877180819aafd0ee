// SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/passes/variable_bounds.hpp"

#include <optional>

#include "sim/ptx/abi/abi.hpp"
#include "sim/ptx/passes/blocks.hpp"
#include "sim/ptx/passes/inline.hpp"
#include "sim/ptx/syntax/body_builder.hpp"

namespace cuvette::ptx {
namespace {

bool is_shared(const Instruction& i) {
  return i.has(dot::shared) || i.has(dot::shared_cta) || i.has(dot::shared_cluster);
}

class BoundsKeeper : private BodyBuilder {
 public:
  BoundsKeeper(Body& body, const Module& module)
      : BodyBuilder(body), module_(module), origins_(body.registers.size()) {}

  void run() {
    find_origins();
    remake_all([&](const Instruction& one) {
      test(one);
      body_.instructions.push_back(one);
    });
  }

 private:
  // Where a register's value comes from.
  struct Origin {
    enum class Kind : uint8_t { unknown, number, variable, several } kind = Kind::unknown;
    const Operand* variable = nullptr;  // names it

    bool operator==(const Origin& other) const {
      return kind == other.kind &&
             (kind != Kind::variable || (variable->symbol == other.variable->symbol &&
                                         variable->index == other.variable->index));
    }
  };
  using Kind = Origin::Kind;

  const Variable* variable_of(const Operand& named) const {
    if (named.index > 0) return &body_.variables[named.index - 1];
    return module_.variable(named.symbol);
  }

  // Nothing for what has no bounds.
  const Variable* bounded(const Operand& named) const {
    const Variable* const variable = variable_of(named);
    if (!variable || variable->is_extern || variable->elements == 0 ||
        variable->name == stack_name ||
        (variable->space != Space::shared && variable->space != Space::local))
      return nullptr;
    return variable;
  }

  static Origin join(const Origin& a, const Origin& b) {
    if (a.kind == Kind::unknown || a == b) return b;
    if (b.kind == Kind::unknown) return a;
    return {Kind::several, nullptr};
  }

  Origin origin_of(const Operand& operand) const {
    switch (operand.kind) {
      case Operand::Kind::reg:
        return origins_[operand.index];
      case Operand::Kind::symbol:
        if (bounded(operand)) return {Kind::variable, &operand};
        return {Kind::several, nullptr};
      case Operand::Kind::special:
      case Operand::Kind::immediate:
        return {Kind::number, nullptr};
      default:
        return {Kind::several, nullptr};
    }
  }

  // A name with numbers added to it is still that name.
  static Origin sum(const Origin& a, const Origin& b) {
    if (a.kind == Kind::unknown || b.kind == Kind::unknown) return {};
    if (a.kind == Kind::number) return b;
    if (b.kind == Kind::number) return a;
    return {Kind::several, nullptr};
  }

  Origin result_of(const Instruction& i) const {
    const auto& o = i.operands;
    const auto is_number = [&](size_t n) { return origin_of(o[n]).kind == Kind::number; };
    const Origin several{Kind::several, nullptr};
    switch (i.opcode) {
      case Opcode::mov:
        return origin_of(o[1]);
      case Opcode::cvt:
        return i.types.size() == 2 ? origin_of(o[1]) : several;
      case Opcode::cvta:
        // The same address in another space has another number.
        return is_number(1) ? origin_of(o[1]) : several;
      case Opcode::add:
      case Opcode::or_:
        return sum(origin_of(o[1]), origin_of(o[2]));
      case Opcode::sub:
        return origin_of(o[2]).kind == Kind::variable ? several
                                                      : sum(origin_of(o[1]), origin_of(o[2]));
      case Opcode::mad: {
        const Origin product = sum(origin_of(o[1]), origin_of(o[2]));
        if (product.kind == Kind::variable) return several;
        return sum(product, origin_of(o[3]));
      }
      case Opcode::selp:
        return join(origin_of(o[1]), origin_of(o[2]));
      default:
        break;
    }
    // A value that is computed from numbers, or read, is a number.
    for (size_t n = 1; n < o.size(); ++n) {
      if (o[n].kind == Operand::Kind::address || o[n].kind == Operand::Kind::label) continue;
      const Origin one = origin_of(o[n]);
      if (one.kind != Kind::number) return one.kind == Kind::unknown ? one : several;
    }
    return {Kind::number, nullptr};
  }

  void find_origins() {
    std::vector<uint32_t> written;
    for (bool changed = true; changed;) {
      changed = false;
      for (const Instruction& i : body_.instructions) {
        written.clear();
        Flow::written(i, written);
        if (written.empty()) continue;
        const Origin result = written.size() == 1 ? result_of(i) : Origin{Kind::several, nullptr};
        for (const uint32_t r : written) {
          const Origin joined = join(origins_[r], result);
          if (joined == origins_[r]) continue;
          origins_[r] = joined;
          changed = true;
        }
      }
    }
  }

  void test(const Instruction& i) {
    const bool loads = i.opcode == Opcode::ld || i.opcode == Opcode::atom;
    if (!loads && i.opcode != Opcode::st && i.opcode != Opcode::red) return;
    const bool local = i.has(dot::local);
    if (!local && !is_shared(i)) return;
    const Operand& address = i.operands[loads ? 1 : 0];
    if (address.kind != Operand::Kind::address || !address.has_base) return;
    Operand named;
    named.kind = Operand::Kind::symbol;
    if (address.base_is_symbol) {
      named.index = address.index;
      named.symbol = address.symbol;
    } else {
      const Origin& origin = origins_[address.index];
      if (origin.kind != Kind::variable) return;
      named = *origin.variable;
      named.bits = 0;
    }
    const Variable* const variable = bounded(named);
    if (!variable || (variable->space == Space::local) != local) return;
    const uint64_t bytes = uint64_t{size_of(i.type())} * elements_of(i);
    const bool fits =
        address.bits <= variable->bytes() && variable->bytes() - address.bits >= bytes;
    if (address.base_is_symbol && fits) return;
    named.symbol = variable->name;
    const bool atomic = i.opcode == Opcode::atom || i.opcode == Opcode::red;
    const uint32_t how = (atomic ? access_atomic : 0) | (i.opcode == Opcode::ld ? 0 : access_write);
    Instruction& added =
        add(i, Opcode::inside, i.modifiers, i.types,
            {address, named, number_operand(variable->bytes()), number_operand(how)});
    added.predicate = i.predicate;
    added.predicate_negated = i.predicate_negated;
  }

  const Module& module_;
  std::vector<Origin> origins_;
};

}  // namespace

void keep_inside_variables(Body& body, const Module& module) { BoundsKeeper(body, module).run(); }

}  // namespace cuvette::ptx
