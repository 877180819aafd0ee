// SPDX-License-Identifier: Apache-2.0
#include "tools/cuvette/managed_variables.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "tools/cuvette/names.hpp"
#include "tools/cuvette/whole_file.hpp"

namespace cuvette::tools {
namespace {

// The attribute that crt/host_defines.h defines __managed__ as.
constexpr std::string_view marker = "section \"cuvette_managed\"";
constexpr std::string_view pointer = "__cuvette_managed_";

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

// The words of a line between its " = " and its " global ": linkage and visibility.
std::string_view linkage_of(std::string_view line) {
  const size_t begin = line.find(" = ") + 2;
  return line.substr(begin, line.find(" global ") + 1 - begin);
}

// Makes a definition a declaration: nothing of the shadow is left but its type.
void declare(std::string& line, const ManagedVariable& variable) {
  constexpr std::string_view global = " global ", undefined = " undef,", other = ", section ";
  const size_t type = line.find(global) + global.size();
  const size_t end = line.find(variable.defined ? undefined : other, type);
  const size_t align = line.find(", align ", end);
  const std::string of_type = line.substr(type, end - type);
  const std::string aligned = align == std::string::npos ? "" : line.substr(align);
  line = "@" + variable.name + " = external global " + of_type +
         aligned.substr(0, aligned.find_first_of(",!", 1));
}

// The lines that define the pointer to a variable, or say that another file does. It has the
// linkage that the shadow had, but no other library sees it.
std::string pointer_for(const std::string& shadow) {
  const std::string_view linkage = linkage_of(shadow);
  const std::string name = std::string(pointer) + std::string(defined_name(shadow));
  const auto linked = [&](const char* how) { return linkage.find(how) != linkage.npos; };
  if (linked(" internal ")) return "@" + name + " = internal global i64 0, align 8\n";
  if (linked(" external ")) return "@" + name + " = external hidden global i64, align 8\n";
  for (const char* const shared : {" linkonce_odr ", " weak_odr "})
    if (linked(shared))
      return "$" + name + " = comdat any\n@" + name + " =" + shared +
             "hidden global i64 0, comdat, align 8\n";
  return "@" + name + " = hidden global i64 0, align 8\n";
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
  line.replace(second, end - second, typed ? "i8* bitcast (i64* " + at + " to i8*)" : "ptr " + at);
  line.replace(begin, call.size(), "@__cudaRegisterManagedVar(");
}

// Whether a line has the name that clang gives to a static variable for -rdc=true.
bool has_static_name(std::string_view line, const std::string& name) {
  const std::string beginning = name + "__static__";
  for (size_t at = line.find(beginning); at != line.npos; at = line.find(beginning, at + 1))
    if (at == 0 || !of_a_name(line[at - 1])) return true;
  return false;
}

}  // namespace

std::vector<std::string> dependencies_of(const std::string& list) {
  std::vector<std::string> files;
  std::string word;
  const auto end_word = [&] {
    // The names that end with a colon are the dependents.
    if (!word.empty() && word.back() != ':') files.push_back(word);
    word.clear();
  };
  for (size_t i = 0; i < list.size(); ++i) {
    const char c = list[i], next = i + 1 < list.size() ? list[i + 1] : '\n';
    if (c == ' ' || c == '\n') {
      end_word();
    } else if (c == '$' && next == '$') {
      word += list[++i];
    } else if (c == '\\') {
      // Before a blank, each backslash of the name stands twice, and one more marks the blank.
      const size_t stop = std::min(list.find_first_not_of('\\', i), list.size());
      const size_t count = stop - i;
      if (stop < list.size() && list[stop] == ' ' && count % 2 == 1) {
        (word += list.substr(i, count / 2)) += ' ';
        i = stop;
      } else if (stop < list.size() && (list[stop] == '#' || list[stop] == '\n')) {
        word += list.substr(i, count - 1);
        if (list[stop] == '#') word += '#';
        i = list[stop] == '#' ? stop : stop - 1;
      } else {
        word += list.substr(i, count);
        i = stop - 1;
      }
    } else {
      word += c;
    }
  }
  end_word();
  return files;
}

bool mention_managed(const std::vector<std::string>& files, const std::string& own) {
  return std::ranges::any_of(files, [&](const std::string& file) {
    if (file.starts_with(own)) return false;
    const auto text = whole_file(file);
    return !text || text->find("__managed__") != text->npos;
  });
}

std::vector<ManagedVariable> managed_variables(const std::string& host) {
  std::vector<ManagedVariable> variables;
  each_line(host, [&](const std::string& line) {
    if (!defined_name(line).empty() && line.find(marker) != std::string::npos)
      variables.push_back({std::string(defined_name(line)),
                           linkage_of(line).find(" external ") == std::string::npos});
    return false;
  });
  return variables;
}

std::string make_managed(std::string& ptx, const std::vector<ManagedVariable>& variables) {
  std::unordered_set<std::string_view> left;
  for (const ManagedVariable& variable : variables)
    if (variable.defined) left.insert(variable.name);
  ptx = each_line(ptx, [&](std::string& line) {
    const size_t global = line.find(".global ");
    if (line.empty() || line[0] != '.' || global == std::string::npos) return true;
    const std::string_view declared = std::string_view(line).substr(0, line.find('='));
    for (const auto& [name, defined] : variables) {
      if (!has_name(declared, name) && !has_static_name(declared, name)) continue;
      if (!line.starts_with(".extern ")) left.erase(name);
      line.insert(global + 8, ".attribute(.managed) ");
      break;
    }
    return true;
  });
  return left.empty() ? "" : std::string(*left.begin());
}

std::string without_shadows(const std::string& host,
                            const std::vector<ManagedVariable>& variables) {
  std::unordered_map<std::string_view, const ManagedVariable*> known;
  for (const ManagedVariable& variable : variables) known[variable.name] = &variable;
  std::string pointers;
  std::string text = each_line(host, [&](std::string& line) {
    if (const auto shadow = known.find(defined_name(line)); shadow != known.end()) {
      pointers += pointer_for(line);
      declare(line, *shadow->second);
    } else if (line.find("call void @__cudaRegisterVar(") != std::string::npos) {
      const size_t second = line.find('@', line.find(", ", line.find("@__cudaRegisterVar(")));
      const std::string name = line.substr(second + 1, end_of_name(line, second + 1) - second - 1);
      if (known.count(name)) register_pointer(line, name);
    } else if (line.find("declare void @__cudaRegisterManagedVar(") != std::string::npos) {
      return false;  // clang's own, with other parameters
    } else if (line.find("declare void @__cudaRegisterVar(") != std::string::npos) {
      const bool typed = line.find("i8*") != std::string::npos;
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
  return text + pointers;
}

std::string through_pointers(std::string& assembly, const std::vector<ManagedVariable>& variables) {
  std::string early;
  for (const ManagedVariable& variable : variables) {
    const std::string& name = variable.name;
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
