"""Print nearest neighbours of a few odd prompts among texts of our own, to look at by hand.

    python neighbours.py --model ../models/sextant-static-v1
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from embedders import OnnxEmbedder

POOL = (
    "Write a Python function that reverses a linked list.",
    "def fibonacci(n):\n    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)",
    "SELECT name, SUM(price) FROM orders GROUP BY name;",
    "How do I list all running docker containers?",
    "What is 17 times 23?",
    "Solve the equation 3x + 5 = 20 for x.",
    "Compute the integral of x^2 from 0 to 3.",
    "What is the capital of France?",
    "What will the weather be like in Berlin tomorrow?",
    "Wie wird das Wetter morgen in Berlin?",
    "Schreibe eine Kündigung für meine Mietwohnung.",
    "Was sind die Pflichten eines Vermieters nach deutschem Recht?",
    "Quelle est la capitale de la France ?",
    "Écris une lettre de motivation pour un stage.",
    "用Python写一个快速排序函数。",
    "明天北京的天气怎么样？",
    "请把这句话翻译成英文。",
    "東京の天気を教えてください。",
    "내일 서울 날씨 어때?",
    "Какая завтра погода в Москве?",
    "Translate this sentence into English.",
    "I have a headache and a fever. What should I do?",
    "What are the symptoms of diabetes?",
    "Book a table for two at an Italian restaurant tonight.",
    "My card has not arrived yet, can you track it?",
    "Summarise the causes of the First World War.",
    "Explain the theory of relativity to a child.",
    "I love you so much, happy birthday 🎂🎉",
    "Is it legal to record a phone call without consent?",
    "Write a short poem about the sea.",
)

QUERIES = (
    "implement quicksort in python",
    "const sum = (xs) => xs.reduce((a, b) => a + b, 0);",
    "sql query total sales per customer",
    "25 * 48 = ?",
    "solve 7x - 3 = 18",
    "今天上海会下雨吗",
    "写一个二分查找的代码",
    "Wetter heute in München",
    "Darf mein Vermieter die Miete erhöhen?",
    "capitale de l'Espagne",
    "Éclair crème brûlée recipe",
    "¿Qué tiempo hará mañana en Madrid?",
    "погода в Берлине",
    "오늘 부산 날씨",
    "😀",
    "happy birthday🎂",
    "𓀀𓁐",
    "",
    "   \n\t ",
    "a" * 150,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, required=True, help="model folder")
    args = parser.parse_args()
    embedder = OnnxEmbedder(args.model)
    pool, queries = embedder.embed(POOL), embedder.embed(QUERIES)
    assert np.isfinite(queries).all()
    for query, vector in zip(QUERIES, queries, strict=True):
        similarity = pool @ vector
        nearest = np.argsort(-similarity, kind="stable")[:3]
        print(f"{query[:60]!r}  norm {np.linalg.norm(vector):.4f}")
        for number in nearest:
            print(f"    {similarity[number]:+.3f}  {POOL[number][:80]!r}")


if __name__ == "__main__":
    main()
