# SPDX-License-Identifier: GPL-3.0-or-later
"""NeoBERT (Le Breton et al. 2025) in plain PyTorch, written from the paper's formulas and the layout of its published
weights, because transformers has no such model: the judge of the family. Attention is written out, positions are turned
as complex numbers (Su et al. 2021, section 3.4.2), and nothing is fused."""
import json
import math
import pathlib
import types

import torch
from safetensors.torch import save_file
from torch import nn


class RmsNorm(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, rows):
        return self.weight * rows / (rows.square().mean(-1, keepdim=True) + self.eps).sqrt()


def turned(rows, theta):
    """Rotates features 2i and 2i + 1 of [sequence, token, head, feature] by token / theta^(2i / features)."""
    tokens, features = rows.shape[1], rows.shape[3]
    frequencies = theta ** (-torch.arange(0, features, 2, dtype=torch.float64) / features)
    angles = torch.arange(tokens, dtype=torch.float64)[:, None] * frequencies
    turns = torch.polar(torch.ones_like(angles), angles).to(torch.complex64)
    pairs = torch.view_as_complex(rows.unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * turns[None, :, None, :]).flatten(-2)


class SwiGlu(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.w12 = nn.Linear(width, 2 * inner, bias=False)  # the gate, then what it multiplies
        self.w3 = nn.Linear(inner, width, bias=False)

    def forward(self, rows):
        gate, linear = self.w12(rows).chunk(2, dim=-1)
        return self.w3(gate * torch.sigmoid(gate) * linear)


class Layer(nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config.hidden_size
        inner = 8 * math.ceil(int(2 * config.intermediate_size / 3) / 8)
        self.heads, self.theta = config.num_attention_heads, config.rope_theta
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.wo = nn.Linear(width, width, bias=False)
        self.ffn = SwiGlu(width, inner)
        self.attention_norm = RmsNorm(width, config.norm_eps)
        self.ffn_norm = RmsNorm(width, config.norm_eps)

    def attention(self, rows, hidden):
        # Features of a head: its query, its key, its value.
        query, key, value = self.qkv(rows).unflatten(-1, (self.heads, -1)).chunk(3, dim=-1)
        query, key = turned(query, self.theta), turned(key, self.theta)
        scores = torch.einsum("sqhf,skhf->shqk", query, key) / math.sqrt(query.shape[-1])
        weights = scores.masked_fill(hidden[:, None, None, :], -math.inf).softmax(-1)
        return self.wo(torch.einsum("shqk,skhf->sqhf", weights, value).flatten(2))

    def forward(self, rows, hidden):
        rows = rows + self.attention(self.attention_norm(rows), hidden)
        return rows + self.ffn(self.ffn_norm(rows))


class Encoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.encoder = nn.Embedding(config.vocab_size, config.hidden_size)
        self.transformer_encoder = nn.ModuleList(Layer(config) for _ in range(config.num_hidden_layers))
        self.layer_norm = RmsNorm(config.hidden_size, config.norm_eps)

    def forward(self, ids, hidden):
        rows = self.encoder(ids)
        for layer in self.transformer_encoder:
            rows = layer(rows, hidden)
        return self.layer_norm(rows)


class NeoBert(nn.Module):
    """The masked language model, with the parts of a transformers model that the tests use."""

    def __init__(self, **sizes):
        super().__init__()
        self.config = types.SimpleNamespace(
            **{"norm_eps": 1e-6, "rope_theta": 10000.0, "pad_token_id": 0, "tie_word_embeddings": False, **sizes})
        self.model = Encoder(self.config)
        self.decoder = nn.Linear(self.config.hidden_size, self.config.vocab_size)

    def forward(self, input_ids, attention_mask, labels):
        logits = self.decoder(self.model(input_ids, attention_mask == 0))
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())
        return types.SimpleNamespace(loss=loss, logits=logits)

    def save_pretrained(self, folder):
        folder = pathlib.Path(folder)
        folder.mkdir(exist_ok=True)
        config = {"model_type": "neobert", "architectures": ["NeoBERTLMHead"], "hidden_act": "SwiGLU", "rope": True,
                  "rms_norm": True, "max_length": 512, **vars(self.config)}
        if config["rope_theta"] == 10000.0:
            del config["rope_theta"]  # fixed in the published code
        (folder / "config.json").write_text(json.dumps(config))
        save_file({name: tensor.contiguous() for name, tensor in self.state_dict().items()},
                  str(folder / "model.safetensors"))
