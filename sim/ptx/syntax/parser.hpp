// SPDX-License-Identifier: Apache-2.0
// Reads PTX: a module without its bodies, and a body when it is needed.
//
// Threads: plain functions; a Module that is not being changed may be read by many.
#pragma once

#include <string>
#include <string_view>

#include "sim/ptx/syntax/diagnostic.hpp"
#include "sim/ptx/syntax/syntax.hpp"

namespace cuvette::ptx {

// Finds everything that a module declares at its outermost level. Bodies are skipped. The required
// beginning of a module is checked: a version (unsupported_ptx_version if it is newer than any that
// PTX will soon have), a target up to `newest_target` (otherwise no_binary_for_gpu or invalid PTX),
// 64-bit addresses. Anything not understood in PTX newer than newest_version is an
// unsupported_ptx_version, too.
bool read_module(std::string text, uint32_t newest_target, Module& module, Diagnostic& diagnostic);

// Reads the body of `function`, which belongs to `module`. Every opcode, modifier and type in it is
// one that Cuvette runs.
bool read_body(const Module& module, const Function& function, Body& body, Diagnostic& diagnostic);

// Checks only the opcodes of a body, ten times as fast as reading it.
bool check_opcodes(const Module& module, const Function& function, Diagnostic& diagnostic);

}  // namespace cuvette::ptx
