import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

/**
 * Shares of a sample that looks like traffic (guess: most of what people ask is easy), and the sets of prompts that each tier is taken
 * from in equal parts. Exams for graduates and statements of theorems are left out.
 */
const TIERS: Readonly<Record<string, { readonly prompts: number; readonly sources: readonly string[] }>> = {
  trivial: { prompts: 96, sources: ["clinc150", "ms_personality_chat", "nadirclaw", "cascadeflow"] },
  easy: {
    prompts: 208,
    sources: ["selfinstruct_unlabelled", "jurijz", "followbench", "vllm_semantic_router", "exercism"],
  },
  medium: { prompts: 112, sources: ["selfinstruct_unlabelled", "jurijz", "followbench", "arena_hard"] },
  hard: {
    prompts: 80,
    sources: ["arena_hard", "jurijz", "nadirclaw", "cascadeflow", "vllm_semantic_router"],
  },
  expert: { prompts: 16, sources: ["cascadeflow", "lexam"] },
};

/** Prompts of the collection of prompts with difficulty labels. @param folder with a `<source>.jsonl.gz` for each */
export async function trafficSample(
  folder: string,
): Promise<{ readonly id: string; readonly prompt: string }[]> {
  const found: { readonly id: string; readonly prompt: string }[] = [];
  for (const [tier, { prompts, sources }] of Object.entries(TIERS)) {
    for (const source of sources) {
      const text = gunzipSync(await readFile(join(folder, `${source}.jsonl.gz`))).toString("utf8");
      const rows = text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { readonly prompt: string; readonly tier: string })
        .filter((row) => row.tier === tier);
      const count = Math.min(rows.length, Math.ceil(prompts / sources.length));
      for (let at = 0; at < count; at++) {
        const { prompt } = rows[Math.floor((at * rows.length) / count)] as (typeof rows)[number];
        found.push({ id: `${source}/${tier}/${at}`, prompt });
      }
    }
  }
  return found;
}
