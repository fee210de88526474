// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <utility>

namespace batchwise {

/// A plain value carried from forward to backward of an autograd function.
template <typename Value>
struct Held : torch::CustomClassHolder {
  explicit Held(Value given) : value(std::move(given)) {}
  Value value;
};

template <typename Value>
void hold(torch::autograd::AutogradContext* context, Value value) {
  context->saved_data["held"] = c10::IValue::make_capsule(c10::make_intrusive<Held<Value>>(std::move(value)));
}

template <typename Value>
const Value& held(torch::autograd::AutogradContext* context) {
  return static_cast<Held<Value>*>(context->saved_data["held"].toCapsule().get())->value;
}

}  // namespace batchwise
