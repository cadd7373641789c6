// Schema strings at run time.
#include "bindings/python/core/libraries/runtime_schema.h"

#include <charconv>

#include "bindings/python/core/objects/convert.h"

namespace opweave::python {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Splits at commas outside of brackets.
std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c != ',' || (depth > 0 && i < text.size())) continue;
    if (!trim(text.substr(begin, i - begin)).empty())
      parts.push_back(trim(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return parts;
}

struct TypeName {
  std::string_view name;
  Kind kind, list_kind;
};
constexpr TypeName kTypes[] = {
    {"Tensor", Kind::kTensor, Kind::kTensorList},
    {"Scalar", Kind::kScalar, Kind::kScalar},
    {"int", Kind::kInt, Kind::kIntList},
    {"SymInt", Kind::kInt, Kind::kIntList},
    {"float", Kind::kDouble, Kind::kDoubleList},
    {"bool", Kind::kBool, Kind::kBoolArray},
    {"str", Kind::kString, Kind::kString},
    {"ScalarType", Kind::kDtype, Kind::kDtype},
    {"Layout", Kind::kLayout, Kind::kLayout},
    {"Device", Kind::kDevice, Kind::kDevice},
    {"MemoryFormat", Kind::kMemoryFormat, Kind::kMemoryFormat},
    {"Generator", Kind::kGenerator, Kind::kGenerator},
};

// "Tensor(a!)[]?" -> kind, list length and flags.
void parse_type(std::string_view text, Param& param) {
  const size_t end = text.find_first_of("([?");
  const std::string_view base = text.substr(0, end);
  const TypeName* type = nullptr;
  for (const TypeName& t : kTypes) {
    if (t.name == base) type = &t;
  }
  OW_CHECK(type != nullptr, "unknown type '", base, "' in a schema");
  param.kind = type->kind;
  if (const size_t list = text.find('['); list != std::string_view::npos) {
    param.kind = type->list_kind;
    std::from_chars(text.data() + list + 1, text.data() + text.size(), param.length);
  }
  if (text.back() == '?') param.flags |= kNone;
}

[[noreturn]] void unreadable_default(std::string_view text) {
  OW_THROW(ErrorKind::kRuntime, "cannot read the default '", text, "' in a schema");
}

// The number that the whole text is, or nothing.
template <class T>
std::optional<T> number_from(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  return parsed.ec == std::errc() && parsed.ptr == end ? std::optional(value) : std::nullopt;
}

double parse_number(std::string_view text) {
  if (const auto value = number_from<double>(text)) return *value;
  unreadable_default(text);
}

// "[0, 1]" as numbers.
std::vector<double> parse_numbers(std::string_view text) {
  std::vector<double> numbers;
  for (std::string_view part : split_list(text.substr(1, text.size() - 2))) {
    numbers.push_back(parse_number(part));
  }
  return numbers;
}

IValue bools_default(const Param& param, std::string_view text) {
  std::vector<bool> values(param.length, text == "True");
  if (text.front() != '[') return values;
  values.clear();
  for (std::string_view part : split_list(text.substr(1, text.size() - 2))) {
    values.push_back(part == "True");
  }
  return values;
}

IValue list_default(const Param& param, std::string_view text) {
  std::vector<double> numbers;
  if (text.front() == '[') {
    numbers = parse_numbers(text);
  } else {
    numbers.assign(param.length, parse_number(text));
  }
  if (param.kind == Kind::kDoubleList) return numbers;
  return std::vector<int64_t>(numbers.begin(), numbers.end());
}

// The values that PyTorch's schemas spell as names.
IValue named_default(std::string_view text) {
  if (text == "Mean") return int64_t{1};
  if (text == "Sum") return int64_t{2};
  for (const MemoryFormat format : {MemoryFormat::kContiguous, MemoryFormat::kPreserve,
                                    MemoryFormat::kChannelsLast, MemoryFormat::kChannelsLast3d}) {
    if (text == str(format)) return format;
  }
  for (int i = 0; i < kNumLayouts; ++i) {
    if (text == kLayouts[i].name) return static_cast<Layout>(i);
  }
  if (text == "long") return kLong;  // as PyTorch's schemas say it
  if (const auto dtype = dtype_from_name(text)) return *dtype;
  unreadable_default(text);
}

IValue parse_default(const Param& param, std::string_view text) {
  if (text == "None") return {};
  if (param.kind == Kind::kBoolArray) return bools_default(param, text);
  if (text == "True" || text == "False") return text == "True";
  if (param.kind == Kind::kTensorList) return std::vector<Tensor>();
  if (param.kind == Kind::kIntList || param.kind == Kind::kDoubleList) {
    return list_default(param, text);
  }
  if (text.front() == '\'' || text.front() == '"') {
    return std::string(text.substr(1, text.size() - 2));
  }
  if (param.kind != Kind::kDouble) {
    if (const auto value = number_from<int64_t>(text)) return *value;
  }
  if (const auto value = number_from<double>(text)) return *value;
  return named_default(text);
}

}  // namespace

RuntimeSchema::RuntimeSchema(std::string_view text) : text_(text) {
  const size_t open = text_.find('(');
  const size_t arrow = text_.rfind("->");
  const size_t close = arrow == std::string::npos ? arrow : text_.rfind(')', arrow);
  OW_CHECK(open != std::string::npos && close != std::string::npos && close > open,
           "a schema reads `name.overload(Type name, ...) -> Type`, got: ", text);
  const std::string_view view(text_);
  parse_name(trim(view.substr(0, open)));
  bool keyword_only = false;
  for (std::string_view part : split_list(view.substr(open + 1, close - open - 1))) {
    if (part == "*") {
      keyword_only = true;
    } else {
      parse_argument(part, keyword_only);
    }
  }
  OW_CHECK(params_.size() <= kMaxParams, "a schema can have ", kMaxParams, " arguments at most");
  std::string_view returns = trim(view.substr(arrow + 2));
  if (returns.starts_with('(')) returns = returns.substr(1, returns.size() - 2);
  num_returns_ = split_list(returns).size();
  bound_overload_.params = params_;
  function_ = {name_, {&bound_overload_, 1}};
}

void RuntimeSchema::parse_name(std::string_view text) {
  const size_t dot = text.find('.');
  name_ = text.substr(0, dot);
  if (dot != std::string_view::npos) overload_ = text.substr(dot + 1);
  OW_CHECK(!name_.empty() && !name_.ends_with(':'), "the schema has no name: ", text_);
}

void RuntimeSchema::parse_argument(std::string_view text, bool keyword_only) {
  Param param{};
  const size_t equals = text.find('=');
  const std::string_view declaration = trim(text.substr(0, equals));
  const size_t space = declaration.rfind(' ');
  OW_CHECK(space != std::string_view::npos, "the argument '", text, "' lacks a name in: ", text_);
  parse_type(trim(declaration.substr(0, space)), param);
  param.name = texts_.emplace_back(declaration.substr(space + 1));
  if (keyword_only) param.flags |= kKeyword;
  IValue otherwise;
  if (equals != std::string_view::npos) {
    param.flags |= kOptional;
    param.default_text = texts_.emplace_back(trim(text.substr(equals + 1)));
    otherwise = parse_default(param, param.default_text);
  }
  params_.push_back(param);
  defaults_.push_back(std::move(otherwise));
}

namespace {

IValue read(const Arguments& a, const Param& param, int i) {
  switch (param.kind) {
    case Kind::kTensor:
    case Kind::kTensorOrNumber:
      return a.tensor(i);
    case Kind::kTensorList:
      return std::move(a.tensor_list(i).values);
    case Kind::kScalar:
      return a.scalar(i);
    case Kind::kInt:
      return a.integer(i);
    case Kind::kIntList:
      return IValue(IntList(a.int_list(i)));
    case Kind::kDouble:
      return a.real(i);
    case Kind::kDoubleList:
      return std::move(a.real_list(i).values);
    case Kind::kBool:
      return a.boolean(i);
    case Kind::kString:
      return a.string(i);
    case Kind::kDtype:
      return a.dtype(i);
    case Kind::kLayout:
      return a.layout(i);
    case Kind::kDevice:
      return a.device(i);
    case Kind::kMemoryFormat:
      return a.memory_format(i);
    case Kind::kGenerator:
      return a.generator(i);
    case Kind::kBoolArray:
    case Kind::kObject:
      break;
  }
  return to_ivalue(a.object(i));
}

}  // namespace

Stack RuntimeSchema::to_stack(const Arguments& arguments) const {
  Stack stack;
  stack.reserve(params_.size());
  for (size_t i = 0; i < params_.size(); ++i) {
    const int n = static_cast<int>(i);
    if (arguments.given(n)) {
      stack.push_back(read(arguments, params_[i], n));
    } else {
      stack.push_back(arguments.object(n) == Py_None ? IValue() : defaults_[i]);
    }
  }
  return stack;
}

}  // namespace opweave::python
