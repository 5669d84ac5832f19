// Processes that train one model together.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portatune {

/// What processes tell each other under names. Any process and any thread may call it at any time.
/// errors  DeviceError, of all functions, if the process that keeps it is gone
class KeyValueStore {
 public:
  virtual ~KeyValueStore() = default;

  /// In place of what has been put under this key before. Meant for a few kilobytes.
  virtual void put(const std::string& key, std::string_view value) = 0;
  /// Waits until the key is there; nothing if it is not by the end of `timeout`.
  virtual std::optional<std::string> get(const std::string& key, std::chrono::milliseconds timeout) = 0;
};

/// The processes, on one machine or on several, that run one program together. All call the same functions in the same
/// order, and each call waits for the others.
/// errors  DeviceError, of all functions, if an exchange fails
class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;

  /// The number of this process, from 0 on. Process 0 is the one that puts files in place and tells the user.
  virtual int64_t rank() const = 0;
  virtual int64_t size() const = 0;
  /// All ranks, for exchanges of all.
  std::vector<int64_t> everyone() const;

  /// Those who take part in an exchange: the ranks of some processes, this one among them. Their order is that of what
  /// is gathered and scattered. Of each at most 2^31 - 1 elements or bytes go into an exchange.
  using Members = std::span<const int64_t>;
  /// The sum of the arrays of all members; may be written over this one's.
  virtual void all_reduce(Members members, std::span<const float> x, std::span<float> sum) = 0;
  /// The arrays of all members, one behind the other.
  virtual void all_gather(Members members, std::span<const std::byte> part, std::span<std::byte> whole) = 0;
  /// Of the sum of the arrays of all members, the part at this one's place.
  virtual void reduce_scatter(Members members, std::span<const float> x, std::span<float> part) = 0;

  /// What they keep in common, for plugins whose devices find each other by it.
  virtual std::shared_ptr<KeyValueStore> store() = 0;
  /// A group of the same processes, whose exchanges do not get mixed up with those of this one.
  virtual std::shared_ptr<ProcessGroup> duplicate() = 0;
  /// Ends all processes.
  [[noreturn]] virtual void abort(int exit_code) = 0;

  /// One number of each process, by rank.
  std::vector<uint64_t> all_gather(uint64_t number);
};

// Of a process of a group, or of one that is alone (null):

/// Whether it is the one that puts files in place and tells the user.
bool is_first(const ProcessGroup* processes);
/// Whether it is so in at least one process.
bool in_any(ProcessGroup* processes, bool condition);
/// Waits until all have called it.
void wait_for_all(ProcessGroup* processes);
/// The first process whose number is not that of process 0; nothing if all have the same.
std::optional<int64_t> first_with_another(ProcessGroup* processes, uint64_t number);

}  // namespace portatune
