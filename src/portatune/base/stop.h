// Cooperative stop. Long-running work and long waits poll it.
#pragma once

namespace portatune {

/// Thrown when a stop was requested. It is not an Error: nothing is wrong.
struct Stopped {};

/// Requests a stop, or withdraws the request. Safe from any thread and in signal handlers.
void request_stop(bool wanted = true) noexcept;
bool stop_requested() noexcept;
/// errors  Stopped
void stop_if_requested();

}  // namespace portatune
