import { OWNER } from '../testing/call';
import { scriptedRetrieval } from '../testing/scripted-retrieval';
import { collectionGaps } from './search-collections';

describe('a chosen collection that the list of external collections does not have', () => {
  const room = {
    ...scriptedRetrieval(),
    unlisted: (_: unknown, refs: readonly string[]) =>
      Promise.resolve(refs.filter((ref) => ref === 'external:old' || ref === 'words')),
  };
  const message = "the organization's list of external collections does not have old";

  it('is told as collection.unlisted at its place, by its name without the prefix', async () => {
    const gaps = await collectionGaps(room, { collections: ['biology', 'external:old'] }, OWNER);
    expect(gaps).toEqual([{ path: 'collections[1]', code: 'collection.unlisted', message }]);
  });

  it('is told beside a search mode that it does not have', async () => {
    const gaps = await collectionGaps(room, { collections: ['words'], mode: 'vector' }, OWNER);
    expect(gaps.map(({ code }) => code)).toEqual(['collection.unlisted', 'tool.degraded']);
  });

  it('is only told as inaccessible where the owner may not read it', async () => {
    const foreign = { ...room, unlisted: () => Promise.resolve(['foreign']) };
    const gaps = await collectionGaps(foreign, { collections: ['foreign'] }, OWNER);
    expect(gaps.map(({ code }) => code)).toEqual(['tool.inaccessible']);
  });
});
