// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/managed_variables.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <unordered_set>

namespace cuvette::tools {
namespace {

// What crt/host_defines.h makes of __managed__.
constexpr std::string_view marker = "section \"cuvette_managed\"";
constexpr std::string_view pointer = "__cuvette_managed_";

bool of_a_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.';
}

// Returns where `name` stands in `text` as a whole word, from `at` on.
size_t find_name(std::string_view text, std::string_view name, size_t at = 0) {
  for (at = text.find(name, at); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const size_t end = at + name.size();
    if ((at == 0 || !of_a_name(text[at - 1])) && (end == text.size() || !of_a_name(text[end])))
      return at;
  }
  return std::string_view::npos;
}

// Calls `change` with each line, and returns the lines that it leaves.
template <typename F>
std::string each_line(const std::string& text, const F& change) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    if (change(line)) (result += line) += '\n';
  }
  return result;
}

// The name that a line of LLVM begins to define: the word between '@' and " = ".
std::string_view defined_name(std::string_view line) {
  const size_t end = line.find(" = ");
  if (line.empty() || line[0] != '@' || end == std::string_view::npos) return {};
  return line.substr(1, end - 1);
}

// Makes a definition a declaration: nothing of the shadow is left but its type.
void declare(std::string& line, std::string_view name) {
  constexpr std::string_view global = " global ", undefined = " undef,";
  const size_t type = line.find(global) + global.size();
  const size_t end = line.find(undefined, type);
  const size_t align = line.find(", align ", end);
  const std::string of_type = line.substr(type, end - type);
  const std::string aligned = align == std::string::npos ? "" : line.substr(align);
  line = "@" + std::string(name) + " = external global " + of_type +
         aligned.substr(0, aligned.find_first_of(",!", 1));
}

// Puts the pointer in the place of the shadow, which is the second argument of the call.
void register_pointer(std::string& line, std::string_view name) {
  constexpr std::string_view call = "@__cudaRegisterVar(";
  const size_t begin = line.find(call);
  const size_t second = line.find(", ", begin) + 2;
  size_t end = second;
  for (int depth = 0; end < line.size() && (depth > 0 || line[end] != ','); ++end)
    depth += line[end] == '(' ? 1 : line[end] == ')' ? -1 : 0;
  const std::string at = "@" + std::string(pointer) + std::string(name);
  const bool typed = line.compare(second, 4, "i8* ") == 0;
  line.replace(second, end - second, typed ? "i8* bitcast (i8** " + at + " to i8*)" : "ptr " + at);
  line.replace(begin, call.size(), "@__cudaRegisterManagedVar(");
}

}  // namespace

bool mentions_managed(const std::string& dependencies, const std::string& own) {
  std::ifstream list(dependencies);
  for (std::string word; list >> word;) {
    if (word == "\\" || word.back() == ':' || word.starts_with(own)) continue;
    std::ifstream file(word, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (text.find("__managed__") != std::string::npos) return true;
  }
  return false;
}

std::vector<std::string> managed_variables(const std::string& host) {
  std::vector<std::string> names;
  each_line(host, [&](const std::string& line) {
    if (!defined_name(line).empty() && line.find(marker) != std::string::npos)
      names.emplace_back(defined_name(line));
    return false;
  });
  return names;
}

std::string make_managed(std::string& ptx, const std::vector<std::string>& names) {
  std::unordered_set<std::string_view> left(names.begin(), names.end());
  ptx = each_line(ptx, [&](std::string& line) {
    const size_t global = line.find(".global ");
    if (line.empty() || line[0] != '.' || global == std::string::npos) return true;
    const std::string_view declared = std::string_view(line).substr(0, line.find('='));
    for (const std::string& name : names) {
      if (find_name(declared, name) == std::string::npos) continue;
      left.erase(name);
      line.insert(global + 8, ".attribute(.managed) ");
      break;
    }
    return true;
  });
  return left.empty() ? "" : std::string(*left.begin());
}

std::string without_shadows(const std::string& host, const std::vector<std::string>& names) {
  const std::unordered_set<std::string_view> known(names.begin(), names.end());
  bool typed = false;
  std::string text = each_line(host, [&](std::string& line) {
    if (const std::string_view name = defined_name(line); known.count(name)) {
      declare(line, std::string(name));
    } else if (line.find("call void @__cudaRegisterVar(") != std::string::npos) {
      const size_t second = line.find('@', line.find(", ", line.find("@__cudaRegisterVar(")));
      size_t end = second + 1;
      while (end < line.size() && of_a_name(line[end])) ++end;
      const std::string name = line.substr(second + 1, end - second - 1);
      if (known.count(name)) register_pointer(line, name);
    } else if (line.find("declare void @__cudaRegisterManagedVar(") != std::string::npos) {
      return false;  // clang's own, with other parameters
    } else if (line.find("declare void @__cudaRegisterVar(") != std::string::npos) {
      typed = line.find("i8*") != std::string::npos;
      std::string other = line;
      other.replace(other.find("RegisterVar"), 11, "RegisterManagedVar");
      (line += '\n') += other;
      line +=
          typed ? "\ndeclare i8 @__cudaInitModule(i8**)" : "\ndeclare i8 @__cudaInitModule(ptr)";
    } else if (const size_t call = line.find("call void @__cudaRegisterFatBinaryEnd(");
               call != std::string::npos) {
      // Host code does not ask before each use, as nvcc's does: the variables are there from here.
      const std::string argument = line.substr(line.find('('), line.find(')') - line.find('(') + 1);
      line += "\n  %cuvette_initialized = call i8 @__cudaInitModule" + argument;
    }
    return true;
  });
  for (const std::string& name : names)
    text += "@" + std::string(pointer) + name + " = internal global " +
            (typed ? "i8* null\n" : "ptr null\n");
  return text;
}

std::string through_pointers(std::string& assembly, const std::vector<std::string>& names) {
  std::string early;
  for (const std::string& name : names) {
    const std::string address = name + "@GOTPCREL(%rip)";
    const std::string held = std::string(pointer) + name + "(%rip)";
    assembly = each_line(assembly, [&](std::string& line) {
      size_t at = find_name(line, name);
      if (at == std::string::npos) return true;
      const size_t word = line.find_first_not_of(" \t");
      if (line.compare(word, 12, ".addrsig_sym") == 0) return false;
      if (line[word] == '.' && line.find('"') < at) return true;  // a text of that name
      if (line[word] == '#') return true;
      if (line.compare(at, address.size(), address) == 0)
        line.replace(at, address.size(), held);
      else
        early = name;
      return true;
    });
  }
  return early;
}

}  // namespace cuvette::tools
