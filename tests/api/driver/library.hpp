// SPDX-License-Identifier: Apache-2.0
// The libcuda.so.1 under test, as the loader sees it and as its file describes it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

// The kind and size of an exported symbol.
struct ExportedSymbol {
  bool object;
  std::size_t size;
};

// What an ELF file's dynamic section and dynamic symbol table say.
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

// The lines of a file beside the tests, without empty lines and comments (#).
std::vector<std::string> read_lines(const char* file);

// The folder tests/api in the sources.
std::filesystem::path tests_api_folder();
