// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/train/gradient_parts.h"

#include <torch/torch.h>

namespace batchwise {

at::Tensor squaredGradientNorm(const std::vector<at::Tensor>& parameters) {
  const torch::NoGradGuard noGrad;
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& parameter : parameters) gradients.push_back(parameter.grad());
  return at::stack(at::_foreach_norm(gradients, 2)).to(at::kDouble).square().sum();
}

GradientParts::GradientParts(EncoderModel& model, Of parts)
    : model_(model), parts_(parts), sum_(at::zeros({}, at::TensorOptions(at::kDouble).device(model.device()))) {
  if (parts_ == Of::Samples) return;
  const auto& parameters = model.parameters();
  norms_ = at::zeros({std::ssize(parameters)}, sum_.options().dtype(at::kFloat));
  slots_ = norms_.unbind();
  for (std::size_t i = 0; i < parameters.size(); ++i)
    hooks_.push_back(parameters[i].tensor.register_hook([this, i](const at::Tensor& gradient) {
      if (watching_ && gradient.defined())
        at::linalg_vector_norm_out(slots_[i], gradient, 2, std::nullopt, false, std::nullopt);
    }));
}

GradientParts::~GradientParts() {
  for (std::size_t i = 0; i < hooks_.size(); ++i) model_.parameters()[i].tensor.remove_hook(hooks_[i]);
}

ExampleNorms* GradientParts::startPass(const MicroBatch& batch) {
  if (parts_ == Of::Samples) {
    examples_.begin(batch, model_.device());
    return &examples_;
  }
  norms_.zero_();
  watching_ = true;
  return nullptr;
}

// A part with the share p of the predicted tokens has 1 / p of the gradient that came from it, and weighs p.
void GradientParts::endPass(const MicroBatch& batch, std::int64_t predicted) {
  watching_ = false;
  if (batch.predicted() == 0) return;
  const torch::NoGradGuard noGrad;
  const auto whole = static_cast<double>(predicted);
  if (parts_ == Of::Samples) {
    sum_.add_((examples_.normSquared() / examples_.predicted().clamp_min(1)).sum(), whole);
  } else {
    sum_.add_(norms_.to(at::kDouble).square().sum(), whole / static_cast<double>(batch.predicted()));
  }
}

at::Tensor GradientParts::wholeNormSquared() const {
  return parts_ == Of::Samples ? squaredGradientNorm(model_.measuredNorms()) : at::Tensor();
}

}  // namespace batchwise
