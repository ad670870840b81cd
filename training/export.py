"""Write a trained table as a Hugging Face folder: ONNX with int8 rows, tokenizer and configuration.

    python export.py --table .work/shipped/token-table.npy --tokenizer .work/tokenizer.json --out ../models/sextant-static-v1

The graph has one input, ``input_ids`` int64 [batch, tokens], and needs no attention mask: the [PAD] row is zero and the
sum of the rows is what is normalised. Outputs: ``sentence_embedding`` f32 [batch, d], unit norm, or the zero vector
where no token is known; ``last_hidden_state`` f32 [batch, tokens, d], the rows, so that mean pooling followed by
normalisation, as feature-extraction pipelines do it, gives the same vector.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

MAX_TOKENS = 1024
OPSET, IR_VERSION = 17, 9


# Half of what is trained: the loss keeps the leading half useful on its own, and it costs half the search.
DIMENSIONS = 128


def quantise(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """int8 rows [n, d] and a scale [n] per row, the largest magnitude of a row at ±127; zero rows stay zero."""
    scales = np.abs(table).max(axis=1) / 127
    rows = np.round(table / np.where(scales > 0, scales, 1)[:, None])
    return rows.astype(np.int8), scales.astype(np.float32)


def build_onnx(table: np.ndarray) -> onnx.ModelProto:
    """The graph. The sum over tokens is one product, scales [1, t] × rows [t, d], which is faster than scaling first."""
    rows, scales = quantise(table)
    dimensions = table.shape[1]
    constants = [
        numpy_helper.from_array(rows, "rows"),
        numpy_helper.from_array(scales, "scales"),
        numpy_helper.from_array(np.array(1e-12, np.float32), "smallest_norm"),
        numpy_helper.from_array(np.array([1], np.int64), "axis_1"),
        numpy_helper.from_array(np.array([2], np.int64), "axis_2"),
    ]
    node = helper.make_node
    nodes = [
        node("Gather", ["rows", "input_ids"], ["row_codes"]),
        node("Cast", ["row_codes"], ["row_values"], to=TensorProto.FLOAT),
        node("Gather", ["scales", "input_ids"], ["token_scales"]),
        node("Unsqueeze", ["token_scales", "axis_2"], ["column_scales"]),
        node("Mul", ["row_values", "column_scales"], ["last_hidden_state"]),
        node("Unsqueeze", ["token_scales", "axis_1"], ["line_scales"]),
        node("MatMul", ["line_scales", "row_values"], ["line_sum"]),
        node("Squeeze", ["line_sum", "axis_1"], ["sum"]),
        node("ReduceL2", ["sum"], ["norm"], axes=[-1], keepdims=1),
        node("Max", ["norm", "smallest_norm"], ["safe_norm"]),
        node("Div", ["sum", "safe_norm"], ["sentence_embedding"]),
    ]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes,
        "sextant-static",
        [value("input_ids", TensorProto.INT64, ["batch", "tokens"])],
        [
            value("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", dimensions]),
            value("sentence_embedding", TensorProto.FLOAT, ["batch", dimensions]),
        ],
        constants,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
    model.producer_name = "sextant"
    onnx.checker.check_model(model, full_check=True)
    return model


def training_facts(run: dict[str, object]) -> dict[str, object]:
    """Which prompts of which outcome sets were trained on, as ``bench/quality`` reads it."""
    return {"split_seed": run["split"], "part": run["routing_part"], "sets": list(run["routing_prompts_per_set"])}


def model_config(table: np.ndarray, run: dict[str, object] | None) -> dict[str, object]:
    """``config.json``: what feature-extraction loaders need, and blocks of our own.

    ``frequent_words``, where it is, says that mistyped words are taken for others (``spelling.py``) before they are looked up.
    ``training`` says which prompts the table has seen, so that nobody measures it on those by mistake.
    """
    training = {} if run is None else {"training": training_facts(run)}
    frequent = {} if run is None or "twins" not in run else {"frequent_words": run["twins"]["frequent_words"]}
    return {
        "model_type": "bert",
        "architectures": ["BertModel"],
        "hidden_size": int(table.shape[1]),
        "vocab_size": int(table.shape[0]),
        "max_position_embeddings": MAX_TOKENS,
        "pad_token_id": 0,
        "sextant": {"pooling": "sum", "normalize": True, "max_tokens": MAX_TOKENS, **frequent, "version": 1},
        **training,
    }


def tokenizer_config() -> dict[str, object]:
    """``tokenizer_config.json``."""
    return {
        "tokenizer_class": "BertTokenizer",
        "do_lower_case": True,
        "strip_accents": True,
        "tokenize_chinese_chars": True,
        "model_max_length": MAX_TOKENS,
        "pad_token": "[PAD]",
        "unk_token": "[UNK]",
        "clean_up_tokenization_spaces": False,
    }


def export(table: np.ndarray, tokenizer: Path, out: Path, *, run: dict[str, object] | None = None) -> None:
    """Write the folder. The [PAD] and [UNK] rows are set to zero: what is not known says nothing."""
    table = table.astype(np.float32)
    table[:2] = 0
    (out / "onnx").mkdir(parents=True, exist_ok=True)
    onnx.save_model(build_onnx(table), out / "onnx" / "model.onnx")
    shutil.copyfile(tokenizer, out / "tokenizer.json")
    for name, content in (("config.json", model_config(table, run)), ("tokenizer_config.json", tokenizer_config())):
        (out / name).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", type=Path, required=True, help="token table, .npy [vocabulary, dimensions]")
    parser.add_argument("--tokenizer", type=Path, required=True, help="tokenizer.json")
    parser.add_argument("--out", type=Path, required=True, help="folder to write")
    parser.add_argument("--dimensions", type=int, default=DIMENSIONS, help="leading dimensions of the table to keep")
    parser.add_argument("--run", type=Path, help="run.json of the training, to name the prompts it saw in config.json")
    args = parser.parse_args()
    run = None if args.run is None else json.loads(args.run.read_text(encoding="utf-8"))
    export(np.load(args.table)[:, : args.dimensions], args.tokenizer, args.out, run=run)
    size = sum(path.stat().st_size for path in args.out.rglob("*") if path.is_file())
    print(f"{args.out}: {size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
