// SPDX-FileCopyrightText: The trammel authors
// SPDX-License-Identifier: Apache-2.0
#include "interruption.hpp"

#include <csignal>

namespace trammel::tool {
namespace {

volatile std::sig_atomic_t noted = 0;  // the signal's number
extern "C" void note_interruption(int signal) { noted = signal; }

}  // namespace

Interruption::Interruption(std::initializer_list<int> signals) {
  noted = 0;
  for (const int signal : signals) {
    const Handler before = std::signal(signal, note_interruption);
    if (before == SIG_IGN) {
      std::signal(signal, SIG_IGN);
    } else {
      before_.emplace_back(signal, before);
    }
  }
}
Interruption::~Interruption() { give_back(); }

bool Interruption::came() { return noted != 0; }

void Interruption::pass_on() {
  const int signal = noted;
  give_back();
  if (signal != 0) std::raise(signal);
}

void Interruption::give_back() {
  for (const auto& [signal, handler] : before_) std::signal(signal, handler);
  before_.clear();
}

}  // namespace trammel::tool
