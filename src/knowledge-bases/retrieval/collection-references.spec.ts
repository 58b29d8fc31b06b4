import type { ExternalCollectionRepository } from '../external-collection.repository';
import type { KnowledgeBaseRepository } from '../storage/knowledge-base.repository';
import { CollectionReferences } from './collection-references';

const OWNER = { organizationId: 'org', userId: 'owner' };
const DELETED = '0195f2a0-0000-7000-8000-000000000009';

/** References over one own knowledge base `biology` and a list of external collections. */
function referencesOver(listed: readonly string[]) {
  const row = { id: '0195f2a0-0000-7000-8000-000000000001', slug: 'biology' };
  const scope = {
    named: async (refs: readonly string[]) => (refs.includes(row.slug) ? [row] : []),
    readableOf: async () => new Set([row.id]),
  };
  const asked: (readonly string[])[] = [];
  const list = {
    unlisted: async (_: string, ids: readonly string[]) => {
      asked.push(ids);
      return ids.filter((id) => !listed.includes(id));
    },
  };
  const references = new CollectionReferences(
    { within: () => scope } as unknown as KnowledgeBaseRepository,
    list as unknown as ExternalCollectionRepository,
    { on: () => undefined },
  );
  return { references, asked };
}

describe('references that the list of external collections does not have', () => {
  it('are external ones only, as they were written', async () => {
    const { references } = referencesOver(['physics']);
    const refs = ['biology', DELETED, 'physics', 'external:physics', 'old', 'external:old'];
    expect(await references.unlisted(OWNER, refs)).toEqual(['old', 'external:old']);
  });

  it('are not looked up where every reference names a knowledge base', async () => {
    const { references, asked } = referencesOver([]);
    expect(await references.unlisted(OWNER, ['biology', DELETED])).toEqual([]);
    expect(asked).toEqual([]);
  });
});
