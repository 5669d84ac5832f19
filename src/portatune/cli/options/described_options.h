// The options of a command from the description of a struct (portatune/option_fields.h).
#pragma once

#include <string>
#include <vector>

#include "portatune/option_fields.h"

namespace CLI {
class App;
}

namespace portatune::cli {

/// Adds each field as an option. Values are checked by the rules of the field. A field that excludes another one comes
/// after it.
/// group  heading in the help; empty: the group of the field
void add_fields(CLI::App& command, const std::vector<OptionField>& fields, const std::string& group = {});

/// The fields with these names, in the order of the names.
std::vector<OptionField> only(const std::vector<OptionField>& fields, const std::vector<std::string>& names);

/// The fields but that with this name.
std::vector<OptionField> without(std::vector<OptionField> fields, const std::string& name);

/// The field with another help text.
OptionField with_help(OptionField field, const std::string& help);

/// The name of a field on the command line: "--learning-rate" for "learning_rate", "-q" for "q".
std::string as_option_name(std::string name);

}  // namespace portatune::cli
