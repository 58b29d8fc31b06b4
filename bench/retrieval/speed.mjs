// Time per keyword query over HTTP in knowledge bases of several sizes, and what taking them in costs.
import { figure, plainTable } from '../lib/report.mjs';
import { quantile } from '../lib/stats.mjs';
import { sample } from './collections.mjs';
import { passages } from './passages.mjs';
import { progress } from './progress.mjs';

const PER_DOCUMENT = 100;
const WARM_UP = 50;

/** Documents of a hundred sections, each about a chunk long. */
export function* documents(collections, size) {
  const texts = passages(collections, size);
  for (let first = 0; first < size; first += PER_DOCUMENT) {
    const parts = Array.from({ length: Math.min(PER_DOCUMENT, size - first) }, (_, at) => at + 1);
    yield [`book-${first}.md`, parts.map((part) => `## Part ${part}\n\n${texts.next().value}\n`).join('\n')];
  }
}

/** Milliseconds of each question, one after the other. */
export async function time(service, id, questions, options) {
  for (const { text } of questions.slice(0, WARM_UP)) await service.query(id, text, options);
  const taken = [];
  const tell = progress('questions timed', questions.length);
  for (const { text } of questions) {
    const from = performance.now();
    await service.query(id, text, options);
    tell(taken.push(performance.now() - from));
  }
  return taken;
}

export const oneLanguage = (collections) => collections.filter(({ language }) => language === collections[0].language);

export async function run({ service, collections, sizes, questions, load }) {
  const same = oneLanguage(collections);
  const asked = sample(
    same.flatMap(({ queries }) => queries),
    questions,
  );
  const rows = [];
  for (const size of sizes) {
    const base = await service.create({ name: `${size} chunks`, language: same[0].language });
    const seconds = await service.ingest(base.id, [...documents(same, size)]);
    const taken = await time(service, base.id, asked, { mode: 'keyword' });
    rows.push([
      figure(size),
      figure(quantile(taken, 0.5)),
      figure(quantile(taken, 0.95)),
      figure(quantile(taken, 1)),
      figure(size / seconds),
      load(),
    ]);
  }
  return plainTable(['chunks', 'query p50 ms', 'p95 ms', 'most ms', 'chunks taken in per s', 'load'], rows);
}
