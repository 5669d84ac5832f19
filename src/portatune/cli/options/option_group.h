// The kinds of options that the commands have, over CLI11.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "portatune/base/files/path_name.h"
#include "portatune/base/text/message.h"
#include "portatune/base/text/number.h"
#include "portatune/error.h"
#include "portatune/io/file/random_access_file.h"

namespace portatune::cli {

struct Limits {
  double lowest = 0, highest = 1e12;  // no count is higher, and products of two counts fit 64 bits
};

// This check is needed because CLI11 saturates integers that do not fit and lets NaN pass its ranges.
template <class T>
CLI::Validator within(const Limits& limits) {
  return CLI::Validator(
      [limits](std::string& text) {
        const std::optional<T> value = number_in<T>(text);
        const double number = static_cast<double>(value.value_or(T{}));
        if (value && number >= limits.lowest && number <= limits.highest) return std::string();
        return fmt::format("{} is not {} of at least {} and at most {:.15g}", text,
                           std::is_integral_v<T> ? "an integer" : "a number", limits.lowest, limits.highest);
      },
      "");
}

/// The options of one group of the help, one line each. Every function adds one: `names` as CLI11 reads them
/// ("--model,--model-name-or-path"), and the variable of its value, which must outlive the parsing.
class Group {
 public:
  Group(CLI::App& app, std::string name) : app_(app), name_(std::move(name)) {}

  template <class T>
  CLI::Option* number(const std::string& names, T& value, const std::string& description, const Limits& limits = {}) {
    return place(app_.add_option(names, value, description), "N")->capture_default_str()->check(within<T>(limits));
  }
  CLI::Option* text(const std::string& names, std::string& value, const std::string& description) {
    return place(app_.add_option(names, value, description), "NAME")->capture_default_str();
  }
  CLI::Option* files(const std::string& names, std::vector<std::string>& value, const std::string& description) {
    return place(app_.add_option(names, value, description), "FILE...");
  }
  CLI::Option* assignments(const std::string& names, std::map<std::string, std::string>& values,
                           const std::string& description) {
    const auto take = [&values, option = names.substr(0, names.find(','))](const std::vector<std::string>& words) {
      for (const std::string& word : words) {
        const size_t equals = word.find('=');
        const std::string name = word.substr(0, equals);
        if (name.empty() || equals == std::string::npos) {
          throw CLI::ValidationError(option, (word.empty() ? "''" : word) + " is not NAME=VALUE");
        }
        const bool is_new = values.emplace(name, word.substr(equals + 1)).second;
        if (!is_new) throw CLI::ValidationError(option, name + " twice");
      }
    };
    CLI::Option* option = app_.add_option_function<std::vector<std::string>>(names, take, description);
    return place(option, "NAME=VALUE...");
  }
  CLI::Option* names(const std::string& names, std::vector<std::string>& value, const std::string& description) {
    const auto take = [&value](const std::vector<std::string>& given) {
      value = given;
      std::erase(value, "");  // so that '' clears the value of a recipe
    };
    return place(app_.add_option_function<std::vector<std::string>>(names, take, description), "A,B,...")
        ->delimiter(',');
  }
  // The path is not bound directly, because CLI11 would read it only up to the first blank.
  CLI::Option* path(const std::string& names, std::filesystem::path& value, const std::string& description) {
    const auto is_local = [](const std::string& text) {
      return !text.empty() && !io::is_remote(text) && !begins_with_home(text);
    };
    const auto take = [&value](const std::string& text) { value = text; };
    return checked(names, "PATH", is_local,
                   "a path of this machine in full: URLs are for rows alone, and only a shell replaces ~", take,
                   description);
  }
  CLI::Option* paths(const std::string& names, std::vector<std::filesystem::path>& value,
                     const std::string& description) {
    const auto take = [&value](const std::vector<std::string>& words) { value.assign(words.begin(), words.end()); };
    return place(app_.add_option_function<std::vector<std::string>>(names, take, description), "PATH...");
  }
  /// instead  returns the word for a word of another program; empty if there is none
  CLI::Option* choice(const std::string& names, const std::vector<std::string>& words,
                      const std::function<void(const std::string&)>& take, const std::string& description,
                      const std::function<std::string(const std::string&)>& instead = {}) {
    const std::string option = names.substr(0, names.find(','));
    const auto check = [option, words, instead](const std::string& text) {
      if (std::find(words.begin(), words.end(), text) == words.end()) {
        const std::string other = instead ? instead(text) : "";
        throw UsageError({.where = option,
                          .given = option + " " + text,
                          .expected = "one of " + list_of(words),
                          .fix = suggestion(other.empty() ? nearest(text, words) : other)});
      }
      return std::string();
    };
    return with(names, take, description)
        ->type_name(CLI::detail::join(words, "|"))
        ->check(check, "", CLI::detail::join(words, "|"));
  }
  CLI::Option* word(const std::string& names, const std::function<void(const std::string&)>& take,
                    const std::string& description, const std::string& form) {
    return with(names, take, description)->type_name(form);
  }
  // An option whose values have a form of their own.
  CLI::Option* checked(const std::string& names, const std::string& type,
                       const std::function<bool(const std::string&)>& is_valid, const std::string& expected,
                       const std::function<void(const std::string&)>& take, const std::string& description) {
    const auto check = [is_valid, expected](const std::string& text) {
      return is_valid(text) ? std::string() : (text.empty() ? "''" : text) + " is not " + expected;
    };
    return with(names, take, description)->type_name(type)->check(check, "");
  }
  // An option that may be given any number of times, with one text each time.
  CLI::Option* texts(const std::string& names, std::vector<std::string>& value, const std::string& description) {
    return place(app_.add_option(names, value, description), "TEXT")->allow_extra_args(false);
  }
  // The same with a function for each text.
  CLI::Option* each_text(const std::string& names, const std::function<void(const std::string&)>& take,
                         const std::string& description) {
    const auto take_all = [take](const std::vector<std::string>& texts) { std::ranges::for_each(texts, take); };
    return place(app_.add_option_function<std::vector<std::string>>(names, take_all, description), "TEXT")
        ->allow_extra_args(false);
  }
  CLI::Option* switch_on(const std::string& names, const std::function<void()>& take, const std::string& description) {
    return app_.add_flag_callback(names, take, description)->group(name_);
  }
  // An option that the parser has read before the other options.
  CLI::Option* read_elsewhere(const std::string& names, const std::string& description) {
    return with(
               names, [](const std::string&) {}, description)
        ->type_name("FILE");
  }
  CLI::Option* flag(const std::string& names, bool& value, const std::string& description) {
    return app_.add_flag(names, value, description)->group(name_);
  }
  CLI::Option* no_flag(const std::string& names, bool& value, const std::string& description) {
    return app_
        .add_flag_callback(
            names, [&value] { value = false; }, description)
        ->group(name_);
  }

 private:
  CLI::Option* with(const std::string& names, const std::function<void(const std::string&)>& take,
                    const std::string& description) {
    return app_.add_option_function<std::string>(names, take, description)->group(name_);
  }
  CLI::Option* place(CLI::Option* option, const std::string& type) { return option->group(name_)->type_name(type); }

  CLI::App& app_;
  std::string name_;
};

}  // namespace portatune::cli
