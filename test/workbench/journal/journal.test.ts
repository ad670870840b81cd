import { appendFileSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { claimFolder } from "../../../src/workbench/collection-folder.js";
import { Journal } from "../../../src/workbench/journal/journal.js";
import type { JournalEntry } from "../../../src/workbench/journal/ledger.js";
import { folderForTest } from "../../support/folders.js";

const AT = "2026-01-02T00:00:00.000Z";

const call = (key: string) => ({ key, model: "m", at: AT });
const FIGURES = { tokens_in: 1, tokens_out: 2, latency_ms: 3 };

const sent = (key: string): JournalEntry => ({
  ...call(key),
  type: "sent",
  idempotency_key: `once-${key}`,
  reserved_usd: 0.5,
});

const answered = (key: string, cost_usd: number | null = 0.1, answer = `answer to ${key}`): JournalEntry => {
  const reply = { provider: "here", answer, finish_reason: "stop" };
  return { ...call(key), ...reply, ...FIGURES, type: "answered", cost_usd };
};

const failed = (key: string, status: number | null): JournalEntry => {
  const reply = { code: "server_error", status, message: "no", cost_usd: 0.2 };
  return { ...call(key), ...reply, type: "failed" };
};

let path: string;
beforeEach(() => {
  path = join(folderForTest(), "journal.jsonl");
});

async function written(...entries: readonly JournalEntry[]): Promise<Journal> {
  const journal = await Journal.open(path);
  await Promise.all(entries.map((entry) => journal.append(entry)));
  await journal.close();
  const again = await Journal.open(path);
  onTestFinished(() => again.close());
  return again;
}

it.skipIf(process.platform === "win32")(
  "a journal that is a link is refused, and the file that it leads to stays as it is",
  async () => {
    const target = join(folderForTest(), "notes.txt");
    writeFileSync(target, "first line\nlast line without an end");
    symlinkSync(target, path);
    await expect(Journal.open(path)).rejects.toThrow(
      `${path} is a link, which is not followed: a journal is changed in place. Copy the file that it leads to here`,
    );
    expect(readFileSync(target, "utf8")).toBe("first line\nlast line without an end");
  },
);

describe("A journal", () => {
  it("knows answers, failures and costs again when it is opened again", async () => {
    const { ledger } = await written(
      ...[sent("a"), answered("a"), sent("b"), failed("b", 500), sent("c"), failed("c", null)],
      ...[sent("c"), answered("c", null)],
    );
    expect(ledger.answer("a")?.answer).toBe("answer to a");
    expect(ledger.answer("b")).toBeUndefined();
    expect(ledger.failure("b")).toMatchObject({ status: 500 });
    expect(ledger.failure("c")).toBeUndefined();
    expect(ledger.spentUsd).toBeCloseTo(0.5, 10);
    expect(ledger.unpricedCalls).toBe(1);
    expect(ledger.lostCalls).toBe(0);
  });

  it("changes the idempotency key only after a reply", async () => {
    const { ledger } = await written(
      ...[sent("a"), failed("a", 500), sent("b"), failed("b", null), sent("c"), sent("c")],
    );
    const keys = ["a", "b", "c"].map((key) => ledger.idempotencyKey(key));
    expect(keys).toEqual(["sextant-a-1", "sextant-b-0", "sextant-c-0"]);
  });

  it("counts calls without an end as lost, with what they may have cost", async () => {
    const { ledger, lost } = await written(sent("a"), answered("a"), sent("b"), sent("c"), sent("c"));
    expect([...lost]).toEqual(["b", "c"]);
    expect(ledger.lostCalls).toBe(3);
    expect(ledger.lostUsd).toBe(1.5);
  });

  // The last one is longer than what is read of the file at once.
  it.each([1, 30, 200_000])("drops an incomplete last line, of %d characters", async (length) => {
    await (await written(sent("a"), answered("a"))).close();
    const whole = readFileSync(path, "utf8");
    appendFileSync(path, JSON.stringify(answered("b", 0.1, "x".repeat(200_000))).slice(0, length));
    const journal = await Journal.open(path);
    expect(journal.ledger.answer("a")).toBeDefined();
    // An entry is there before the next step of what appended to it.
    await journal.append(sent("c"));
    expect(readFileSync(path, "utf8")).toBe(`${whole}${JSON.stringify(sent("c"))}\n`);
    await journal.close();
  });

  it("reads answers of any length", async () => {
    const long = answered("a", 0.1, "ä".repeat(300_000));
    expect((await written(sent("a"), long, sent("b"))).ledger.answer("a")?.answer).toHaveLength(300_000);
  });

  it.each(["{}", "nonsense", '{"type":"answered"}'])("names a line that is no entry: %s", async (line) => {
    writeFileSync(path, `${JSON.stringify(sent("a"))}\n${line}\n`);
    await expect(Journal.open(path)).rejects.toThrow(`${path}, line 2: this is no entry of a journal`);
  });

  it("keeps the order of entries that are appended at once", async () => {
    const keys = Array.from({ length: 200 }, (_, index) => `k${index}`);
    await (await written(...keys.map((key) => sent(key)))).close();
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).key)).toEqual(keys);
  });
});

describe("The claim of a folder", () => {
  it("is one process's at a time", async () => {
    const folder = folderForTest();
    const claim = await claimFolder(folder);
    await expect(claimFolder(folder)).rejects.toThrow(`collecting into ${folder} already`);
    await claim.release();
    await (await claimFolder(folder)).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is refused while another process that is alive has it", async () => {
    const folder = folderForTest();
    writeFileSync(join(folder, `collecting-${process.ppid}-x.lock`), "");
    await expect(claimFolder(folder)).rejects.toThrow(`the process ${process.ppid} is collecting`);
  });

  it("replaces those of processes that have ended", async () => {
    const folder = folderForTest();
    // Above every process id of Linux.
    writeFileSync(join(folder, "collecting-4194305-x.lock"), "");
    const claim = await claimFolder(folder);
    expect(readdirSync(folder)).toHaveLength(1);
    await claim.release();
  });
});
