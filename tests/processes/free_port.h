// A port for a process 0 that is about to start.
#pragma once

#include <random>

#include "portatune/error.h"
#include "portatune/processes/socket.h"

namespace portatune::test {

/// One at which nobody listens. The system gives ports from 32768 on to connections as they come: such a one could be
/// taken before process 0 is there.
inline int free_port() {
  std::random_device random;
  for (;;) {
    const int port = std::uniform_int_distribution(20'000, 29'000)(random);
    try {
      listen_at(port);
      return port;
    } catch (const DeviceError&) {  // taken
    }
  }
}

}  // namespace portatune::test
