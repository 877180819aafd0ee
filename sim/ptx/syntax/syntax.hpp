// SPDX-License-Identifier: Apache-2.0
// The syntax tree of a PTX module: its variables and functions, and the instructions of a body.
//
// Names are views of the module's text, which lives as long as the tree. Registers, labels and
// variables are resolved to numbers when a body is parsed; nothing is interpreted otherwise.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/ptx/syntax/opcodes.hpp"
#include "sim/ptx/syntax/type.hpp"

namespace cuvette::ptx {

enum class Space : uint8_t { generic, reg, global, constant, shared, local, param, tex };

// Special registers. Of several that hold the same value only the first is listed: environment
// registers, except the registers of a grid's memory, and performance counters, which count
// nothing.
// clang-format off
#define CUVETTE_PTX_SPECIALS(X)                    \
  X(tid_x, "%tid.x")                               \
  X(tid_y, "%tid.y")                               \
  X(tid_z, "%tid.z")                               \
  X(ntid_x, "%ntid.x")                             \
  X(ntid_y, "%ntid.y")                             \
  X(ntid_z, "%ntid.z")                             \
  X(ctaid_x, "%ctaid.x")                           \
  X(ctaid_y, "%ctaid.y")                           \
  X(ctaid_z, "%ctaid.z")                           \
  X(nctaid_x, "%nctaid.x")                         \
  X(nctaid_y, "%nctaid.y")                         \
  X(nctaid_z, "%nctaid.z")                         \
  X(laneid, "%laneid")                             \
  X(warpid, "%warpid")                             \
  X(nwarpid, "%nwarpid")                           \
  X(warp_size, "WARP_SZ")                          \
  X(smid, "%smid")                                 \
  X(nsmid, "%nsmid")                               \
  X(gridid, "%gridid")                             \
  X(lanemask_eq, "%lanemask_eq")                   \
  X(lanemask_le, "%lanemask_le")                   \
  X(lanemask_lt, "%lanemask_lt")                   \
  X(lanemask_ge, "%lanemask_ge")                   \
  X(lanemask_gt, "%lanemask_gt")                   \
  X(clock, "%clock")                               \
  X(clock_hi, "%clock_hi")                         \
  X(clock64, "%clock64")                           \
  X(globaltimer, "%globaltimer")                   \
  X(globaltimer_lo, "%globaltimer_lo")             \
  X(globaltimer_hi, "%globaltimer_hi")             \
  X(envreg1, "%envreg1")                           \
  X(envreg2, "%envreg2")                           \
  X(total_smem_size, "%total_smem_size")           \
  X(aggr_smem_size, "%aggr_smem_size")             \
  X(dynamic_smem_size, "%dynamic_smem_size")       \
  X(is_explicit_cluster, "%is_explicit_cluster")   \
  X(clusterid_x, "%clusterid.x")                   \
  X(clusterid_y, "%clusterid.y")                   \
  X(clusterid_z, "%clusterid.z")                   \
  X(nclusterid_x, "%nclusterid.x")                 \
  X(nclusterid_y, "%nclusterid.y")                 \
  X(nclusterid_z, "%nclusterid.z")                 \
  X(cluster_ctaid_x, "%cluster_ctaid.x")           \
  X(cluster_ctaid_y, "%cluster_ctaid.y")           \
  X(cluster_ctaid_z, "%cluster_ctaid.z")           \
  X(cluster_nctaid_x, "%cluster_nctaid.x")         \
  X(cluster_nctaid_y, "%cluster_nctaid.y")         \
  X(cluster_nctaid_z, "%cluster_nctaid.z")         \
  X(cluster_ctarank, "%cluster_ctarank")           \
  X(cluster_nctarank, "%cluster_nctarank")         \
  X(reserved_begin, "%reserved_smem_offset_begin") \
  X(reserved_end, "%reserved_smem_offset_end")     \
  X(reserved_cap, "%reserved_smem_offset_cap")     \
  X(reserved_0, "%reserved_smem_offset_0")         \
  X(reserved_1, "%reserved_smem_offset_1")         \
  X(envreg, "%envreg0")                            \
  X(performance_counter, "%pm0")                   \
  X(performance_counter_wide, "%pm0_64")           \
  X(current_graph_exec, "%current_graph_exec")     \
  X(kernel_number, "%kernel number") /* of those that are compiled together; no text has it */
// clang-format on

enum class Special : uint8_t {
#define X(name, text) name,
  CUVETTE_PTX_SPECIALS(X)
#undef X
};

std::optional<Special> special_named(std::string_view name);
std::string_view name_of(Special special);
// "%tid": its three elements. A fourth one is 0.
std::optional<std::array<Special, 3>> special_vector_named(std::string_view name);

// The value of an initialiser: a number, or an address that is known once the module is loaded.
struct Initialiser {
  uint64_t bits = 0;
  std::string_view symbol;  // empty: a number
  bool generic = false;     // generic(symbol): the generic address instead of that in its space
  uint8_t shift = 0;        // the byte of the address, where it is cut up by mask operators
};

struct Variable {
  std::string_view name;
  Space space = Space::global;
  Type type = Type::b8;
  uint32_t vector = 1;    // .v2, .v4
  uint64_t elements = 1;  // 0: of unknown size, `extern .shared x[]`
  uint32_t alignment = 1;
  bool is_array = false;
  bool is_extern = false, is_visible = false, is_weak = false, is_common = false;
  bool managed = false;  // .attribute(.managed)
  uint32_t line = 0;
  std::vector<Initialiser> values;  // the first elements; the rest is zero

  uint64_t bytes() const { return elements * vector * size_of(type); }
};

// An instruction's operand.
struct Operand {
  enum class Kind : uint8_t {
    reg,        // `index`: a register of the function
    special,    // `special`
    immediate,  // `bits`
    symbol,     // `symbol`: the address of a variable or function, or its name in a call
    address,    // [base + offset], the base being a register, a symbol or nothing
    vector,     // {a, b}, elements
    label,      // `index`: a label of the function
    sink,       // _
  };
  Kind kind = Kind::sink;
  bool negated = false;         // !p
  bool base_is_symbol = false;  // of an address
  bool has_base = false;        // of an address
  bool floating = false;        // of an immediate: 0f or 0d or with a decimal point
  uint8_t float_bytes = 0;      // of a floating immediate: how it is written, 4 or 8
  Special special{};
  // Register or label; an address's base register. Of a symbol: 1 + the number of a variable of the
  // body, 0 for what the module declares.
  uint32_t index = 0;
  uint64_t bits = 0;  // an immediate; the offset of an address or symbol
  std::string_view symbol;
  std::string_view part;          // of a register: the part that a video instruction takes, "h1"
  std::vector<Operand> elements;  // of a vector; tex: what is inside the brackets beside the handle
};

struct Instruction {
  std::string_view text;  // the whole opcode, "ld.global.nc.v4.f32"
  Opcode opcode{};
  std::vector<Modifier> modifiers;  // in order, types left out
  std::vector<Type> types;          // in order
  std::vector<Operand> operands;
  std::optional<uint32_t> predicate;  // a register
  bool predicate_negated = false;
  uint32_t line = 0;         // of the PTX text
  uint32_t source_file = 0;  // .loc: the number of a .file, 0 for none
  uint32_t source_line = 0;

  bool has(Modifier modifier) const {
    return std::find(modifiers.begin(), modifiers.end(), modifier) != modifiers.end();
  }
  bool has_any(std::initializer_list<Modifier> any) const {
    return std::any_of(any.begin(), any.end(), [this](Modifier one) { return has(one); });
  }
  // Returns whether its opcode has one of the traits in `any`.
  bool is(Trait any) const { return ptx::is(opcode, any); }
  // Gives it another opcode. The opcode's name becomes its text, without modifiers.
  void rename(Opcode other) {
    opcode = other;
    text = name_of(other);
  }
  Type type() const { return types.empty() ? Type::b32 : types.back(); }
  Type first_type() const { return types.empty() ? Type::b32 : types.front(); }
};

// The size of the matrices that it multiplies or moves, if its modifiers say one.
std::optional<Extent> extent_of(const Instruction& instruction);

// The contents of a body in order: instructions, and the positions of labels.
struct Body {
  struct Register {
    Type type;
  };
  std::vector<Register> registers;
  std::vector<Instruction> instructions;
  // The index of the instruction after each label; instructions.size() at the end.
  std::vector<uint32_t> labels;
  std::vector<std::string_view> label_names;
  std::vector<Variable> variables;  // .local, .shared and .param of the body
  struct Table {                    // .branchtargets, .calltargets
    std::string_view name;
    std::vector<uint32_t> labels;
    std::vector<std::string_view> functions;
  };
  std::vector<Table> tables;
  struct Prototype {  // .callprototype
    std::string_view name;
    std::vector<Variable> results, parameters;
  };
  std::vector<Prototype> prototypes;
  // Names that occur in no text: inlining makes tables anew for each call.
  std::vector<std::shared_ptr<const std::string>> made_names;
  // Functions that several calls jump to return by the number of a place (passes/inline.hpp).
  bool returns_by_number = false;
};

struct Function {
  std::string_view name;
  bool is_entry = false;
  bool is_extern = false, is_visible = false, is_weak = false;
  bool noreturn = false;
  std::vector<Variable> results, parameters;  // .param, or .reg of a .func
  // .maxntid, .reqntid: 0 where it says nothing
  uint32_t maxntid[3] = {}, reqntid[3] = {};
  uint32_t minnctapersm = 0, maxnreg = 0;
  uint32_t reqnctapercluster[3] = {};
  bool explicit_cluster = false;
  std::string_view body;  // with its braces; empty for a declaration
  uint32_t line = 0, body_line = 0;

  // A kernel's parameters as one block: where each begins, and the size of all.
  std::vector<uint32_t> parameter_offsets() const;
  uint32_t parameter_bytes() const;
};

struct Module {
  std::string text;
  uint32_t version_major = 0, version_minor = 0;
  std::string_view target;  // "sm_90a"
  uint32_t target_number = 0;
  uint32_t address_size = 64;
  std::vector<Variable> variables;  // variables of bodies, too, under names that no text holds
  std::vector<Function> functions;
  std::vector<std::shared_ptr<const std::string>> made_names;
  struct File {
    uint32_t number;
    std::string_view name;
  };
  std::vector<File> files;  // .file

  uint32_t version() const { return version_major * 10 + version_minor; }

  void add(Function function);
  void add(Variable variable);
  const Function* function(std::string_view name) const;  // a definition before a declaration
  const Variable* variable(std::string_view name) const;

 private:
  std::unordered_map<std::string_view, uint32_t> function_numbers_, variable_numbers_;
};

}  // namespace cuvette::ptx
