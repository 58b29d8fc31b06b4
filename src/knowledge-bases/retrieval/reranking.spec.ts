import type { Hit } from '../search/chunk.types';
import { type Candidate, externalCandidate, ownCandidate } from './candidate';
import { Reranking } from './reranking';

const own = (text: string, base = 'a'): Candidate =>
  ownCandidate({ text, similarity: 0.5, knowledge_base_id: base, section: '', table_header: null } as Hit, base);
const external = (text: string): Candidate =>
  externalCandidate({ text, similarity: 0.5, metadata: {}, source: {} } as never);
const texts = (candidates: readonly Candidate[]): string[] => candidates.map(({ text }) => text);

/** Judges by the number in a passage. */
function byNumber(bases: string[], isExternal = false) {
  const asked: (readonly string[])[] = [];
  const reranking = new Reranking({ bases: new Set(bases), external: isExternal }, (passages) => {
    asked.push(passages);
    return Promise.resolve(passages.map((text) => Number(text.replace(/\D/g, ''))));
  });
  return { asked, reranking };
}

describe('reranking', () => {
  it('sorts by the scores of the reranker, ties as the search found them', async () => {
    const { reranking } = byNumber(['a']);
    const sorted = await reranking.order(0, [own('p1'), own('p3'), own('q3'), own('p2')]);
    expect(texts(sorted)).toEqual(['p3', 'q3', 'p2', 'p1']);
    expect(sorted[0]).toMatchObject({ relevance: 3, similarity: 0.5 });
    expect(reranking.warnings).toEqual([]);
  });

  it('sends no passage of a knowledge base that does not want it, and leaves its place alone', async () => {
    const { asked, reranking } = byNumber(['a']);
    const sorted = await reranking.order(0, [own('p1'), own('p9', 'b'), external('p8'), own('p2')]);
    expect(texts(sorted)).toEqual(['p2', 'p9', 'p8', 'p1']);
    expect(asked).toEqual([['p1', 'p2']]);
    const all = byNumber(['a'], true);
    await all.reranking.order(0, [own('p1'), external('p8')]);
    expect(all.asked).toEqual([['p1', 'p8']]);
  });

  it('judges the first thirty of a list, once', async () => {
    const { asked, reranking } = byNumber(['a']);
    const many = Array.from({ length: 40 }, (_, n) => own(`p${n}`));
    const sorted = texts(await reranking.order(0, many));
    expect([sorted[0], sorted[29], sorted[30]]).toEqual(['p29', 'p0', 'p30']);
    expect(texts(await reranking.order(0, [own('new'), ...many]))[0]).toBe('new');
    expect(asked).toHaveLength(1);
  });

  it('keeps the order of the search when the reranker fails, and says so', async () => {
    const reranking = new Reranking({ bases: new Set(['a']), external: false }, () => Promise.resolve('took too long'));
    expect(texts(await reranking.order(0, [own('p1'), own('p2')]))).toEqual(['p1', 'p2']);
    expect(reranking.warnings).toEqual([
      'The reranker took too long: the passages stay in the order in which the search found them',
    ]);
  });
});
