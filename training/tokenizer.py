"""Train the WordPiece vocabulary of the static embedder.

    python tokenizer.py --data ../shared/data

Reads every text of ``DATA/corpus`` (each once, cut as in training) and writes ``WORK/tokenizer.json`` in the
Hugging Face layout. Routing prompts are left out, so one vocabulary serves the held-out and the shipped model.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

os.environ.setdefault("RAYON_NUM_THREADS", "1")

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers
from tqdm import tqdm

from data import MAX_CHARS, add_common_flags, corpus_files, read_rows

PAD, UNK = "[PAD]", "[UNK]"

SYMBOL = re.compile("[\u2190-\u2bff\U0001f000-\U0001faff]")
"""Arrows, technical signs, dingbats and emoji: nothing separates them from the word they stand at."""

FACES = [chr(code) for code in range(0x1F600, 0x1F650)]


def unique_texts(corpus: Path, symbols: Counter[str]) -> Iterator[str]:
    """Every text of the corpus once, cut to ``MAX_CHARS``, in file order; counts the symbols it sees."""
    seen: set[int] = set()
    for path in tqdm(corpus_files(corpus), desc="corpus", unit="file"):
        for row in read_rows(path):
            for field in ("a", "p", "n"):
                text = (row.get(field) or "")[:MAX_CHARS]
                key = hash(text)
                if text and key not in seen:
                    seen.add(key)
                    symbols.update(SYMBOL.findall(text))
                    yield text


def with_symbols(tokenizer: Tokenizer, symbols: Counter[str], vocab_size: int) -> Tokenizer:
    """Fill the vocabulary up to ``vocab_size`` with symbols, alone and as a continuation, most frequent first.

    A word with one character outside the vocabulary is unknown as a whole, so without them "great" would be lost
    whenever an emoji follows it without a space.
    """
    stored = json.loads(tokenizer.to_str())
    vocab: dict[str, int] = stored["model"]["vocab"]
    ranked = sorted(symbols, key=lambda symbol: (-symbols[symbol], symbol))
    for symbol in [*FACES, *ranked]:
        for token in (symbol, f"##{symbol}"):
            if len(vocab) < vocab_size:
                vocab.setdefault(token, len(vocab))
    return Tokenizer.from_str(json.dumps(stored, ensure_ascii=False))


def train_tokenizer(corpus: Path, vocab_size: int, limit_alphabet: int, symbol_tokens: int) -> Tokenizer:
    """A lower-casing, accent-stripping WordPiece tokenizer that adds no special tokens to a text."""
    symbols: Counter[str] = Counter()
    tokenizer = Tokenizer(models.WordPiece(unk_token=UNK, max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=True, lowercase=True
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=vocab_size - symbol_tokens,
        min_frequency=2,
        limit_alphabet=limit_alphabet,
        special_tokens=[PAD, UNK],
        continuing_subword_prefix="##",
        show_progress=False,
    )
    tokenizer.train_from_iterator(unique_texts(corpus, symbols), trainer)
    return with_symbols(tokenizer, symbols, vocab_size)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_common_flags(parser)
    parser.add_argument("--vocab-size", type=int, default=32_000)
    parser.add_argument("--limit-alphabet", type=int, default=6_000, help="distinct characters kept, most frequent first")
    parser.add_argument("--symbol-tokens", type=int, default=1_200, help="entries kept for emoji and other symbols")
    args = parser.parse_args()
    args.work_dir.mkdir(parents=True, exist_ok=True)
    tokenizer = train_tokenizer(args.data / "corpus", args.vocab_size, args.limit_alphabet, args.symbol_tokens)
    target = args.work_dir / "tokenizer.json"
    tokenizer.save(str(target))
    print(f"{tokenizer.get_vocab_size()} tokens in {target}")


if __name__ == "__main__":
    main()
