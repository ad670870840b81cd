import { describe, expect, it } from "vitest";
import { parsePythonStrings } from "../../datasets/sources/python-list.js";
import { joinTrees } from "../../datasets/sources/source-tree.js";
import { openTarGz } from "../../datasets/sources/tar.js";
import { openZip } from "../../datasets/sources/zip.js";
import { tarGzOf, zipOf } from "./archives.js";
import { treeOf } from "./tree-of.js";

describe("A zip archive", () => {
  it("yields stored and deflated files, without the top folder", async () => {
    const tree = openZip(
      zipOf([
        { name: "Repo-abc/", content: Buffer.alloc(0), method: 0 },
        { name: "Repo-abc/a.txt", content: Buffer.from("stored"), method: 0 },
        { name: "Repo-abc/b/c.txt", content: Buffer.from("deflated ".repeat(50)) },
      ]),
    );
    expect(tree.paths).toEqual(["a.txt", "b/c.txt"]);
    expect((await tree.read("a.txt")).toString()).toBe("stored");
    expect((await tree.read("b/c.txt")).toString()).toBe("deflated ".repeat(50));
    await expect(tree.read("d")).rejects.toThrow("no file d");
  });

  it("is refused when it is truncated or not a zip archive", () => {
    const whole = zipOf([{ name: "a", content: Buffer.from("x") }]);
    expect(() => openZip(whole.subarray(0, whole.length - 30))).toThrow("cut off");
    expect(() => openZip(Buffer.from("<html>"))).toThrow("no zip archive");
  });
});

describe("A gzipped tar archive", () => {
  it("yields files with short, long and pax names, without folders", async () => {
    const long = `${"deep/".repeat(30)}file.json`;
    const record = ` path=${long}x\n`;
    const tree = openTarGz(
      tarGzOf([
        { name: "bench/", content: "", type: "5" },
        { name: "bench/a.json", content: "{}" },
        { name: "././@LongLink", content: `${long}\0`, type: "L" },
        { name: "cut", content: "long" },
        { name: "PaxHeader", content: `${record.length + 3}${record}`, type: "x" },
        { name: "cut", content: "pax" },
      ]),
    );
    expect(tree.paths).toEqual(["bench/a.json", long, `${long}x`].sort());
    expect((await tree.read(long)).toString()).toBe("long");
    expect((await tree.read(`${long}x`)).toString()).toBe("pax");
  });
});

describe("Several source trees", () => {
  it("are merged, with the first one taking precedence", async () => {
    const tree = joinTrees([treeOf({ a: "first" }), treeOf({ a: "second", b: "other" })]);
    expect(tree.paths).toEqual(["a", "b"]);
    expect((await tree.read("a")).toString()).toBe("first");
  });
});

describe("A list in Python's notation", () => {
  it.each([
    ["['a']", ["a"]],
    [`["it's", 'say "x"']`, ["it's", 'say "x"']],
    [String.raw`['a\nb\\ \'q\' \x41\u00e9']`, ["a\nb\\ 'q' Aé"]],
    ["[]", []],
    ["plain text", null],
    ["[1, 2]", null],
    ["['never closed]", null],
  ])("is parsed: %s", (text, strings) => {
    expect(parsePythonStrings(text)).toEqual(strings);
  });
});
