// SPDX-License-Identifier: Apache-2.0
// Tests of accesses: each by itself, or adjacent accesses of a block together.
#include "sim/ptx/emit/memory_accesses.hpp"

#include <algorithm>
#include <tuple>

#include "sim/ptx/emit/address.hpp"
#include "sim/ptx/emit/counts.hpp"

namespace cuvette::ptx {

void MemoryAccesses::check(const Address& address, uint32_t bytes, uint32_t access,
                           const std::vector<Value>& stored) {
  if (address.space == Space::param) return;
  if (w.input().request.watch) return watch(address, bytes, access, stored);
  test(address, bytes, access);
  if (w.input().request.tracks) leave_tracks(address, bytes, access);
}

void MemoryAccesses::count(const Address& address, uint32_t bytes, uint32_t access) {
  if (w.input().request.counts) count_access(w, address, bytes, access);
}

void MemoryAccesses::test(const Address& address, uint32_t bytes, uint32_t access) {
  // The test of 32 addresses is most of the code of an access: where code is to be small, the
  // machine looks at each.
  if (w.input().quickly && !is_tested_by_ends(address, bytes))
    return ask(w, address, access | bytes, w.location());
  const auto group = groups_.find(w.at.instruction);
  if (group != groups_.end()) {
    if (group->second->accesses[0].instruction == w.at.instruction) check_group(*group->second);
    return;
  }
  if (w.may_leave()) {
    V* bad = lies_outside(w, address, bytes, 0);
    // The test of both ends has looked at the step.
    if (address.value.shape.is_affine() && !is_tested_by_ends(address, bytes))
      for (V* const step : address.value.step)
        if (step)
          bad =
              w.CreateOr(bad, w.CreateICmpNE(step, llvm::Constant::getNullValue(step->getType())));
    return w.leave_straight(bad);
  }
  w.when(
      lies_outside(w, address, bytes, 0), [&] { ask(w, address, access | bytes, w.location()); },
      true);
}

// Accesses of a block to the same base, a few bytes apart, are tested at the first of them: all of
// them will take place. Only where that fails each is looked at.
void MemoryAccesses::check_group(const Group& group) {
  const Instruction& first = w.body().instructions[group.accesses[0].instruction];
  Operand operand = first.operands[first.opcode == Opcode::st ? 0 : 1];
  operand.bits = static_cast<uint64_t>(group.begin);
  const Address address = address_of(w, operand, group.space);
  const uint64_t length = static_cast<uint64_t>(group.end - group.begin) - group.bytes;
  if (w.may_leave()) return w.leave_straight(lies_outside(w, address, group.bytes, length));
  w.when(
      lies_outside(w, address, group.bytes, length),
      [&] {
        for (const Group::Access& one : group.accesses) {
          const Instruction& instruction = w.body().instructions[one.instruction];
          const Operand& place = instruction.operands[instruction.opcode == Opcode::st ? 0 : 1];
          ask(w, address_of(w, place, group.space), one.access,
              w.i64(
                  location_of(instruction.line, instruction.source_file, instruction.source_line)));
        }
      },
      true);
}

void MemoryAccesses::find_groups(BlockId block) {
  groups_.clear();
  group_storage_.clear();
  if (w.input().request.watch) return;
  const Block& here = w.flow().blocks[block];
  using Key = std::tuple<Space, bool, uint32_t, std::string_view>;
  std::map<Key, Group> open;
  const auto close = [&](Group& group) {
    if (group.accesses.size() < 2) return;
    group_storage_.push_back(std::make_unique<Group>(group));
    for (const Group::Access& one : group.accesses)
      groups_[one.instruction] = group_storage_.back().get();
  };
  std::vector<uint32_t> written;
  for (uint32_t n = here.first; n < here.end; ++n) {
    const Instruction& i = w.body().instructions[n];
    if (i.is(Trait::interrupts)) {
      for (auto& [key, group] : open) close(group);
      open.clear();
    }
    const bool store = i.opcode == Opcode::st;
    if ((store || i.opcode == Opcode::ld) && !i.predicate && i.operands.size() == 2) {
      const Operand& place = i.operands[store ? 0 : 1];
      const Space space = space_of(i, place);
      const uint32_t bytes = bytes_accessed(i);
      const bool in_register = place.has_base && !place.base_is_symbol;
      const Shape shape = in_register ? w.shapes().registers[place.index] : Shape::uniform();
      // 32 bits of an address of 64 are not a line any more once they are widened.
      const bool whole = !in_register || space == Space::shared ||
                         size_of(w.body().registers[place.index].type) == 8;
      const int64_t offset = static_cast<int64_t>(place.bits);
      if (space != Space::param && space != Space::local && shape.is_affine() && whole &&
          shape.stride >= 0 && shape.stride % bytes == 0 && shape.stride < 1 << 19 &&
          offset > -(1 << 20) && offset < 1 << 20) {
        const Key key{space, place.base_is_symbol, place.index, place.symbol};
        Group& group = open[key];
        const bool fits =
            group.accesses.empty() ||
            (group.bytes == bytes && (offset - group.begin) % bytes == 0 &&
             std::max(group.end, offset + bytes) - std::min(group.begin, offset) < 1 << 16);
        if (!fits) {
          close(group);
          group = Group{};
        }
        if (group.accesses.empty()) group = {space, bytes, offset, offset + bytes, {}};
        group.begin = std::min(group.begin, offset);
        group.end = std::max<int64_t>(group.end, offset + bytes);
        group.accesses.push_back({n, bytes | kind_of_access(space) | (store ? access_write : 0)});
      }
    }
    written.clear();
    Flow::written(i, written);
    for (const uint32_t r : written)
      for (const Space space : {Space::generic, Space::global, Space::constant, Space::shared})
        if (const auto one = open.find(Key{space, false, r, ""}); one != open.end()) {
          close(one->second);
          open.erase(one);
        }
  }
  for (auto& [key, group] : open) close(group);
}

}  // namespace cuvette::ptx
