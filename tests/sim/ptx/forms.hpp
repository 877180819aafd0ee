// SPDX-License-Identifier: Apache-2.0
// The forms of instructions in forms.def, what they are tried with, and a kernel for each: common
// to the program that records a GPU's results and to the test that compares Cuvette's with them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cuvette::ptx::test {

struct Form {
  std::string text;  // "add.u32", with its immediates
  std::string result;
  std::vector<std::string> operands;  // types, or numbers
  std::string instructions;
  bool exact = true;
  bool any_nan = false;               // which NaN the result is is left open
  double relative = 0, absolute = 0;  // otherwise: the error that is allowed

  std::string opcode() const { return text.substr(0, text.find_first_of(". ")); }
  // Forms that are tried together: those of one opcode, of cvt those with one result.
  std::string family() const { return opcode() == "cvt" ? "cvt_" + result : opcode(); }
};

std::vector<Form> all_forms();

// One list for each operand that is no number, all of one length, a multiple of 32: what operand
// values are taken together. All there are, where one operand of 16 bits is the only one.
std::vector<std::vector<uint64_t>> inputs_of(const Form& form);

// So many results are known by one hash.
constexpr size_t group_of(size_t count) { return count > 4096 ? 4096 : 64; }
uint32_t hash_of(const uint64_t* values, size_t count);  // 24 bits
// Of forms that need not agree bit by bit every so many results are kept.
constexpr size_t stride_of(size_t count) { return count > 4096 ? 61 : 1; }

// `result` of the form with one NaN for all, where it leaves that open.
uint64_t without_payload(const Form& form, uint64_t result);

// In bytes, of the register that holds the result.
uint32_t result_bytes(const Form& form);

// A module with the kernel `name`(out, base, a, b, ...): thread t writes the result for element t
// of the arrays, whose elements lie 8 bytes apart. With `once` each block computes also the result
// for element 32 * block + base by itself, behind the others, from operands that are the same in
// all lanes.
std::string module_of_form(const Form& form, const std::string& name, bool once);

}  // namespace cuvette::ptx::test
