// Operators in C++: what a kernel, its shapes and its registration need. See docs/custom_operators.md.
//
//   std::vector<paddle::Tensor> Forward(const paddle::Tensor& x, float alpha);
//   PD_BUILD_OP(scaled).Inputs({"X"}).Outputs({"Out"}).Attrs({"alpha: float"})
//       .SetKernelFn(PD_KERNEL(Forward));

#ifndef PADDLE_EXTENSION_H_
#define PADDLE_EXTENSION_H_

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "paddle/native/tensor.h"
#include "paddle/operators.h"

namespace paddle {

// ---------------------------------------------------------------- names of slots

inline std::string Grad(const std::string& name) { return name + "@GRAD"; }
inline std::string Vec(const std::string& name) { return name + "@VECTOR"; }
inline std::string New(const std::string& name) { return name + "@NEW"; }
inline std::string Optional(const std::string& name) { return name + "@OPTIONAL"; }

struct none_t {};
constexpr none_t none = none_t();

template <typename T>
class optional {
 public:
  optional() {}
  optional(none_t) {}                                         // NOLINT
  optional(const T& value) : has_(true), value_(value) {}     // NOLINT
  explicit operator bool() const { return has_; }
  bool has_value() const { return has_; }
  bool is_initialized() const { return has_; }
  const T& get() const { return *get_ptr(); }
  T& get() { return *get_ptr(); }
  const T& value() const { return get(); }
  const T& operator*() const { return get(); }
  T& operator*() { return get(); }
  const T* operator->() const { return get_ptr(); }
  T* operator->() { return get_ptr(); }
  const T* get_ptr() const { return has_ ? &value_ : nullptr; }
  T* get_ptr() { return has_ ? &value_ : nullptr; }

 private:
  bool has_ = false;
  T value_;
};

namespace native {

// ---------------------------------------------------------------- attributes

template <typename T>
struct AttributeOf {
  static constexpr int32_t type = 0;
};
#define PD_ATTRIBUTE_(T, number, read)                              \
  template <>                                                       \
  struct AttributeOf<T> {                                           \
    static constexpr int32_t type = number;                         \
    static T get(const PD_Value& v) { return read; }                \
  };
#define PD_ATTRIBUTE_LIST_(T, C, number)                            \
  PD_ATTRIBUTE_(std::vector<T>, number,                             \
                std::vector<T>(static_cast<const C*>(v.as.list),    \
                               static_cast<const C*>(v.as.list) + v.count))
PD_ATTRIBUTE_(bool, PD_ATTR_BOOL, v.as.i != 0)
PD_ATTRIBUTE_(int, PD_ATTR_INT, static_cast<int>(v.as.i))
PD_ATTRIBUTE_(int64_t, PD_ATTR_INT64, v.as.i)
PD_ATTRIBUTE_(float, PD_ATTR_FLOAT, static_cast<float>(v.as.d))
PD_ATTRIBUTE_(double, PD_ATTR_DOUBLE, v.as.d)
PD_ATTRIBUTE_(std::string, PD_ATTR_STRING, std::string(v.as.s, static_cast<size_t>(v.count)))
PD_ATTRIBUTE_LIST_(bool, uint8_t, PD_ATTR_BOOLS)
PD_ATTRIBUTE_LIST_(int, int32_t, PD_ATTR_INTS)
PD_ATTRIBUTE_LIST_(int64_t, int64_t, PD_ATTR_INT64S)
PD_ATTRIBUTE_LIST_(float, float, PD_ATTR_FLOATS)
PD_ATTRIBUTE_LIST_(double, double, PD_ATTR_DOUBLES)
template <>
struct AttributeOf<std::vector<std::string>> {
  static constexpr int32_t type = PD_ATTR_STRINGS;
  static std::vector<std::string> get(const PD_Value& v) {
    const PD_String* all = static_cast<const PD_String*>(v.as.list);
    std::vector<std::string> made;
    for (int64_t i = 0; i < v.count; ++i)
      made.emplace_back(all[i].s, static_cast<size_t>(all[i].count));
    return made;
  }
};

// The number of an attribute's type as it is declared: "float", "std::vector<int>".
inline int32_t attribute_type(const std::string& name) {
  const char* names[] = {"bool", "int", "int64_t", "float", "double", "std::string"};
  for (int32_t i = 0; i < 6; ++i) {
    if (name == names[i]) return i + 1;
    if (name == std::string("std::vector<") + names[i] + ">") return i + 7;
  }
  return 0;
}

// ---------------------------------------------------------------- arguments of functions

// What a function is called with: tensors, or their shapes or types, slot by slot, and attributes.
struct Arguments {
  PD_Call* call;
  size_t slots;
  std::vector<std::vector<Tensor>>* tensors;  // of kernels
  size_t lead;  // how many arguments come before the attributes

  const PD_Value& attribute(size_t argument) const { return call->attributes[argument - lead]; }
  int32_t first(size_t slot) const {
    int32_t before = 0;
    for (size_t i = 0; i < slot; ++i) before += call->input_counts[i];
    return before;
  }
  // Of a slot that is no list and may not be missing.
  int32_t only(size_t slot) const {
    if (!call->input_counts[slot])
      raise(PD_INVALID_ARGUMENT, "its input ", slot,
            " is missing, but its function takes no paddle::optional for it.");
    return first(slot);
  }
  std::vector<int64_t> shape(int32_t at) const {
    const PD_Tensor& t = call->inputs[at];
    return std::vector<int64_t>(t.shape, t.shape + (t.ndim > 0 ? t.ndim : 0));
  }
  DataType dtype(int32_t at) const { return type_of(call->inputs[at].dtype); }
};

template <typename T>
struct Argument {  // an attribute
  static_assert(AttributeOf<T>::type != 0,
                "an argument is a Tensor, a list of them, or of a type that attributes can have");
  static constexpr bool tensor = false;
  static constexpr int32_t type = AttributeOf<T>::type;
  static T get(const Arguments& from, size_t i) { return AttributeOf<T>::get(from.attribute(i)); }
};
#define PD_ARGUMENT_(Argument, T, Result, expression)                                         \
  template <>                                                                                 \
  struct Argument<T> {                                                                        \
    static constexpr bool tensor = true;                                                      \
    static constexpr int32_t type = AttributeOf<T>::type;                                     \
    static Result get(const Arguments& from, size_t i) { return expression; }                 \
  };
PD_ARGUMENT_(Argument, DataType, DataType, from.dtype(from.only(i)))

template <typename T, typename Read>
std::vector<T> each(const Arguments& from, size_t slot, Read read) {
  std::vector<T> made;
  const int32_t first = from.first(slot);
  for (int32_t i = 0; i < from.call->input_counts[slot]; ++i) made.push_back(read(first + i));
  return made;
}
using Shapes = std::vector<std::vector<int64_t>>;
PD_ARGUMENT_(Argument, std::vector<DataType>, std::vector<DataType>,
             each<DataType>(from, i, [&](int32_t at) { return from.dtype(at); }))
PD_ARGUMENT_(Argument, Shapes, Shapes,
             each<std::vector<int64_t>>(from, i, [&](int32_t at) { return from.shape(at); }))
// A shape, or behind the shapes an attribute of this type.
PD_ARGUMENT_(Argument, std::vector<int64_t>, std::vector<int64_t>,
             i < from.slots ? from.shape(from.only(i))
                            : AttributeOf<std::vector<int64_t>>::get(from.attribute(i)))

// Kernels get tensors by reference, so that what they change of one is seen.
template <typename T>
struct KernelArgument : Argument<T> {};
PD_ARGUMENT_(KernelArgument, Tensor, Tensor&, (from.only(i), (*from.tensors)[i][0]))
PD_ARGUMENT_(KernelArgument, std::vector<Tensor>, std::vector<Tensor>&, (*from.tensors)[i])

// Of an input that may be missing: a tensor or a list of them, their shapes or types.
#define PD_OPTIONAL_(Argument)                                                                \
  template <typename T>                                                                       \
  struct Argument<optional<T>> {                                                              \
    static constexpr bool tensor = true;                                                      \
    static constexpr int32_t type = 0;                                                        \
    static optional<T> get(const Arguments& from, size_t i) {                                 \
      return from.call->input_counts[i] ? optional<T>(Argument<T>::get(from, i)) : none;      \
    }                                                                                         \
  };
PD_OPTIONAL_(Argument)
PD_OPTIONAL_(KernelArgument)
template <>
struct KernelArgument<std::vector<int64_t>> {  // in a kernel it can only be an attribute
  static constexpr bool tensor = false;
  static constexpr int32_t type = PD_ATTR_INT64S;
  static std::vector<int64_t> get(const Arguments& from, size_t i) {
    return AttributeOf<std::vector<int64_t>>::get(from.attribute(i));
  }
};

// ---------------------------------------------------------------- functions

template <size_t... I>
struct Indices {};
template <size_t N, size_t... I>
struct IndicesTo : IndicesTo<N - 1, N - 1, I...> {};
template <size_t... I>
struct IndicesTo<0, I...> {
  using type = Indices<I...>;
};

template <typename T>
using Bare = typename std::remove_cv<typename std::remove_reference<T>::type>::type;

// What a function takes: something of a tensor, an attribute of this type, or either.
struct Taken {
  bool tensor;
  int32_t type;
};

// A function of the user's with its arguments told; `run` calls it.
template <typename Result>
struct Function {
  Result (*run)(const Arguments&) = nullptr;
  std::vector<Taken> arguments;
};

// How many arguments come before the attributes, for an operator with so many inputs.
inline size_t leading(const std::vector<Taken>& arguments, size_t inputs) {
  size_t lead = 0;
  while (lead < inputs && lead < arguments.size() && arguments[lead].tensor) ++lead;
  return lead;
}

template <template <typename> class Read, typename Result, typename F, F function>
struct Bound;
template <template <typename> class Read, typename Result, typename R, typename... A,
          R (*function)(A...)>
struct Bound<Read, Result, R (*)(A...), function> {
  static Function<Result> make() {
    Function<Result> made;
    made.run = run;
    made.arguments = {Taken{Read<Bare<A>>::tensor, Read<Bare<A>>::type}...};
    return made;
  }
  static Result run(const Arguments& from) {
    return call(from, typename IndicesTo<sizeof...(A)>::type(), std::is_void<R>());
  }
  template <size_t... I>
  static Result call(const Arguments& from, Indices<I...>, std::false_type) {
    (void)from;
    return function(Read<Bare<A>>::get(from, I)...);
  }
  template <size_t... I>
  static Result call(const Arguments& from, Indices<I...>, std::true_type) {
    function(Read<Bare<A>>::get(from, I)...);
    return Result();
  }
};

using KernelFunction = Function<std::vector<Tensor>>;
using ShapeFunction = Function<std::vector<std::vector<int64_t>>>;
using DtypeFunction = Function<std::vector<DataType>>;

// ---------------------------------------------------------------- an operator

class PD_HIDDEN Builder : public Entry {
 public:
  explicit Builder(const std::string& name) : name_(name) {}

  Builder& Inputs(std::vector<std::string> names) { return inputs_ = std::move(names), *this; }
  Builder& Outputs(std::vector<std::string> names) { return outputs_ = std::move(names), *this; }
  Builder& Attrs(std::vector<std::string> names) { return attributes_ = std::move(names), *this; }
  Builder& SetKernelFn(KernelFunction function) { return kernel_ = std::move(function), *this; }
  Builder& SetInferShapeFn(ShapeFunction function) { return shape_ = std::move(function), *this; }
  Builder& SetInferDtypeFn(DtypeFunction function) { return dtype_ = std::move(function), *this; }
  Builder& SetInplaceMap(const std::unordered_map<std::string, std::string>& pairs) {
    for (const auto& pair : pairs) inplace_[bare(pair.second)] = bare(pair.first);
    return *this;
  }

  const std::string& name() const { return name_; }
  const PD_Operator* describe() override;
  int32_t infer_shape(PD_Call* call) override;
  int32_t infer_dtype(PD_Call* call) override;
  int32_t call(PD_Call* call) override;

 private:
  static std::string bare(std::string name) {
    for (const char* mark : {"@VECTOR", "@OPTIONAL"}) {
      const size_t at = name.find(mark);
      if (at != std::string::npos) name.erase(at, std::string(mark).size());
    }
    return name;
  }
  void slots(const std::vector<std::string>& names, std::vector<std::string>* kept,
                       std::vector<PD_Slot>* made);
  void add_attributes();
  void check_function(const char* what, const std::vector<Taken>& arguments, bool all) const;
  void check_once(const std::vector<std::string>& names) const;
  Arguments arguments(PD_Call* call, const std::vector<Taken>& taken) const {
    return Arguments{call, made_in_.size(), nullptr, leading(taken, made_in_.size())};
  }
  bool listed(size_t output) const { return made_out_[output].flags & PD_SLOT_LIST; }
  size_t written() const;
  template <typename Values, typename Put>
  bool spread(PD_Call* call, const char* what, Values&& values, Put put);
  static bool same(const PD_Tensor& a, const PD_Tensor& b) {
    return a.data == b.data && a.ndim == b.ndim && a.dtype.code == b.dtype.code &&
           a.dtype.bits == b.dtype.bits && std::equal(a.shape, a.shape + a.ndim, b.shape);
  }
  static bool give(PD_Call* call, int32_t at, Tensor* tensor);
  bool give_written(PD_Call* call, std::vector<std::vector<Tensor>>* tensors);

  std::string name_, gradient_name_;
  std::vector<std::string> inputs_, outputs_, attributes_, in_names_, out_names_, attr_names_;
  std::unordered_map<std::string, std::string> inplace_;  // output -> input
  KernelFunction kernel_;
  ShapeFunction shape_;
  DtypeFunction dtype_;
  std::vector<PD_Slot> made_in_, made_out_;
  std::vector<PD_Attribute> made_attributes_;
  PD_Gradient gradient_ = PD_Gradient();
  PD_Operator made_ = PD_Operator();
};

PD_HIDDEN inline std::vector<Builder*>& builders() {
  static std::vector<Builder*> all;
  return all;
}

PD_HIDDEN inline Builder& build(const std::string& name) {
  Builder* made = new Builder(name);  // there for as long as the library
  builders().push_back(made);
  entries().push_back(made);
  return *made;
}

inline void Builder::slots(const std::vector<std::string>& names, std::vector<std::string>* kept,
                           std::vector<PD_Slot>* made) {
  for (const std::string& name : names) kept->push_back(bare(name));
  for (size_t i = 0; i < names.size(); ++i) {
    PD_Slot slot = {(*kept)[i].c_str(), nullptr, 0, -1};
    if (names[i].find("@VECTOR") != std::string::npos) slot.flags |= PD_SLOT_LIST;
    if (names[i].find("@OPTIONAL") != std::string::npos) slot.flags |= PD_SLOT_OPTIONAL;
    made->push_back(slot);
  }
}

inline void Builder::add_attributes() {
  for (const std::string& told : attributes_) {
    const size_t colon = told.find(':');
    std::string name = told.substr(0, colon);
    std::string type = colon == std::string::npos ? "" : told.substr(colon + 1);
    for (std::string* text : {&name, &type})
      text->erase(std::remove(text->begin(), text->end(), ' '), text->end());
    if (!attribute_type(type))
      raise(PD_INVALID_ARGUMENT, "operator ", name_, ": attribute \"", told,
            "\" is expected to be \"name: type\" with a type of bool, int, int64_t, float, double, "
            "std::string and std::vector of these.");
    attr_names_.push_back(name);
    PD_Attribute made = PD_Attribute();
    made.type = attribute_type(type);
    made_attributes_.push_back(made);
  }
  for (size_t i = 0; i < attr_names_.size(); ++i) made_attributes_[i].name = attr_names_[i].c_str();
}

// A kernel takes all inputs and attributes; other functions may leave out what comes last of each.
inline void Builder::check_function(const char* what, const std::vector<Taken>& arguments,
                                    bool all) const {
  const size_t lead = leading(arguments, inputs_.size()), rest = arguments.size() - lead;
  bool fits = all ? lead == inputs_.size() && rest == attributes_.size()
                  : rest <= attributes_.size();
  size_t tensors = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    tensors += arguments[i].tensor;
    fits = fits && (i < lead || arguments[i].type);
  }
  if (!fits)
    raise(PD_INVALID_ARGUMENT, "operator ", name_, " has ", inputs_.size(), " inputs and ",
          attributes_.size(), " attributes, but its ", what, " takes ", tensors, " and ",
          arguments.size() - tensors, ".");
  for (size_t i = 0; i < rest; ++i)
    if (arguments[lead + i].type != made_attributes_[i].type)
      raise(PD_INVALID_ARGUMENT, "operator ", name_, ": attribute \"", attributes_[i],
            "\" is not of the type that its ", what, " takes.");
}

inline void Builder::check_once(const std::vector<std::string>& names) const {
  for (size_t i = 0; i < names.size(); ++i)
    if (std::find(names.begin(), names.begin() + i, names[i]) != names.begin() + i)
      raise(PD_INVALID_ARGUMENT, "operator ", name_, " has ", names[i], " twice.");
}

inline const PD_Operator* Builder::describe() {
  slots(inputs_, &in_names_, &made_in_);
  slots(outputs_, &out_names_, &made_out_);
  for (const auto& pair : inplace_) {
    const auto out = std::find(out_names_.begin(), out_names_.end(), pair.first);
    const auto in = std::find(in_names_.begin(), in_names_.end(), pair.second);
    if (out == out_names_.end() || in == in_names_.end())
      raise(PD_INVALID_ARGUMENT, "operator ", name_, ": SetInplaceMap names ", pair.second, " and ",
            pair.first, ", which are not an input and an output of it.");
    made_out_[static_cast<size_t>(out - out_names_.begin())].inplace =
        static_cast<int32_t>(in - in_names_.begin());
  }
  add_attributes();
  if (!kernel_.run)
    raise(PD_INVALID_ARGUMENT, "operator ", name_, " has no kernel; SetKernelFn gives it one.");
  for (const auto* names : {&in_names_, &out_names_, &attr_names_}) check_once(*names);
  check_function("kernel", kernel_.arguments, true);
  check_function("InferShapeFn", shape_.arguments, false);
  check_function("InferDtypeFn", dtype_.arguments, false);
  made_.name = name_.c_str();
  made_.flags = (shape_.run ? PD_HAS_INFER_SHAPE : 0) | (dtype_.run ? PD_HAS_INFER_DTYPE : 0);
  made_.input_count = static_cast<int32_t>(made_in_.size());
  made_.inputs = made_in_.data();
  made_.output_count = static_cast<int32_t>(made_out_.size());
  made_.outputs = made_out_.data();
  made_.attribute_count = static_cast<int32_t>(made_attributes_.size());
  made_.attributes = made_attributes_.data();
  gradient_name_ = name_ + "_grad";
  for (const Builder* other : builders()) {
    if (other->name() != gradient_name_) continue;
    gradient_.name = gradient_name_.c_str();
    made_.gradient = &gradient_;
  }
  return &made_;
}

inline size_t Builder::written() const {
  size_t count = 0;
  for (const PD_Slot& slot : made_out_) count += slot.inplace >= 0;
  return count;
}

// Hands values out to outputs: one each, to a list what is left. Those that are written in place may
// be left out. Says whether there are as many as before.
template <typename Values, typename Put>
bool Builder::spread(PD_Call* call, const char* what, Values&& values, Put put) {
  const size_t slots = made_out_.size();
  const bool all = written() == 0 || values.size() >= slots;
  size_t single = 0, lists = 0;
  for (size_t i = 0; i < slots; ++i) {
    if (!all && made_out_[i].inplace >= 0) continue;
    (listed(i) ? lists : single) += 1;
  }
  if (values.size() < single || (!lists && values.size() != single) ||
      (lists > 1 && values.size() != static_cast<size_t>(call->output_count)))
    raise(PD_INVALID_ARGUMENT, "its ", what, " returned ", values.size(), " values for ", slots,
          " outputs", all ? "" : ", some of which are written in place", ".");
  bool same = true;
  int32_t total = 0;
  for (size_t i = 0; i < slots; ++i) {
    int32_t count = call->output_counts[i];
    if (listed(i) && lists == 1 && (all || made_out_[i].inplace < 0))
      count = static_cast<int32_t>(values.size() - single);
    else if (!listed(i))
      count = 1;
    same = same && count == call->output_counts[i];
    call->output_counts[i] = count;
    total += count;
  }
  if (total > call->output_count && !host()->room(call, total)) throw std::bad_alloc();
  size_t next = 0;
  int32_t at = 0;
  for (size_t i = 0; i < slots; ++i) {
    const bool filled = all || made_out_[i].inplace < 0;
    for (int32_t k = 0; k < call->output_counts[i]; ++k, ++at)
      if (filled) put(at, values[next++]);
  }
  return same;
}

inline int32_t Builder::infer_shape(PD_Call* call) {
  const Arguments from = arguments(call, shape_.arguments);
  spread(call, "InferShapeFn", shape_.run(from), [&](int32_t at, const std::vector<int64_t>& shape) {
    PD_Tensor& out = call->outputs[at];
    if (shape.size() > PD_MAX_RANK) raise(PD_INVALID_ARGUMENT, "more than 32 dimensions.");
    out.ndim = static_cast<int32_t>(shape.size());
    std::copy(shape.begin(), shape.end(), out.shape);
  });
  return PD_OK;
}

// One type each; a list takes what is left, the last one for all that follow.
inline int32_t Builder::infer_dtype(PD_Call* call) {
  const Arguments from = arguments(call, dtype_.arguments);
  const std::vector<DataType> types = dtype_.run(from);
  const bool all = written() == 0 || types.size() >= made_out_.size();
  size_t need = 0;
  for (size_t i = 0; i < made_out_.size(); ++i) need += all || made_out_[i].inplace < 0;
  if (types.size() < need)
    raise(PD_INVALID_ARGUMENT, "its InferDtypeFn returned ", types.size(), " types for ", need,
          " outputs.");
  const size_t spare = types.size() - need;
  size_t next = 0;
  int32_t at = 0;
  for (size_t i = 0; i < made_out_.size(); ++i) {
    const int32_t count = call->output_counts[i];
    const bool told = all || made_out_[i].inplace < 0;
    const size_t last = next + (listed(i) ? spare : 0);
    for (int32_t k = 0; k < count; ++k, ++at)
      if (told) call->outputs[at].dtype = code_of(types[std::min(next + static_cast<size_t>(k), last)]);
    if (told) next = last + 1;
  }
  return PD_OK;
}

// Makes a tensor an output; says whether it is another one than was offered.
inline bool Builder::give(PD_Call* call, int32_t at, Tensor* tensor) {
  PD_Tensor& out = call->outputs[at];
  const PD_Tensor now = tensor->view();
  if (now.handle && now.handle == out.handle && same(now, out)) return false;
  int64_t* sizes = out.shape;
  if (now.ndim > PD_MAX_RANK) raise(PD_INVALID_ARGUMENT, "more than 32 dimensions.");
  if (now.ndim > 0) std::copy(now.shape, now.shape + now.ndim, sizes);
  bool before = false;  // a handle that stands there twice is handed over once
  for (int32_t i = 0; i < at; ++i) before = before || call->outputs[i].handle == now.handle;
  out = now;
  out.shape = sizes;
  if (!before) tensor->hand_over();
  return true;
}

// An input that is written in place and is no output of the kernel's: whether the kernel has put
// another tensor there.
inline bool Builder::give_written(PD_Call* call, std::vector<std::vector<Tensor>>* tensors) {
  bool other = false;
  for (size_t slot = 0, at = 0; slot < made_out_.size(); ++slot)
    for (int32_t i = 0; i < call->output_counts[slot]; ++i, ++at) {
      if (made_out_[slot].inplace < 0) continue;
      std::vector<Tensor>& from = (*tensors)[static_cast<size_t>(made_out_[slot].inplace)];
      if (static_cast<size_t>(i) >= from.size()) continue;
      PD_Tensor now = from[static_cast<size_t>(i)].view();
      const PD_Tensor& out = call->outputs[at];
      if (!same(now, out)) other = give(call, static_cast<int32_t>(at), &from[i]) || other;
    }
  return other;
}

inline int32_t Builder::call(PD_Call* call) {
  std::vector<std::vector<Tensor>> tensors(made_in_.size());
  for (int32_t slot = 0, at = 0; slot < made_.input_count; ++slot)
    for (int32_t i = 0; i < call->input_counts[slot]; ++i)
      tensors[static_cast<size_t>(slot)].emplace_back(call->inputs[at++]);
  Offers& state = offers();
  struct Restore {  // one operator may call another; the room for bodies stays
    Offers& place;
    PD_Call* call;
    uint64_t taken;
    size_t bodies;
    ~Restore() {
      place.call = call;
      place.taken = taken;
      place.bodies.resize(bodies);
    }
  } restore = {state, state.call, state.taken, state.bodies.size()};
  state.call = call;
  state.taken = 0;
  for (int32_t slot = 0, at = 0; slot < made_.output_count; ++slot)
    for (int32_t i = 0; i < call->output_counts[slot]; ++i, ++at)
      if (made_out_[static_cast<size_t>(slot)].inplace >= 0 && at < 64)
        state.taken |= uint64_t(1) << at;
  Arguments from = arguments(call, kernel_.arguments);
  from.tensors = &tensors;
  const auto settle = [&] {  // what the kernel keeps in static variables
    Tensor::keep_all(state.bodies, restore.bodies);
    for (const std::vector<Tensor>& slot : tensors)
      for (const Tensor& tensor : slot) tensor.keep();
  };
  bool other = false;
  try {
    std::vector<Tensor> made = kernel_.run(from);
    const bool counts = spread(call, "kernel", made, [&](int32_t at, Tensor& tensor) {
      other = give(call, at, &tensor) || other;
    });
    other = other || !counts;
    if (written() && made.size() < made_out_.size()) other = give_written(call, &tensors) || other;
  } catch (...) {
    settle();
    throw;
  }
  settle();
  return other ? PD_OTHER_OUTPUTS : PD_OK;
}

}  // namespace native

namespace experimental {  // where sources of 2.3 look for Tensor, DataType and the like
using namespace ::paddle;  // NOLINT
}
}  // namespace paddle

namespace phi {  // and those of 2.4: phi::DataType, phi::dtype::float16
using namespace ::paddle;  // NOLINT
namespace dtype {
using namespace ::paddle;  // NOLINT
}
}  // namespace phi

// ---------------------------------------------------------------- registration

#define PD_KERNEL(...)                                                                          \
  (::paddle::native::Bound<::paddle::native::KernelArgument, std::vector<::paddle::Tensor>,     \
                           decltype(&__VA_ARGS__), &__VA_ARGS__>::make())
#define PD_INFER_SHAPE(...)                                                                     \
  (::paddle::native::Bound<::paddle::native::Argument, std::vector<std::vector<int64_t>>,       \
                           decltype(&__VA_ARGS__), &__VA_ARGS__>::make())
#define PD_INFER_DTYPE(...)                                                                     \
  (::paddle::native::Bound<::paddle::native::Argument, std::vector<::paddle::DataType>,         \
                           decltype(&__VA_ARGS__), &__VA_ARGS__>::make())

#define PD_REGISTER_(variable, name)                                     \
  __attribute__((unused)) static ::paddle::native::Builder& variable = \
      ::paddle::native::build(name)
#define PD_BUILD_OP(name) PD_REGISTER_(pd_operator_##name, #name)
#define PD_BUILD_GRAD_OP(name) PD_REGISTER_(pd_gradient_##name, #name "_grad")
#define PD_BUILD_DOUBLE_GRAD_OP(name) PD_REGISTER_(pd_gradient2_##name, #name "_grad_grad")

// ---------------------------------------------------------------- dispatch by data type

#define PD_IF_TYPE_(E, T, ...)                    \
  case ::paddle::DataType::E: {                   \
    using data_t = T;                             \
    return __VA_ARGS__();                         \
  }
#define PD_FLOATING_(...) \
  PD_IF_TYPE_(FLOAT32, float, __VA_ARGS__) PD_IF_TYPE_(FLOAT64, double, __VA_ARGS__)
#define PD_HALF_(...)                                     \
  PD_IF_TYPE_(FLOAT16, ::paddle::float16, __VA_ARGS__)    \
  PD_IF_TYPE_(BFLOAT16, ::paddle::bfloat16, __VA_ARGS__)
#define PD_INTEGRAL_(...)                                                               \
  PD_IF_TYPE_(INT32, int, __VA_ARGS__) PD_IF_TYPE_(INT64, int64_t, __VA_ARGS__)         \
  PD_IF_TYPE_(INT8, int8_t, __VA_ARGS__) PD_IF_TYPE_(UINT8, uint8_t, __VA_ARGS__)       \
  PD_IF_TYPE_(INT16, int16_t, __VA_ARGS__)
#define PD_COMPLEX_(...)                                       \
  PD_IF_TYPE_(COMPLEX64, ::paddle::complex64, __VA_ARGS__)     \
  PD_IF_TYPE_(COMPLEX128, ::paddle::complex128, __VA_ARGS__)
#define PD_SWITCH_(TYPE, NAME, THERE, CASES)                                                   \
  [&] {                                                                                        \
    const ::paddle::DataType pd_type = TYPE;                                                   \
    switch (pd_type) {                                                                         \
      CASES                                                                                    \
      default:                                                                                 \
        ::paddle::native::raise(PD_NO_KERNEL, NAME, " has no kernel for ",                     \
                                ::paddle::native::name_of(pd_type), "; there are ", THERE,     \
                                ".");                                                          \
    }                                                                                          \
  }()

#define PD_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) \
  PD_SWITCH_(TYPE, NAME, "float32, float64", PD_FLOATING_(__VA_ARGS__))
#define PD_DISPATCH_FLOATING_AND_HALF_TYPES(TYPE, NAME, ...) \
  PD_SWITCH_(TYPE, NAME, "float32, float64, float16, bfloat16", \
             PD_FLOATING_(__VA_ARGS__) PD_HALF_(__VA_ARGS__))
#define PD_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) \
  PD_SWITCH_(TYPE, NAME, "int32, int64, int8, uint8, int16", PD_INTEGRAL_(__VA_ARGS__))
#define PD_DISPATCH_COMPLEX_TYPES(TYPE, NAME, ...) \
  PD_SWITCH_(TYPE, NAME, "complex64, complex128", PD_COMPLEX_(__VA_ARGS__))
#define PD_DISPATCH_FLOATING_AND_INTEGRAL_TYPES(TYPE, NAME, ...) \
  PD_SWITCH_(TYPE, NAME, "float32, float64, int32, int64, int8, uint8, int16", \
             PD_FLOATING_(__VA_ARGS__) PD_INTEGRAL_(__VA_ARGS__))
#define PD_DISPATCH_FLOATING_AND_COMPLEX_TYPES(TYPE, NAME, ...) \
  PD_SWITCH_(TYPE, NAME, "float32, float64, complex64, complex128", \
             PD_FLOATING_(__VA_ARGS__) PD_COMPLEX_(__VA_ARGS__))
#define PD_DISPATCH_FLOATING_AND_INTEGRAL_AND_COMPLEX_TYPES(TYPE, NAME, ...) \
  PD_SWITCH_(TYPE, NAME, "float32, float64, int32, int64, int8, uint8, int16, complex64, complex128", \
             PD_FLOATING_(__VA_ARGS__) PD_INTEGRAL_(__VA_ARGS__) PD_COMPLEX_(__VA_ARGS__))
// Beside these, one or two types named by their DataType: FLOAT16, BOOL.
#define PD_NAMED_(E, ...)                                                              \
  case E: {                                                                            \
    using data_t = ::paddle::native::CppType<E>::type;                                 \
    return __VA_ARGS__();                                                              \
  }
#define PD_DISPATCH_FLOATING_AND_COMPLEX_AND_1_TYPE(E1, TYPE, NAME, ...) \
  PD_SWITCH_(TYPE, NAME, "float32, float64, complex64, complex128 and more", \
             PD_FLOATING_(__VA_ARGS__) PD_COMPLEX_(__VA_ARGS__)          \
             PD_NAMED_(::paddle::DataType::E1, __VA_ARGS__))
#define PD_DISPATCH_FLOATING_AND_COMPLEX_AND_2_TYPES(E1, E2, TYPE, NAME, ...) \
  PD_SWITCH_(TYPE, NAME, "float32, float64, complex64, complex128 and more", \
             PD_FLOATING_(__VA_ARGS__) PD_COMPLEX_(__VA_ARGS__)               \
             PD_NAMED_(::paddle::DataType::E1, __VA_ARGS__)                   \
             PD_NAMED_(::paddle::DataType::E2, __VA_ARGS__))

#endif  // PADDLE_EXTENSION_H_
