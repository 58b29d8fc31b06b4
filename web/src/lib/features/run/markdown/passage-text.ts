export interface Mark {
  readonly text: string;
  /** A word of the question, whatever its ending. */
  readonly hit: boolean;
}

/** Soft hyphens and other invisible characters stand inside of words, as combining accents do. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}\p{Default_Ignorable_Code_Point}]*/gu;
const SHORTEST = 3;
/** Words of a question that are looked for: a pasted exercise has thousands, and each is compared with each of the passage. */
const MOST_ASKED = 500;
const plain = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\p{M}\p{Default_Ignorable_Code_Point}]/gu, '')
    .toLowerCase();
/** Words of every question, which say nothing about a passage. Without accents. */
const STOP_WORDS = new Set(
  (
    'the and for are was were what when where which who whom how why does did can could will would should about from ' +
    'into with this that these those there their they his her its our your you not but than then has have had been ' +
    'que como cuando donde cual cuales quien por para con los las una unos unas del son esta este estos estas eso hay ' +
    'quan quin quina quins quines com els les uns unes dels aquest aquesta aixo amb per perque hi han ' +
    'zer nola noiz non nor zein zergatik eta edo ere bat dira dago daude den duen hau hori'
  ).split(' '),
);
/** Search takes endings off, and so does this: alike is what shares most of the longer word. */
const SHARED = 0.7;
function isAlike(one: string, other: string): boolean {
  const longer = Math.max(one.length, other.length);
  let shared = 0;
  while (shared < longer && one[shared] === other[shared]) shared += 1;
  return shared >= SHORTEST && shared >= longer * SHARED;
}

/** The passage cut where words look like those of the question. */
export function marksOf(passage: string, question: string): Mark[] {
  const asked = [...new Set([...question.matchAll(WORD)].map(([word]) => plain(word)))]
    .filter((word) => word.length >= SHORTEST && !STOP_WORDS.has(word))
    .slice(0, MOST_ASKED);
  const marks: Mark[] = [];
  let from = 0;
  for (const { 0: word, index } of passage.matchAll(WORD)) {
    const folded = plain(word);
    if (!asked.some((each) => isAlike(each, folded))) continue;
    if (index > from) marks.push({ text: passage.slice(from, index), hit: false });
    marks.push({ text: word, hit: true });
    from = index + word.length;
  }
  if (from < passage.length) marks.push({ text: passage.slice(from), hit: false });
  return marks;
}
