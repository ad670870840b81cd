import { chmod, mkdir, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { makePrivate } from "../../src/foundation/private-folder.js";
import { folderForTest } from "../support/folders.js";

let outer = "";
let folder = "";
beforeEach(async () => {
  outer = folderForTest();
  folder = join(outer, "data");
  await mkdir(folder);
  await chmod(folder, 0o755);
});

async function write(path: string, mode: number): Promise<string> {
  await writeFile(path, "text");
  await chmod(path, mode);
  return path;
}

const modeOf = async (path: string) => ((await stat(path)).mode & 0o7777).toString(8);

describe.skipIf(process.platform === "win32")("a folder is made private", () => {
  it("with the files that are kept there, and without what is not ours", async () => {
    const log = await write(join(folder, "traces.duckdb.wal"), 0o644);
    const foreign = await write(join(folder, "notes.jsonl"), 0o644);
    expect(await makePrivate(folder)).toBeUndefined();
    expect([await modeOf(folder), await modeOf(log), await modeOf(foreign)]).toEqual(["700", "600", "644"]);
  });

  it("without giving its owner rights that the owner had not", async () => {
    await chmod(folder, 0o555);
    expect(await makePrivate(folder)).toBeUndefined();
    expect(await modeOf(folder)).toBe("500");
  });

  it("without following links out of it", async () => {
    const outside = await write(join(outer, "outside"), 0o644);
    await symlink(outside, join(folder, "state.db"));
    expect(await makePrivate(folder)).toBeUndefined();
    expect(await modeOf(outside)).toBe("644");
  });

  it("or says what others can open and what to do, where its rights cannot be changed or stay as they are", async () => {
    await write(join(folder, "state.db"), 0o640);
    const message =
      `${folder} (mode 755) and 1 more can be opened by other users of this machine, and its rights cannot be changed. ` +
      "Prompts, answers and digests of keys are kept there: give the folder to the user of this process and run " +
      `\`chmod -R go= ${folder}\`.`;
    const refused = Object.assign(new Error("not permitted"), { code: "EPERM" });
    expect(await makePrivate(folder, { change: () => Promise.reject(refused) })).toBe(message);
    expect(await makePrivate(folder, { change: () => Promise.resolve() })).toBe(message);
  });

  it("but for one that all users write to, which it says", async () => {
    await chmod(folder, 0o1777);
    expect(await makePrivate(folder)).toContain(`${folder} (mode 777) can be opened by other users`);
    expect(await modeOf(folder)).toBe("1777");
  });

  it("when there is one", async () => {
    expect(await makePrivate(join(folder, "absent"))).toBeUndefined();
  });
});
