// SPDX-License-Identifier: Apache-2.0
#include <numbers.hpp>

int front();
int main() { return front() != 14 || ONE + TWO + THREE != 6; }
