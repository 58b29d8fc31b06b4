import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import {
  PromptTemplateRepository,
  type PromptTemplateScope,
} from '../../src/assistants/prompt-templates/prompt-template.repository';
import { OrganizationRepository } from '../../src/organizations/organization.repository';
import { openTestDatabase, resetDatabase } from '../support/database';

let dataSource: DataSource;
let organizationId: string;
let templates: PromptTemplateScope;

beforeAll(async () => {
  dataSource = await openTestDatabase();
});
beforeEach(async () => {
  await resetDatabase(dataSource);
  organizationId = await organization();
  templates = new PromptTemplateRepository(dataSource).within(organizationId);
});
afterAll(() => dataSource.destroy());

async function organization(): Promise<string> {
  const id = randomUUID();
  await dataSource.query('INSERT INTO organizations (id, slug, name) VALUES ($1, $2, $2)', [id, id.slice(0, 8)]);
  return id;
}
async function made(): Promise<{ id: string; organizationId: string; version: number }> {
  const id = randomUUID();
  const ownerId = randomUUID();
  await dataSource.query('INSERT INTO users (id, email) VALUES ($1, $2)', [ownerId, `${ownerId}@example.edu`]);
  await templates.insert({ id, ownerId, type: 'classic', name: 'Begun' });
  return { id, organizationId, version: 1 };
}
/** Which of the writes went through; the others must have been refused for their version. */
async function winners(writes: readonly Promise<unknown>[]): Promise<boolean[]> {
  const results = await Promise.allSettled(writes);
  for (const result of results)
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'precondition_failed' });
  return results.map(({ status }) => status === 'fulfilled');
}
const wins = (results: readonly boolean[]): number => results.filter((won) => won).length;

describe('rows that count their versions', () => {
  it('begin with 1, also those that were stored before they counted', async () => {
    const { id } = await made();
    expect((await templates.find(id))?.version).toBe(1);
    const [stored] = await dataSource.query('SELECT version FROM organizations WHERE id = $1', [organizationId]);
    expect(stored).toEqual({ version: 1 });
  });

  it('are written by one of twenty at once, without a lock', async () => {
    const row = await made();
    const names = Array.from({ length: 20 }, (_, n) => `Name ${n}`);
    const results = await winners(names.map((name) => templates.advance(row, { name })));
    expect(wins(results)).toBe(1);
    expect(await templates.find(row.id)).toMatchObject({ version: 2, name: names[results.indexOf(true)] });
  });

  it('are written or removed, never both in one version', async () => {
    const row = await made();
    const results = await winners([templates.advance(row, { name: 'Kept' }), templates.removeVersion(row)]);
    expect(wins(results)).toBe(1);
    expect((await templates.find(row.id)) === null).toBe(results[1]);
  });

  it('are those of their organization only', async () => {
    const row = await made();
    const foreign = new PromptTemplateRepository(dataSource).within(await organization());
    const writes = [foreign.advance(row, { name: 'Taken' }), foreign.removeVersion(row)];
    expect(wins(await winners(writes))).toBe(0);
    expect(await templates.find(row.id)).toMatchObject({ version: 1, name: 'Begun' });
  });

  it('of organizations are written by one of several at once', async () => {
    const organizations = new OrganizationRepository(dataSource);
    const before = { id: organizationId, version: 1 };
    const results = await winners(
      Array.from({ length: 6 }, (_, n) =>
        dataSource.transaction((tx) => organizations.advance(before, { name: `Name ${n}` }, tx)),
      ),
    );
    expect(wins(results)).toBe(1);
    expect((await organizations.findById(organizationId))?.version).toBe(2);
  });
});
