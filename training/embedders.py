"""Text to unit vectors, as the shipped model does it, for measuring."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from scipy.sparse import csr_matrix
from tokenizers import Tokenizer

from spelling import Encoder

MAX_TOKENS = 1024
SMALLEST_NORM = 1e-12


class Embedder(Protocol):
    """Unit vectors [n, d] f32 of texts; the zero vector where no token is known."""

    def embed(self, texts: Sequence[str]) -> np.ndarray: ...


def load_encoder(path: Path, frequent_words: int = 0) -> Encoder:
    """The encoder of a tokenizer file, cutting at ``MAX_TOKENS``."""
    return Encoder(Tokenizer.from_file(str(path)), frequent_words, MAX_TOKENS)


class TableEmbedder:
    """Sums rows of a float table."""

    def __init__(self, table: np.ndarray, encoder: Encoder) -> None:
        self._table, self._encoder = table.astype(np.float32), encoder

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        encoded = self._encoder.encode(list(texts))
        starts = np.concatenate(([0], np.cumsum([len(ids) for ids in encoded])))
        ids = np.concatenate([np.asarray(ids, dtype=np.int64) for ids in encoded])
        counts = csr_matrix((np.ones(len(ids), np.float32), ids, starts), shape=(len(texts), len(self._table)))
        sums = counts @ self._table
        return sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), SMALLEST_NORM)


class OnnxEmbedder:
    """Runs a model folder through onnxruntime, one text at a time."""

    def __init__(self, folder: Path) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(str(folder / "onnx" / "model.onnx"), options)
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self._encoder = load_encoder(folder / "tokenizer.json", config["sextant"].get("frequent_words", 0))

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        encoded = self._encoder.encode(list(texts))
        return np.concatenate([self.run(np.asarray([ids], dtype=np.int64)) for ids in encoded])

    def run(self, ids: np.ndarray) -> np.ndarray:
        """``sentence_embedding`` of token ids [batch, tokens]."""
        return self._session.run(["sentence_embedding"], {"input_ids": ids.reshape(len(ids), -1)})[0]


def load_table(folder: Path, tokenizer: Path, dimensions: int | None = None) -> TableEmbedder:
    """The float table of a training run, with the rows zeroed that the export zeroes; its leading dimensions, or all."""
    table = np.load(folder / "token-table.npy")[:, :dimensions]
    table[:2] = 0
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    return TableEmbedder(table, load_encoder(tokenizer, run.get("twins", {}).get("frequent_words", 0)))


def load_trial(folder: Path) -> TableEmbedder:
    """The reference embedder, as it is: a mean over all rows."""
    return TableEmbedder(np.load(folder / "token-table.f16.npy"), load_encoder(folder / "tokenizer.json"))
