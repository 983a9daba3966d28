// Attributes, and how an operator describes itself: OpProtoAndCheckerMaker (8.1.2).
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>
#include "paddle/c_abi.h"
#include "paddle/fluid/platform/enforce.h"

namespace paddle {
namespace framework {

// The value of an attribute: the field of its type is set.
struct AttrFields {
#define PADDLE_FOR_EACH_ATTR_(DO)             \
  DO(bool, PD_ATTR_BOOL, PD_ATTR_BOOLS)       \
  DO(int, PD_ATTR_INT, PD_ATTR_INTS)          \
  DO(int64_t, PD_ATTR_INT64, PD_ATTR_INT64S)  \
  DO(float, PD_ATTR_FLOAT, PD_ATTR_FLOATS)    \
  DO(double, PD_ATTR_DOUBLE, PD_ATTR_DOUBLES) \
  DO(std::string, PD_ATTR_STRING, PD_ATTR_STRINGS)
#define PADDLE_FIELDS_(type, one, list) \
  type of_##one{};                      \
  std::vector<type> of_##list;
  PADDLE_FOR_EACH_ATTR_(PADDLE_FIELDS_)
#undef PADDLE_FIELDS_
};

// Of each type that an attribute can have: its name for messages, its number and its field.
template <typename T>
struct AttrTrait {
  static_assert(
      sizeof(T) == 0,
      "an attribute is bool, int, int64_t, float, double, std::string or a vector of these");
};
#define PADDLE_ATTR_TRAIT_(type, one, list)                                       \
  template <>                                                                     \
  struct AttrTrait<type> {                                                        \
    enum { kNumber = one };                                                       \
    static type& Of(AttrFields& fields) { return fields.of_##one; }               \
  };                                                                              \
  template <>                                                                     \
  struct AttrTrait<std::vector<type>> {                                           \
    enum { kNumber = list };                                                      \
    static std::vector<type>& Of(AttrFields& fields) { return fields.of_##list; } \
  };
PADDLE_FOR_EACH_ATTR_(PADDLE_ATTR_TRAIT_)
#undef PADDLE_ATTR_TRAIT_

PADDLE_COLD_ inline const char* AttrTypeName(int number) {
  switch (number) {
#define PADDLE_NAME_(type, one, list) \
  case one: return #type;             \
  case list: return "std::vector<" #type ">";
    PADDLE_FOR_EACH_ATTR_(PADDLE_NAME_)
#undef PADDLE_NAME_
    default: return "none";
  }
}

class Attribute {
 public:
  Attribute() {}
  Attribute(const char* text) : Attribute(std::string(text)) {}  // NOLINT
  template <typename T>
  Attribute(const T& value)  // NOLINT
      : fields_(std::make_shared<AttrFields>()), number_(AttrTrait<T>::kNumber) {
    AttrTrait<T>::Of(*fields_) = value;
  }
  template <typename T>
  const T& Get(const std::string& name = "") const {
    const int wanted = AttrTrait<T>::kNumber;
    if (number_ != wanted) WrongType(name, wanted);
    return AttrTrait<T>::Of(*fields_);
  }
  int number() const { return number_; }
  bool operator==(const Attribute& other) const {
    if (number_ != other.number_) return false;
    switch (number_) {
#define PADDLE_SAME_(type, one, list)                            \
  case one: return fields_->of_##one == other.fields_->of_##one; \
  case list: return fields_->of_##list == other.fields_->of_##list;
      PADDLE_FOR_EACH_ATTR_(PADDLE_SAME_)
#undef PADDLE_SAME_
      default: return true;
    }
  }

 private:
  [[noreturn]] PADDLE_COLD_ void WrongType(const std::string& name, int wanted) const {
    PADDLE_THROW(
        platform::errors::InvalidArgument("Attribute %s is of type %s, but was asked for as %s.",
                                          name, AttrTypeName(number_), AttrTypeName(wanted)));
  }
  std::shared_ptr<AttrFields> fields_;
  int number_ = 0;
};
typedef std::map<std::string, Attribute> AttributeMap;

class AttrReader {
 public:
  explicit AttrReader(const AttributeMap& attrs) : attrs_(attrs) {}
  template <typename T>
  const T& Get(const std::string& name) const {
    auto found = attrs_.find(name);
    if (found == attrs_.end()) Missing(name);
    return found->second.Get<T>(name);
  }

 private:
  [[noreturn]] PADDLE_COLD_ static void Missing(const std::string& name) {
    PADDLE_THROW(platform::errors::NotFound("Attribute (%s) should be in AttributeMap.", name));
  }
  const AttributeMap& attrs_;
};

// What AddAttr returns: the default and the values that are allowed.
class AttrChecker {
 public:
  virtual ~AttrChecker() {}
  virtual void Check(const Attribute& value) const = 0;
  virtual Attribute Other() const = 0;  // a value that is not the default
  std::string name, comment;
  int number = 0;
  bool has_default = false;
  Attribute initial;  // the default; without one, a value of the type
};

inline bool Another(bool value) { return !value; }
inline std::string Another(const std::string& value) { return value + "'"; }
template <typename T>
T Another(T value) {
  return value + 1;
}
template <typename T>
std::vector<T> Another(std::vector<T> value) {
  value.push_back(T());
  return value;
}

// An attribute that a gradient maker sets.
class FixedAttr : public AttrChecker {
 public:
  FixedAttr(const std::string& name, const Attribute& value) {
    this->name = name, initial = value, number = value.number(), has_default = true;
  }
  void Check(const Attribute&) const override {}
  Attribute Other() const override { return initial; }
};

template <typename T>
class TypedAttrChecker : public AttrChecker {
 public:
  TypedAttrChecker(const std::string& name, const std::string& comment) {
    this->name = name, this->comment = comment, number = AttrTrait<T>::kNumber;
    initial = Attribute(T());
  }
  TypedAttrChecker& SetDefault(const T& value) {
    PADDLE_ENFORCE_EQ(
        has_default, false,
        platform::errors::AlreadyExists("Attribute %s has a default value already.", name));
    initial = Attribute(value), has_default = true;
    return *this;
  }
  TypedAttrChecker& GreaterThan(const T& bound) {
    return Add([bound](const T& value) { return value > bound; }, "greater than ", bound);
  }
  TypedAttrChecker& EqualGreaterThan(const T& bound) {
    return Add([bound](const T& value) { return value >= bound; }, "at least ", bound);
  }
  TypedAttrChecker& InEnum(const std::unordered_set<T>& allowed) {
    std::string all;
    for (const T& one : allowed) all += (all.empty() ? "" : ", ") + string::to_string(one);
    return Add([allowed](const T& value) { return allowed.count(value) > 0; }, "one of ", all);
  }
  TypedAttrChecker& AddCustomChecker(std::function<void(const T&)> check) {
    checks_.push_back(std::move(check));
    return *this;
  }
  TypedAttrChecker& AsExtra() { return *this; }
  Attribute Other() const override { return Another(initial.Get<T>()); }
  void Check(const Attribute& value) const override {
    for (const auto& check : checks_) check(value.Get<T>(name));
  }

 private:
  template <typename Test, typename Bound>
  TypedAttrChecker& Add(Test fits, const char* relation, const Bound& bound) {
    const std::string wanted = relation + string::to_string(bound), attribute = name;
    return AddCustomChecker([fits, wanted, attribute](const T& value) {
      if (!fits(value)) {
        PADDLE_THROW(platform::errors::OutOfRange(
            "Attribute %s is expected to be %s, but received %s.", attribute, wanted, value));
      }
    });
  }
  std::vector<std::function<void(const T&)>> checks_;
};

struct SlotProto {
  std::string name, comment;
  uint32_t flags;
};
struct OpProto {
  std::string comment;
  std::vector<SlotProto> inputs, outputs;
  std::vector<std::shared_ptr<AttrChecker>> attrs;
};

class OpProtoAndCheckerMaker {
 public:
  virtual ~OpProtoAndCheckerMaker() {}
  virtual void Make() = 0;
  OpProto proto;

 protected:
  struct VariableBuilder {
    std::vector<SlotProto>* slots;
    size_t number;
    VariableBuilder& Mark(uint32_t flag) {
      (*slots)[number].flags |= flag;
      return *this;
    }
    VariableBuilder& AsDuplicable() { return Mark(PD_SLOT_LIST); }
    VariableBuilder& AsIntermediate() { return Mark(PD_SLOT_INTERMEDIATE | PD_SLOT_NO_GRADIENT); }
    VariableBuilder& AsDispensable() { return Mark(PD_SLOT_OPTIONAL); }
    VariableBuilder& AsExtra() { return *this; }
  };
  VariableBuilder AddInput(const std::string& name, const std::string& comment) {
    return AddSlot(&proto.inputs, name, comment);
  }
  VariableBuilder AddOutput(const std::string& name, const std::string& comment) {
    return AddSlot(&proto.outputs, name, comment);
  }
  template <typename T>
  TypedAttrChecker<T>& AddAttr(const std::string& name, const std::string& comment, bool = false) {
    for (const auto& other : proto.attrs) CheckNew(other->name, name);
    auto made = std::make_shared<TypedAttrChecker<T>>(name, comment);
    proto.attrs.push_back(made);
    return *made;
  }
  void AddComment(const std::string& comment) { proto.comment = comment; }

 private:
  VariableBuilder AddSlot(std::vector<SlotProto>* slots, const std::string& name,
                          const std::string& comment) {
    for (const SlotProto& other : *slots) CheckNew(other.name, name);
    slots->push_back(SlotProto{name, comment, 0});
    return VariableBuilder{slots, slots->size() - 1};
  }
  static void CheckNew(const std::string& other, const std::string& name) {
    PADDLE_ENFORCE_NE(other, name, platform::errors::AlreadyExists("%s is declared twice.", name));
  }
};

}  // namespace framework
}  // namespace paddle

#define BOOST_GET_CONST(type, value) (value).Get<type>()
