// SPDX-License-Identifier: Apache-2.0
#include <numbers.hpp>

int main() { return plain() + shared() + described() != 21 || ONE + TWO + THREE != 6; }
