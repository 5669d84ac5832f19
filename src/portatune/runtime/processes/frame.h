// The messages between the processes and process 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "portatune/runtime/processes/socket.h"

namespace portatune {

constexpr uint32_t kMaxKeyBytes = 4096;
constexpr uint32_t kMaxValueBytes = 64u << 20;

struct Frame {
  enum class Kind : uint32_t {
    kPut,      ///< store `value` under `key`
    kGet,      ///< return the value of `key`; wait for it for `number` milliseconds
    kJoin,     ///< process `number` of `value` joins: the connection is its session
    kLeave,    ///< the process ends, after its last exchange
    kAbort,    ///< the process terminates all with the exit code `number`, for the reason `value`
    kDone,     ///< answer: the requested value, or confirmation; to a session: all processes have left
    kNothing,  ///< answer: the key was not stored in time
    kRefused,  ///< answer: the request was refused for the reason `value`
    kEnd       ///< all must end with the exit code `number` because of process `key`, for the reason `value`
  };
  Kind kind;
  int64_t number = 0;
  std::string key = {}, value = {};
};

/// Sends a frame; false if the connection has ended.
bool send(const Socket& socket, const Frame& frame);
/// The next frame; nothing if the connection has ended, or if no valid frame of permitted size arrives by `end`.
std::optional<Frame> receive_frame(const Socket& socket,
                                   Socket::Clock::time_point end = Socket::Clock::time_point::max());

}  // namespace portatune
