// What is registered of an operator, and how it goes over the C interface.
#pragma once
#include <mutex>
#include "paddle/fluid/framework/grad_op_desc_maker.h"
#include "paddle/fluid/framework/var_type_inference.h"

namespace paddle {
namespace framework {

struct KernelInfo {
  int device;
  proto::VarType::Type type;
  LibraryType library;
  void (*run)(const ExecutionContext&);
};

class PD_HIDDEN OpInfo : public native::Entry {
 public:
  explicit OpInfo(const std::string& name) : name(name) {}

  // What REGISTER_OPERATOR and REGISTER_OP_..._KERNEL found in their classes.
  std::string name, problem;
  OperatorWithKernel* (*create)(const std::string&, const VariableNameMap&, const VariableNameMap&,
                                const AttributeMap&) = nullptr;
  std::unique_ptr<OpProtoAndCheckerMaker> maker;
  std::unique_ptr<GradMakerBase> (*grad)(const ForwardOp&) = nullptr;
  std::unique_ptr<VarTypeInference> infer_type;
  std::map<std::string, std::string> inplace;  // input -> output, or the other way round
  std::vector<std::string> no_buffer;
  std::vector<KernelInfo> kernels;

  const PD_Operator* describe() override;
  int32_t infer_shape(PD_Call* call) override;
  int32_t infer_dtype(PD_Call* call) override;
  int32_t call(PD_Call* call) override;

  static OpInfo& Get(const std::string& name) {
    OpInfo* found = Find(name);
    if (!found) {
      All().push_back(found = new OpInfo(name));
      native::entries().push_back(found);
    }
    return *found;
  }

 private:
  static std::vector<OpInfo*>& All() {
    static std::vector<OpInfo*> all;
    return all;
  }
  static OpInfo* Find(const std::string& name) {
    for (OpInfo* info : All()) {
      if (info->name == name) return info;
    }
    return nullptr;
  }
  const OpProto& Proto();
  const OpDesc* GradDesc();
  void BindSlots(const OpDesc::Slots& given, const std::vector<SlotProto>& slots,
                 const OpDesc& desc, std::unique_ptr<PD_Binding[]>* to);
  void DescribeGradient();
  void ProtoAsGradientOf(OpInfo* forward);
  OpDesc* MakeGradDesc(const AttributeMap& attrs);
  std::shared_ptr<OperatorWithKernel> NewOp(const PD_Call& call);
  std::shared_ptr<OperatorWithKernel> MakeOp(const PD_Call& call);
  const KernelInfo& Choose(const OpKernelType& wanted) const;
  [[noreturn]] void NoKernel(const OpKernelType& wanted) const;
  AttributeMap Defaults(bool other);
  void CheckNamed(const std::string& slot, const char* by) const;

  OpProto proto_;
  bool has_proto_ = false, busy_ = false, has_grad_desc_ = false;
  std::unique_ptr<OpDesc> grad_desc_;
  // What the description points to.
  PD_Operator told_ = PD_Operator();
  PD_Gradient gradient_ = PD_Gradient();
  std::unique_ptr<PD_Slot[]> slots_[2];
  std::unique_ptr<PD_Binding[]> bindings_[2];
  std::unique_ptr<PD_Attribute[]> attributes_;
  std::unique_ptr<const char*[]> extra_names_;
  std::unique_ptr<PD_Value[]> extra_values_;
  // The operator of the last call: the next one is mostly alike.
  std::mutex mutex_;
  std::string last_key_;
  std::shared_ptr<OperatorWithKernel> last_;
};

// ---------------------------------------------------------------- attributes

PADDLE_COLD_ inline Attribute FromAbi(const PD_Value& value) {
  const void* first = value.as.list;
  const size_t count = value.count;
  switch (value.type) {
    case PD_ATTR_BOOL: return Attribute(value.as.i != 0);
    case PD_ATTR_INT: return Attribute(static_cast<int>(value.as.i));
    case PD_ATTR_INT64: return Attribute(static_cast<int64_t>(value.as.i));
    case PD_ATTR_FLOAT: return Attribute(static_cast<float>(value.as.d));
    case PD_ATTR_DOUBLE: return Attribute(value.as.d);
    case PD_ATTR_STRING: return Attribute(std::string(value.as.s, count));
    case PD_ATTR_BOOLS: {
      std::vector<bool> bits(count);
      for (size_t i = 0; i < count; ++i) bits[i] = static_cast<const uint8_t*>(first)[i] != 0;
      return Attribute(bits);
    }
    case PD_ATTR_STRINGS: {
      std::vector<std::string> texts(count);
      const PD_String* from = static_cast<const PD_String*>(first);
      for (size_t i = 0; i < count; ++i) texts[i].assign(from[i].s, from[i].count);
      return Attribute(texts);
    }
#define PADDLE_LIST_(type, number)                                      \
  case number:                                                          \
    return Attribute(std::vector<type>(static_cast<const type*>(first), \
                                       static_cast<const type*>(first) + count));
      PADDLE_LIST_(int, PD_ATTR_INTS)
      PADDLE_LIST_(int64_t, PD_ATTR_INT64S)
      PADDLE_LIST_(float, PD_ATTR_FLOATS)
      PADDLE_LIST_(double, PD_ATTR_DOUBLES)
#undef PADDLE_LIST_
    default: return Attribute();
  }
}

// For the description of an operator: what is made here stays for ever.
PADDLE_COLD_ inline PD_Value ToAbi(const Attribute& value) {
  PD_Value made = PD_Value();
  made.type = value.number(), made.count = 1;
  switch (made.type) {
    case PD_ATTR_BOOL: made.as.i = value.Get<bool>(); break;
    case PD_ATTR_INT: made.as.i = value.Get<int>(); break;
    case PD_ATTR_INT64: made.as.i = value.Get<int64_t>(); break;
    case PD_ATTR_FLOAT: made.as.d = value.Get<float>(); break;
    case PD_ATTR_DOUBLE: made.as.d = value.Get<double>(); break;
    case PD_ATTR_STRING:
      made.as.s = value.Get<std::string>().c_str(), made.count = value.Get<std::string>().size();
      break;
    case PD_ATTR_BOOLS: {
      const std::vector<bool>& bits = value.Get<std::vector<bool>>();
      uint8_t* bytes = new uint8_t[bits.size() + 1];
      for (size_t i = 0; i < bits.size(); ++i) bytes[i] = bits[i];
      made.count = bits.size(), made.as.list = bytes;
      break;
    }
    case PD_ATTR_STRINGS: {
      const std::vector<std::string>& texts = value.Get<std::vector<std::string>>();
      PD_String* told = new PD_String[texts.size() + 1];
      for (size_t i = 0; i < texts.size(); ++i) {
        told[i] = PD_String{texts[i].c_str(), static_cast<int64_t>(texts[i].size())};
      }
      made.count = texts.size(), made.as.list = told;
      break;
    }
#define PADDLE_LIST_(type, number)                        \
  case number:                                            \
    made.count = value.Get<std::vector<type>>().size();   \
    made.as.list = value.Get<std::vector<type>>().data(); \
    break;
      PADDLE_LIST_(int, PD_ATTR_INTS)
      PADDLE_LIST_(int64_t, PD_ATTR_INT64S)
      PADDLE_LIST_(float, PD_ATTR_FLOATS)
      PADDLE_LIST_(double, PD_ATTR_DOUBLES)
#undef PADDLE_LIST_
  }
  return made;
}

// ---------------------------------------------------------------- the description

PADDLE_COLD_ inline AttributeMap OpInfo::Defaults(bool other) {
  AttributeMap all;
  for (const auto& attr : proto_.attrs) all[attr->name] = other ? attr->Other() : attr->initial;
  return all;
}

PADDLE_COLD_ inline OpDesc* OpInfo::MakeGradDesc(const AttributeMap& attrs) {
  std::vector<std::unique_ptr<OpDesc>> all = (*grad(ForwardOp{name, Proto(), attrs}))();
  PADDLE_ENFORCE_LE(all.size(), 1,
                    platform::errors::Unimplemented(
                        "The gradient maker of operator %s makes %d operators; one is "
                        "supported: register an operator that does their work.",
                        name, all.size()));
  return all.empty() ? nullptr : all[0].release();
}

PADDLE_COLD_ inline const OpDesc* OpInfo::GradDesc() {
  if (!has_grad_desc_ && grad) {
    Proto();
    grad_desc_.reset(MakeGradDesc(Defaults(false)));
    has_grad_desc_ = true;
  }
  return grad_desc_.get();
}

// A gradient operator has no maker: its inputs and outputs are what the maker of the gradient says.
PADDLE_COLD_ inline const OpProto& OpInfo::Proto() {
  if (has_proto_) return proto_;
  PADDLE_ENFORCE_EQ(problem, "", platform::errors::AlreadyExists("%s", problem));
  PADDLE_ENFORCE_NOT_NULL(
      create,
      platform::errors::NotFound("Operator %s has kernels, but REGISTER_OPERATOR(%s, ...) is not "
                                 "in this library.",
                                 name, name));
  if (maker) {
    maker->Make();
    proto_ = maker->proto, has_proto_ = true;
    return proto_;
  }
  busy_ = true;
  for (OpInfo* forward : All()) {
    if (forward->busy_ || forward == this) continue;
    const OpDesc* desc = forward->GradDesc();
    if (!desc || desc->Type() != name) continue;
    ProtoAsGradientOf(forward);
    break;
  }
  busy_ = false;
  PADDLE_ENFORCE_EQ(has_proto_, true,
                    platform::errors::NotFound(
                        "Operator %s has no maker: REGISTER_OPERATOR needs a class derived from "
                        "OpProtoAndCheckerMaker, but for the gradient of another operator.",
                        name));
  return proto_;
}

PADDLE_COLD_ inline void OpInfo::ProtoAsGradientOf(OpInfo* forward) {
  const OpDesc& desc = *forward->grad_desc_;
  const OpProto& from = forward->proto_;
  auto take = [&](const OpDesc::Slots& slots, std::vector<SlotProto>* to) {
    for (const auto& slot : slots) {
      uint32_t flags = slot.second.empty() ? PD_SLOT_OPTIONAL : 0;
      for (const std::string& variable : slot.second) {
        const bool input =
            variable.compare(0, 3, "in:") == 0 || variable.compare(0, 5, "d_in:") == 0;
        const std::string of = variable.substr(variable.find(':') + 1);
        for (const SlotProto& original : input ? from.inputs : from.outputs) {
          if (original.name == of) flags |= original.flags & (PD_SLOT_LIST | PD_SLOT_OPTIONAL);
        }
      }
      for (const std::string& one : no_buffer) {
        if (one == slot.first) flags |= PD_SLOT_NO_BUFFER;
      }
      to->push_back(SlotProto{slot.first, "", flags});
    }
  };
  take(desc.inputs(), &proto_.inputs);
  take(desc.outputs(), &proto_.outputs);
  for (const auto& attr : from.attrs) {
    if (desc.attrs().count(attr->name)) proto_.attrs.push_back(attr);
  }
  for (const auto& extra : desc.attrs()) {
    bool known = false;
    for (const auto& attr : from.attrs) known = known || attr->name == extra.first;
    if (!known) proto_.attrs.push_back(std::make_shared<FixedAttr>(extra.first, extra.second));
  }
  proto_.comment = "Computes the gradients of operator " + forward->name + ".";
  has_proto_ = true;
}

// Where the inputs, or the outputs, of the gradient operator come from.
PADDLE_COLD_ inline void OpInfo::BindSlots(const OpDesc::Slots& given,
                                           const std::vector<SlotProto>& slots, const OpDesc& desc,
                                           std::unique_ptr<PD_Binding[]>* to) {
  to->reset(new PD_Binding[slots.size() + 1]);
  for (size_t i = 0; i <= slots.size(); ++i) (*to)[i] = PD_Binding{PD_FROM_INPUT, -1};
  for (const auto& one : given) {
    size_t at = 0;
    while (at < slots.size() && slots[at].name != one.first) ++at;
    PADDLE_ENFORCE_LT(
        at, slots.size(),
        platform::errors::NotFound("The gradient maker of operator %s sets %s, which operator "
                                   "%s does not have.",
                                   name, one.first, desc.Type()));
    if (one.second.empty()) continue;
    PADDLE_ENFORCE_EQ(
        one.second.size(), 1,
        platform::errors::Unimplemented("The gradient maker of operator %s puts several "
                                        "variables into %s.",
                                        name, one.first));
    const std::string& variable = one.second[0];
    const std::string source = variable.substr(0, variable.find(':'));
    const bool input = source == "in" || source == "d_in";
    const std::vector<SlotProto>& all = input ? proto_.inputs : proto_.outputs;
    for (size_t i = 0; i < all.size(); ++i) {
      if (source + ":" + all[i].name != variable) continue;
      (*to)[at] = PD_Binding{input             ? PD_FROM_INPUT
                             : source == "out" ? PD_FROM_OUTPUT
                                               : PD_FROM_OUTPUT_GRADIENT,
                             static_cast<int32_t>(i)};
    }
  }
}

PADDLE_COLD_ inline void OpInfo::DescribeGradient() {
  const OpDesc* desc = GradDesc();
  if (!desc) return;
  OpInfo* target = Find(desc->Type());
  PADDLE_ENFORCE_NOT_NULL(
      target, platform::errors::NotFound(
                  "The gradient of operator %s is operator %s, which is not in this library.", name,
                  desc->Type()));
  BindSlots(desc->inputs(), target->Proto().inputs, *desc, &bindings_[0]);
  BindSlots(desc->outputs(), target->Proto().outputs, *desc, &bindings_[1]);
  // Attributes of the same name and value go on by themselves; what else was set does not change.
  const AttributeMap first = Defaults(false), second = Defaults(true);
  std::unique_ptr<OpDesc> again(MakeGradDesc(second));
  extra_names_.reset(new const char*[desc->attrs().size() + 1]);
  extra_values_.reset(new PD_Value[desc->attrs().size() + 1]);
  int32_t extras = 0;
  for (const auto& attr : desc->attrs()) {
    const auto now = again->attrs().find(attr.first);
    const bool there = now != again->attrs().end();
    const auto own = first.find(attr.first);
    if (own != first.end() && own->second == attr.second && there &&
        now->second == second.at(attr.first)) {
      continue;
    }
    PADDLE_ENFORCE_EQ(there && now->second == attr.second, true,
                      platform::errors::Unimplemented(
                          "The gradient maker of operator %s computes attribute %s from others; it "
                          "can hand attributes on and set constants. Let operator %s compute it.",
                          name, attr.first, desc->Type()));
    extra_names_[extras] = attr.first.c_str();
    extra_values_[extras++] = ToAbi(attr.second);
  }
  gradient_ = PD_Gradient{desc->Type().c_str(), bindings_[0].get(), bindings_[1].get(), extras,
                          extra_names_.get(),   extra_values_.get()};
  told_.gradient = &gradient_;
}

PADDLE_COLD_ inline void OpInfo::CheckNamed(const std::string& slot, const char* by) const {
  for (const auto* slots : {&proto_.inputs, &proto_.outputs}) {
    for (const SlotProto& one : *slots) {
      if (one.name == slot) return;
    }
  }
  PADDLE_THROW(
      platform::errors::NotFound("%s of operator %s names %s, which is neither an input nor an "
                                 "output of it.",
                                 by, name, slot));
}

PADDLE_COLD_ inline const PD_Operator* OpInfo::describe() {
  if (told_.name) return &told_;
  Proto();
  for (const auto& pair : inplace) {
    CheckNamed(pair.first, "DECLARE_INPLACE_OP_INFERER");
    CheckNamed(pair.second, "DECLARE_INPLACE_OP_INFERER");
  }
  for (const auto& slot : no_buffer) CheckNamed(slot, "DECLARE_NO_NEED_BUFFER_VARS_INFERER");
  for (int part = 0; part < 2; ++part) {
    const std::vector<SlotProto>& all = part ? proto_.outputs : proto_.inputs;
    slots_[part].reset(new PD_Slot[all.size() + 1]);
    for (size_t i = 0; i < all.size(); ++i) {
      slots_[part][i] = PD_Slot{all[i].name.c_str(), all[i].comment.c_str(), all[i].flags, -1};
    }
  }
  for (size_t in = 0; in < proto_.inputs.size(); ++in) {
    for (size_t out = 0; out < proto_.outputs.size(); ++out) {
      const auto found = inplace.find(proto_.inputs[in].name);
      if (found == inplace.end() || found->second != proto_.outputs[out].name) continue;
      slots_[1][out].inplace = static_cast<int32_t>(in);
      slots_[1][out].flags |= PD_SLOT_MAY_REUSE;
    }
  }
  attributes_.reset(new PD_Attribute[proto_.attrs.size() + 1]);
  for (size_t i = 0; i < proto_.attrs.size(); ++i) {
    const AttrChecker& attr = *proto_.attrs[i];
    attributes_[i] = PD_Attribute{attr.name.c_str(), attr.comment.c_str(), attr.number,
                                  attr.has_default, ToAbi(attr.initial)};
  }
  DescribeGradient();
  told_.doc = proto_.comment.c_str();
  told_.flags = PD_HAS_INFER_SHAPE | PD_OWN_LOD | (infer_type ? PD_HAS_INFER_DTYPE : 0);
  told_.input_count = static_cast<int32_t>(proto_.inputs.size()), told_.inputs = slots_[0].get();
  told_.output_count = static_cast<int32_t>(proto_.outputs.size()), told_.outputs = slots_[1].get();
  told_.attribute_count = static_cast<int32_t>(proto_.attrs.size());
  told_.attributes = attributes_.get();
  told_.name = name.c_str();
  return &told_;
}

// ---------------------------------------------------------------- a call

PADDLE_COLD_ inline std::shared_ptr<OperatorWithKernel> OpInfo::NewOp(const PD_Call& call) {
  VariableNameMap inputs, outputs;
  for (size_t i = 0; i < proto_.inputs.size(); ++i) {
    inputs[proto_.inputs[i].name].assign(call.input_counts[i], proto_.inputs[i].name);
  }
  for (size_t i = 0; i < proto_.outputs.size(); ++i) {
    outputs[proto_.outputs[i].name].assign(call.output_counts[i], proto_.outputs[i].name);
  }
  AttributeMap attrs;
  for (size_t i = 0; i < proto_.attrs.size(); ++i) {
    Attribute value = FromAbi(call.attributes[i]);
    proto_.attrs[i]->Check(value);
    attrs[proto_.attrs[i]->name] = value;
  }
  return std::shared_ptr<OperatorWithKernel>(create(name, inputs, outputs, attrs));
}

inline std::shared_ptr<OperatorWithKernel> OpInfo::MakeOp(const PD_Call& call) {
  std::string key(reinterpret_cast<const char*>(call.input_counts), 4 * proto_.inputs.size());
  key.append(reinterpret_cast<const char*>(call.output_counts), 4 * proto_.outputs.size());
  for (size_t i = 0; i < proto_.attrs.size(); ++i) {
    const PD_Value& value = call.attributes[i];
    static const int kBytes[] = {1, 4, 8, 4, 8};
    if (value.type < PD_ATTR_STRING) {
      key.append(reinterpret_cast<const char*>(&value.as), sizeof(value.as));
    } else if (value.type == PD_ATTR_STRING) {
      key.append(value.as.s, value.count).append(1, '\0');
    } else if (value.type < PD_ATTR_STRINGS) {
      key.append(static_cast<const char*>(value.as.list),
                 value.count * kBytes[value.type - PD_ATTR_BOOLS]);
      key.append(1, '\0').append(std::to_string(value.count));
    } else {
      const PD_String* texts = static_cast<const PD_String*>(value.as.list);
      for (int64_t j = 0; j < value.count; ++j)
        key.append(texts[j].s, texts[j].count).append(1, '\0');
    }
  }
  std::lock_guard<std::mutex> lock(mutex_);
  if (last_ && key == last_key_) return last_;
  last_ = NewOp(call);
  last_key_ = key;
  return last_;
}

PADDLE_COLD_ inline int32_t OpInfo::infer_shape(PD_Call* call) {
  auto op = MakeOp(*call);
  Bound bound(op.get(), proto_, *call, true);
  InferShapeContext context(&bound);
  op->InferShape(&context);
  int32_t total = 0;
  for (size_t i = 0; i < bound.outputs.size(); ++i) {
    call->output_counts[i] = static_cast<int32_t>(bound.outputs[i].tensors.size());
    total += call->output_counts[i];
  }
  PD_Tensor* to = total > call->output_count ? native::host()->room(call, total) : call->outputs;
  if (!to && total) throw std::bad_alloc();
  for (const BoundSlot& slot : bound.outputs) {
    for (const LoDTensor* tensor : slot.tensors) {
      if (tensor) {
        to->ndim = tensor->dims().size();
        std::copy(tensor->dims().Get(), tensor->dims().Get() + to->ndim, to->shape);
      }
      ++to;
    }
  }
  return PD_OK;
}

PADDLE_COLD_ inline int32_t OpInfo::infer_dtype(PD_Call* call) {
  auto op = MakeOp(*call);
  Bound bound(op.get(), proto_, *call, true);
  for (const BoundSlot& slot : bound.outputs) {
    for (LoDTensor* tensor : slot.tensors) {
      if (tensor && call->input_count) tensor->declare(bound.tensors[0].declared());
    }
  }
  InferVarTypeContext context(&bound);
  if (infer_type) (*infer_type)(&context);
  PD_Tensor* to = call->outputs;
  for (const BoundSlot& slot : bound.outputs) {
    for (const LoDTensor* tensor : slot.tensors) {
      if (tensor) to->dtype = ToAbi(tensor->declared());
      ++to;
    }
  }
  return PD_OK;
}

inline const KernelInfo& OpInfo::Choose(const OpKernelType& wanted) const {
  const KernelInfo* found = nullptr;
  for (const KernelInfo& kernel : kernels) {
    const bool fits = kernel.device == wanted.place_.abi().type && kernel.type == wanted.data_type_;
    if (fits && (!found || kernel.library == wanted.library_type_)) found = &kernel;
  }
  if (!found) NoKernel(wanted);
  return *found;
}

PADDLE_COLD_ inline void OpInfo::NoKernel(const OpKernelType& wanted) const {
  std::string all;
  for (const KernelInfo& kernel : kernels) {
    const bool cpu = platform::is_cpu_place(platform::Place(PD_Device{kernel.device, 0}));
    if (!all.empty()) all += ", ";
    all += DataTypeToString(kernel.type) + (cpu ? " on CPUPlace" : " on CUDAPlace");
  }
  throw native::Error(
      PD_NO_KERNEL,
      string::Sprintf("Operator %s does not have kernel for data_type[%s]:place[%s]. It "
                      "has kernels for: %s.",
                      name, DataTypeToString(wanted.data_type_), wanted.place_,
                      all.empty() ? "nothing" : all));
}

inline int32_t OpInfo::call(PD_Call* call) {
  auto op = MakeOp(*call);
  Bound bound(op.get(), proto_, *call, false);
  if (bound.TakeLod(*call)) {  // which output goes by the sequences of which input
    InferShapeContext context(&bound);
    op->InferShape(&context);
  }
  ExecutionContext context(bound);
  Choose(op->GetExpectedKernelType(context)).run(context);
  return bound.Give(call);
}

}  // namespace framework
}  // namespace paddle
