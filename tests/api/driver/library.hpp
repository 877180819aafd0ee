// SPDX-License-Identifier: Apache-2.0
// The libcuda.so.1 under test, as the loader and as a reader of its file see it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

// An exported symbol's kind and size.
struct ExportedSymbol {
  bool object;
  std::size_t size;
};

// What the dynamic section and the dynamic symbol table of an ELF file say.
struct SharedLibrary {
  std::string soname;
  bool never_unloaded;
  std::map<std::string, ExportedSymbol> exports;
};

// The file that a program linked with libcuda.so.1 loads.
std::filesystem::path library_path();

// The address of an exported symbol, or null.
void* library_symbol(const char* name);

SharedLibrary read_library();

// The lines of a file beside the tests, without empty ones and comments (#).
std::vector<std::string> read_lines(const char* file);

// The folder tests/api of the sources.
std::filesystem::path tests_api_folder();
