// The compiled programs of a model.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "portatune/device.h"
#include "portatune/nn.h"

namespace portatune {

/// A program of a model before its compilation.
struct ModelProgram {
  std::string key;   ///< identifies it among the programs of the model: its shapes, and what it computes
  std::string what;  ///< for users: "training step for [8, 128]"
  Function function;
  std::vector<nn::Parameter> parameters;
};

/// The programs of a model, each compiled once. The weights are loaded before the first compilation, so that a
/// checkpoint that does not fit fails at once.
class CompiledModel {
 public:
  using Load = std::function<void(const std::vector<nn::Parameter>&)>;
  using OnCompile = std::function<void(const std::string& what, double seconds, bool from_cache)>;

  /// device  must outlive this object
  /// load    loads the weights; on later calls checks that a program has the same parameters
  CompiledModel(const Device& device, Load load) : device_(device), load_(std::move(load)) {}

  bool has(const std::string& key) const { return programs_.contains(key); }
  /// The program with this key, which must have been compiled.
  const Program& at(const std::string& key) const { return programs_.at(key); }
  /// Compiles the programs, several at a time. Calls `on_compile`, unless it is empty, for each of them afterwards.
  void compile(const std::vector<ModelProgram>& programs, const OnCompile& on_compile);

 private:
  const Device& device_;
  Load load_;
  std::map<std::string, Program> programs_;
};

}  // namespace portatune
