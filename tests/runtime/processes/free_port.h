// A free port for process 0.
#pragma once

#include <random>

#include "portatune/error.h"
#include "portatune/runtime/processes/socket.h"

namespace portatune::test {

/// A port at which no process listens. It is below 32768, because the system assigns higher ports to new connections,
/// perhaps before process 0 has started.
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
