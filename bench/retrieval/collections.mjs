// The judged collections: corpus.jsonl, queries.jsonl and qrels.tsv per folder, baselines.json beside them.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

const HOW = `BENCH_DATA names a folder with one folder per collection, each with
  corpus.jsonl   {"_id", "title", "text"} per line
  queries.jsonl  {"_id", "text"} per line
  qrels.tsv      query-id <tab> corpus-id <tab> score
and, optionally, baselines.json {"collection": {"method": [nDCG@10, recall@10, …]}}.
Made from public data: XQuAD (google-deepmind/xquad, CC BY-SA 4.0: passages, questions, one relevant passage each),
ViquiQuAD (projecte-aina, CC BY-SA 4.0, Catalan), or any collection of BEIR (beir-cellar/beir), which has this form already.
The ending of a folder's name is its language: xquad-es, viquiquad-ca; English without one.`;

const jsonLines = (file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));

/** Ends the run when there is nothing to load. */
export function loadCollections(wanted) {
  const folder = process.env.BENCH_DATA;
  if (!folder || !existsSync(folder)) {
    console.error(folder ? `BENCH_DATA: there is no ${folder}\n\n${HOW}` : HOW);
    process.exit(2);
  }
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'qrels.tsv')));
  const unknown = (wanted ?? []).filter((name) => !names.includes(name));
  if (names.length === 0 || unknown.length > 0) {
    console.error(unknown.length > 0 ? `no collection ${unknown.join(', ')}; there are ${names.join(', ')}` : HOW);
    process.exit(2);
  }
  const baselines = existsSync(join(folder, 'baselines.json'))
    ? JSON.parse(readFileSync(join(folder, 'baselines.json'), 'utf8'))
    : {};
  return names
    .filter((name) => wanted === undefined || wanted.includes(name))
    .map((name) => ({ ...loadOne(join(folder, name)), baselines: baselines[name] ?? {} }));
}

function loadOne(folder) {
  const relevant = new Map();
  for (const line of readFileSync(join(folder, 'qrels.tsv'), 'utf8').split('\n')) {
    const [query, document, score] = line.split('\t');
    if (!document || !(Number(score) > 0)) continue;
    relevant.set(query, (relevant.get(query) ?? new Set()).add(document));
  }
  const name = basename(folder);
  return {
    name,
    language: /-([a-z]{2})$/.exec(name)?.[1] ?? 'en',
    corpus: jsonLines(join(folder, 'corpus.jsonl')),
    queries: jsonLines(join(folder, 'queries.jsonl')).filter(({ _id }) => relevant.has(_id)),
    relevant,
  };
}

/** Every n-th of a list, so that at most `most` are left. */
export function sample(list, most) {
  if (list.length <= most) return list;
  return Array.from({ length: most }, (_, at) => list[Math.floor((at * list.length) / most)]);
}

/** Binary gain, log2 discount, cut at 10. */
export function score(found, relevant) {
  const ten = found.slice(0, 10);
  const gain = ten.reduce((sum, id, at) => sum + (relevant.has(id) ? 1 / Math.log2(at + 2) : 0), 0);
  const ideal = Array.from({ length: Math.min(10, relevant.size) }, (_, at) => 1 / Math.log2(at + 2));
  return {
    ndcg: gain / ideal.reduce((sum, each) => sum + each, 0),
    recall: ten.filter((id) => relevant.has(id)).length / relevant.size,
  };
}

export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
