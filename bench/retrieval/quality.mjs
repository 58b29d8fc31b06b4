// nDCG@10 and recall@10 of every mode that can run, beside the measured baselines.
import { figure, plainTable } from '../lib/report.mjs';
import { mean, sample, score } from './collections.mjs';
import { progress } from './progress.mjs';

/** Questions asked one way before they are asked the next: few enough for the service to remember their vectors. */
const BLOCK = 400;

const fileOf = (id) => `${encodeURIComponent(id).replaceAll('%', '_')}.md`;

/** A knowledge base with a collection in it; null where the embedding cannot be had, which `warn` is told. */
export async function collectionBase(service, { corpus, language, name }, embedding, warn) {
  const base = await service.create({ name, language, ...(embedding === null ? {} : { embedding }) }).catch((error) => {
    warn(`${name}: ${error.message}`);
    return null;
  });
  if (base === null) return null;
  await service.ingest(
    base.id,
    corpus.map(({ _id, title, text }) => [fileOf(_id), `${title ? `# ${title}\n\n` : ''}${text}\n`]),
  );
  const ids = new Map(corpus.map(({ _id }) => [fileOf(_id), _id]));
  return { id: base.id, documentOf: (result) => ids.get(result.metadata.filename) };
}

/**
 * Means over the questions for each of `ways`: `{ name, options, prepare }`, the last called before questions are asked so.
 * `ran` is the mode of the answers.
 */
export async function evaluate(service, base, { name, queries, relevant }, ways, most) {
  const asked = sample(queries, most);
  const tell = progress(`${name}, ${ways.map((way) => way.name).join(' ')}`, asked.length * ways.length);
  const results = ways.map(() => ({ scores: [], ran: '' }));
  let done = 0;
  for (let first = 0; first < asked.length; first += BLOCK) {
    for (const [at, { options, prepare }] of ways.entries()) {
      await prepare?.();
      for (const { _id, text } of asked.slice(first, first + BLOCK)) {
        const answer = await service.query(base.id, text, { top_k: 30, ...options });
        results[at].ran = answer.mode ?? 'keyword';
        results[at].scores.push(score([...new Set(answer.results.map(base.documentOf))], relevant.get(_id)));
        tell((done += 1));
      }
    }
  }
  return results.map(({ scores, ran }) => ({
    ndcg: mean(scores.map(({ ndcg }) => ndcg)),
    recall: mean(scores.map(({ recall }) => recall)),
    ran,
  }));
}

const wayOf = (mode) => ({ name: mode, options: { mode } });

const published = (baselines) =>
  Object.entries(baselines)
    .filter(([, figures]) => Array.isArray(figures))
    .map(([method, [ndcg, recall]]) => `${method} ${ndcg} / ${recall}`)
    .join(', ');

export async function run({ service, collections, embedding, questions, warn }) {
  const rows = [];
  for (const collection of collections) {
    const { name, queries, baselines } = collection;
    const add = (mode, { ndcg, recall }) => rows.push([name, mode, ndcg.toFixed(4), recall.toFixed(4)]);
    const words = await collectionBase(service, collection, null, warn);
    const [keyword] = await evaluate(service, words, collection, [wayOf('keyword')], questions);
    add('keyword', keyword);
    const base = embedding && (await collectionBase(service, collection, embedding, warn));
    const modes = base ? ['vector', 'hybrid'] : [];
    const results = base ? await evaluate(service, base, collection, modes.map(wayOf), questions) : [];
    for (const [at, result] of results.entries()) {
      const mode = modes[at];
      if (result.ran === mode) add(mode, result);
      else warn(`${name}: ${mode} ran as ${result.ran} at the default weight of this model`);
    }
    rows.push([name, `baselines (${figure(queries.length)} questions)`, published(baselines), '']);
  }
  return plainTable(['collection', 'mode', 'nDCG@10', 'recall@10'], rows);
}
