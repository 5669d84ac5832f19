#include "portatune/analysis/plan/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>
#include <vector>

#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/base/text/utf8.h"
#include "portatune/error.h"

namespace portatune::plan {
namespace {

struct Counted {
  std::string_view name;
  int64_t count;
};

const Accelerator* find(std::string_view name) {
  const auto found = std::ranges::find(accelerators(), name, &Accelerator::name);
  return found == accelerators().end() ? nullptr : &*found;
}

// "tpu:v3-8" is 8 of "tpu:v3"; "cuda:h100x8" is 8 of "cuda:h100".
std::optional<Counted> split_count(std::string_view name) {
  const size_t mark = name.rfind(name.starts_with("tpu:") ? '-' : 'x');
  if (mark == std::string_view::npos) return {};
  const auto count = number_in<int64_t>(name.substr(mark + 1));
  if (!count) return {};
  return Counted{name.substr(0, mark), *count};
}

// Advice for names such as "gpu", which is no target, and "h100" and "v5e-8", which lack their platform.
std::string advice(const std::string& name, const std::vector<std::string>& names) {
  const std::string typed = lower_case(name);
  if (typed == "gpu" || typed == "cuda") return "name a GPU: cuda:h100, cuda:l4, ...";
  if (typed == "tpu") return "name a TPU: tpu:v5e-8, ...";
  for (const std::string& known : names) {
    const std::string platform = known.substr(0, known.find(':') + 1), rest = known.substr(platform.size());
    const std::string counted = rest + (platform == "tpu:" ? "-" : "x");
    if (typed == rest || typed.starts_with(counted)) return suggestion(platform + typed);
  }
  const auto counted = split_count(name);
  return suggestion(nearest(counted ? counted->name : std::string_view(name), names));
}

[[noreturn]] void throw_unknown(const std::string& name) {
  std::vector<std::string> names;
  for (const Accelerator& accelerator : accelerators()) names.emplace_back(accelerator.name);
  throw UsageError({.where = "on",
                    .given = "an unknown target " + in_quotes(name),
                    .expected = list_of(names) + "; with a number of devices: tpu:v3-8, cuda:h100x8",
                    .fix = advice(name, names)});
}

// Slices of TPUs have a power of two of chips, or a multiple of 64 chips.
bool makes_a_slice(int64_t count) {
  constexpr int64_t kCoresOfACube = 128;
  return std::has_single_bit(static_cast<uint64_t>(count)) || count % kCoresOfACube == 0;
}

int64_t devices_of(const Accelerator& accelerator, const std::string& name, int64_t count) {
  const int64_t each = accelerator.counted_per_device, maximum = accelerator.max_counted;
  const bool is_tpu = accelerator.platform == "tpu";
  if (count >= 1 && count <= maximum && count % each == 0 && (!is_tpu || makes_a_slice(count))) return count / each;
  std::string expected = "a number of devices of at least 1 and at most " + std::to_string(maximum);
  if (is_tpu)
    expected = "the size of a slice: a power of two, or a multiple of 128, at most " + std::to_string(maximum);
  if (each > 1) expected += "; it counts cores, and two cores are a device";
  throw UsageError({.where = "on", .given = in_quotes(name), .expected = expected});
}

}  // namespace

Target target_called(const std::string& name) {
  if (const Accelerator* one = find(name)) return {name, one, 1};
  if (const auto counted = split_count(name)) {
    const Accelerator* many = find(counted->name);
    if (many != nullptr && many->platform != "cpu") return {name, many, devices_of(*many, name, counted->count)};
  }
  throw_unknown(name);
}

std::vector<Target> targets_called(const std::vector<std::string>& names, const Mesh& mesh) {
  if (names.empty())
    throw UsageError({.where = "on", .given = "no target", .expected = "cpu, tpu:v5e-8, cuda:l4, ..."});
  std::vector<Target> targets;
  for (const std::string& name : names) {
    targets.push_back(target_called(name));
    const Target& target = targets.back();
    if (target.accelerator->platform == "cpu" || mesh.devices() <= target.devices) continue;
    throw UsageError({.where = "on",
                      .given = fmt::format("{}, and the mesh {}", name, to_string(mesh)),
                      .expected = fmt::format("at least {} devices", mesh.devices()),
                      .fix = "say how many there are: tpu:v5e-8, cuda:h100x8"});
  }
  return targets;
}

}  // namespace portatune::plan
