// SPDX-License-Identifier: Apache-2.0
// The forms of instructions in forms.def, their inputs, and a kernel for each: shared by the
// program that records a GPU's results and by the test that compares Cuvette's with them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cuvette::ptx::test {

struct Form {
  std::string text;  // "add.u32", including immediates
  std::string result;
  std::vector<std::string> operands;  // types, or numbers
  std::string instructions;
  bool exact = true;
  bool any_nan = false;               // any NaN will do if the result is a NaN
  double relative = 0, absolute = 0;  // unless `exact`: the error that is allowed

  std::string opcode() const { return text.substr(0, text.find_first_of(". ")); }
  // Forms that are tested together: those of one opcode; of cvt, those with the same result type.
  std::string family() const { return opcode() == "cvt" ? "cvt_" + result : opcode(); }
};

std::vector<Form> all_forms();

// The operand values to be used together: one list for each operand that is not a number, all of
// the same length, a multiple of 32. They are exhaustive if the only operand has 16 bits.
std::vector<std::vector<uint64_t>> inputs_of(const Form& form);

// This many results are recorded as one hash.
constexpr size_t group_of(size_t count) { return count > 4096 ? 4096 : 64; }
uint32_t hash_of(const uint64_t* values, size_t count);  // 24 bits
// For forms that need not agree bit by bit, one of this many results is recorded.
constexpr size_t stride_of(size_t count) { return count > 4096 ? 61 : 1; }

// `result`, or one fixed NaN for any NaN if the form allows that.
uint64_t without_payload(const Form& form, uint64_t result);

// The size in bytes of the register that holds the result.
uint32_t result_bytes(const Form& form);

// A module with the kernel `name`(out, base, a, b, ...): thread t writes the result for element t
// of the arrays, whose elements lie 8 bytes apart. With `once`, each block also computes the result
// for element 32 * block + base from operands that are the same in all lanes, and writes it after
// all the others.
std::string module_of_form(const Form& form, const std::string& name, bool once);

}  // namespace cuvette::ptx::test
