// Any bytes are frames up to the first invalid one. Valid frames are unchanged after sending, and none takes more
// memory than the input.
#include "portatune/runtime/processes/frame.h"

#include <sys/socket.h>

#include <cstdlib>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace {

using namespace portatune;

std::pair<Socket, Socket> connected() {
  int handles[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, handles) != 0) std::abort();
  return {Socket(handles[0]), Socket(handles[1])};
}

std::vector<Frame> frames_in(std::span<const std::byte> bytes) {
  const auto [from, to] = connected();
  if (!from.send(bytes)) std::abort();
  from.shut_down();
  std::vector<Frame> frames;
  while (std::optional<Frame> frame = receive_frame(to)) frames.push_back(*std::move(frame));
  return frames;
}

}  // namespace

// The inputs of libFuzzer have at most 4 KiB here, which a connection buffers without a reader.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (const Frame& frame : frames_in(std::as_bytes(std::span(data, size)))) {
    if (frame.key.size() + frame.value.size() > size) std::abort();
    const auto [from, to] = connected();
    if (!send(from, frame)) std::abort();
    const std::optional<Frame> again = receive_frame(to);
    if (!again || again->kind != frame.kind || again->number != frame.number || again->key != frame.key ||
        again->value != frame.value) {
      std::abort();
    }
  }
  return 0;
}
