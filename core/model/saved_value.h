// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <utility>

namespace batchwise {

/// A plain value passed from forward to backward of an autograd function.
template <typename Value>
struct SavedValue : torch::CustomClassHolder {
  explicit SavedValue(Value given) : value(std::move(given)) {}
  Value value;
};

template <typename Value>
void saveForBackward(torch::autograd::AutogradContext* context, Value value) {
  context->saved_data["held"] = c10::IValue::make_capsule(c10::make_intrusive<SavedValue<Value>>(std::move(value)));
}

template <typename Value>
const Value& savedForBackward(torch::autograd::AutogradContext* context) {
  return static_cast<SavedValue<Value>*>(context->saved_data["held"].toCapsule().get())->value;
}

}  // namespace batchwise
