"""spaCy's word-vector network without the layers around its arithmetic.

The small English model spends most of its time in one network that it runs twice, for tags and for names: a hashed
embedding and four windowed convolutions (Maxout, LayerNorm, residual). On one question of fifteen words the arithmetic
is a fifth of what thinc's nested layers cost. Here the same weights go through the same arithmetic in a dozen NumPy
calls a layer, so tags and names stay the same; a network of another shape is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from spacy.language import Language
from spacy.tokens import Doc
from thinc.api import Model

from services.perception.adapters.lean_imports import one_blas_thread

Floats = NDArray[np.float32]
_EMBED = ("ints-getitem", "hashembed")
_MAXOUT = ("maxout", "layernorm", "dropout")
_CONVOLUTION = ("expand_window", *_MAXOUT)
_PROBE = "Which A320neo bulletins did Airbus, in Toulouse, replace after 3 May 2024?"
# Sums in another order differ in the last digits.
_TOLERANCE = 1e-3
_EPSILON = 1e-08


@dataclass(frozen=True, slots=True)
class _Maxout:
    """The largest of ``pieces`` linear maps, normalised. ``weights`` is (inputs, pieces x outputs)."""

    weights: Floats
    bias: Floats
    pieces: int
    gain: Floats
    shift: Floats
    multiply: Callable[[Floats, Floats], Floats]

    def __call__(self, rows: Floats) -> Floats:
        sums = self.multiply(rows, self.weights)
        sums += self.bias
        width = len(self.gain)
        best: Floats = sums[:, :width]
        for piece in range(1, self.pieces):
            best = np.maximum(best, sums[:, piece * width : (piece + 1) * width])
        best = best - best.mean(axis=1, keepdims=True)
        spread: Floats = np.einsum("ij,ij->i", best, best)
        spread /= width
        spread += _EPSILON
        best /= np.sqrt(spread)[:, None]
        best *= self.gain
        best += self.shift
        return best


@dataclass(frozen=True, slots=True)
class FlatNetwork:
    """Vectors of a text's words: (words, width). ``tables`` are (rows, seed) of the hashed embeddings by column."""

    columns: tuple[str | int, ...]
    tables: tuple[tuple[Floats, int], ...]
    mix: _Maxout
    convolutions: tuple[_Maxout, ...]
    ops: Any

    def __call__(self, doc: Doc) -> Floats:
        features = np.ascontiguousarray(doc.to_array(list(self.columns)).T, dtype=np.uint64)
        words, width, depth = features.shape[1], len(self.mix.gain), len(self.convolutions)
        embedded = np.empty((words, width * len(self.tables)), dtype=np.float32)
        for place, (table, seed) in enumerate(self.tables):
            keys = self.ops.hash(features[place], seed) % len(table)
            embedded[:, place * width : (place + 1) * width] = self.ops.gather_add(table, keys)
        # A row of zeros for each convolution stands before and behind the text.
        rows = np.zeros((words + 2 * depth, width), dtype=np.float32)
        rows[depth : depth + words] = self.mix(embedded)
        window = np.zeros((len(rows), 3 * width), dtype=np.float32)
        for convolution in self.convolutions:
            window[1:, :width] = rows[:-1]
            window[:, width : 2 * width] = rows
            window[:-1, 2 * width :] = rows[1:]
            rows = rows + convolution(window)
        return np.ascontiguousarray(rows[depth : depth + words])


def flatten_networks(nlp: Language) -> int:
    """Replaces the networks of ``nlp`` that have the known shape; how many those were."""
    probe = nlp.make_doc(_PROBE)
    replaced = 0
    for _, component in nlp.pipeline:
        pipe: Any = component
        model = getattr(pipe, "model", None)
        if not isinstance(model, Model):
            continue
        for node in list(model.walk()):
            flat = _flat(node)
            if flat is None or not _agrees(node, flat, probe):
                continue
            if node is model:
                pipe.model = _as_model(node, flat)
            else:
                model.replace_node(node, _as_model(node, flat))
            replaced += 1
            break
    return replaced


def _as_model(node: Model[Any, Any], flat: FlatNetwork) -> Model[Any, Any]:
    def forward(
        model: Model[Any, Any], docs: Sequence[Doc], is_train: bool
    ) -> tuple[list[Floats], Callable[[Any], Any]]:
        return [flat(doc) for doc in docs], lambda gradient: gradient

    return Model("flat_network", forward, dims={"nO": node.get_dim("nO")}, ops=node.ops)


def _agrees(node: Model[Any, Any], flat: FlatNetwork, probe: Doc) -> bool:
    theirs = node.predict([probe])[0]
    own = flat(probe)
    return theirs.shape == own.shape and bool(np.allclose(theirs, own, atol=_TOLERANCE))


def _flat(node: Model[Any, Any]) -> FlatNetwork | None:
    """The network that ``node`` is, None if its layers are not the known ones in the known order."""
    if "nO" not in node.dim_names or node.has_dim("nO") is not True:
        return None
    leaves = list(_leaves(node))
    names = [leaf.name for leaf in leaves]
    if names[:2] != ["extract_features", "list2ragged"]:
        return None
    at = 2
    tables: list[tuple[Any, int]] = []
    while tuple(names[at : at + 2]) == _EMBED:
        embed = leaves[at + 1]
        tables.append((embed.get_param("E"), int(embed.attrs["seed"])))
        at += 2
    if tuple(names[at : at + 4]) != (*_MAXOUT, "ragged2list"):
        return None
    multiply: Any = np.matmul if one_blas_thread() else node.ops.gemm
    mix = _maxout(leaves[at], leaves[at + 1], multiply)
    at += 4
    convolutions: list[_Maxout] = []
    while tuple(names[at : at + 4]) == _CONVOLUTION and leaves[at].attrs["window_size"] == 1:
        convolutions.append(_maxout(leaves[at + 1], leaves[at + 2], multiply))
        at += 4
    if at != len(leaves) or not tables or not convolutions:
        return None
    columns = leaves[0].attrs["columns"]
    return FlatNetwork(tuple(columns), tuple(tables), mix, tuple(convolutions), node.ops)


def _leaves(node: Model[Any, Any]) -> Iterator[Model[Any, Any]]:
    if not node.layers:
        yield node
    for layer in node.layers:
        yield from _leaves(layer)


def _maxout(maxout: Model[Any, Any], norm: Model[Any, Any], multiply: Callable[[Floats, Floats], Floats]) -> _Maxout:
    outputs, pieces, inputs = (maxout.get_dim(name) for name in ("nO", "nP", "nI"))
    weights = np.asarray(maxout.get_param("W")).reshape(outputs, pieces, inputs)
    bias = np.asarray(maxout.get_param("b")).reshape(outputs, pieces)
    return _Maxout(
        np.ascontiguousarray(weights.transpose(2, 1, 0).reshape(inputs, pieces * outputs)),
        np.ascontiguousarray(bias.T.reshape(-1)),
        pieces,
        np.asarray(norm.get_param("G")),
        np.asarray(norm.get_param("b")),
        multiply,
    )
