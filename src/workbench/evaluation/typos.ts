/** Neighbours on a QWERTY keyboard. */
const NEIGHBOURS: Readonly<Record<string, string>> = {
  ...{ q: "wa", w: "qes", e: "wrd", r: "etf", t: "ryg", y: "tuh", u: "yij", i: "uok", o: "ipl", p: "ol" },
  ...{ a: "qsz", s: "adw", d: "sfe", f: "dgr", g: "fht", h: "gjy", j: "hku", k: "jli", l: "ko" },
  ...{ z: "asx", x: "zcd", c: "xvf", v: "cbg", b: "vnh", n: "bmj", m: "nk" },
};

export interface TypoOptions {
  /** Of the letters, in [0, 1]. */
  readonly share: number;
  readonly random: () => number;
}

/** Each letter is mistyped with the same probability: left out, doubled, swapped with the next, or hit beside. */
export function mistypeLetters(text: string, { share, random }: TypoOptions): string {
  const letters = [...text];
  let typed = "";
  let index = 0;
  while (index < letters.length) {
    const letter = letters[index] as string;
    if (!/\p{L}/u.test(letter) || random() >= share) {
      typed += letter;
      index += 1;
    } else {
      const typo = mistype(letter, letters[index + 1], random);
      typed += typo.typed;
      index += typo.letters;
    }
  }
  return typed;
}

/** One typo: what is written, and how many of the letters it stands for. */
export function mistype(
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
