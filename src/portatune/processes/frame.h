// What processes send each other over their connections to process 0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "portatune/processes/socket.h"

namespace portatune {

constexpr uint32_t kMaxKeyBytes = 4096;
constexpr uint32_t kMaxValueBytes = 64u << 20;

struct Frame {
  enum class Kind : uint32_t {
    kPut,      ///< key and value
    kGet,      ///< key, and in `number` for how many milliseconds to wait
    kJoin,     ///< process `number` begins, of as many as the value says: the connection is its session
    kLeave,    ///< it ends, with no exchange behind it
    kAbort,    ///< it ends all, with the exit code `number`; the value says why
    kDone,     ///< answer: what was asked for, or that it is done; to a session: all have left
    kNothing,  ///< answer: the key has not come in time
    kRefused,  ///< answer: the value says why
    kEnd       ///< all are to end; the key says by which process, `number` with which exit code, the value why
  };
  Kind kind;
  int64_t number = 0;
  std::string key = {}, value = {};
};

/// False if the connection is over.
bool send(const Socket& socket, const Frame& frame);
/// Nothing if the connection is over, or what comes by `end` is no frame, or one that is too large.
std::optional<Frame> receive_frame(const Socket& socket,
                                   Socket::Clock::time_point end = Socket::Clock::time_point::max());

}  // namespace portatune
