// A request to come to an end, which all that takes or waits for long looks at.
#pragma once

namespace portatune {

/// What that ends with then. Not an Error: nothing is wrong.
struct Stopped {};

/// Asks for it, or takes it back; from any thread and from signal handlers.
void request_stop(bool wanted = true) noexcept;
bool stop_requested() noexcept;
/// errors  Stopped
void stop_if_requested();

}  // namespace portatune
