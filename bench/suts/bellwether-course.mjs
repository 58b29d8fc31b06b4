// A course of real size for the comparison of tools: a knowledge base of 2,000 chunks, a rubric and a file.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { passages, random } from '../retrieval/passages.mjs';

const guide = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'docs', 'guide');

export const CHUNKS = 2_000;
const DOCUMENTS = 20;
const QUESTION_WORDS = 12;
/** More questions than a repetition asks: none comes twice, so no cached result answers one. */
const QUESTIONS = 40_000;

const prose = () =>
  readdirSync(guide)
    .filter((name) => name.endsWith('.md'))
    .map((name) => ({ text: readFileSync(join(guide, name), 'utf8').replaceAll(/^[#|`>].*$/gmu, '') }));

/** Markdown documents, one section a passage: each becomes at least one chunk. */
export function documents() {
  const texts = [...passages([{ corpus: prose() }], CHUNKS)];
  const share = Math.ceil(texts.length / DOCUMENTS);
  return Array.from({ length: DOCUMENTS }, (_, n) => ({
    name: `part-${n + 1}.md`,
    text: texts
      .slice(n * share, (n + 1) * share)
      .map((text, at) => `## Section ${n * share + at + 1}\n\n${text}\n`)
      .join('\n'),
  }));
}

/** Different questions in the words of the course. */
export function* questions(count = QUESTIONS, seed = 7) {
  const next = random(seed);
  const words = prose().flatMap(({ text }) => text.match(/\p{L}[\p{L}'-]*/gu) ?? []);
  for (let n = 0; n < count; n++) {
    const from = Math.floor(next() * (words.length - QUESTION_WORDS));
    yield `Why ${words
      .slice(from, from + QUESTION_WORDS)
      .join(' ')
      .toLowerCase()} in case ${n + 1}?`;
  }
}
