// What each weight of the vectors does to each collection: the default must not lose to words alone anywhere.
import { plainTable } from '../lib/report.mjs';
import { collectionBase, evaluate } from './quality.mjs';

const WEIGHTS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1];

const modeOf = (weight) => (weight === 0 ? 'keyword' : weight === 1 ? 'vector' : 'hybrid');

export async function run({ service, collections, embedding, questions, warn }) {
  if (!embedding) return 'No embedding: no fusion.';
  const rows = [];
  for (const collection of collections) {
    const base = await collectionBase(service, collection, embedding, warn);
    if (base === null) continue;
    const ways = WEIGHTS.map((weight) => ({
      name: String(weight),
      options: { mode: modeOf(weight) },
      prepare: () => service.update(base.id, { hybrid_weight: weight }),
    }));
    const results = await evaluate(service, base, collection, ways, questions);
    for (const measure of ['ndcg', 'recall']) {
      const cells = results.map((result, at) =>
        result.ran === ways[at].options.mode ? result[measure].toFixed(4) : '–',
      );
      rows.push([collection.name, `${measure === 'ndcg' ? 'nDCG' : measure}@10`, ...cells]);
    }
  }
  return plainTable(['by weight of the vectors', '', ...WEIGHTS.map((w) => String(w))], rows);
}
