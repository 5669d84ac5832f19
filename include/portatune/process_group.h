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

/// The share of each batch on the devices of one process: its rows are divided into `parts` equal parts in order, and
/// the process has the parts [begin, end).
struct BatchShare {
  int64_t parts = 1, begin = 0, end = 1;

  bool operator==(const BatchShare&) const = default;

  bool is_all() const { return begin == 0 && end == parts; }
};

/// A key-value store that the processes of a group share. Any process and any thread may call it at any time.
/// errors  DeviceError, from all functions, if the process that holds the store is gone
class KeyValueStore {
 public:
  virtual ~KeyValueStore() = default;

  /// Stores a value, in place of an earlier one of the same key. Meant for a few kilobytes.
  virtual void put(const std::string& key, std::string_view value) = 0;
  /// Waits for the key and returns its value; nothing if the key is still absent after `timeout`.
  virtual std::optional<std::string> get(const std::string& key, std::chrono::milliseconds timeout) = 0;
};

/// The processes, on one machine or on several, that run one program together. All call the same functions in the same
/// order, and each call waits for the others.
/// errors  DeviceError, from all functions, if an exchange fails
class ProcessGroup {
 public:
  virtual ~ProcessGroup() = default;

  /// The rank of this process, from 0. Process 0 puts files in place and reports to the user.
  virtual int64_t rank() const = 0;
  virtual int64_t size() const = 0;
  /// All ranks, as the members of an exchange.
  std::vector<int64_t> everyone() const;

  /// The ranks of the processes that take part in an exchange, this one among them, in the order of the gathered and
  /// scattered arrays. Each member contributes at most 2^31 - 1 elements or bytes.
  using Members = std::span<const int64_t>;
  /// The sum of the arrays of all members; `sum` may be the memory of `x`.
  virtual void all_reduce(Members members, std::span<const float> x, std::span<float> sum) = 0;
  /// The arrays of all members, concatenated.
  virtual void all_gather(Members members, std::span<const std::byte> part, std::span<std::byte> whole) = 0;
  /// This member's part of the sum of the arrays of all members.
  virtual void reduce_scatter(Members members, std::span<const float> x, std::span<float> part) = 0;

  /// A store that all processes share; plugins use it to connect their devices.
  virtual std::shared_ptr<KeyValueStore> store() = 0;
  /// A group of the same processes, whose exchanges are independent of those of this group.
  virtual std::shared_ptr<ProcessGroup> duplicate() = 0;
  /// Terminates all processes.
  [[noreturn]] virtual void abort(int exit_code) = 0;

  /// The numbers of all processes, by rank.
  std::vector<uint64_t> all_gather(uint64_t number);
};

// Functions of a process group, or of a single process (null).

/// True if this process puts files in place and reports to the user.
bool is_first(const ProcessGroup* processes);
/// True if the condition is true in at least one process.
bool in_any(ProcessGroup* processes, bool condition);
/// Waits until all processes have called it.
void wait_for_all(ProcessGroup* processes);
/// The first rank whose number differs from that of process 0; nothing if all numbers are equal.
std::optional<int64_t> first_with_another(ProcessGroup* processes, uint64_t number);

}  // namespace portatune
