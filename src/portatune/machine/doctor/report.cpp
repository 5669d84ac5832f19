// The diagnosis as text, JSON and an archive.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "portatune/base/environment.h"
#include "portatune/base/text/number.h"
#include "portatune/base/text/plain_text.h"
#include "portatune/io/text/json.h"
#include "portatune/machine/doctor/bundle.h"
#include "portatune/machine/doctor/diagnosis.h"

namespace portatune::doctor {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kBytes = "_bytes";  // the end of the keys of sizes

std::string text_of(const std::string& key, const Json& value) {
  if (value.is_null()) return "none";
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number() && key.ends_with(kBytes)) return binary_size(value.get<int64_t>());
  if (value.is_string()) return printable(value.get<std::string>());
  if (!value.is_array()) return value.dump();
  std::string list;
  for (const Json& item : value) list += (list.empty() ? "" : ", ") + text_of(key, item);
  return list.empty() ? "none" : list;
}

bool is_list_of_objects(const Json& value) { return value.is_array() && !value.empty() && value.front().is_object(); }

// A line for each fact; the facts of an object are indented below its name.
std::string lines_of(const Json& facts, const std::string& indent) {
  std::string text;
  for (const auto& [key, value] : facts.items()) {
    const std::string name = key.ends_with(kBytes) ? key.substr(0, key.size() - kBytes.size()) : key;
    if (value.is_object()) {
      text += indent + name + "\n" + lines_of(value, indent + "  ");
    } else if (is_list_of_objects(value)) {
      for (const Json& item : value) text += indent + name + "\n" + lines_of(item, indent + "  ");
    } else {
      text += fmt::format("{:<24}{}\n", indent + name + " ", text_of(key, value));
    }
  }
  return text;
}

// Paths below the home folder contain the user's name.
std::string without_home(std::string text) {
  const std::string folder = environment_variable("HOME").value_or("");
  if (folder.size() < 2) return text;
  constexpr std::string_view kEnds = "/\\\"':,;) \t\n";  // characters after a whole name; \ begins an escape of JSON
  for (size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at + 1)) {
    const size_t end = at + folder.size();
    const bool is_whole = end == text.size() || kEnds.find(text[end]) != std::string_view::npos;
    if (is_whole) text.replace(at, folder.size(), "~");
  }
  return text;
}

}  // namespace

std::string text_of(const Diagnosis& diagnosis) {
  std::string text = lines_of(diagnosis.facts, "");
  for (const Problem& problem : diagnosis.problems) {
    text += fmt::format("\nproblem   {}\nfix       {}\n", printable(problem.what), printable(problem.fix));
  }
  return text + fmt::format("\n{}\n", diagnosis.is_usable ? "Portatune can be used." : "No device can be used.");
}

std::string json_of(const Diagnosis& diagnosis) {
  Json object = diagnosis.facts;
  object["problems"] = Json::array();
  for (const Problem& problem : diagnosis.problems) {
    object["problems"].push_back({{"problem", problem.what}, {"fix", problem.fix}});
  }
  object["usable"] = diagnosis.is_usable;
  return io::line_of(object);
}

void write_bundle(const std::filesystem::path& file, const Diagnosis& diagnosis) {
  write_bundle(file,
               {{"doctor.txt", without_home(text_of(diagnosis))}, {"doctor.json", without_home(json_of(diagnosis))}});
}

}  // namespace portatune::doctor
