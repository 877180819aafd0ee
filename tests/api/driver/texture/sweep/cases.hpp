// SPDX-License-Identifier: Apache-2.0
// Reads of textures, and reads and writes of surfaces, for which a GPU's answers are kept. They are
// shared by the program that records the answers (record.cpp) and by the test that compares
// Cuvette's with them. Everything is derived from a case's name and fields, without any library's
// random numbers.
//
// Needs a current context, and no test library.
#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace textures {

// A lane's operands: coordinates from word 0 on, operands after the brackets (level, derivatives)
// from 4 and from 8 on, values to store from 12 on.
constexpr size_t words = 16;
using Operands = std::array<uint32_t, words>;

enum class Content : uint8_t {
  bits,     // random bits
  numbers,  // in floating formats within [-1, 1]; in others any number
  steps,    // alternating 0 and 1
  level,    // every element is the number of its level
  counted,  // 0, 1, 2, ...
  sizes,    // numbers of very different magnitudes
};
enum class Resource : uint8_t { array, levels, linear, rows };
// The operands of the lanes.
enum class Operand : uint8_t {
  any,             // inside, at edges, outside, infinite, NaN
  inside,          // anywhere between
  boundaries,      // close to the boundary between two elements
  dense,           // in steps of 1/4096 from 1/4 on
  in_levels,       // the middle of an element, with levels from -2 on
  between_levels,  // anywhere, with levels from -2 on
  sloped,          // the middle of an element, with derivatives
  each,            // the middle of every element
};

struct Case {
  std::string name;  // the values are derived from it, too
  Resource resource = Resource::array;
  CUarray_format format = CU_AD_FORMAT_FLOAT;
  unsigned channels = 1;
  size_t width = 8, height = 0, depth = 0;
  unsigned flags = 0;  // flags of the array
  unsigned levels = 1;
  CUDA_TEXTURE_DESC way{};
  CUresourceViewFormat view = CU_RES_VIEW_FORMAT_NONE;
  Content content = Content::numbers;
  Operand operand = Operand::any;
  // Such as "tex.2d.v4.f32.f32". `operands` is the text after the opcode: %R for results, %O for
  // the object, %c0 to %c15 for the words as s32, %f0 to %f15 as f32.
  std::string opcode, operands;
  size_t lanes = 512;
  double tolerance = 0;  // 0: must be the same bits; otherwise the allowed difference from the
                         // GPU's answer
  bool surface = false;

  bool normalised() const { return (way.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0; }
};

std::vector<Case> all_cases();
// The size of one channel.
unsigned bytes_of(CUarray_format format);
// The elements of a level, tightly packed.
std::vector<uint8_t> bytes_for(const Case& one, size_t elements, unsigned level);
// The kernel `kernel`(out, in, object) of a case.
std::string module_of(const Case& one);
std::vector<Operands> operands_of(const Case& one);

struct Answer {
  int status = 0;               // the first CUresult that is not CUDA_SUCCESS
  std::vector<uint32_t> words;  // four per lane; for surfaces followed by the array's bytes
};
Answer answer_of(const Case& one);

// What is kept of an answer: hashes of 64 lanes each or, if there is a tolerance, the answers of
// some lanes. Lanes with an undefined answer (a null direction into a cube) count as zero.
std::vector<std::string> summary_of(const Case& one, const Answer& answer);

}  // namespace textures
