// A request to come to an end, which whatever waits for a network looks at.
#pragma once

namespace portune {

/// What such a wait ends with then. Not an Error: nothing is wrong.
struct Stopped {};

/// Asks for it, or takes it back; from any thread and from signal handlers.
void request_stop(bool wanted = true) noexcept;
bool stop_requested() noexcept;

}  // namespace portune
