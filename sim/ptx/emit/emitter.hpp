// SPDX-License-Identifier: Apache-2.0
// Emitter: turns the body of a kernel, or of a function that it calls, into an LLVM function that
// runs a warp.
//
// The 32 lanes of a varying register are one vector; a uniform or affine one is one scalar, or two
// where the halves of the warp differ. Registers are Variables, which become values at the end.
// Lanes that go different ways are masks: blocks are walked through in order, each with the lanes
// that have come to it (control.cpp). A warp that stops on the way, at a barrier or because it
// waits for others, keeps its live registers in its frame and returns; it is entered again where it
// left off.
//
// One file for each group of instructions; each implements some of Emitter's members.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "sim/ptx/abi.hpp"
#include "sim/ptx/diagnostic.hpp"
#include "sim/ptx/emit/variables.hpp"
#include "sim/ptx/jit.hpp"
#include "sim/ptx/opcodes.hpp"
#include "sim/ptx/passes/flow.hpp"
#include "sim/ptx/passes/needs.hpp"
#include "sim/ptx/passes/shapes.hpp"
#include "sim/ptx/syntax.hpp"
#include "sim/ptx/video.hpp"

namespace cuvette::ptx {

struct Format;  // formats.hpp
enum class Rounding : uint8_t;

// A register's or operand's value in a warp.
struct Value {
  Shape shape;
  // Affine: the base, or that of each half. The step that lies between lane `step_lane - 1` and
  // `step_lane` is subtracted from there on; it is null where the shape knows of none.
  llvm::Value* scalar[2] = {};
  llvm::Value* step[2] = {};
  llvm::Value* step_lane[2] = {};
  llvm::Value* vector = nullptr;  // varying

  int scalars() const { return shape.linear ? 1 : 2; }
};

// What lies before a kernel's shared variables, as on a GPU, where it may be read and written (an
// H200): cooperative groups keep there what tiles of several warps tell each other.
constexpr uint32_t reserved_shared_bytes = 1024;

// Where the variables of a kernel lie.
struct Layout {
  std::map<std::string_view, uint32_t> module_shared;  // offsets of the module's shared variables
  std::vector<uint32_t> body_offsets;                  // of each variable of the body in its space
  uint32_t shared_reserved = 0;                        // bytes before the shared variables
  uint32_t shared_bytes = 0;                           // of these, without the dynamic part
  uint32_t local_bytes = 0;
  bool has_stack = false;  // behind the thread's variables, as large as the launch says
};

struct EmitInput {
  const Module& module;
  const Function& function;
  const Body& body;
  const Flow& flow;
  const Shapes& shapes;
  const Layout& layout;
  const CompileRequest& request;
  bool quickly = false;     // code that takes little to compile, rather than little to run
  bool keeps_sums = false;  // there are some in the kernel that go to the sum cache
  size_t kernels = 1;       // that the body holds
};

class Emitter {
 public:
  Emitter(const EmitInput& input, llvm::Module& target, CompiledKernel& result);

  // False: the kernel holds something that cannot be compiled, as the result's error says.
  bool run();

 private:
  using V = llvm::Value;
  using Builder = llvm::IRBuilder<>;

  // --- Values (values.cpp) ---
  llvm::Type* element(Type type);
  llvm::Type* element_of_register(uint32_t reg);
  llvm::VectorType* vector_type(llvm::Type* element, unsigned lanes = warp_size);
  llvm::Constant* lanes(int64_t stride, llvm::Type* element);       // <0, stride, 2*stride, ...>
  llvm::Constant* half_lanes(int64_t stride, llvm::Type* element);  // counted in each half
  V* i32(uint32_t value) { return builder_.getInt32(value); }
  V* i64(uint64_t value) { return builder_.getInt64(value); }
  V* splat(V* scalar, unsigned lanes = warp_size);
  Value uniform(V* scalar) { return {Shape::uniform(), {scalar}, {}, {}, nullptr}; }
  Value varying(V* vector) { return {Shape::varying(), {}, {}, {}, vector}; }
  // An operand's value as `type`.
  Value read(const Operand& operand, Type type);
  Value read_special(Special special);
  Value read_register(uint32_t reg, Type type);
  Value read_symbol(const Operand& operand, Type type);
  // The same with one element per lane.
  V* vector_of(const Value& value);
  V* read_vector(const Operand& operand, Type type) { return vector_of(read(operand, type)); }
  // A uniform operand's scalar; of others that of the first lane that is active.
  V* read_scalar(const Operand& operand, Type type);
  V* first_active(const Value& value);
  // The same value in the more general shape `shape`.
  Value conform(const Value& value, const Shape& shape);
  V* resize(V* value, Type from,
            llvm::Type* to);                  // to another width, or the same bits of another type
  V* bits_as(V* value, llvm::Type* element);  // the same bits, element by element
  void write(const Operand& operand, const Value& value, Type type);
  void write_register(uint32_t reg, const Value& value, Type type);
  // Computes an instruction's first operand from the others, once or lane by lane, whichever its
  // shape asks for.
  template <typename F>
  void elementwise(const Instruction& instruction, std::initializer_list<Type> from, Type to,
                   const F& compute);
  Shape shape_of_result(const Instruction& instruction) const;

  // --- Variables (registers.cpp) ---
  void make_variables();
  V* get(Variables::Id variable) { return variables_.read(variable, builder_.GetInsertBlock()); }
  void set(Variables::Id variable, V* value) {
    variables_.write(variable, value, builder_.GetInsertBlock());
  }

  // --- Beginning and end (entry.cpp) ---
  // Takes (context, first warp, end) of a kernel, (context, warp, lanes) of what it calls.
  llvm::Function* warp_function(const Function& function);
  // Of kernels that are compiled together: what each of them begins with.
  void emit_entries();
  // The loops over the warps of blocks and the blocks of a row.
  struct RowLoop {
    llvm::BasicBlock* block;
    llvm::PHINode *warp, *column, *blocks;
  };
  RowLoop open_row(llvm::BasicBlock* first_instruction);
  void close_row(const RowLoop& row, llvm::BasicBlock* first_instruction);
  V* emit_step_to_next_block(V* column);
  bool place_variables(llvm::BasicBlock* begin);
  void emit_prologue();
  void emit_resumption();

  // --- Control (control.cpp) ---
  void emit_block(BlockId block);
  void emit_terminator(BlockId block);
  void go(BlockId from, BlockId to);  // all lanes that run `from` go there
  void push(BlockId to, V* lanes);    // these wait for their turn there
  // Number of turns, more than there ever are, that says so.
  static constexpr uint32_t has_slept = 1u << 30;
  V* turns_are_over();
  bool waits_in(BlockId block) const;
  void advance(BlockId from, int32_t region);  // on to the next block of the region that has lanes
  void turn_back(BlockId from, int32_t region, BlockId next);
  void leave_region(BlockId from, int32_t region);
  void add_lanes(V*& lanes, BlockId place);
  void resume_somewhere(int32_t region);
  void finish_warp();
  void fail_warp(V* status);  // returns it
  llvm::BasicBlock* new_block(const llvm::Twine& name);
  // if (condition) body();
  template <typename F>
  void when(V* condition, const F& body, bool rarely = false);
  void unlikely(llvm::BranchInst* branch);  // its first target is
  // The same number, of which LLVM does not know that: what is computed of it in a cold place stays
  // there.
  V* opaque(V* number);

  // --- Masks (masks.cpp) ---
  V* any(V* mask);      // i1
  V* bits_of(V* mask);  // i32
  V* mask_of(V* bits);  // <32 x i1>
  V* known_bits_of(V* mask);
  // What goes from block to block is 32 bits: a vector of bits would become one of bytes there.
  V* kept_mask(Variables::Id id) { return mask_of(get(id)); }
  void keep_mask(Variables::Id id, V* mask) { set(id, bits_of(mask)); }
  V* base_mask();    // of the lanes that exist; null: all
  V* active_mask();  // of the current instruction, never null
  V* active_bits() { return bits_of(active_mask()); }
  bool all_active() const { return mask_ == nullptr; }

  // --- Stops (stops.cpp) ---
  // Leaves the warp with `status` and goes on behind when it is entered again: `live` is what this
  // block's lanes need then, or all lanes of a region.
  void suspend(Status status, const BitSet& live);
  void suspend_region(Status status, int32_t region);
  // `turns`: of loops that spin, that the warp has had when it goes on.
  void leave_and_return(Status status, const BitSet& kept, uint32_t turns);
  void reload_mask();
  BitSet live_behind(BlockId block, uint32_t instruction);

  // --- Two ways through a block (straight.cpp) ---
  bool may_go_straight(BlockId block) const;
  bool goes_straight(BlockId block) const;
  void emit_both_ways(uint32_t first, uint32_t end);  // these instructions
  llvm::BasicBlock* entry_of_careful(uint32_t instruction);
  bool may_leave() const;       // whether the current instruction is on the straight way, and asks
  void leave_straight(V* bad);  // if so: the current instruction has done nothing yet

  // --- The machine (values.cpp) ---
  V* context_field(size_t offset, llvm::Type* type, bool constant = true);
  template <typename... Arguments>
  V* call_helper(size_t offset, llvm::Type* result, Arguments... arguments);
  // The same on a way that is rarely gone: whatever is in registers stays there. The first argument
  // is the block's context; a vector is handed over as an array.
  V* call_aside(size_t offset, llvm::Type* result, const std::vector<V*>& arguments);
  V* symbol_address(std::string_view name);
  llvm::AllocaInst* array_of(llvm::Type* element, unsigned count = warp_size);
  V* location();

  // --- Addresses (memory.cpp) ---
  // Of an access: the lanes' addresses in memory, or their offsets in shared or local memory.
  struct Address {
    Space space = Space::global;
    Value value;                // 64-bit addresses, or 32-bit offsets
    V* base = nullptr;          // a pointer that offsets count from
    V* lane_offsets = nullptr;  // what is to be added for each lane, in the threads' own memory
  };

  // --- Instructions ---
  void emit(const Instruction& instruction);
  // The current instruction; the arrays that it needed are free behind it.
  void wait_for_members(BlockId block);
  void emit_and_tidy();
  void emit_plain(const Instruction& instruction);
  void unsupported(const Instruction& instruction, const std::string& why = {});
  V* intrinsic(llvm::Intrinsic::ID id, std::initializer_list<V*> arguments);

  void emit_add_sub(const Instruction& i);
  void emit_carry(const Instruction& i);
  void emit_mul_mad(const Instruction& i);
  std::pair<V*, V*> overrun(V* base, int64_t stride, unsigned count, bool is_signed);
  V* flush_bits(V* bits);  // f32 as bits: subnormal numbers become zeros of their sign
  V* flush(V* number);
  V* saturate(V* number);
  V* fused(V* a, V* b, V* c);
  V* math(MathFunction function, std::initializer_list<V*> arguments);
  V* reciprocal_root(V* x);
  V* reciprocal_root_avx2(V* given);
  // Numbers in other formats (formats.cpp).
  llvm::Type* like(V* value, llvm::Type* scalar);  // with as many elements
  V* canonical(V* number);
  V* narrow(V* number, const Format& to, Rounding rounding, bool finite);
  V* widen(V* bits, const Format& from);
  V* whole(V* x, Rounding rounding);
  void emit_small_floats(const Instruction& i);  // f16, bf16
  void emit_small_set(const Instruction& i);
  template <typename F>
  void each_small(const Instruction& i, Type type, const F& compute);
  V* small_arithmetic(const Instruction& i, const std::vector<V*>& bits, Type type);
  V* small_min_max(const Instruction& i, const std::vector<V*>& bits, Type type);
  V* small_function(const Instruction& i, V* bits, Type type);
  V* flush_small(V* bits, const Format& format);
  V* flushed_result(V* number, const Format& to, Rounding rounding);
  V* nan_in(V* number, V* converted, const Format& to);
  V* odd_sum(V* a, V* b);
  void emit_directed(const Instruction& i);  // .rz, .rm, .rp
  V* directed(Opcode operation, Rounding rounding, const std::vector<V*>& operands);
  V* directed_wide(Opcode operation, Rounding rounding, const std::vector<V*>& operands);
  llvm::Function* rounding_function(Opcode operation, Rounding rounding,
                                    const std::vector<V*>& operands);
  // Functions of f32 numbers (transcendental.cpp).
  V* multiply_add(V* a, V* b, V* c);
  V* polynomial(V* x, std::initializer_list<double> coefficients);
  V* exponential(V* x);  // 2^x
  V* logarithm(V* x, bool ftz);
  V* sine(V* x, bool cosine);
  V* hyperbolic_tangent(V* x);
  V* gross(const Instruction& i, V* x);  // rcp.approx.ftz.f64, rsqrt.approx.ftz.f64
  void emit_transcendental(const Instruction& i);
  V* intrinsic3(llvm::Intrinsic::ID id, V* a, V* b, V* c);
  void emit_mul24(const Instruction& i);
  void emit_sad(const Instruction& i);
  void emit_div_rem(const Instruction& i);
  void emit_abs_neg(const Instruction& i);
  void emit_min_max(const Instruction& i);
  void emit_count(const Instruction& i);
  void emit_bit_field(const Instruction& i);
  void emit_dot_product(const Instruction& i);
  void emit_video(const Instruction& i);
  void emit_video_single(const Instruction& i);
  V* video_between(V* value, int64_t least, int64_t most);
  V* video_product(const Instruction& i, V* a, V* b, V* c);
  V* video_number(const std::vector<V*>& words, unsigned at, unsigned bits, bool with_sign,
                  bool wide);
  V* video_limited(V* value, unsigned bits, bool with_sign);
  V* video_result(const Instruction& i, VideoOperation operation, V* a, V* b);

  void emit_float_arithmetic(const Instruction& i);
  void emit_float_division(const Instruction& i);
  void emit_float_function(const Instruction& i);
  void emit_float_sign(const Instruction& i);
  void emit_float_test(const Instruction& i);
  void emit_float_min_max(const Instruction& i);

  void emit_set(const Instruction& i);
  bool can_compare_line(const Instruction& i, const Value& a, const Value& b);
  V* compare_line(llvm::CmpInst::Predicate predicate, const Value& a, const Value& b);
  bool decides(uint32_t reg);  // whether branches depend on a predicate
  void emit_select(const Instruction& i);
  void emit_logic(const Instruction& i);
  void emit_lop3_predicate(const Instruction& i, uint64_t table);
  V* by_table(const std::vector<V*>& v, uint64_t table);
  void emit_shift(const Instruction& i);
  void emit_permute(const Instruction& i);

  void emit_mov(const Instruction& i);
  void emit_cvta(const Instruction& i);
  void emit_isspacep(const Instruction& i);
  void emit_cvt(const Instruction& i);
  void emit_cvt_pair(const Instruction& i);
  void emit_cvt_pack(const Instruction& i);
  V* saturated_integer(V* x, Type from, Type to);
  V* number_of_integer(V* x, Type from, Type to, Rounding rounding);
  V* saturated(V* number, llvm::Type* target, bool with_sign, uint64_t none);
  V* integer_of_number(V* x, Type from, Type to, Rounding rounding);
  V* number_of_number(const Instruction& i, V* x, Type from, Type to);
  V* rectified(V* bits, const Format& format);
  void emit_resize(const Instruction& i, Type to, Type from);
  void emit_pack(const Instruction& i);
  void emit_unpack(const Instruction& i);
  Type bits_type_of(Type type) const;

  void emit_load(const Instruction& i);
  void emit_store(const Instruction& i);
  void emit_atomic(const Instruction& i);
  V* updated(const Instruction& i, V* old, V* b, V* c);
  template <typename F>
  V* replace(const Instruction& i, bool alone, llvm::Type* type, V* place, const F& update);
  V* atomic_at(const Instruction& i, bool alone, V* place, V* b, V* c);
  void find_whether_shared(const Instruction& i, V* place);
  V* lane_by_lane(const Instruction& i, bool alone, const Address& address, uint64_t offset,
                  const Value& b, const Value& c, bool used);
  bool adds_what_it_sees(const Instruction& i, const Address& address) const;
  V* add_to_what_is_seen(const Instruction& i, const Address& address, uint64_t offset,
                         const Value& b, bool used);
  bool can_join(const Instruction& i) const;
  V* join_lanes(const Instruction& i, bool alone, V* place, const Value& b, bool used);
  // Sums that nobody asks for (sums.cpp).
  bool keeps_sum(const Instruction& i);
  void keep_sum(const Instruction& i, const Address& address, const Value& value);
  void settle_before(const Instruction& i);
  void settle_all();
  void settle_line(const Value& line, uint32_t bytes);
  void emit_fence(const Instruction& i);
  void emit_async_copy(const Instruction& i);
  void emit_bulk_copy(const Instruction& i);
  std::vector<Value> load_in_part(const Address& from, const Operand& limit, uint32_t words);
  void emit_mbarrier(const Instruction& i);
  V* arrive(V* word, V* count);  // at a barrier in memory, of which this is the word

  void emit_barrier(const Instruction& i);
  void emit_shuffle(const Instruction& i);
  V* permuted(V* values, V* from);
  void emit_vote(const Instruction& i);
  template <typename F>
  void for_each_group(V* named, const F& body);
  void emit_match(const Instruction& i);
  void emit_redux(const Instruction& i);
  void emit_cluster(const Instruction& i);

  void emit_call(const Instruction& i);
  void emit_call_of(const Function& function);
  void emit_trap(const Instruction& i);
  void emit_nanosleep(const Instruction& i);
  void emit_matrix(const Instruction& i);
  void emit_matrix_rows(const Instruction& i);  // ldmatrix, stmatrix
  void emit_matrix_transposed(const Instruction& i);
  void emit_fragment(const Instruction& i);  // wmma.load, wmma.store
  struct Product;
  void emit_product(const Instruction& i);
  void emit_quad_product(const Instruction& i);
  llvm::Function* product_function(const Product& product);
  void emit_texture(const Instruction& i);
  void emit_surface(const Instruction& i);
  void emit_texture_query(const Instruction& i);
  // The handles of an instruction's texture or surface; `uniform` says whether there is one.
  llvm::AllocaInst* handles_of(const Instruction& i, const Operand& operand, bool& uniform);
  bool put_coordinates(const Instruction& i, const Operand& operand, uint32_t geometry, bool whole,
                       llvm::AllocaInst* words);
  void put_words(llvm::AllocaInst* words, unsigned first, const Operand& operand, Type type,
                 size_t most);
  void put_word(llvm::AllocaInst* words, unsigned word, V* vector);
  V* word_of(llvm::AllocaInst* words, unsigned word);
  void ask_machine(size_t helper, uint32_t operation, V* handles, V* operands, V* results);

  Space space_of(const Instruction& instruction, const Operand& address) const;
  Address address_of(const Operand& operand, Space space);
  // Tests an access of `bytes` (a power of two: also its alignment), and leaves the warp if it must
  // not be. Afterwards the address may be used.
  void check(const Address& address, uint32_t bytes, uint32_t access);
  bool is_tested_by_ends(const Address& address, uint32_t bytes) const;
  // Whether an access of `bytes` there, or of a row of them that ends with one `length` bytes on,
  // leaves what it may touch: an i1.
  V* lies_outside(const Address& address, uint32_t bytes, uint64_t length);
  void ask(const Address& address, uint32_t access, V* location);
  V* line(const Value& value, int half, uint32_t access);
  // Copies between the lanes' addresses and an array, by the machine.
  void move_line(const Address& address, uint32_t bytes, llvm::AllocaInst* buffer);
  struct Group {
    Space space = Space::generic;
    uint32_t bytes = 0;          // of each
    int64_t begin = 0, end = 0;  // counted from the base
    struct Access {
      uint32_t instruction;
      uint32_t access;  // as check() is told
    };
    std::vector<Access> accesses;
  };
  void find_groups(BlockId block);
  void check_group(const Group& group);
  static uint32_t vector_length(const Instruction& i);
  static uint32_t bytes_accessed(const Instruction& i);
  static uint32_t kind_of_access(Space space);
  V* pointer(const Address& address, V* scalar, uint64_t offset);
  V* pointers(const Address& address, uint64_t offset);  // <32 x ptr>
  llvm::Type* memory_element(Type type);
  // `count` neighbours for each lane, and the same in the other direction. `strong`: no torn ones.
  std::vector<Value> load(const Address& address, llvm::Type* type, uint32_t count, bool strong);
  enum class Masked : uint8_t { line, gather, scatter };
  // Whether an access by some lanes, to elements of `size` bytes, is one instruction of LLVM's.
  bool takes(Masked access, uint32_t size) const;
  // What is strong is neither moved nor left out.
  static bool is_strong(const Instruction& i);
  // Whether each lane's vector is to be one access, which nobody sees half done
  // (whole_vectors.cpp).
  static bool is_one_access(const Instruction& i, Space space);
  std::vector<Value> load_whole(const Address& address, llvm::Type* type, uint32_t count);
  void store_whole(const Address& address, const std::vector<Value>& values, llvm::Type* type);
  std::vector<V*> load_line(const Address& address, llvm::Type* type, uint32_t count);
  std::vector<V*> load_apart(const Address& address, llvm::Type* type, uint32_t count);
  void store(const Address& address, const std::vector<Value>& values, llvm::Type* type,
             bool strong);
  void store_line(const Address& address, const std::vector<V*>& values, llvm::Type* type);
  void store_apart(const Address& address, const std::vector<V*>& values, llvm::Type* type);
  template <typename Line, typename Apart>
  std::vector<V*> line_or_apart(const Address& address, const Line& line, const Apart& apart);
  static Address without_step(const Address& address);
  // Elements a few apart, and those of an array by an index (strides.cpp).
  bool is_strided(const Instruction& i, const Shape& address) const;
  V* load_strided(const Address& address, llvm::Type* type);
  struct Indexed {
    uint32_t base, index;  // registers
    int64_t factor;        // a power of two
    bool with_sign;        // the index has one
  };
  void find_indexed(BlockId block);
  const Indexed* indexed() const;  // what the current instruction accesses on the straight way
  void check_indexed(const Indexed& indexed, const Operand& place, uint32_t bytes,
                     uint32_t element_bytes);
  V* places_of(const Indexed& indexed, const Operand& place, uint64_t offset, llvm::Type* type);
  std::vector<Value> load_indexed(const Indexed& indexed, const Operand& place, llvm::Type* type,
                                  uint32_t count);
  void store_indexed(const Indexed& indexed, const Operand& place, const std::vector<V*>& values,
                     llvm::Type* type);
  void store_each(V* values, const std::function<V*(uint32_t lane)>& place_of, llvm::Align align);
  // A lane's part of a value; where a lane's access goes.
  using PerLane = std::function<V*(V* lane)>;
  PerLane by_lane(const Value& value);
  PerLane place_by_lane(const Address& address, uint64_t offset);
  void ask_for_lines(const PerLane& place_of);
  llvm::AllocaInst* places_of_lanes(const Address& address);
  V* place_of_lane(llvm::AllocaInst* places, V* lane);
  V* last_active();  // the number of a lane
  V* spread_mask(V* mask, uint32_t count, int half, int halves);
  V* concatenate(V* a, V* b);
  // Neighbours of one lane side by side, and apart again.
  V* interleave(const std::vector<V*>& values);
  std::vector<V*> separate(V* whole, uint32_t count);
  void compiler_fence();
  // Runs `body` for each active lane with its number.
  template <typename F>
  void for_each_lane(const F& body);
  // The same, eight at a time where all lanes are there.
  template <typename F>
  void for_each_lane_quickly(const F& body);

  const EmitInput& input_;
  const Body& body_;
  const Flow& flow_;
  const Shapes& shapes_;
  const BlockClass class_;
  CompiledKernel& result_;
  llvm::Module& module_;
  llvm::LLVMContext& llvm_;
  Builder builder_;
  llvm::Function* function_ = nullptr;

  struct Slot {
    Variables::Id scalar[2] = {Variables::none, Variables::none};
    Variables::Id step[2] = {Variables::none, Variables::none};
    Variables::Id step_lane[2] = {Variables::none, Variables::none};
    Variables::Id vector = Variables::none;
  };
  bool is_kept_as_bits(const Slot& slot) const {
    return !variables_.type_of(slot.vector)->isVectorTy();
  }
  Variables variables_;
  Needs needs_;
  std::vector<Slot> slots_;                     // of registers
  std::vector<Variables::Id> masks_;            // of blocks in regions
  std::vector<llvm::BasicBlock*> entries_;      // of blocks
  std::map<BlockId, llvm::BasicBlock*> tests_;  // whether a block has lanes
  Variables::Id block_mask_ = Variables::none;  // of the current block, if it is in a region
  Variables::Id carry_ = Variables::none;       // the carry of add.cc, <32 x i1>
  Variables::Id turns_ = Variables::none;       // of loops that wait for others
  llvm::BasicBlock* allocas_ = nullptr;
  llvm::BasicBlock* finish_ = nullptr;  // the warp is done
  llvm::PHINode* failure_ = nullptr;    // what a warp returns that must not go on
  llvm::SwitchInst* resume_ = nullptr;  // to where it left off
  V* base_bits_ = nullptr;              // lanes that exist; null: all
  std::map<V*, V*> bits_of_masks_;      // where a mask was made from them
  V* warp_ = nullptr;
  // Of the warp, where it stops on the way: a WarpFrame, and what it needs when it goes on.
  V* frame_ = nullptr;
  static constexpr uint32_t frame_head = 64;
  std::map<Special, Value> specials_;
  std::multimap<uint64_t, llvm::AllocaInst*> arrays_;  // by size: free for the next instruction
  std::vector<std::pair<uint64_t, llvm::AllocaInst*>> arrays_in_use_;
  std::vector<bool> decides_;  // of registers: a branch depends on them
  // What is live behind some instructions of a block, from its end on, so that asking about one is
  // a short way.
  std::map<uint32_t, BitSet> live_behind_;
  BlockId live_behind_block_ = exit_block;
  uint32_t suspensions_ = 0;
  bool needs_frames_ = false;

  // Of the current block: accesses that are tested together, at the first of them.
  std::map<uint32_t, const Group*> groups_;
  std::vector<std::unique_ptr<Group>> group_storage_;

  // The same of the straight way: accesses by an index, instructions that only they need, and where
  // the careful version of an instruction begins.
  std::map<uint32_t, Indexed> indexed_;
  std::set<uint32_t> put_off_;
  std::map<uint32_t, llvm::BasicBlock*> careful_;
  bool straight_ = false;

  // The place that code is emitted for.
  BlockId block_ = 0;
  uint32_t instruction_ = 0;
  V* mask_ = nullptr;        // of the current block, with the predicate if there is one; null: all
  bool predicated_ = false;  // the mask is narrower than the block's
  bool failed_ = false;
  V* in_shared_ = nullptr;  // an atomic sum's place
};

}  // namespace cuvette::ptx

#include "sim/ptx/emit/emitter_templates.hpp"  // IWYU pragma: export
