// SPDX-License-Identifier: Apache-2.0
// Ways to read textures, and to read and write surfaces, that a GPU's answers are kept of: common
// to the program that records them (record.cpp) and to the test that compares Cuvette's with them.
// Everything is derived from a case's name and fields, with no library's random numbers.
//
// Needs a current context, and nothing of any test library.
#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace textures {

// What an instruction takes of a lane: coordinates from word 0 on, what lies behind the brackets
// (level, derivatives) from 4 and from 8 on, values to be stored from 12 on.
constexpr size_t words = 16;
using Operands = std::array<uint32_t, words>;

enum class Content : uint8_t {
  bits,     // any
  numbers,  // of floating formats none beyond [-1, 1]; of others any
  steps,    // 0 and 1, in turn
  level,    // every element is the number of its level
  counted,  // 0, 1, 2, ...
  sizes,    // numbers of very different sizes
};
enum class Resource : uint8_t { array, levels, linear, rows };
// Which operands lanes have.
enum class Operand : uint8_t {
  any,         // inside, at edges, outside, infinite, none
  inside,      // anywhere between
  boundaries,  // close to where one element becomes another
  dense,       // in steps of 1/4096 from 1/4 on
  in_levels,   // the middle of an element, at levels from -2 on
  sloped,      // the middle of an element, with derivatives
  each,        // the middle of every element
};

struct Case {
  std::string name;  // also what the values are derived from
  Resource resource = Resource::array;
  CUarray_format format = CU_AD_FORMAT_FLOAT;
  unsigned channels = 1;
  size_t width = 8, height = 0, depth = 0;
  unsigned flags = 0;  // of the array
  unsigned levels = 1;
  CUDA_TEXTURE_DESC way{};
  CUresourceViewFormat view = CU_RES_VIEW_FORMAT_NONE;
  Content content = Content::numbers;
  Operand operand = Operand::any;
  // "tex.2d.v4.f32.f32"; `operands` is what stands behind the opcode: %R for results, %O for the
  // object, %c0 to %c15 for the words as s32, %f0 to %f15 as f32.
  std::string opcode, operands;
  size_t lanes = 512;
  double tolerance = 0;  // 0: bit for bit; otherwise what an answer may be beside the GPU's
  bool surface = false;

  bool normalised() const { return (way.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0; }
};

std::vector<Case> all_cases();
// Of a channel.
unsigned bytes_of(CUarray_format format);
// The elements of a level, without gaps.
std::vector<uint8_t> bytes_for(const Case& one, size_t elements, unsigned level);
// The kernel `kernel`(out, in, object) of a case.
std::string module_of(const Case& one);
std::vector<Operands> operands_of(const Case& one);

struct Answer {
  int status = 0;               // the first CUresult that is none of success
  std::vector<uint32_t> words;  // four for each lane; of surfaces behind them the array's bytes
};
Answer answer_of(const Case& one);

// What is kept of an answer: hashes of 64 lanes each, or, where there is a tolerance, the answers
// of some lanes. Lanes whose answer nobody promises (no direction into a cube) count as zero.
std::vector<std::string> summary_of(const Case& one, const Answer& answer);

}  // namespace textures
