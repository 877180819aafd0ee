// SPDX-License-Identifier: Apache-2.0
// Compares each form of instruction with a GPU's results (forms.def, recorded/forms.txt).
#include "tests/sim/ptx/emit/forms.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <map>
#include <set>
#include <sstream>

#include "tests/sim/ptx/emit/kernel.hpp"

namespace cuvette::ptx::test {
namespace {

using Results = std::vector<uint64_t>;

// The GPU's results: hashes of groups, or the results themselves if they need not be the same.
const std::map<std::string, Results>& recorded() {
  static const auto* const map = [] {
    auto* const result = new std::map<std::string, Results>;
    std::ifstream file(CUVETTE_FORMS);
    for (std::string line; std::getline(file, line);) {
      const size_t bar = line.find('|');
      std::istringstream words(line.substr(bar + 1));
      Results& values = (*result)[line.substr(0, bar)];
      for (std::string word; words >> word;) values.push_back(std::stoull(word, nullptr, 16));
    }
    return result;
  }();
  return *map;
}

// The GPU's single results, for examining a difference: the file that record_forms writes as its
// last argument, if CUVETTE_FORMS_RAW names it.
Results raw_of(const Form& wanted) {
  const char* const path = std::getenv("CUVETTE_FORMS_RAW");
  if (!path) return {};
  static const auto* const all = [path] {
    auto* const result = new std::map<std::string, Results>;
    std::ifstream file(path, std::ios::binary);
    for (std::string line; std::getline(file, line);) {
      const size_t bar = line.find('|');
      Results& values = (*result)[line.substr(0, bar)];
      const size_t second = line.find('|', bar + 1);
      values.resize(std::stoul(line.substr(bar + 1)));
      const auto bytes = static_cast<std::streamsize>(std::stoul(line.substr(second + 1)));
      for (uint64_t& value : values) file.read(reinterpret_cast<char*>(&value), bytes);
    }
    return result;
  }();
  const auto found = all->find(wanted.text);
  return found == all->end() ? Results{} : found->second;
}

std::string inputs_text(const std::vector<std::vector<uint64_t>>& inputs, size_t n) {
  std::ostringstream text;
  text << std::hex;
  for (const auto& list : inputs) text << list[n] << ' ';
  return text.str();
}

double number_of(const std::string& type, uint64_t bits) {
  if (type == "f64") return std::bit_cast<double>(bits);
  if (type == "f32") return std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (type == "bf16" || type == "bh2")
    return std::bit_cast<float>(static_cast<uint32_t>(bits & 0xffff) << 16);
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = static_cast<double>(bits & 1023);
  double value = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
  if (exponent == 31) value = fraction != 0 ? NAN : INFINITY;
  return bits & 0x8000 ? -value : value;
}

// Whether two results may both be within the form's error.
bool are_close(const Form& form, uint64_t ours, uint64_t theirs) {
  const bool pair = form.result == "h2" || form.result == "bh2";
  for (int half = 0; half < (pair ? 2 : 1); ++half) {
    const uint64_t a_bits = pair ? ours >> 16 * half & 0xffff : ours;
    const uint64_t b_bits = pair ? theirs >> 16 * half & 0xffff : theirs;
    const double a = number_of(form.result, a_bits), b = number_of(form.result, b_bits);
    if (a_bits == b_bits || (std::isnan(a) && std::isnan(b))) continue;
    if (std::isinf(a) != std::isinf(b) || std::isnan(a) != std::isnan(b)) return false;
    if (a == b && std::signbit(a) == std::signbit(b)) continue;
    if (!(std::fabs(a - b) <= 2 * std::max(form.absolute, form.relative * std::fabs(b))))
      return false;
  }
  return true;
}

class Forms : public testing::TestWithParam<std::tuple<Vectors, std::string>> {
 protected:
  // The results of each lane, followed by those with operands that are the same in all lanes; of
  // these, only the ones at `bases` are computed.
  Results compute(const Form& form, const std::vector<std::vector<uint64_t>>& inputs,
                  const std::vector<uint32_t>& bases) {
    const size_t cases = inputs[0].size();
    Results out(2 * cases, 0);
    Kernel kernel(module_of_form(form, "kernel", true), "kernel", std::get<0>(GetParam()),
                  {{static_cast<uint32_t>(cases / 32), 1, 1}, {32, 1, 1}});
    if (!kernel.compiled().error.empty()) return {};
    for (const uint32_t base : bases) {
      std::vector<uint64_t> parameters{reinterpret_cast<uint64_t>(out.data()), 8 * base};
      for (const auto& list : inputs) parameters.push_back(reinterpret_cast<uint64_t>(list.data()));
      EXPECT_EQ(kernel.run(parameters.data()), Status::finished);
    }
    return out;
  }

  void compare_exact(const Form& form, const std::vector<std::vector<uint64_t>>& inputs,
                     const Results& wanted, Results ours) {
    const size_t cases = inputs[0].size(), group = group_of(cases);
    Results raw = raw_of(form);
    if (form.any_nan)
      for (Results* const results : {&ours, &raw})
        for (uint64_t& value : *results) value = without_payload(form, value);
    for (size_t n = 0; n < cases; n += group) {
      if (hash_of(&ours[n], group) == wanted[n / group]) continue;
      std::ostringstream text;
      int shown = 0;
      for (size_t m = n; m < n + group && shown < 6; ++m) {
        if (!raw.empty() && raw[m] == ours[m]) continue;
        ++shown;
        text << "\n  " << inputs_text(inputs, m) << "-> " << std::hex << ours[m];
        if (!raw.empty()) text << ", should be " << raw[m];
      }
      ADD_FAILURE() << form.text << ": differs from the GPU among" << text.str();
      return;
    }
  }
};

TEST_P(Forms, GiveWhatTheGpuGives) {
  size_t tried = 0;
  for (const Form& form : all_forms()) {
    if (form.family() != std::get<1>(GetParam())) continue;
    const auto found = recorded().find(form.text);
    if (found == recorded().end()) continue;
    ++tried;
    const auto inputs = inputs_of(form);
    const size_t cases = inputs[0].size();
    const std::vector<uint32_t> bases =
        cases > 4096 ? std::vector<uint32_t>{5} : std::vector<uint32_t>{0, 9, 18, 31};
    const Results ours = compute(form, inputs, bases);
    if (ours.empty()) continue;  // has been reported
    if (form.exact) {
      compare_exact(form, inputs, found->second, ours);
    } else {
      int shown = 0;
      for (size_t n = 0; n < cases && shown < 4; n += stride_of(cases)) {
        const uint64_t theirs = found->second[n / stride_of(cases)];
        if (are_close(form, ours[n], theirs)) continue;
        ++shown;
        ADD_FAILURE() << form.text << ": " << inputs_text(inputs, n) << "-> " << std::hex << ours[n]
                      << ", a GPU gives " << theirs;
      }
    }
    // A result computed once for all lanes is the one that each lane computes.
    int shown = 0;
    for (size_t n = 0; n < cases && shown < 3; ++n) {
      const auto base = static_cast<uint32_t>(n % 32);
      if (std::find(bases.begin(), bases.end(), base) == bases.end()) continue;
      const uint64_t once = without_payload(form, ours[cases + n]);
      const uint64_t lane = without_payload(form, ours[n]);
      if (form.exact ? once == lane : are_close(form, once, lane)) continue;
      ++shown;
      ADD_FAILURE() << form.text << ": " << inputs_text(inputs, n) << "-> " << std::hex << lane
                    << " in a lane, " << once << " if all are the same";
    }
  }
  EXPECT_GT(tried, 0u);
}

std::vector<std::string> families() {
  std::set<std::string> families;
  for (const Form& form : all_forms()) families.insert(form.family());
  return {families.begin(), families.end()};
}

std::string name_of_case(const testing::TestParamInfo<Forms::ParamType>& info) {
  std::string name = std::get<1>(info.param);
  for (char& c : name)
    if (!isalnum(c)) c = '_';
  return name_of(std::get<0>(info.param)) + "_" + name;
}

INSTANTIATE_TEST_SUITE_P(Opcodes, Forms,
                         testing::Combine(testing::ValuesIn(vectors_here()),
                                          testing::ValuesIn(families())),
                         name_of_case);

}  // namespace
}  // namespace cuvette::ptx::test
