// SPDX-License-Identifier: Apache-2.0
#include "sim/device/profile.hpp"

namespace cuvette::device {
namespace {

#define FACT(field, fact) profile.field = fact;
#define ATTRIBUTE(name, fact) profile.attributes[static_cast<int>(Attribute::name)] = fact;
#define LIMIT(number, fact) profile.limits[number] = fact;

constexpr Profile h200() {
  Profile profile;
#include "sim/device/profiles/h200.def"
  return profile;
}

#undef FACT
#undef ATTRIBUTE
#undef LIMIT

// `profile` with the fields that repeat an attribute; does not compile if one is missing.
consteval Profile whole(Profile profile) {
  profile.compute_major = profile.value(Attribute::COMPUTE_CAPABILITY_MAJOR);
  profile.compute_minor = profile.value(Attribute::COMPUTE_CAPABILITY_MINOR);
  for (Attribute attribute : {
#define ATTRIBUTE(number, name) Attribute::name,
#include "sim/device/attributes.def"
#undef ATTRIBUTE
       }) {
    if (!profile.attributes[static_cast<int>(attribute)]) throw "a profile lacks an attribute";
  }
  return profile;
}

constexpr Profile all_profiles[] = {
    whole(h200()),
};

}  // namespace

std::span<const Profile> profiles() { return all_profiles; }

const Profile* find_profile(std::string_view key) {
  for (const Profile& profile : all_profiles)
    if (profile.key == key) return &profile;
  return nullptr;
}

}  // namespace cuvette::device
