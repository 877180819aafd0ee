// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/ptx/emit/forms.hpp"

#include <map>
#include <sstream>

namespace cuvette::ptx::test {
namespace {

std::vector<std::string> words_of(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (c == separator) {
      words.push_back(word);
      word.clear();
    } else {
      word += c;
    }
  }
  words.push_back(word);
  return words;
}

// Replaces `$1` and so on by the choices for the braces, and two dots by one.
std::string filled(const std::string& pattern, const std::vector<std::string>& choices) {
  std::string result;
  for (size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] == '$') {
      const std::string& choice = choices.at(static_cast<size_t>(pattern[++at] - '1'));
      if (choice.empty() && at + 1 < pattern.size() && pattern[at + 1] == '.')
        ++at;
      else if (choice.empty() && !result.empty() && result.back() == '.')
        result.pop_back();
      result += choice;
    } else {
      result += pattern[at];
    }
  }
  return result;
}

struct Row {
  std::string text, types, instructions;
  bool exact, any_nan;
  double relative, absolute;
};

void expand(const Row& row, std::vector<std::string>& choices, size_t from,
            std::vector<Form>& forms) {
  const size_t open = row.text.find('{', from);
  if (open != std::string::npos) {
    const size_t close = row.text.find('}', open);
    for (const std::string& word : words_of(row.text.substr(open + 1, close - open - 1), ',')) {
      choices.push_back(word);
      expand(row, choices, close, forms);
      choices.pop_back();
    }
    return;
  }
  std::string pattern;
  int group = 0;
  for (size_t at = 0; at < row.text.size(); ++at) {
    if (row.text[at] != '{') {
      pattern += row.text[at];
      continue;
    }
    pattern += '$';
    pattern += static_cast<char>('1' + group++);
    at = row.text.find('}', at);
  }
  Form form;
  form.text = filled(pattern, choices);
  form.exact = row.exact;
  form.any_nan = row.any_nan;
  form.relative = row.relative;
  form.absolute = row.absolute;
  std::istringstream types(filled(row.types, choices));
  types >> form.result;
  form.result.pop_back();
  // "f16.f16" stands for a single f16.
  form.result = form.result.substr(0, form.result.find('.'));
  for (std::string type; types >> type;) form.operands.push_back(type.substr(0, type.find('.')));
  if (row.instructions.empty()) {
    form.instructions = form.text + " %d";
    const char* const names[] = {"%a", "%b", "%c", "%e"};
    int next = 0;
    for (const std::string& operand : form.operands)
      form.instructions += ", " + (isdigit(operand[0]) ? operand : std::string(names[next++]));
    form.instructions += ";";
  } else {
    form.instructions = filled(row.instructions, choices);
  }
  for (const std::string& operand : form.operands)
    if (isdigit(operand[0])) form.text += " " + operand;
  forms.push_back(form);
}

uint32_t bits_of(const std::string& type) {
  if (type == "len" || type == "fnth" || type == "h2" || type == "bh2") return 32;
  if (type == "bf16") return 16;
  return static_cast<uint32_t>(std::stoul(type.substr(1)));
}

const std::vector<uint64_t>& specials_of(const std::string& type) {
  static const std::vector<uint64_t> f32{
      0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x00000001, 0x7f7fffff, 0x7f800000,
      0xff800000, 0x7fc00000, 0x00800000, 0x807fffff, 0x3f7fffff, 0x3f800001, 0xffc12345,
      0x7f812345, 0x40200000, 0xc0600000, 0x4f000000, 0x5f000000, 0x4b7fffff, 0x477fe000,
      0x33000001, 0x3f000000, 0xbf000000, 0x3fc00000, 0x80000001, 0xff7fffff, 0x80800000,
      0x00800001, 0x4f800000, 0xcf000000, 0x5f800000, 0xdf000000, 0x477ff000, 0xc77fefff,
      0x33000000, 0x33800000, 0x38800000, 0x387fe000, 0x43e00000, 0x43e80000, 0x43e80001,
      0x47600000, 0x3a800000, 0x3b000000, 0x40490fdb, 0xc0490fdb, 0x3fc90fdb, 0x42b17218,
      0xc2aeac50, 0x43000000, 0xc2fc0000, 0xc3150000, 0x43437f80, 0x437f0000, 0x437f8000,
      0x46fffe00, 0x46ffff00, 0x477fff80, 0xc7000000, 0x4effffff, 0x5effffff, 0x7f7f8000,
      0x7f7fc000};
  static const std::vector<uint64_t> f64{
      0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
      0x0000000000000001, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
      0x7ff8000000000000, 0x0010000000000000, 0x800fffffffffffff, 0x3fefffffffffffff,
      0x3ff0000000000001, 0xfff8000000012345, 0x7ff0000000012345, 0x4004000000000000,
      0xc00c000000000000, 0x41e0000000000000, 0x43e0000000000000, 0x433fffffffffffff,
      0x40effc0000000000, 0x3e60000000000001, 0x3fe0000000000000, 0x41efffffffe00000,
      0x41dfffffffe00000, 0xc1e0000000200000, 0x43efffffffffffff, 0x43f0000000000000,
      0xc3e0000000000000, 0x47efffffefffffff, 0x47effffff0000000, 0x36a0000000000000,
      0x3690000000000000, 0x3690000000000001, 0x380fffffe0000000, 0x380fffffffffffff,
      0x3810000000000000, 0x40efffe000000000, 0x40effe0000000000, 0x3f10000000000000,
      0x3e70000000000000, 0x406fe00000000000, 0xc060000000000000, 0x800fffffffff0000,
      0x0008000000000000, 0xffefffffffffffff, 0x8010000000000000, 0x0010000000000001};
  static const std::vector<uint64_t> f16{
      0x0000, 0x8000, 0x3c00, 0xbc00, 0x0001, 0x7bff, 0x7c00, 0xfc00, 0x7fff, 0x0400,
      0x83ff, 0x3bff, 0x3c01, 0xfe12, 0x7d01, 0x4100, 0xc300, 0x7800, 0x6bff, 0x3800,
      0x8001, 0xfbff, 0x8400, 0x0401, 0x03ff, 0x5bf8, 0x5c00, 0x3555, 0xb800, 0x2e66};
  static const std::vector<uint64_t> bf16{
      0x0000, 0x8000, 0x3f80, 0xbf80, 0x0001, 0x7f7f, 0x7f80, 0xff80, 0x7fff, 0x0080,
      0x807f, 0x3f7f, 0x3f81, 0xffd1, 0x7f91, 0x4020, 0xc060, 0x4f00, 0x5f00, 0x437f,
      0x3f00, 0x8001, 0xff7f, 0x8080, 0x0081, 0x007f, 0x4780, 0x3380, 0xbf00, 0x3eab};
  static const std::vector<uint64_t> h2 = [] {
    std::vector<uint64_t> pairs;
    for (size_t n = 0; n < f16.size(); ++n)
      pairs.push_back(f16[n] | f16[(7 * n + 3) % f16.size()] << 16);
    return pairs;
  }();
  static const std::vector<uint64_t> bh2 = [] {
    std::vector<uint64_t> pairs;
    for (size_t n = 0; n < bf16.size(); ++n)
      pairs.push_back(bf16[n] | bf16[(7 * n + 3) % bf16.size()] << 16);
    return pairs;
  }();
  static const std::vector<uint64_t> len{
      0,  1,  31, 32, 33, 5,  16, 255,        256,        0xffffffff, 8,   64, 63,
      65, 24, 2,  7,  15, 17, 40, 0x7fffffff, 0x80000000, 127,        128, 48, 257};
  static const std::vector<uint64_t> fnth{0,          1,  0xffffffff, 2,          3,
                                          0xfffffffe, 32, 5,          0x80000000, 33};
  static const std::vector<uint64_t> w16{0,      1,      0xffff, 0x7fff, 0x8000, 2,      0x8001,
                                         0x00ff, 0x0080, 0x5555, 0xfffe, 3,      0x007f, 0x0100,
                                         0x1234, 0xff80, 0x7ffe, 0xaaaa, 10,     0xff7f};
  static const std::vector<uint64_t> w32{
      0,          1,          0xffffffff, 0x7fffffff, 0x80000000, 3,          0x80000001,
      0x0000ffff, 0x00800000, 0x12345678, 0xfffffffe, 2,          0x00ff00ff, 0x80008000,
      0x7fff8000, 0x00010000, 0x00ffffff, 0x01000000, 0xff7fff80, 0x5555aaaa, 0x7f807f80,
      10,         0x01000001, 0x01ffffff, 0x0000ff80};
  static const std::vector<uint64_t> w64{0,
                                         1,
                                         ~uint64_t{0},
                                         0x7fffffffffffffff,
                                         0x8000000000000000,
                                         3,
                                         0xffffffff,
                                         0x8000000000000001,
                                         0x0000000100000000,
                                         0x123456789abcdef0,
                                         0x80000000,
                                         2,
                                         0xffffffff80000000,
                                         0xfffffffffffffffe,
                                         0x7fffffff,
                                         0x00000000fffffffe,
                                         0xffffffff7fffffff,
                                         10,
                                         0x0020000000000001,
                                         0x5555555555555555,
                                         0x7ffffffffffffe00,
                                         0xfffffffffffffc00,
                                         0x7fffffbfffffffff};
  static const std::map<std::string, const std::vector<uint64_t>*> lists{
      {"f16", &f16}, {"bf16", &bf16}, {"h2", &h2},   {"bh2", &bh2},
      {"f32", &f32}, {"f64", &f64},   {"len", &len}, {"fnth", &fnth}};
  const auto found = lists.find(type);
  if (found != lists.end()) return *found->second;
  const uint32_t bits = bits_of(type);
  return bits <= 16 ? w16 : bits == 32 ? w32 : w64;
}

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t operator()() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  uint64_t state_;
};

uint64_t random_of(const std::string& type, Random& random) {
  const auto& specials = specials_of(type);
  const uint64_t kind = random() % 8, bits = random();
  if (kind < 2) return specials[bits % specials.size()];
  if (type == "len") return bits % 72;
  if (type == "fnth") return (bits % 40 - 20) & 0xffffffff;
  if (type == "f32" && kind < 6)  // of similar magnitude
    return (bits & 0x807fffff) | (0x7f - 10 + (bits >> 32) % 21) << 23;
  if (type == "f64" && kind < 6)
    return (bits & 0x800fffffffffffff) | (0x3ff - 20 + random() % 41) << 52;
  const uint32_t width = bits_of(type);
  if (width == 64) return kind < 4 ? bits >> random() % 64 : bits;
  if (width == 32)
    return kind < 4 && type[0] != 'h' && type != "bh2" ? (bits & 0xffffffff) >> (random() % 32)
                                                       : bits & 0xffffffff;
  return bits & 0xffff;
}

uint64_t seed_of(const std::string& text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

std::vector<Form> all_forms() {
  static const Row rows[] = {
#define EXACT(text, types) {text, types, "", true, false, 0, 0},
#define NUMBER(text, types) {text, types, "", true, true, 0, 0},
#define CLOSE(text, types, relative, absolute) {text, types, "", false, true, relative, absolute},
#define SEQUENCE(text, types, instructions) {text, types, instructions, true, false, 0, 0},
#include "tests/sim/ptx/emit/forms.def"
#undef EXACT
#undef NUMBER
#undef CLOSE
#undef SEQUENCE
  };
  std::vector<Form> forms;
  std::vector<std::string> choices;
  for (const Row& row : rows) expand(row, choices, 0, forms);
  return forms;
}

std::vector<std::vector<uint64_t>> inputs_of(const Form& form) {
  std::vector<std::string> types;
  for (const std::string& operand : form.operands)
    if (!isdigit(operand[0])) types.push_back(operand);
  std::vector<std::vector<uint64_t>> lists(types.size());
  if (types.size() == 1 && bits_of(types[0]) <= 16) {
    for (uint64_t value = 0; value < 65536; ++value) lists[0].push_back(value);
    return lists;
  }
  constexpr size_t most[] = {64, 22, 10, 6}, totals[] = {512, 1024, 1536, 2048};
  const size_t total = totals[types.size() - 1];
  size_t combinations = 1;
  std::vector<size_t> counts;
  for (const std::string& type : types) {
    counts.push_back(std::min(most[types.size() - 1], specials_of(type).size()));
    combinations *= counts.back();
  }
  Random random(seed_of(form.text));
  for (size_t n = 0; n < total; ++n) {
    size_t rest = n;
    for (size_t t = 0; t < types.size(); ++t) {
      lists[t].push_back(n < combinations ? specials_of(types[t])[rest % counts[t]]
                                          : random_of(types[t], random));
      rest /= counts[t];
    }
  }
  return lists;
}

uint32_t hash_of(const uint64_t* values, size_t count) {
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t n = 0; n < count; ++n) {
    hash = (hash ^ values[n]) * 0x100000001b3;
    hash ^= hash >> 29;
  }
  return static_cast<uint32_t>(hash ^ hash >> 32) & 0xffffff;
}

uint64_t without_payload(const Form& form, uint64_t result) {
  if (!form.any_nan) return result;
  if (form.exact && form.text.find(".ftz") != std::string::npos &&
      (result & 0x7fffffff) == 0x00800000)
    return result & 0x80000000;
  if (form.result == "f32" && (result & 0x7fffffff) > 0x7f800000) return 0x7fffffff;
  if (form.result == "f64" && (result << 1) > uint64_t{0x7ff} << 53) return UINT64_MAX >> 1;
  return result;
}

uint32_t result_bytes(const Form& form) { return std::max(16u, bits_of(form.result)) / 8; }

std::string module_of_form(const Form& form, const std::string& name, bool once) {
  const auto width = [](const std::string& type) { return std::max(16u, bits_of(type)); };
  const char* const names[] = {"a", "b", "c", "e"};
  std::ostringstream text;
  std::vector<std::string> types;
  for (const std::string& operand : form.operands)
    if (!isdigit(operand[0])) types.push_back(operand);
  text << ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry " << name
       << "(.param .u64 out, .param .u64 base";
  for (size_t n = 0; n < types.size(); ++n) text << ", .param .u64 in" << names[n];
  text << ")\n{\n";
  const bool predicates = form.instructions.find("%p") != std::string::npos;
  const bool temporaries = form.instructions.find("%t") != std::string::npos;
  for (const bool same : {false, true}) {
    if (same && !once) break;
    // Each half has its own registers, so that addresses are recognised as lines.
    text << "{\n.reg .b32 %i<4>;\n.reg .b64 %x<4>;\n.reg .b" << width(form.result) << " %d;\n";
    for (size_t n = 0; n < types.size(); ++n)
      text << ".reg .b" << width(types[n]) << " %" << names[n] << ";\n";
    if (predicates) text << ".reg .pred %p, %q;\n";
    if (temporaries) text << ".reg .b" << width(form.result) << " %t, %t2;\n";
    text << "mov.u32 %i0, %ctaid.x;\nmov.u32 %i2, %ntid.x;\n";
    if (same)
      text << "ld.param.u64 %x3, [base];\nmul.wide.u32 %x0, %i0, 256;\nadd.s64 %x0, %x0, %x3;\n";
    else
      text << "mov.u32 %i1, %tid.x;\nmad.lo.u32 %i3, %i0, %i2, %i1;\n"
              "mul.wide.u32 %x0, %i3, 8;\n";
    for (size_t n = 0; n < types.size(); ++n)
      text << "ld.param.u64 %x1, [in" << names[n] << "];\nadd.s64 %x2, %x1, %x0;\nld.global.b"
           << width(types[n]) << " %" << names[n] << ", [%x2];\n";
    text << form.instructions << "\nld.param.u64 %x1, [out];\nadd.s64 %x2, %x1, %x0;\n";
    if (same)  // the second half of the results
      text << "mov.u32 %i1, %nctaid.x;\nmul.wide.u32 %x0, %i1, 256;\nadd.s64 %x2, %x2, %x0;\n";
    text << "st.global.b" << width(form.result) << " [%x2], %d;\n}\n";
  }
  text << "ret;\n}\n";
  return text.str();
}

}  // namespace cuvette::ptx::test
