#include "portatune/run/records/event_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "portatune/base/wire.h"
#include "portatune/io/tfrecord/tfrecord_frame.h"

namespace portatune::run {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "events.out.tfevents.";

// Numbers of fields, by their messages.
namespace event {
constexpr int kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5, kSessionLog = 7;
}
namespace summary {
constexpr int kValue = 1, kTag = 1, kSimpleValue = 2, kTensor = 8, kMetadata = 9;
constexpr int kPluginData = 1, kPluginName = 1, kContent = 2;
}  // namespace summary
namespace tensor {
constexpr int kType = 1, kShape = 2, kTextValue = 8, kAxis = 2, kSize = 1;
constexpr uint64_t kFloat = 1, kString = 7;  // DataType
}  // namespace tensor
namespace hparams {
constexpr int kSessionStart = 3, kEntries = 1, kKey = 1, kValue = 2, kStartTime = 5;
constexpr int kNumber = 2, kText = 3, kTruth = 4;
constexpr int kSessionEnd = 4, kStatus = 1, kEndTime = 2;
constexpr uint64_t kSuccess = 1;
}  // namespace hparams

double now_s() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

std::string host() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0' ? name.data() : "localhost";
}

fs::path new_file(const fs::path& folder) {
  fs::create_directories(folder);
  return folder / fmt::format("{}{:010}.{}.{}", kPrefix, static_cast<int64_t>(now_s()), host(), getpid());
}

WireWriter event_of_step(int64_t step) {
  WireWriter event;
  event.fixed64(event::kWallTime, std::bit_cast<uint64_t>(now_s()));
  event.varint(event::kStep, static_cast<uint64_t>(step));
  return event;
}

std::string tag_of(const std::string& name) {
  constexpr std::string_view kEval = "eval_";
  return name.starts_with(kEval) ? "eval/" + name.substr(kEval.size()) : "train/" + name;
}

std::string scalar(const std::string& tag, float value) {
  WireWriter scalar;
  scalar.bytes(summary::kTag, tag);
  scalar.fixed32(summary::kSimpleValue, value);
  return scalar.message();
}

// google.protobuf.Value; empty for a list, an object or null.
std::string struct_value(const Json& value) {
  WireWriter message;
  if (value.is_boolean()) {
    message.varint(hparams::kTruth, value.get<bool>() ? 1 : 0);
  } else if (value.is_number()) {
    message.fixed64(hparams::kNumber, std::bit_cast<uint64_t>(value.get<double>()));
  } else if (value.is_string()) {
    message.bytes(hparams::kText, value.get<std::string>());
  }
  return message.message();
}

std::string session_start(const Json& settings) {
  WireWriter start;
  for (const auto& [name, value] : settings.items()) {
    const std::string text = struct_value(value);
    if (text.empty()) continue;
    WireWriter entry;
    entry.bytes(hparams::kKey, name);
    entry.bytes(hparams::kValue, text);
    start.bytes(hparams::kEntries, entry.message());
  }
  start.fixed64(hparams::kStartTime, std::bit_cast<uint64_t>(now_s()));
  WireWriter content;
  content.bytes(hparams::kSessionStart, start.message());
  return content.message();
}

std::string session_end() {
  WireWriter end, content;
  end.varint(hparams::kStatus, hparams::kSuccess);
  end.fixed64(hparams::kEndTime, std::bit_cast<uint64_t>(now_s()));
  content.bytes(hparams::kSessionEnd, end.message());
  return content.message();
}

// A tensor with one axis and these elements.
std::string tensor_of(uint64_t type, const std::vector<std::string>& texts) {
  WireWriter axis, shape, tensor;
  axis.varint(tensor::kSize, texts.size());
  shape.bytes(tensor::kAxis, axis.message());
  tensor.varint(tensor::kType, type);
  tensor.bytes(tensor::kShape, shape.message());
  for (const std::string& text : texts) tensor.bytes(tensor::kTextValue, text);
  return tensor.message();
}

std::string plugin_value(const std::string& tag, const std::string& plugin, const std::string& content,
                         const std::string& tensor) {
  WireWriter data, metadata, value;
  data.bytes(summary::kPluginName, plugin);
  data.bytes(summary::kContent, content);
  metadata.bytes(summary::kPluginData, data.message());
  value.bytes(summary::kTag, tag);
  value.bytes(summary::kTensor, tensor);
  value.bytes(summary::kMetadata, metadata.message());
  return value.message();
}

// The plugin reads its content from the metadata of a value, whose tensor is empty.
std::string hparams_value(const std::string& name, const std::string& content) {
  return plugin_value("_hparams_/" + name, "hparams", content, tensor_of(tensor::kFloat, {}));
}

}  // namespace

EventFile::EventFile(const fs::path& folder, std::optional<int64_t> resumed_after) : file_(new_file(folder)) {
  WireWriter version;
  version.fixed64(event::kWallTime, std::bit_cast<uint64_t>(now_s()));
  version.bytes(event::kFileVersion, "brain.Event:2");
  write(version.message());
  if (!resumed_after) return;
  // Events of this step and later ones in older files are void.
  WireWriter start = event_of_step(*resumed_after + 1), log;
  log.varint(1, 1);  // SessionLog.status: START
  start.bytes(event::kSessionLog, log.message());
  write(start.message());
}

void EventFile::add(const Json& line) {
  WireWriter values;
  for (const auto& [name, value] : line.items()) {
    if (name == "step" || !value.is_number()) continue;
    values.bytes(summary::kValue, scalar(tag_of(name), value.get<float>()));
  }
  if (values.message().empty()) return;
  WireWriter event = event_of_step(line["step"].get<int64_t>());
  event.bytes(event::kSummary, values.message());
  write(event.message());
}

void EventFile::add_settings(const Json& settings) {
  add_value(hparams_value("session_start_info", session_start(settings)));
}

void EventFile::add_end() {
  file_.reopen();
  add_value(hparams_value("session_end_info", session_end()));
}

void EventFile::add_text(const std::string& name, const std::string& text) {
  add_value(plugin_value(name + "/text_summary", "text", "", tensor_of(tensor::kString, {text})));
}

void EventFile::add_value(const std::string& value) {
  WireWriter values, event = event_of_step(0);
  values.bytes(summary::kValue, value);
  event.bytes(event::kSummary, values.message());
  write(event.message());
}

void EventFile::write(const std::string& event) {
  file_.append(io::record_header(event.size()) + event + io::record_footer(event));
}

void remove_event_files(const fs::path& folder) {
  if (!fs::is_directory(folder)) return;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with(kPrefix)) files.push_back(entry.path());
  }
  for (const fs::path& file : files) fs::remove(file);
}

}  // namespace portatune::run
