/** Neighbours on a QWERTY keyboard. */
const NEIGHBOURS: Readonly<Record<string, string>> = {
  ...{ q: "wa", w: "qes", e: "wrd", r: "etf", t: "ryg", y: "tuh", u: "yij", i: "uok", o: "ipl", p: "ol" },
  ...{ a: "qsz", s: "adw", d: "sfe", f: "dgr", g: "fht", h: "gjy", j: "hku", k: "jli", l: "ko" },
  ...{ z: "asx", x: "zcd", c: "xvf", v: "cbg", b: "vnh", n: "bmj", m: "nk" },
};

export interface TypoOptions {
  /** Of the letters (or words, in `mistypeWords`), in [0, 1]. */
  readonly share: number;
  readonly random: () => number;
}

/** Each letter is mistyped with the same probability: left out, doubled, swapped with the next, or hit beside. */
export function mistypeLetters(text: string, { share, random }: TypoOptions): string {
  const letters = [...text];
  let typed = "";
  for (let place = 0; place < letters.length; place++) {
    const letter = letters[place] as string;
    if (!/\p{L}/u.test(letter) || random() >= share) {
      typed += letter;
      continue;
    }
    const next = letters[place + 1];
    const kind = Math.floor(random() * 4);
    if (kind === 0) continue;
    if (kind === 1) typed += letter + letter;
    else if (kind === 2 && next !== undefined) {
      typed += next + letter;
      place += 1;
    } else typed += beside(letter, random);
  }
  return typed;
}

/** Each word of at least three letters gets one mistyped letter with the same probability. */
export function mistypeWords(text: string, { share, random }: TypoOptions): string {
  return text.replace(/\p{L}{3,}/gu, (word) => {
    if (random() >= share) return word;
    const place = Math.floor(random() * word.length);
    const mistyped = mistypeLetters(word.slice(place, place + 2), {
      share: 1,
      random: onceThenNever(random),
    });
    return word.slice(0, place) + mistyped + word.slice(place + 2);
  });
}

/** Lets the first letter be mistyped and the second stay. */
function onceThenNever(random: () => number): () => number {
  let draws = 0;
  return () => {
    draws += 1;
    return draws === 1 ? 0 : random();
  };
}

function beside(letter: string, random: () => number): string {
  const near = NEIGHBOURS[letter.toLowerCase()] ?? letter;
  const hit = near[Math.floor(random() * near.length)] ?? letter;
  return letter === letter.toLowerCase() ? hit : hit.toUpperCase();
}
