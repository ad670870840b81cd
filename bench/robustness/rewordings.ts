const BEFORE = [
  "Hi there! Could you please help me with this? ",
  "Hello, I hope you are doing well. I have a question for you:\n\n",
  "Please answer the following as well as you can.\n\n",
  "Good morning! ",
] as const;
const AFTER = ["", " Thank you very much in advance!", "\n\nThanks!"] as const;

/** A greeting, a request or thanks around the text, one of twelve ways by its number. */
export function addPoliteness(text: string, number: number): string {
  const before = BEFORE[number % BEFORE.length] ?? "";
  const after = AFTER[Math.floor(number / BEFORE.length) % AFTER.length] ?? "";
  return before + text + after;
}

/** Each word of at least three letters gets one typo with the same probability. @param options.share of the words */
export function mistypeWords(text: string, { share, random }: TypoOptions): string {
  return text.replace(/\p{L}{3,}/gu, (word) => {
    if (random() >= share) return word;
    const letters = [...word];
    const index = Math.floor(random() * letters.length);
    const typo = mistype(letters[index] as string, letters[index + 1], random);
    return letters.toSpliced(index, typo.letters, typo.typed).join("");
  });
}

/** Neighbours on a QWERTY keyboard. */
const NEIGHBOURS: Readonly<Record<string, string>> = {
  ...{ q: "wa", w: "qes", e: "wrd", r: "etf", t: "ryg", y: "tuh", u: "yij", i: "uok", o: "ipl", p: "ol" },
  ...{ a: "qsz", s: "adw", d: "sfe", f: "dgr", g: "fht", h: "gjy", j: "hku", k: "jli", l: "ko" },
  ...{ z: "asx", x: "zcd", c: "xvf", v: "cbg", b: "vnh", n: "bmj", m: "nk" },
};

interface TypoOptions {
  /** Of the letters, in [0, 1]. */
  readonly share: number;
  readonly random: () => number;
}

/** One typo: what is written, and how many of the letters it stands for. */
function mistype(
  letter: string,
  next: string | undefined,
  random: () => number,
): { readonly typed: string; readonly letters: number } {
  const kind = Math.floor(random() * 4);
  if (kind === 0) return { typed: "", letters: 1 };
  if (kind === 1) return { typed: letter + letter, letters: 1 };
  if (kind === 2 && next !== undefined) return { typed: next + letter, letters: 2 };
  return { typed: beside(letter, random), letters: 1 };
}

function beside(letter: string, random: () => number): string {
  const near = NEIGHBOURS[letter.toLowerCase()] ?? letter;
  const hit = near[Math.floor(random() * near.length)] ?? letter;
  return letter === letter.toLowerCase() ? hit : hit.toUpperCase();
}
