import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { type Definition, EMPTY_DEFINITION } from '../../src/assistants/definition';
import { PromptTemplateRepository } from '../../src/assistants/prompt-templates/prompt-template.repository';
import { AssistantRepository } from '../../src/assistants/storage/assistant.repository';
import type { AssistantScope } from '../../src/assistants/storage/assistant-scope.repository';
import type { AssistantFilter } from '../../src/assistants/storage/visible-assistants.repository';
import { openTestDatabase, resetDatabase } from '../support/database';

const TABLES = /\b(assistants|assistant_versions|assistant_shares|prompt_templates)\b/;
const definition = (overrides: Partial<Definition> = {}): Definition => ({
  ...EMPTY_DEFINITION,
  name: 'A',
  ...overrides,
});
const everything: AssistantFilter = { visibleTo: null, onlyIds: null };

let dataSource: DataSource;
let repository: AssistantRepository;

beforeAll(async () => {
  dataSource = await openTestDatabase();
  repository = new AssistantRepository(dataSource);
});
beforeEach(() => resetDatabase(dataSource));
afterAll(() => dataSource.destroy());

async function organization(): Promise<{ id: string; users: string[]; scope: AssistantScope }> {
  const id = randomUUID();
  await dataSource.query('INSERT INTO organizations (id, slug, name) VALUES ($1, $2, $2)', [id, id.slice(0, 8)]);
  const users = [randomUUID(), randomUUID()];
  for (const user of users)
    await dataSource.query('INSERT INTO users (id, email) VALUES ($1, $2)', [user, `${user}@example.edu`]);
  return { id, users, scope: repository.within(id) };
}

const idsOf = (rows: readonly { id: number }[]): number[] => rows.map(({ id }) => id);

describe('assistants in the database', () => {
  it('have entities that equal their tables', async () => {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    const drift = upQueries.map(({ query }) => query).filter((query) => TABLES.test(query));
    // Foreign keys to tables of other modules are written in the migration only.
    expect(drift.filter((query) => !/DROP CONSTRAINT "\w+_(organization|owner|user)_fk"$/.test(query))).toEqual([]);
  });

  it('keep metadata to the letter', async () => {
    const { scope, users } = await organization();
    const metadata = '{ "b":1,\n\t"a" : [ 1.0, 1e2 ], "a": "twice \\u00e9" }';
    const { id } = await scope.insert(users[0]!, definition({ metadata }), null, 'create');
    expect((await scope.find(id))?.metadata).toBe(metadata);
    expect((await scope.version(id, 1))?.metadata).toBe(metadata);
  });

  it('exist in their own organization only, in every query', async () => {
    const [own, other] = [await organization(), await organization()];
    const { id } = await own.scope.insert(own.users[0]!, definition(), null, 'create');
    await own.scope.publish(id, 1);
    await own.scope.shares.replacePeople(id, [{ userId: other.users[0]!, access: 'edit' }]);
    expect(await other.scope.find(id)).toBeNull();
    expect(await other.scope.replace(id, 1, definition({ name: 'B' }), null, 'update')).toBe(false);
    expect(await other.scope.remove(id, null)).toBe(false);
    await other.scope.publish(id, null);
    await other.scope.shares.replacePeople(id, []);
    expect(await other.scope.shares.people([id])).toEqual([]);
    expect(await other.scope.version(id, 1)).toBeNull();
    expect((await other.scope.versions(id, { limit: 10, cursor: null })).total).toBe(0);
    const filters: AssistantFilter[] = [
      everything,
      { visibleTo: other.users[0]!, onlyIds: null },
      { visibleTo: own.users[0]!, onlyIds: [id] },
      { ...everything, ownerId: own.users[0]!, type: 'classic', text: 'A' },
    ];
    for (const filter of filters) {
      expect(await other.scope.next(filter, 0, 100)).toEqual([]);
      expect((await other.scope.page(filter, { limit: 10, cursor: null })).total).toBe(0);
    }
    expect(await own.scope.find(id)).toMatchObject({ name: 'A', published: true, version: 1 });
    expect(await own.scope.shares.people([id])).toHaveLength(1);
    expect(() => repository.within('')).toThrow();
  });

  it('are counted for a viewer with the shares looked up once, not for every row', async () => {
    const { scope, users } = await organization();
    const runner = dataSource.createQueryRunner();
    const asked = jest.spyOn(Object.getPrototypeOf(runner) as typeof runner, 'query');
    await scope.page({ visibleTo: users[1]!, onlyIds: null }, { limit: 10, cursor: null });
    const [text = '', values] = asked.mock.calls.find(([sql]) => sql.includes('count(*)')) ?? [];
    asked.mockRestore();
    const plan = JSON.stringify(await runner.query(`EXPLAIN ${text}`, values));
    await runner.release();
    expect(plan).toContain('InitPlan');
    // Run for every row, it is estimated so high that PostgreSQL compiles the statement for longer than it runs.
    expect(plan).not.toContain('SubPlan');
  });

  it('come page by page in the order of their ids, and by the right to edit them', async () => {
    const { scope, users } = await organization();
    const [owner, viewer] = users as [string, string];
    const ids: number[] = [];
    for (const name of ['a', 'b', 'c']) ids.push((await scope.insert(owner, definition({ name }), null, 'create')).id);
    const seen = { visibleTo: owner, onlyIds: null };
    expect(idsOf(await scope.next(seen, 0, 2))).toEqual(ids.slice(0, 2));
    expect(idsOf(await scope.next(seen, ids[1]!, 2))).toEqual(ids.slice(2));
    await scope.shares.replacePeople(ids[0]!, [{ userId: viewer, access: 'use' }]);
    await scope.shares.replacePeople(ids[1]!, [{ userId: viewer, access: 'edit' }]);
    expect(await scope.editableBy(viewer)).toEqual([ids[1]]);
    expect((await scope.editableBy(owner)).sort((a, b) => a - b)).toEqual(ids);
  });

  it('are visible to their owner, through a share, and once published', async () => {
    const { scope, users } = await organization();
    const [owner, viewer] = users as [string, string];
    const [secret, shared, published] = [
      await scope.insert(owner, definition({ name: 'private' }), null, 'create'),
      await scope.insert(owner, definition({ name: 'shared' }), null, 'create'),
      await scope.insert(owner, definition({ name: 'published' }), null, 'create'),
    ];
    await scope.shares.replacePeople(shared.id, [{ userId: viewer, access: 'use' }]);
    await scope.publish(published.id, 1);
    expect(idsOf(await scope.next({ visibleTo: viewer, onlyIds: null }, 0, 100))).toEqual([shared.id, published.id]);
    expect(idsOf(await scope.next({ visibleTo: owner, onlyIds: null }, 0, 100))).toHaveLength(3);
    expect(idsOf(await scope.next({ visibleTo: viewer, onlyIds: [secret.id, shared.id] }, 0, 100))).toEqual([
      shared.id,
    ]);
    expect(idsOf(await scope.next({ visibleTo: viewer, onlyIds: [] }, 0, 100))).toEqual([]);
  });

  it('lets exactly one of many writers follow a version', async () => {
    const { id: organizationId, scope, users } = await organization();
    const { id } = await scope.insert(users[0]!, definition(), users[0]!, 'create');
    const writers = Array.from({ length: 6 }, (_, n) =>
      dataSource.transaction((tx) =>
        repository.within(organizationId, tx).replace(id, 1, definition({ name: `N${n}` }), null, 'update'),
      ),
    );
    expect((await Promise.all(writers)).filter(Boolean)).toHaveLength(1);
    expect((await scope.versions(id, { limit: 10, cursor: null })).items.map(({ version }) => version)).toEqual([2, 1]);
  });

  it('leave nothing behind when the transaction fails', async () => {
    const { id: organizationId, users } = await organization();
    const failing = dataSource.transaction(async (tx) => {
      await repository.within(organizationId, tx).insert(users[0]!, definition(), null, 'create');
      throw new Error('later step');
    });
    await expect(failing).rejects.toThrow('later step');
    const counts = await dataSource.query(
      'SELECT (SELECT count(*) FROM assistants) + (SELECT count(*) FROM assistant_versions) AS n',
    );
    expect(counts).toEqual([{ n: '0' }]);
  });

  it('are gone from every query after a soft delete, and their history stays', async () => {
    const { scope, users } = await organization();
    const { id } = await scope.insert(users[0]!, definition(), null, 'create');
    await scope.publish(id, 1);
    expect(await scope.remove(id, null)).toBe(true);
    expect(await scope.remove(id, null)).toBe(false);
    expect(await scope.find(id)).toBeNull();
    expect(await scope.next(everything, 0, 100)).toEqual([]);
    expect(await scope.version(id, 1)).not.toBeNull();
    const rows = await dataSource.query('SELECT published FROM assistants');
    expect(rows).toEqual([{ published: false }]);
  });
});

describe('prompt templates in the database', () => {
  it('exist in their own organization only', async () => {
    const [own, other] = [await organization(), await organization()];
    const templates = new PromptTemplateRepository(dataSource);
    const id = randomUUID();
    await templates.within(own.id).insert({ id, ownerId: own.users[0]!, type: 'classic', name: 'T', shared: true });
    const page = (organizationId: string, viewerId: string) =>
      templates.within(organizationId).page({ viewerId, mine: false }, { limit: 10, cursor: null });
    expect((await page(own.id, own.users[1]!)).total).toBe(1);
    expect((await page(other.id, own.users[0]!)).total).toBe(0);
    expect(await templates.within(other.id).find(id)).toBeNull();
    expect(await templates.within(other.id).update(id, { name: 'X' })).toBe(false);
    expect(await templates.within(other.id).remove(id)).toBe(false);
  });
});
