import { Connection } from 'pg';
import type { DataSource } from 'typeorm';
import { KnowledgeBaseRepository } from '../../src/knowledge-bases/storage/knowledge-base.repository';
import { filesForm, startApp, type TestApp } from '../support/app';
import { openTestDatabase } from '../support/database';
import { foreignOrganization, type Person, person } from '../support/people';

/** A condition on the organization in a statement of a repository, such as `"row"."organization_id" = $2`. */
const FIRST_WALL = /[\w".]*organization_id"?\s*=\s*(\$\d+)/gi;

interface Sender {
  parse(statement: { text: string }, ...rest: unknown[]): void;
}

/** Removes the conditions on the organization from every statement that this process sends. Returns their number. */
function removeFirstWall(): { readonly removed: () => number; readonly restore: () => void } {
  const sender = Connection.prototype as unknown as Sender;
  const parse = sender.parse;
  let removed = 0;
  sender.parse = function (statement, ...rest) {
    const text = statement.text.replace(FIRST_WALL, (_, parameter: string) => {
      removed += 1;
      return `${parameter}::uuid IS NOT NULL`;
    });
    parse.call(this, { ...statement, text }, ...rest);
  };
  return { removed: () => removed, restore: () => void (sender.parse = parse) };
}

const MARK = 'Zebra';

describe('row-level security, without the conditions of the repositories', () => {
  let app: TestApp;
  let owner: DataSource;
  let intruder: Person;
  let foreign: Person;
  let wall: ReturnType<typeof removeFirstWall>;
  const ids: Record<string, string> = {};

  const madeBy = async (who: Person, path: string, body: unknown): Promise<any> => {
    const answer = await who.api('POST', path, body);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  };

  beforeAll(async () => {
    app = await startApp();
    owner = await openTestDatabase();
    const organization = await foreignOrganization(app, 'zebras');
    const scopes = ['chat', 'read', 'write', 'admin'];
    foreign = await person(app, { organization, role: 'owner', scopes });
    intruder = await person(app, { role: 'owner', scopes });
    ids['knowledge-bases'] = (await madeBy(foreign, '/api/v1/knowledge-bases', { name: `${MARK} facts` })).id;
    ids['prompt-templates'] = (
      await madeBy(foreign, '/api/v1/prompt-templates', {
        name: `${MARK} prompt`,
        type: 'classic',
        prompt_template: 'x',
      })
    ).id;
    ids['files'] = (await madeBy(foreign, '/api/v1/files', filesForm([`${MARK}.md`, MARK]))).items[0].id;
    ids['assistants'] = (await madeBy(foreign, '/api/v1/assistants', { name: `${MARK}_helper` })).id;
    wall = removeFirstWall();
  }, 120_000);
  afterAll(async () => {
    wall.restore();
    await owner.destroy();
    await app.stop();
  });

  it('is off for the owner of the tables, whose repositories then find rows of others', async () => {
    const [{ id: organizationId }] = await owner.query<[{ id: string }]>(
      `SELECT id FROM organizations WHERE slug = 'default'`,
    );
    const found = await new KnowledgeBaseRepository(owner).within(organizationId).find(ids['knowledge-bases'] ?? '');
    expect(found?.name).toBe(`${MARK} facts`);
  });

  it.each(['knowledge-bases', 'prompt-templates', 'files', 'assistants'])('finds no %s of others', async (room) => {
    const before = wall.removed();
    const path = `/api/v1/${room}`;
    expect((await intruder.api('GET', path)).text).not.toContain(MARK);
    expect((await intruder.api('GET', `${path}/${ids[room]}`)).status).toBe(404);
    expect((await intruder.api('DELETE', `${path}/${ids[room]}`, undefined, { 'if-match': '*' })).status).toBe(404);
    expect(wall.removed()).toBeGreaterThan(before);
    expect((await foreign.api('GET', path)).text).toContain(MARK);
  });

  it('lists no keys, members, runs, audit entries or usage of others', async () => {
    const paths = [
      '/api/v1/api-keys?owner=all',
      '/api/v1/organizations/default/members',
      '/api/v1/organizations/default/audit',
      '/api/v1/organizations/default/groups',
      '/api/v1/organizations/default/usage',
      '/api/v1/runs',
      '/api/v1/rubrics',
      '/v1/models',
    ];
    for (const path of paths) {
      const answer = await intruder.api('GET', path);
      expect([path, answer.status]).toEqual([path, 200]);
      for (const trace of [MARK, foreign.email, foreign.userId]) expect(answer.text).not.toContain(trace);
    }
  });
});
