import { join } from "node:path";
import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, it } from "vitest";
import { importLlmRouterUlab } from "../../datasets/importers/llmrouter-ulab.js";
import { importLlmRouterBench } from "../../datasets/importers/llmrouterbench.js";
import { importMisguidedAttention } from "../../datasets/importers/misguided-attention.js";
import { chosenLetter, importMmluPro } from "../../datasets/importers/mmlu-pro.js";
import { importRouteLlm } from "../../datasets/importers/routellm.js";
import { importRouterBench } from "../../datasets/importers/routerbench.js";
import { importSprout } from "../../datasets/importers/sprout.js";
import { importZeroEval } from "../../datasets/importers/zeroeval.js";
import { openFolder } from "../../datasets/sources/source-tree.js";
import { folderWith } from "../engine/profiles/folder-for-test.js";
import { zipOf } from "./archives.js";
import { importAll, treeOf } from "./tree-of.js";

const lines = (rows: readonly object[]): string => rows.map((row) => JSON.stringify(row)).join("\n");

describe("The RouterBench importer", () => {
  const csv = [
    "sample_id,prompt,eval_name,gpt-x,gpt-x|model_response,gpt-x|total_cost,small|total_cost,small,oracle_model_to_route_to",
    `mmlu-anatomy.1,"['Which bone?\\nA) one', ""it's""]",mmlu-anatomy,1.0,A,0.002,0.0001,0.0,gpt-x`,
    `mbpp.2,['Reverse a list.'],mbpp,0.5,code,0.004,,,gpt-x`,
  ].join("\n");

  it("reads CSV with scores, dollars and the turns of the prompt", async () => {
    const rows = await importAll(importRouterBench, treeOf({ "routerbench_0shot.csv": csv }));
    const prompt = "Which bone?\nA) one\n\nit's";
    const first = { id: "mmlu-anatomy.1", benchmark: "mmlu", category: "mmlu-anatomy", prompt };
    const second = { benchmark: "mbpp", prompt: "Reverse a list." };
    expect(rows).toMatchObject([
      { ...first, model: "gpt-x", score: 1, costUsd: 0.002 },
      { ...first, model: "small", score: 0, costUsd: 0.0001 },
      { ...second, model: "gpt-x", score: 0.5, costUsd: 0.004 },
      { ...second, model: "small", score: null, costUsd: null },
    ]);
  });
});

describe("The RouteLLM importer", () => {
  const mmlu = 'prompt,weak,strong\n"Find x.\nA. 1\nAnswer:",True,False\nSeen before,True,True\n';
  const gsm8k =
    "prompt,weak,strong,weak_response,strong_response\nHow many?,False,True,four word answer!,8\n";

  it("reads a column of True and False per model, and omits contaminated prompts", async () => {
    const tree = treeOf({
      "routellm/evals/mmlu/responses/mmlu_anatomy.csv": mmlu,
      "routellm/evals/mmlu/contaminated_prompts.jsonl": lines([{ eval_prompt: "Seen before" }]),
      "routellm/evals/gsm8k/gsm8k_responses.csv": gsm8k,
    });
    const rows = await importAll(importRouteLlm, tree);
    expect(rows.map(({ id, benchmark, model, score }) => [id, benchmark, model, score])).toEqual([
      ["gsm8k-math-0", "gsm8k", "weak", 0],
      ["gsm8k-math-0", "gsm8k", "strong", 1],
      ["mmlu-anatomy-0", "mmlu", "weak", 1],
      ["mmlu-anatomy-0", "mmlu", "strong", 0],
    ]);
    expect(rows[0]?.tokensOut).toBeCloseTo(4.25);
  });

  it("takes the first turn of MT-Bench and a tenth of the mark", async () => {
    const tree = treeOf({
      "routellm/evals/mt_bench/question.jsonl": lines([
        { question_id: 81, category: "writing", turns: ["Write.", "Rewrite."] },
      ]),
      "routellm/evals/mt_bench/judgements.jsonl": lines([
        { question_id: 81, model: "strong", turn: 1, score: 9 },
        { question_id: 81, model: "strong", turn: 2, score: 3 },
        { question_id: 99, model: "strong", turn: 1, score: 3 },
      ]),
    });
    const question = { id: "mt-bench-81", benchmark: "mt-bench", category: "writing", prompt: "Write." };
    expect(await importAll(importRouteLlm, tree)).toEqual([{ ...question, model: "strong", score: 0.9 }]);
  });
});

describe("The MMLU-Pro importer", () => {
  const entry = {
    question_id: 7,
    question: "Which?",
    options: ["one", "two"],
    answer: "B",
    category: "math",
    model_outputs: "So the answer is (B).",
  };

  it("reads the zip archives within the repository", async () => {
    const answers = Buffer.from(JSON.stringify([entry, { ...entry, question_id: 8, pred: "A" }]));
    const tree = treeOf({
      "eval_results/model_outputs_Yi-6B_5shots.zip": zipOf([
        { name: "model_outputs_Yi-6B.json", content: answers },
      ]),
    });
    const prompt = "Which?\n\nOptions:\nA. one\nB. two";
    const shared = { benchmark: "mmlu-pro", category: "math", prompt, model: "Yi-6B" };
    expect(await importAll(importMmluPro, tree)).toMatchObject([
      { ...shared, id: "mmlupro-7", score: 1, tokensOut: 5.25 },
      { ...shared, id: "mmlupro-8", score: 0 },
    ]);
  });

  it.each([
    ["The answer is (C).", "C"],
    ["Answer: D", "D"],
    ["I would say B, or rather E", "E"],
    ["No idea.", null],
  ])("finds the chosen letter in %j", (text, letter) => {
    expect(chosenLetter(text)).toBe(letter);
  });
});

describe("The LLMRouterBench importer", () => {
  const used = { prompt_tokens: 15, completion_tokens: 5, cost: 0.0001 };
  const record = { index: 1, origin_query: "2+2?", score: 1, ...used };

  it("takes the last run of each model, and no cost for models that its authors hosted", async () => {
    const tree = treeOf({
      "results/bench/aime/test/big/2025-01-01.json": JSON.stringify({ records: [{ ...record, score: 0 }] }),
      "results/bench/aime/test/big/2025-02-01.json": JSON.stringify({ records: [record] }),
      "results/bench/aime/test/own/2025-01-01.json": JSON.stringify({
        records: [
          { ...record, cost: 0 },
          { ...record, index: 2, origin_query: "", prompt: null },
        ],
      }),
    });
    const question = { id: "aime-test-1", benchmark: "aime", category: "test", prompt: "2+2?" };
    const shared = { ...question, score: 1, tokensIn: 15, tokensOut: 5 };
    expect(await importAll(importLlmRouterBench, tree)).toEqual([
      { ...shared, model: "big", costUsd: 0.0001 },
      { ...shared, model: "own", costUsd: null },
    ]);
  });
});

describe("The SPROUT importer", () => {
  it("reads a nested Parquet column per model", async () => {
    const table = parquetWriteBuffer({
      columnData: [
        { name: "key", data: ["k1"] },
        { name: "dataset", data: ["math"] },
        { name: "dataset_level", data: ["level 1"] },
        { name: "prompt", data: ["Add."] },
        {
          name: "openai-gpt-4o",
          type: "JSON",
          data: [{ score: 0.75, num_input_tokens: 3, num_output_tokens: 9, response: "…" }],
        },
      ],
    });
    const folder = await folderWith({ "test-00000-of-00001.parquet": new Uint8Array(table) });
    const question = { id: "k1", benchmark: "math", category: "level 1", prompt: "Add." };
    expect(await importAll(importSprout, await openFolder(folder))).toEqual([
      { ...question, model: "openai-gpt-4o", score: 0.75, tokensIn: 3, tokensOut: 9 },
    ]);
  });
});

describe("The ZeroEval importer", () => {
  it("counts a missing answer as wrong and omits tasks with partial marks", async () => {
    const items = [
      { id: "gsm-0", question: "How many?", output: ["four"], matched: true },
      { id: "gsm-1", chat_history: ["How far?"], output: [], matched: "No answer extracted" },
    ];
    const tree = treeOf({
      "result_dirs_parsed/gsm/Athene-70B.json": JSON.stringify(items),
      "result_dirs_parsed/zebra-grid/Athene-70B.json": JSON.stringify([{ id: 1, solved: true }]),
    });
    const shared = { benchmark: "gsm", category: "math", model: "Athene-70B" };
    expect(await importAll(importZeroEval, tree)).toEqual([
      { ...shared, id: "gsm-gsm-0", prompt: "How many?", score: 1, tokensOut: 1 },
      { ...shared, id: "gsm-gsm-1", prompt: "How far?", score: 0, tokensOut: null },
    ]);
  });
});

describe("The LLMRouter importer", () => {
  it("numbers queries by their embedding within their part", async () => {
    const query = { task_name: "mmlu", query: "Which?", metric: "em_mc", embedding_id: 4 };
    const rows = [
      { ...query, model_name: "qwen", performance: 1 },
      { ...query, model_name: "yi", performance: null },
    ];
    const tree = treeOf({ [join("data", "default_routing_train_data.jsonl")]: lines(rows) });
    const shared = { id: "llmrouter-train-4", benchmark: "mmlu", category: "em_mc", prompt: "Which?" };
    expect(await importAll(importLlmRouterUlab, tree)).toEqual([
      { ...shared, model: "qwen", score: 1, tokensIn: null, tokensOut: null },
      { ...shared, model: "yi", score: null, tokensIn: null, tokensOut: null },
    ]);
  });
});

describe("The MisguidedAttention importer", () => {
  it("returns every sample of a model as an answer of its own", async () => {
    const sample = { total_score: 0.5, original_question: "Dead cat?", original_response: "It is dead." };
    const tree = treeOf({
      "eval/harness/detailed_evaluations_x.json": JSON.stringify({
        cat: { grok: [sample, { ...sample, total_score: 1 }] },
      }),
    });
    const rows = await importAll(importMisguidedAttention, tree);
    expect(rows.map(({ id, model, score }) => [id, model, score])).toEqual([
      ["ma-cat", "grok", 0.5],
      ["ma-cat", "grok", 1],
    ]);
  });
});

describe("Every importer", () => {
  it.each([
    ["mmlu_pro", importMmluPro],
    ["llmrouterbench", importLlmRouterBench],
    ["sprout", importSprout],
    ["zeroeval", importZeroEval],
    ["llmrouter_ulab", importLlmRouterUlab],
    ["misguided_attention", importMisguidedAttention],
  ])("names what is missing in a source that is not that of %s", async (_, importer) => {
    await expect(importAll(importer, treeOf({ "README.md": "" }))).rejects.toThrow(
      /^There is no .+ in the source/,
    );
  });
});
