// Questions as people ask them: with typing errors, with words said twice, in another language, off the topic.
import { plainTable } from '../lib/report.mjs';
import { mean, sample, score } from './collections.mjs';
import { random } from './passages.mjs';
import { progress } from './progress.mjs';
import { collectionBase } from './quality.mjs';
import { startTranslator } from './translator.mjs';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const LEAST_LETTERS = 5;
const OFF_TOPIC = 300;

/** One error of four kinds, as often each: swapped, left out, doubled or wrong letter. */
function misspelt(word, next) {
  const at = 1 + Math.floor(next() * (word.length - 2));
  const [head, letter, tail] = [word.slice(0, at), word[at], word.slice(at + 1)];
  switch (Math.floor(next() * 4)) {
    case 0:
      return head + tail[0] + letter + tail.slice(1);
    case 1:
      return head + tail;
    case 2:
      return head + letter + letter + tail;
    default:
      return head + LETTERS[Math.floor(next() * LETTERS.length)] + tail;
  }
}

/** Errors in so many of the longer words. */
export function withTypos(text, count, seed) {
  const next = random(seed);
  const words = [...text.matchAll(/\p{L}+/gu)].filter(([word]) => word.length >= LEAST_LETTERS);
  const chosen = new Set();
  while (chosen.size < Math.min(count, words.length)) chosen.add(words[Math.floor(next() * words.length)].index);
  return text.replace(/\p{L}+/gu, (word, at) => (chosen.has(at) ? misspelt(word, next) : word));
}

/** The two longest words once more. */
const repeated = (text) =>
  [text, ...(text.match(/\p{L}+/gu) ?? []).sort((a, b) => b.length - a.length).slice(0, 2)].join(' ');

async function ndcg(service, base, { queries, relevant, name }, most, wordingOf, what) {
  const asked = sample(queries, most);
  const tell = progress(`${name}, ${what}`, asked.length);
  const scores = [];
  const results = [];
  for (const [at, query] of asked.entries()) {
    const text = wordingOf(query, at);
    if (text === undefined) continue;
    const answer = await service.query(base.id, text, { top_k: 10, mode: 'keyword' });
    scores.push(score([...new Set(answer.results.map(base.documentOf))], relevant.get(query._id)).ndcg);
    results.push(answer.match?.strength ?? 0);
    tell(at + 1);
  }
  return { ndcg: scores.length === 0 ? null : mean(scores), strengths: results };
}

/** Area under the ROC curve (Mann and Whitney 1947): the share of pairs in the right order. */
export function auroc(positive, negative) {
  const all = [...positive.map((value) => ({ value, own: true })), ...negative.map((value) => ({ value, own: false }))];
  all.sort((a, b) => a.value - b.value);
  let ranks = 0;
  for (let from = 0, to; from < all.length; from = to) {
    for (to = from; to < all.length && all[to].value === all[from].value;) to += 1;
    for (let at = from; at < to; at++) if (all[at].own) ranks += (from + to + 1) / 2;
  }
  return (ranks - (positive.length * (positive.length + 1)) / 2) / (positive.length * negative.length);
}

/** The same collection in another language, by the beginning of its name (`xquad-en`, `xquad-es`). */
const parallelOf = ({ name, language }, collections) =>
  collections.find((other) => other.name.split('-')[0] === name.split('-')[0] && other.language !== language);

/** The questions of the parallel collection, with a translator that knows what they mean: the most that one can bring back. */
async function translated(service, { queries }, parallel, ask) {
  const own = new Map(queries.map(({ _id, text }) => [_id, text]));
  const pairs = new Map([...parallel].map(([id, text]) => [text, own.get(id)]));
  const translator = await startTranslator(pairs);
  const setUp = (value) => service.call('PATCH', '/api/v1/organizations/default', { translator: value });
  try {
    await setUp({ dialect: 'libretranslate', url: translator.url });
    return await ask(({ _id }) => parallel.get(_id), 'in another language, translated');
  } finally {
    await setUp(null);
    translator.stop();
  }
}

export async function run({ service, collections, questions, warn }) {
  const rows = [];
  const all = { own: [], off: [] };
  for (const collection of collections) {
    const base = await collectionBase(service, collection, null, warn);
    const ask = (wordingOf, what) => ndcg(service, base, collection, questions, wordingOf, what);
    const clean = await ask(({ text }) => text, 'as they are');
    const one = await ask(({ text }, at) => withTypos(text, 1, at + 1), 'one typo');
    const two = await ask(({ text }, at) => withTypos(text, 2, at + 1), 'two typos');
    const twice = await ask(({ text }) => repeated(text), 'words said twice');
    const parallel = new Map(parallelOf(collection, collections)?.queries.map(({ _id, text }) => [_id, text]));
    const foreign = await ask(({ _id }) => parallel.get(_id), 'in another language');
    const bridged = await translated(service, collection, parallel, ask);
    const others = collections.filter(
      ({ name, language }) => language === collection.language && name.split('-')[0] !== collection.name.split('-')[0],
    );
    const strange = others.flatMap(({ queries }) => sample(queries, OFF_TOPIC));
    const off = [];
    for (const { text } of strange) {
      const { match } = await service.query(base.id, text, { top_k: 3, mode: 'keyword' });
      off.push(match?.strength ?? 0);
    }
    all.own.push(...(off.length > 0 ? clean.strengths : []));
    all.off.push(...off);
    const weak = (strengths) =>
      `${Math.round((100 * strengths.filter((each) => each < 0.5).length) / strengths.length)} %`;
    rows.push([
      collection.name,
      ...[clean, one, two, twice, foreign, bridged].map((result) => result.ndcg?.toFixed(4) ?? '–'),
      off.length === 0 ? '–' : auroc(clean.strengths, off).toFixed(4),
      weak(clean.strengths),
      off.length === 0 ? '–' : weak(off),
    ]);
  }
  const pooled = all.off.length === 0 ? '–' : auroc(all.own, all.off).toFixed(4);
  const head = [
    'nDCG@10',
    'as asked',
    '1 typo',
    '2 typos',
    'said twice',
    'other language',
    'translated',
    'AUROC',
    'weak, own',
    'off topic',
  ];
  return `${plainTable(head, rows)}\n\nAUROC of the match strength over all collections: ${pooled}`;
}
