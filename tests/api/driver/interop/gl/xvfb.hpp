// SPDX-License-Identifier: Apache-2.0
// Xvfb: an X server without a screen, for as long as the process lives.
//
// The first caller starts it on a free display number, to which DISPLAY is set. It ends with the
// process, even if that is killed.
//
// Threads: only the main one, since the server dies with the thread that started it.
#pragma once

#include <string>

class Xvfb {
 public:
  static const Xvfb& get();

  const std::string& display() const { return display_; }  // ":1"
  // The content of its screen as an XWD file: 640 by 480 pixels of 32 bits.
  std::string screen_file() const { return folder_ + "/Xvfb_screen0"; }

  ~Xvfb();
  Xvfb(const Xvfb&) = delete;
  Xvfb& operator=(const Xvfb&) = delete;

 private:
  Xvfb();

  int process_;
  std::string folder_;
  std::string display_;
};
