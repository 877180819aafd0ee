// SPDX-License-Identifier: Apache-2.0
// Reading textures, reading and writing surfaces: emitted code lays out the lanes' operands, and
// the machine does the rest for the whole warp (texture_operation.hpp).
#include "sim/ptx/abi/texture_operation.hpp"
#include "sim/ptx/emit/instructions.hpp"

namespace cuvette::ptx {
namespace {

struct GeometryRow {
  Modifier modifier;
  TextureGeometry geometry;
  uint32_t coordinates;  // including the layer
};
constexpr GeometryRow geometries[] = {
    {dot::d1, TextureGeometry::d1, 1},      {dot::d2, TextureGeometry::d2, 2},
    {dot::d3, TextureGeometry::d3, 3},      {dot::a1d, TextureGeometry::a1d, 2},
    {dot::a2d, TextureGeometry::a2d, 3},    {dot::cube, TextureGeometry::cube, 3},
    {dot::acube, TextureGeometry::acube, 4}};

const GeometryRow* geometry_of(const Instruction& i) {
  for (const GeometryRow& row : geometries)
    if (i.has(row.modifier)) return &row;
  return nullptr;
}

constexpr Modifier queries[] = {
#define X(name) dot::name,
    CUVETTE_PTX_TEXTURE_QUERIES(X)
#undef X
};

uint32_t length_of(const Instruction& i) { return i.has(dot::v4) ? 4 : i.has(dot::v2) ? 2 : 1; }

// Returns element `n` of a vector operand; any other operand is its own element 0.
const Operand* element_of(const Operand& operand, size_t n) {
  if (operand.kind == Operand::Kind::vector)
    return n < operand.elements.size() ? &operand.elements[n] : nullptr;
  return n == 0 ? &operand : nullptr;
}

bool is_opaque(const Module& module, std::string_view name) {
  const Variable* const variable = module.variable(name);
  return variable && kind_of(variable->type) == TypeKind::opaque;
}

void put_word(WarpBuilder& w, llvm::AllocaInst* words, unsigned word, V* vector) {
  w.CreateAlignedStore(w.bits_as(vector, w.getInt32Ty()),
                       w.CreateConstGEP1_64(w.getInt32Ty(), words, uint64_t{warp_size} * word),
                       llvm::Align(64));
}

llvm::Value* word_of(WarpBuilder& w, llvm::AllocaInst* words, unsigned word) {
  return w.CreateAlignedLoad(
      w.vector_type(w.getInt32Ty()),
      w.CreateConstGEP1_64(w.getInt32Ty(), words, uint64_t{warp_size} * word), llvm::Align(64));
}

void put_words(WarpBuilder& w, llvm::AllocaInst* words, unsigned first, const Operand& operand,
               Type type, size_t most) {
  for (size_t n = 0; n < most; ++n) {
    const Operand* const one = element_of(operand, n);
    if (!one) return;
    put_word(w, words, first + static_cast<unsigned>(n), w.read_vector(*one, type));
  }
}

// The handles of an instruction's texture or surface; one if `is_uniform`, else one for each lane.
llvm::AllocaInst* handles_of(WarpBuilder& w, const Instruction& i, const Operand& operand,
                             bool& is_uniform) {
  Value value;
  if (operand.kind != Operand::Kind::address || !operand.has_base || operand.bits != 0) {
    w.unsupported(i, "a texture or surface is missing here");
    return nullptr;
  }
  if (!operand.base_is_symbol) {
    value = w.read_register(operand.index, Type::b64);
  } else if (operand.index == 0 && is_opaque(w.input().module, operand.symbol)) {
    value = uniform(w.symbol_address(operand.symbol));
  } else {
    w.unsupported(
        i, "'" + std::string(operand.symbol) + "' is not a texture or surface of the module");
    return nullptr;
  }
  llvm::AllocaInst* const handles = w.array_of(w.getInt64Ty());
  is_uniform = value.shape.is_uniform();
  if (is_uniform)
    w.CreateStore(value.scalar[0], handles);
  else
    w.CreateAlignedStore(w.vector_of(value), handles, llvm::Align(64));
  return handles;
}

bool put_coordinates(WarpBuilder& w, const Instruction& i, const Operand& operand,
                     uint32_t geometry, bool whole, llvm::AllocaInst* words) {
  if (operand.elements.size() != 1) {
    w.unsupported(i, operand.elements.empty() ? "coordinates are missing"
                                              : "samplers of their own are not implemented");
    return false;
  }
  const GeometryRow& row = geometries[geometry];
  const bool layered = row.geometry == TextureGeometry::a1d ||
                       row.geometry == TextureGeometry::a2d ||
                       row.geometry == TextureGeometry::acube;
  for (uint32_t n = 0; n < row.coordinates; ++n) {
    const Operand* const one = element_of(operand.elements[0], n);
    if (!one) {
      w.unsupported(i, "a coordinate is missing");
      return false;
    }
    put_word(w, words, n,
             w.read_vector(*one, whole || (layered && n == 0) ? Type::b32 : Type::f32));
  }
  return true;
}

void ask_machine(WarpBuilder& w, size_t helper, uint32_t operation, V* handles, V* operands,
                 V* results) {
  V* const status = w.call_helper(helper, w.getInt32Ty(), w.context(), w.i32(operation), handles,
                                  operands, results, w.active_bits(), w.warp(), w.location());
  w.when(
      w.CreateICmpNE(status, w.i32(0)), [&] { w.fail_warp(status); }, true);
}

}  // namespace

// tex.{base,level,grad}.geometry.v4.type.type, tld4.component.geometry.v4.type.f32
void emit_texture(WarpBuilder& w, const Instruction& i) {
  const GeometryRow* const row = geometry_of(i);
  const bool gathers = i.opcode == Opcode::tld4;
  if (!row || i.types.size() != 2 || i.operands.size() < 2 ||
      i.operands[0].kind != Operand::Kind::vector)
    return w.unsupported(i);
  const Type result = i.types[0], coordinate = i.types[1];
  const bool halves = result == Type::f16x2;
  if ((coordinate != Type::f32 && coordinate != Type::s32) ||
      (!halves && result != Type::f32 && result != Type::u32 && result != Type::s32) ||
      length_of(i) != (halves ? 2u : 4u) || i.operands[0].elements.size() != length_of(i))
    return w.unsupported(i);
  TextureOperation operation;
  operation.geometry = static_cast<uint32_t>(row->geometry);
  operation.whole = coordinate == Type::s32;
  operation.halves = halves;
  operation.gathers = gathers;
  if (gathers) operation.component = i.has(dot::g) ? 1 : i.has(dot::b) ? 2 : i.has(dot::a) ? 3 : 0;
  bool uniform = false;
  llvm::AllocaInst* const handles = handles_of(w, i, i.operands[1], uniform);
  if (!handles) return;
  operation.uniform = uniform;
  llvm::AllocaInst* const words =
      w.array_of(w.getInt32Ty(), warp_size * TextureOperation::operands);
  if (!put_coordinates(w, i, i.operands[1], operation.geometry, operation.whole, words)) return;
  size_t next = 2;
  if (i.has(dot::level) || i.has(dot::grad)) {
    const bool level = i.has(dot::level);
    if (i.operands.size() < next + (level ? 1 : 2))
      return w.unsupported(i, "an operand is missing");
    using Levels = TextureOperation::Levels;
    operation.levels = static_cast<uint32_t>(level ? Levels::level : Levels::gradient);
    const Type type = level && operation.whole ? Type::s32 : Type::f32;
    put_words(w, words, TextureOperation::first_level, i.operands[next++], type, level ? 1 : 3);
    if (!level) put_words(w, words, TextureOperation::first_along_y, i.operands[next++], type, 3);
  }
  if (i.operands.size() > next) {
    // An operand after the offsets is a depth to compare with.
    if (i.operands.size() > next + 1)
      return w.unsupported(i, "comparing depths is not implemented");
    operation.offsets = 1;
    put_words(w, words, TextureOperation::first_offset, i.operands[next], Type::s32, 3);
  }
  llvm::AllocaInst* const results = w.array_of(w.getInt32Ty(), warp_size * 4);
  ask_machine(w, offsetof(Helpers, texture), operation.number(), handles, words, results);
  for (uint32_t n = 0; n < length_of(i); ++n)
    w.write(i.operands[0].elements[n], varying(word_of(w, results, n)), Type::b32);
}

// txq.query.b32, txq.level.query.b32, suq.query.b32
void emit_texture_query(WarpBuilder& w, const Instruction& i) {
  if (i.operands.size() < 2) return w.unsupported(i);
  uint32_t query = UINT32_MAX;
  for (uint32_t n = 0; n < std::size(queries); ++n)
    if (i.has(queries[n])) query = n;
  if (query == UINT32_MAX) return w.unsupported(i);
  const bool texture = i.opcode == Opcode::txq;
  bool uniform = false;
  llvm::AllocaInst* const handles = handles_of(w, i, i.operands[1], uniform);
  if (!handles) return;
  llvm::AllocaInst* const words =
      w.array_of(w.getInt32Ty(), warp_size * TextureOperation::operands);
  llvm::AllocaInst* const results = w.array_of(w.getInt32Ty(), warp_size * 4);
  if (texture) {
    TextureOperation operation;
    operation.asks = 1;
    operation.query = query;
    operation.uniform = uniform;
    if (i.has(dot::level)) {
      if (i.operands.size() < 3) return w.unsupported(i, "an operand is missing");
      operation.levels = static_cast<uint32_t>(TextureOperation::Levels::level);
      put_words(w, words, TextureOperation::first_level, i.operands[2], Type::s32, 1);
    }
    ask_machine(w, offsetof(Helpers, texture), operation.number(), handles, words, results);
  } else {
    SurfaceOperation operation;
    operation.kind = static_cast<uint32_t>(SurfaceOperation::Kind::ask);
    operation.query = query;
    operation.uniform = uniform;
    ask_machine(w, offsetof(Helpers, surface), operation.number(), handles, words, results);
  }
  w.write(i.operands[0], varying(word_of(w, results, 0)), Type::b32);
}

// suld.b.geometry.vector.type.outside, sust.{b,p}, sured.b.operation.geometry.type.outside
void emit_surface(WarpBuilder& w, const Instruction& i) {
  const GeometryRow* const row = geometry_of(i);
  const bool loads = i.opcode == Opcode::suld, reduces = i.opcode == Opcode::sured;
  if (!row || i.types.size() != 1 || i.operands.size() != 2 || i.has(dot::b) == i.has(dot::p))
    return w.unsupported(i);
  const Type type = i.types[0];
  const uint32_t bytes = size_of(type), count = length_of(i);
  using Kind = SurfaceOperation::Kind;
  SurfaceOperation operation;
  Kind kind = loads ? Kind::load : i.has(dot::p) ? Kind::store_formatted : Kind::store;
  if (reduces) {
    const std::pair<Modifier, Kind> kinds[] = {{dot::add, Kind::add},
                                               {dot::min, Kind::min},
                                               {dot::max, Kind::max},
                                               {dot::and_, Kind::bit_and},
                                               {dot::or_, Kind::bit_or}};
    bool known = false;
    for (const auto& [name, one] : kinds)
      if (i.has(name)) kind = one, known = true;
    const bool bitwise = kind == Kind::bit_and || kind == Kind::bit_or;
    if (!known || bytes < 4 || (bitwise ? type != Type::b32 : kind_of(type) == TypeKind::bits))
      return w.unsupported(i);
  } else if (kind_of(type) != TypeKind::bits || bytes * count > 16 ||
             (kind == Kind::store_formatted && type != Type::b32)) {
    return w.unsupported(i);
  }
  using Outside = SurfaceOperation::Outside;
  operation.kind = static_cast<uint32_t>(kind);
  operation.geometry = static_cast<uint32_t>(row->geometry);
  operation.outside = static_cast<uint32_t>(i.has(dot::zero)    ? Outside::zero
                                            : i.has(dot::clamp) ? Outside::clamp
                                                                : Outside::trap);
  operation.bytes = bytes;
  operation.count = count;
  operation.is_signed = is_signed(type);
  const Operand& place = i.operands[loads ? 1 : 0];
  const Operand& data = i.operands[loads ? 0 : 1];
  if (!element_of(data, count - 1)) return w.unsupported(i, "an operand is missing");
  bool uniform = false;
  llvm::AllocaInst* const handles = handles_of(w, i, place, uniform);
  if (!handles) return;
  operation.uniform = uniform;
  llvm::AllocaInst* const words =
      w.array_of(w.getInt32Ty(), warp_size * SurfaceOperation::operands);
  if (!put_coordinates(w, i, place, operation.geometry, true, words)) return;
  llvm::AllocaInst* const texels = w.array_of(w.getInt32Ty(), warp_size * 4);
  llvm::Type* const narrow = w.vector_type(w.getInt32Ty());
  const uint32_t each = bytes == 8 ? 2 : 1;
  if (!loads)
    for (uint32_t n = 0; n < count; ++n) {
      V* const value = w.read_vector(*element_of(data, n), type);
      if (each == 1) {
        put_word(w, texels, n, w.CreateZExt(value, narrow));
        continue;
      }
      put_word(w, texels, 2 * n, w.CreateTrunc(value, narrow));
      put_word(
          w, texels, 2 * n + 1,
          w.CreateTrunc(w.CreateLShr(value, llvm::ConstantInt::get(value->getType(), 32)), narrow));
    }
  ask_machine(w, offsetof(Helpers, surface), operation.number(), handles, words, texels);
  if (!loads) return;
  for (uint32_t n = 0; n < count; ++n) {
    V* value = word_of(w, texels, each * n);
    if (each == 2) {
      llvm::Type* const wide = w.vector_type(w.getInt64Ty());
      value = w.CreateOr(w.CreateZExt(value, wide),
                         w.CreateShl(w.CreateZExt(word_of(w, texels, 2 * n + 1), wide),
                                     llvm::ConstantInt::get(wide, 32)));
    }
    w.write(*element_of(data, n), varying(value), each == 2 ? Type::b64 : Type::b32);
  }
}

}  // namespace cuvette::ptx
