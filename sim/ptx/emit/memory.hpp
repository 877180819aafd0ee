// SPDX-License-Identifier: Apache-2.0
// Loads and stores of a warp, of addresses that have been tested.
#pragma once

#include <functional>
#include <vector>

#include "sim/ptx/emit/lanes.hpp"
#include "sim/ptx/emit/memory_accesses.hpp"

namespace cuvette::ptx {

// Keeps the compiler from reordering; emits no instruction.
void compiler_fence(WarpBuilder& w);
// The type of an element in memory: the same bits as in a register of its size, never a predicate.
llvm::Type* memory_element(WarpBuilder& w, Type type);
uint32_t bytes_of(llvm::Type* type);

// `count` neighbours for each lane, and the same in the other direction. `strong`: no torn ones.
std::vector<Value> load(WarpBuilder& w, const Address& address, llvm::Type* type, uint32_t count,
                        bool strong);
void store(WarpBuilder& w, const Address& address, const std::vector<Value>& values,
           llvm::Type* type, bool strong);
// The same for lanes with unrelated addresses.
std::vector<V*> load_apart(WarpBuilder& w, const Address& address, llvm::Type* type,
                           uint32_t count);
void store_apart(WarpBuilder& w, const Address& address, const std::vector<V*>& values,
                 llvm::Type* type);
enum class Masked : uint8_t { line, gather, scatter };
// Whether an access by some lanes, to elements of `size` bytes, is one instruction of LLVM's.
bool takes(WarpBuilder& w, Masked access, uint32_t size);

// Whether each lane's vector is to be one access, which no thread sees half done
// (whole_vectors.cpp).
bool is_one_access(const Instruction& i, Space space);
std::vector<Value> load_whole(WarpBuilder& w, const Address& address, llvm::Type* type,
                              uint32_t count);
void store_whole(WarpBuilder& w, const Address& address, const std::vector<Value>& values,
                 llvm::Type* type);

// Elements a few apart, and elements of an array by an index (strides.cpp).
bool is_strided(WarpBuilder& w, const Instruction& i, const Shape& address);
std::vector<Value> load_indexed(WarpBuilder& w, const Indexed& indexed, const Operand& place,
                                llvm::Type* type, uint32_t count);
void store_indexed(WarpBuilder& w, const Indexed& indexed, const Operand& place,
                   const std::vector<V*>& values, llvm::Type* type);
// Stores in the lanes' order.
void store_each(WarpBuilder& w, V* values, const std::function<V*(uint32_t lane)>& place_of,
                llvm::Align align);

// A lane's part of a value; where a lane's access goes.
using PerLane = std::function<V*(V* lane)>;
PerLane by_lane(WarpBuilder& w, const Value& value);
PerLane place_by_lane(WarpBuilder& w, const Address& address, uint64_t offset);
llvm::AllocaInst* places_of_lanes(WarpBuilder& w, const Address& address);

}  // namespace cuvette::ptx
