// Code shared by both plug-ins of exchange_api.h. No exception may leave them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <string>

#include "portatune/runtime/processes/exchange_api.h"

namespace portatune {

/// Timeout for the first exchange of a group; processes may load a large model from a slow disk before it.
constexpr std::chrono::minutes kFirstExchangeTimeout{30};

/// Runs the action; returns 0, or 1 and the message of its exception.
template <class Action>
int run_exchange(PortatuneExchangeError* error, const Action& action) {
  try {
    action();
    return 0;
  } catch (const std::exception& exception) {
    std::string text = exception.what();
    text.resize(std::min(text.size(), sizeof error->message - 1));
    std::memcpy(error->message, text.c_str(), text.size() + 1);
    return 1;
  }
}

}  // namespace portatune
