// The state of this machine and of the installation: `portatune doctor`.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace portatune::doctor {

struct Problem {
  std::string what;
  std::string fix;  ///< advice or a command
};

struct Diagnosis {
  nlohmann::ordered_json facts;  ///< objects by topic: "cpu", "memory", "devices"; no values of secrets
  std::vector<Problem> problems;
  bool is_usable = false;  ///< whether a device can run programs
};

/// command  file of the command `portatune`, which tests devices in processes of their own
Diagnosis diagnose(const std::filesystem::path& command);

/// The diagnosis as text, a line for each fact, and as a line of JSON.
std::string text_of(const Diagnosis& diagnosis);
std::string json_of(const Diagnosis& diagnosis);

/// Writes the diagnosis as an archive NAME.tar.gz for bug reports, without the name of the user's home folder.
/// errors  IoError
void write_bundle(const std::filesystem::path& file, const Diagnosis& diagnosis);

}  // namespace portatune::doctor
