// A plain BM25 over name, description, parameters and examples: no weights, no stems. The floor of the planner's ranking.
const K1 = 1.2;
const B = 0.75;

const wordsOf = (text) =>
  text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .match(/\p{L}+|\d+/gu) ?? [];

const textOf = ({ name, description, parameters = [], examples = [] }) =>
  [name, description, ...parameters.map((each) => `${each.name} ${each.description}`), ...examples].join(' ');

/** Positions of the tools, best first. */
export function plainRanking(query, tools) {
  const documents = tools.map((tool) => wordsOf(textOf(tool)));
  const mean = documents.reduce((sum, { length }) => sum + length, 0) / documents.length;
  const scores = documents.map(() => 0);
  for (const word of new Set(wordsOf(query))) {
    const times = documents.map((document) => document.filter((other) => other === word).length);
    const having = times.filter((each) => each > 0).length;
    const rarity = Math.log(1 + (documents.length - having + 0.5) / (having + 0.5));
    for (const [at, each] of times.entries()) {
      scores[at] += (rarity * each * (K1 + 1)) / (each + K1 * (1 - B + (B * documents[at].length) / mean));
    }
  }
  return scores
    .map((score, at) => ({ at, score }))
    .sort((one, other) => other.score - one.score || one.at - other.at)
    .map(({ at }) => at);
}
