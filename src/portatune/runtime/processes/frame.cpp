#include "portatune/runtime/processes/frame.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <span>

namespace portatune {
namespace {

constexpr uint32_t kMagic = 0x314b5650;  // "PVK1" in little-endian order
constexpr size_t kChunk = 1 << 16;

struct Header {
  uint32_t magic, kind, key_bytes, value_bytes;
  int64_t number;
};

// Receives a text in chunks, so that a false size in the header allocates no memory.
bool receive_text(const Socket& socket, Socket::Clock::time_point end, size_t bytes, std::string& text) {
  while (text.size() < bytes) {
    const size_t begin = text.size(), chunk = std::min(kChunk, bytes - begin);
    text.resize(begin + chunk);
    if (!socket.receive(std::as_writable_bytes(std::span(text).subspan(begin)), end)) return false;
  }
  return true;
}

}  // namespace

bool send(const Socket& socket, const Frame& frame) {
  const Header header{.magic = kMagic,
                      .kind = static_cast<uint32_t>(frame.kind),
                      .key_bytes = static_cast<uint32_t>(frame.key.size()),
                      .value_bytes = static_cast<uint32_t>(frame.value.size()),
                      .number = frame.number};
  std::string bytes(sizeof header, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  bytes += frame.key + frame.value;
  return socket.send(std::as_bytes(std::span(bytes)));
}

std::optional<Frame> receive_frame(const Socket& socket, Socket::Clock::time_point end) try {
  Header header;
  if (!socket.receive(std::as_writable_bytes(std::span(&header, 1)), end)) return {};
  if (header.magic != kMagic || header.kind > static_cast<uint32_t>(Frame::Kind::kEnd)) return {};
  if (header.key_bytes > kMaxKeyBytes || header.value_bytes > kMaxValueBytes) return {};
  Frame frame{.kind = static_cast<Frame::Kind>(header.kind), .number = header.number};
  if (!receive_text(socket, end, header.key_bytes, frame.key)) return {};
  if (!receive_text(socket, end, header.value_bytes, frame.value)) return {};
  return frame;
} catch (const std::bad_alloc&) {
  return {};
}

}  // namespace portatune
