// What both plug-ins of exchange_api.h need: no exception may leave them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <string>

#include "portatune/processes/exchange_api.h"

namespace portatune {

/// How long others may take to come to the first exchange of a group: to load a large model from a slow disk, say.
constexpr std::chrono::minutes kToComeToAnExchange{30};

/// 0, or 1 and the message of what the action has thrown.
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
