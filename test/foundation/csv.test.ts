import { describe, expect, it } from "vitest";
import { csvLine } from "../../src/foundation/csv.js";

describe("A line of CSV", () => {
  it("has numbers as they are, nothing for null, and quotes around what a separator is in", () => {
    expect(csvLine([-1.5, null, "", 'a "b"', "c,d", "e;f", "g\th", "i\nj"])).toBe(
      '-1.5,,,"a ""b""","c,d","e;f","g\th","i\nj"\r\n',
    );
  });

  // `#`: where the apostrophe goes.
  it.each([
    ...["#=1+1", "#+1", "#-1", "#@SUM(1)", "#＝1+1", "#＋1", "#－1", "#＠SUM(1)"],
    ...["\t#=1", "\r#=1", "\n#=1", " #=1", "\u00a0#=1", "\u3000#=1", "\ufeff#=1", "\0#=1", '"#=1'],
    ...["x;#=1+1;", 'x; "#=1&"";', "x\n#=1", "x\r\n#-1", "x\t#@a", "#-;#-\n\n#-"],
    ...["x=1", "a - b", "a, =b", "a@b.test", "'=1", "x:=1"],
  ])("has no formula, however a spreadsheet splits it: %j", (marked) => {
    const [cell] = csvLine([marked.replaceAll("#", "")]).split("\r\n,");
    const text = cell
      ?.replace(/\r\n$/, "")
      .replace(/^"(.*)"$/s, "$1")
      .replaceAll('""', '"');
    expect(text).toBe(marked.replaceAll("#", "'"));
  });

  it("is made in one pass over a text", () => {
    const blanks = `x${"\n".repeat(300_000)}`;
    expect(csvLine([`${blanks}=`])).toBe(`"${blanks}'="\r\n`);
  });
});
