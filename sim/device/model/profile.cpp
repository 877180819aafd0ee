// SPDX-License-Identifier: Apache-2.0
#include "sim/device/model/profile.hpp"

#include <algorithm>

namespace cuvette::device {
namespace {

// The assignment of a plain value to a std::optional is no constant expression in libstdc++ 10.
#define FACT(field, fact) profile.field = fact;
#define ATTRIBUTE(name, fact) \
  profile.attributes[static_cast<int>(Attribute::name)] = std::optional<int>(fact);
#define LIMIT(name, fact) \
  profile.limits[static_cast<int>(Limit::name)] = std::optional<size_t>(fact);

constexpr Profile h200() {
  Profile profile;
#include "sim/device/model/profiles/h200.def"
  return profile;
}

constexpr Profile a100_80gb() {
  Profile profile;
#include "sim/device/model/profiles/a100_80gb.def"
  return profile;
}

constexpr Profile a100_40gb() {
  Profile profile;
#include "sim/device/model/profiles/a100_40gb.def"
  return profile;
}

constexpr Profile l4() {
  Profile profile;
#include "sim/device/model/profiles/l4.def"
  return profile;
}

constexpr Profile rtx4090() {
  Profile profile;
#include "sim/device/model/profiles/rtx4090.def"
  return profile;
}

constexpr Profile t4() {
  Profile profile;
#include "sim/device/model/profiles/t4.def"
  return profile;
}

constexpr Profile orin() {
  Profile profile;
#include "sim/device/model/profiles/orin.def"
  return profile;
}

#undef FACT
#undef ATTRIBUTE
#undef LIMIT

// Fills in the fields that repeat an attribute. Does not compile if an attribute is missing.
consteval Profile whole(Profile profile) {
  profile.compute_major = profile.value(Attribute::COMPUTE_CAPABILITY_MAJOR);
  profile.compute_minor = profile.value(Attribute::COMPUTE_CAPABILITY_MINOR);
  for (Attribute attribute : {
#define ATTRIBUTE(number, name) Attribute::name,
#include "sim/device/model/attributes.def"
#undef ATTRIBUTE
       }) {
    if (!profile.attributes[static_cast<int>(attribute)]) throw "a profile lacks an attribute";
  }
  return profile;
}

constexpr Profile all_profiles[] = {
    whole(h200()),    whole(a100_80gb()), whole(a100_40gb()), whole(l4()),
    whole(rtx4090()), whole(t4()),        whole(orin()),
};

}  // namespace

std::span<const Profile> profiles() { return all_profiles; }

const Profile* find_profile(std::string_view key) {
  for (const Profile& profile : all_profiles)
    if (profile.key == key) return &profile;
  return nullptr;
}

std::vector<const Profile*> find_profiles(std::string_view list) {
  std::vector<const Profile*> found;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    found.push_back(find_profile(list.substr(begin, end - begin)));
    if (!found.back()) return {};
    begin = end + 1;
  }
  return found;
}

}  // namespace cuvette::device
