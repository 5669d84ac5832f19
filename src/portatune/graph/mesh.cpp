#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <ranges>
#include <set>

#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/base/text/text_parts.h"
#include "portatune/error.h"
#include "portatune/graph.h"

namespace portatune {
namespace {

struct NamedAxis {
  std::string_view name;
  MeshAxis axis;
  int64_t Mesh::*size;
};
// The axes of a mesh, the major axis first.
constexpr std::array<NamedAxis, 3> kAxes = {{{"data", MeshAxis::kData, &Mesh::data},
                                             {"fsdp", MeshAxis::kFsdp, &Mesh::fsdp},
                                             {"tensor", MeshAxis::kTensor, &Mesh::tensor}}};
// More devices than any machine has; a larger number is a typing error.
constexpr int64_t kMaxDevices = 1 << 20;

[[noreturn]] void refuse(const std::string& text, std::string given) {
  std::vector<std::string> names;
  for (const NamedAxis& axis : kAxes) names.emplace_back(axis.name);
  throw UsageError({.where = "mesh \"" + text + "\"",
                    .given = std::move(given),
                    .expected = "axes with numbers of devices, such as data=4,fsdp=2; the axes are " + list_of(names)});
}

[[noreturn]] void refuse_number(const std::string& text) {
  throw UsageError(
      {.where = "mesh \"" + text + "\"",
       .given = "too many devices",
       .expected = "at most " + std::to_string(kMaxDevices) + " in total; a CPU is divided into at most 256"});
}

const NamedAxis& named(MeshAxis axis) { return *std::ranges::find(kAxes, axis, &NamedAxis::axis); }

}  // namespace

int64_t Mesh::size(const MeshAxes& axes) const {
  int64_t size = 1;
  for (const MeshAxis axis : axes) size *= this->*named(axis).size;
  return size;
}

int64_t Mesh::index(int64_t device, const MeshAxes& axes) const {
  std::map<MeshAxis, int64_t> indices;
  for (const NamedAxis& axis : kAxes | std::views::reverse) {
    indices[axis.axis] = device % (this->*axis.size);
    device /= this->*axis.size;
  }
  int64_t index = 0;
  for (const MeshAxis axis : axes) index = index * (this->*named(axis).size) + indices[axis];
  return index;
}

std::vector<std::vector<int64_t>> Mesh::groups(const MeshAxes& axes) const {
  const MeshAxes others = other_axes(axes);
  std::vector<std::vector<int64_t>> groups(static_cast<size_t>(size(others)),
                                           std::vector<int64_t>(static_cast<size_t>(size(axes))));
  for (int64_t device = 0; device < devices(); ++device) {
    groups[static_cast<size_t>(index(device, others))][static_cast<size_t>(index(device, axes))] = device;
  }
  return groups;
}

MeshAxes other_axes(const MeshAxes& axes) {
  MeshAxes others;
  for (const NamedAxis& axis : kAxes) {
    if (std::ranges::find(axes, axis.axis) == axes.end()) others.push_back(axis.axis);
  }
  return others;
}

Mesh parse_mesh(const std::string& text) {
  Mesh mesh;
  std::set<MeshAxis> seen;
  for (const std::string& part : split(text, ',')) {
    const size_t equals = std::min(part.find('='), part.size());
    const auto* axis = std::ranges::find(kAxes, std::string_view(part).substr(0, equals), &NamedAxis::name);
    if (axis == kAxes.end()) refuse(text, "\"" + part + "\", which does not begin with an axis");
    if (!seen.insert(axis->axis).second) refuse(text, std::string(axis->name) + " twice");
    const auto size =
        equals == part.size() ? std::nullopt : number_in<int64_t>(std::string_view(part).substr(equals + 1));
    if (!size || *size < 1) refuse(text, "\"" + part + "\"");
    if (*size > kMaxDevices / mesh.devices()) refuse_number(text);
    mesh.*axis->size = *size;
  }
  return mesh;
}

std::string to_string(const Mesh& mesh) {
  std::string text;
  for (const NamedAxis& axis : kAxes) {
    if (mesh.*axis.size == 1) continue;
    text += (text.empty() ? "" : ",") + std::string(axis.name) + "=" + std::to_string(mesh.*axis.size);
  }
  return text.empty() ? "data=1" : text;
}

TensorType part_of(const TensorType& whole, const Sharding& sharding, const Mesh& mesh) {
  const int64_t parts = mesh.size(sharding.over);
  if (parts == 1) return whole;
  const int64_t pieces = std::lcm(parts, sharding.blocks * mesh.size({sharding.over.front()}));
  if (sharding.axis >= whole.shape.rank() || whole.shape[sharding.axis] % pieces != 0) {
    throw ShapeError(
        {.where = "an array divided over " + std::to_string(parts) + " devices",
         .given = to_string(whole),
         .expected = "a multiple of " + std::to_string(pieces) + " along axis " + std::to_string(sharding.axis)});
  }
  TensorType part = whole;
  part.shape[sharding.axis] /= parts;
  return part;
}

}  // namespace portatune
