import { AppError } from '@bellwether/kernel';
import type { LambOrganization } from '@bellwether/lamb-reader';
import { ownIdentity } from '../../src/infrastructure/database';
import { AssistantImport } from '../../src/assistants';
import { ExternalCollectionsService } from '../../src/knowledge-bases/external-collections.service';
import { RubricsService } from '../../src/rubrics';
import { lambImports } from '../support/lamb-imports';
import {
  assistant,
  collection,
  onlyOrganization,
  ORGANIZATION,
  place,
  rubric,
  template,
  user,
} from '../support/lamb-source';

const { app, rows, run, runOne, runtimeOf } = lambImports();

const count = async (table: string): Promise<number> =>
  Number((await rows<{ n: string }>(`SELECT count(*) AS n FROM ${table}`))[0]?.n);

describe('an organization of a LAMB installation', () => {
  it('comes with people, rubrics, templates, collections, assistants and shares', async () => {
    const { organizations, sourceName, slug } = place();
    const users = [
      user(1, { email: ' User1@Biology.EXAMPLE' }),
      user(2),
      user(3, { userType: 'end_user', enabled: false }),
      user(4, { email: 'no address' }),
    ];
    const metadata = '{"rag_processor" :"rubric_rag","rubric_id":"6F9619FF-8B86-4D01-B42D-00CF4FC96405"}';
    const report = await run(
      {
        organizations,
        users,
        assistants: [assistant(12, { metadata, published: true }), assistant(13, { deleted: true })],
        shares: [{ assistantId: 12, userId: 2 }],
        rubrics: [rubric(5), rubric(6, { document: { criteria: [] } })],
        promptTemplates: [template],
        collections: [collection],
      },
      { sourceName },
    );
    const result = onlyOrganization(report);
    expect(result).toMatchObject({ outcome: 'created', slug, originSlug: slug, conflicts: [] });
    expect(result.counts).toMatchObject({
      member: { created: 3 },
      user: { left_out: 1 },
      rubric: { created: 1, left_out: 1 },
      prompt_template: { created: 1 },
      collection: { created: 1 },
      assistant: { created: 1, left_out: 1 },
      share: { created: 1 },
    });
    expect(result.leftOut.map(({ code }) => code).sort()).toEqual([
      'assistant.deleted',
      'rubric.invalid',
      'user.address',
    ]);
    expect(result.notes).toMatchObject([
      { kind: 'organization', code: 'knowledge_base.none' },
      { kind: 'organization', code: 'members.published_only', message: expect.stringContaining('(1)') },
    ]);
    const id = result.assistants[0]?.id ?? 0;
    const [row] = await rows('SELECT * FROM assistants WHERE id = $1', [id]);
    expect(row).toMatchObject({ name: '1_assistant_12', metadata, published: true, type: 'classic', rag_top_k: 3 });
    expect((row as { created_at: Date }).created_at).toEqual(new Date(1_700_000_000_000));
    const members = await rows(
      'SELECT email, role, disabled FROM members JOIN users ON users.id = user_id WHERE organization_id = $1 ORDER BY email',
      [(row as { organization_id: string }).organization_id],
    );
    expect(members).toEqual([
      { email: 'user1@biology.example', role: 'owner', disabled: false },
      { email: 'user2@biology.example', role: 'teacher', disabled: false },
      { email: 'user3@biology.example', role: 'member', disabled: true },
    ]);
    const owner = {
      organizationId: (row as { organization_id: string }).organization_id,
      userId: (row as { owner_id: string }).owner_id,
    };
    const named = await app().get(RubricsService).forPrompt(owner, '6F9619FF-8B86-4D01-B42D-00CF4FC96405', 'markdown');
    expect(named.source.title).toBe('Essay');
    expect((await app().get(RubricsService).forPrompt(owner, 5, 'markdown')).text).toBe(named.text);
    expect((await runtimeOf(slug)).features.members_can_use_all).toBe(true);
  });
  it('writes nothing in a dry run that tells the same', async () => {
    const { organizations, sourceName, slug } = place();
    const parts = { organizations, assistants: [assistant(1), assistant(2)], shares: [{ assistantId: 1, userId: 2 }] };
    const before = await rows(`SELECT last_value FROM assistants_id_seq`);
    const dry = await runOne(parts, { sourceName, dryRun: true });
    expect(await rows('SELECT 1 FROM organizations WHERE slug = $1', [slug])).toEqual([]);
    expect(await rows('SELECT 1 FROM origins WHERE source = $1', [sourceName])).toEqual([]);
    expect(await rows(`SELECT last_value FROM assistants_id_seq`)).toEqual(before);
    expect(dry.assistants.map(({ id }) => id)).toEqual([null, null]);
    const wet = await runOne(parts, { sourceName });
    expect({ ...wet, assistants: [] }).toEqual({ ...dry, assistants: [] });
  });

  it('is left alone when its slug is taken by one that did not come from there', async () => {
    const { organizations, sourceName } = place();
    await run({ organizations }, { sourceName: `${sourceName}-other` });
    const before = await count('members');
    const result = await runOne({ organizations, assistants: [assistant(1)] }, { sourceName });
    expect(result).toMatchObject({ outcome: 'conflict', assistants: [] });
    expect(result.conflicts).toMatchObject([{ kind: 'organization', code: 'slug.taken' }]);
    expect(result.counts.assistant.created).toBe(0);
    expect(await count('members')).toBe(before);
  });

  it('names and counts each assistant that is left out, and takes those without a name or an owner', async () => {
    const { organizations, sourceName } = place();
    const nan = '{"connector": "openai", "temperature": NaN}';
    const assistants = [
      assistant(1, { name: ' ' }),
      assistant(2, { ownerEmail: '' }),
      assistant(3, { name: 'Long', published: true, unreadable: 'system_prompt is 2000000 bytes long' }),
      assistant(4, { metadata: nan }),
    ];
    const result = await runOne({ organizations, assistants }, { sourceName });
    expect(result.counts.assistant).toMatchObject({ created: 3, left_out: 1 });
    expect(result.assistants.map(({ name }) => name)).toEqual(['Assistant 1', '1_assistant_2', '1_assistant_4']);
    expect(result.leftOut).toMatchObject([
      {
        origin: '3',
        name: 'Long',
        message: 'system_prompt is 2000000 bytes long; it belongs to user1@biology.example, is published',
      },
    ]);
    const noted = result.notes
      .filter(({ kind }) => kind === 'assistant')
      .map(({ origin, code }) => `${origin} ${code}`);
    expect(noted.sort()).toEqual(['1 name.changed', '2 owner.replaced', '4 metadata.python']);
    const [stored] = await rows('SELECT metadata FROM assistants WHERE id = $1', [result.assistants[2]?.id]);
    expect(stored).toEqual({ metadata: nan.replace('NaN', 'null') });
  });

  it('comes first of two with one slug', async () => {
    const { organizations, sourceName } = place();
    const twin = { ...organizations[0], id: 3, name: 'Twin' } as LambOrganization;
    const report = await run({ organizations: [...organizations, twin] }, { sourceName });
    expect(report.organizations.map(({ origin, outcome }) => [origin, outcome])).toEqual([
      [2, 'created'],
      [3, 'conflict'],
    ]);
  });

  it('comes whole or not at all', async () => {
    const { organizations, sourceName, slug } = place();
    const other = { ...ORGANIZATION, id: 9, slug: `${slug}-next` };
    const arriving = jest.spyOn(app().get(AssistantImport), 'insert');
    arriving.mockRejectedValueOnce(new AppError('conflict', 'Somebody was faster'));
    const report = await run({ organizations: [...organizations, other], assistants: [assistant(1)] }, { sourceName });
    arriving.mockRestore();
    expect(report.organizations.map(({ outcome }) => outcome)).toEqual(['failed', 'created']);
    expect(report.organizations[0]?.leftOut).toMatchObject([{ kind: 'organization', code: 'conflict' }]);
    expect(await rows('SELECT 1 FROM organizations WHERE slug = $1', [slug])).toEqual([]);
  });

  it('comes without the second of two things that would be one here', async () => {
    const { organizations, sourceName } = place();
    const users = [user(1), user(2)];
    const orphans = [1, 2].map((id) => assistant(id, { name: 'One', ownerEmail: `gone${id}@biology.example` }));
    const parts = { organizations, users, rubrics: [rubric(1), rubric(2)], assistants: orphans };
    const result = await runOne(parts, { sourceName });
    expect(result.conflicts.map(({ kind, origin, code }) => [kind, origin, code])).toEqual([
      ['rubric', '2', 'exists'],
      ['assistant', '2', 'exists'],
    ]);
    expect(result.assistants.map(({ origin }) => origin)).toEqual([1]);
  });

  it('is refused while another import runs, and not by one whose process is dead', async () => {
    const leased = (process: object) =>
      rows(
        `INSERT INTO import_leases VALUES ('lamb', gen_random_uuid(), $1, now() + interval '1 minute')
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder`,
        [JSON.stringify({ label: 'process 1 on elsewhere', process })],
      );
    await leased({ pid: 1, realm: 'elsewhere', startTime: '1' });
    const refusal = { code: 'conflict', detail: expect.stringContaining('process 1 on elsewhere') };
    await expect(run({})).rejects.toMatchObject(refusal);
    await leased({ ...ownIdentity(), startTime: '1' });
    const { organizations, sourceName } = place();
    expect((await runOne({ organizations }, { sourceName })).outcome).toBe('created');
    expect(await rows('SELECT 1 FROM import_leases')).toEqual([]);
  });

  it('stops between two organizations when the signal fires', async () => {
    const { organizations, sourceName, slug } = place();
    const stop = new AbortController();
    const next = { ...ORGANIZATION, id: 8, slug: `${slug}-next` };
    const report = await run(
      { organizations: [...organizations, next] },
      { sourceName, signal: stop.signal, progress: { report: ({ done }) => done === 1 && stop.abort() } },
    );
    expect(report).toMatchObject({ interrupted: true, organizations: [{ originSlug: slug }] });
  });
});

describe('what belongs to somebody', () => {
  it('keeps its owner, goes to the first owner when there is none, and is left out when there is neither', async () => {
    const { organizations, sourceName, slug } = place();
    const users = [
      user(1),
      user(5, { organizationId: null }),
      user(6, { organizationId: null }),
      user(7, { organizationId: 40 }),
    ];
    const assistants = [
      assistant(1, { ownerEmail: 'user5@biology.example' }),
      assistant(2, { ownerEmail: 'USER7@biology.example' }),
      assistant(3, { ownerEmail: 'nobody@biology.example' }),
    ];
    const report = await run({ organizations, users, assistants }, { sourceName });
    const result = onlyOrganization(report);
    expect(report.problems).toMatchObject([{ table: 'Creator_users', row: '6', code: 'user.nowhere' }]);
    expect(result.notes.map(({ kind, origin, code }) => [kind, origin, code])).toEqual([
      ['user', '5', 'user.placed'],
      ['assistant', '2', 'owner.replaced'],
      ['assistant', '3', 'owner.replaced'],
    ]);
    const owners = await rows<{ email: string }>(
      `SELECT email FROM assistants JOIN users ON users.id = owner_id
       JOIN organizations ON organizations.id = organization_id WHERE slug = $1 ORDER BY assistants.name`,
      [slug],
    );
    expect(owners.map(({ email }) => email)).toEqual([5, 1, 1].map((id) => `user${id}@biology.example`));
    const alone = place();
    const nobody = await runOne({ ...alone, users: [], roles: [], assistants: [assistant(1)] }, alone);
    expect(nobody.leftOut).toMatchObject([{ kind: 'assistant', code: 'owner.missing' }]);
  });

  it('meets a person who is here already, whatever the case of their address', async () => {
    const { organizations, sourceName } = place();
    const [known] = await rows<{ id: string }>('SELECT id FROM users WHERE email = $1', ['user1@biology.example']);
    const users = [
      user(1, { email: 'USER1@Biology.example' }),
      user(2, { email: 'user1@BIOLOGY.example', enabled: false }),
    ];
    const result = await runOne({ organizations, users }, { sourceName });
    expect(result.notes.map(({ code }) => code)).toEqual(['user.merged']);
    const members = await rows(
      `SELECT user_id, role, disabled FROM members JOIN origins USING (organization_id)
       WHERE source = $1 AND kind = 'member'`,
      [sourceName],
    );
    expect(members).toEqual([{ user_id: known?.id, role: 'owner', disabled: false }]);
  });
});

describe('an assistant', () => {
  it('is kept as it is when it can be stored at all', async () => {
    const { organizations, sourceName } = place();
    const texts = ['', 'broken {', '{"_format_version":4}', '{"prompt_processor":"default","rag_processor":"No RAG"}'];
    const bad = ['{"a":"\\u0000"}', '{"__proto__":{}}', `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`];
    const assistants = [
      ...[...texts, ...bad].map((metadata, index) => assistant(index + 1, { metadata })),
      assistant(20, { systemPrompt: 'a\u0000b' }),
      assistant(21, { name: 'é\ud800', ragTopK: 50 }),
      assistant(22, { ragTopK: 0, ragCollections: ' 3, x' }),
      assistant(23, { ragTopK: null, createdAt: null, updatedAt: null }),
    ];
    const result = await runOne({ organizations, assistants }, { sourceName });
    expect(result.leftOut.map(({ origin, code }) => [origin, code])).toEqual(
      [5, 6, 7, 20].map((id) => [String(id), 'assistant.unstorable']),
    );
    expect(result.notes.map(({ origin, code }) => [origin, code])).toEqual([
      ['2', 'knowledge_base.none'],
      ['2', 'metadata.unreadable'],
      ['21', 'name.changed'],
      ['21', 'top_k.clamped'],
      ['22', 'top_k.clamped'],
    ]);
    const stored = await rows(
      'SELECT metadata, rag_top_k, rag_collections FROM assistants WHERE id = ANY($1) ORDER BY array_position($1, id)',
      [result.assistants.map(({ id }) => id)],
    );
    expect(stored.slice(0, 4).map(({ metadata }: any) => metadata)).toEqual(texts);
    expect(stored.slice(4)).toMatchObject([
      { rag_top_k: 20 },
      { rag_top_k: 1, rag_collections: ' 3, x' },
      { rag_top_k: 3 },
    ]);
  });

  it('calls others by the ids that they got here', async () => {
    const { organizations, sourceName } = place();
    const calling = (id: number) => `{"tools":[{"type":"assistant","assistant_id":${id},"name":"x"}], "n":1.0}`;
    const assistants = [assistant(1, { metadata: calling(2) }), assistant(2, { metadata: calling(77) })];
    const result = await runOne({ organizations, assistants }, { sourceName });
    const [one, two] = result.assistants.map(({ id }) => id);
    expect(result.notes).toMatchObject([{ origin: '2', code: 'function.target_missing' }]);
    const stored = await rows('SELECT metadata FROM assistants WHERE id = ANY($1) ORDER BY name', [[one, two]]);
    expect(stored).toEqual([{ metadata: calling(two ?? 0) }, { metadata: calling(77).replace('77', 'null') }]);
  });
});

describe('settings', () => {
  it('with an address that the service may not call are kept, and it is said', async () => {
    const { sourceName, slug } = place();
    const organization = {
      ...ORGANIZATION,
      slug,
      isSystem: true,
      config: { kb_server: { url: 'http://10.1.2.3:9090' } },
    };
    const result = await runOne({ organizations: [organization] }, { sourceName });
    expect(result.notes.map(({ code }) => code)).toEqual(['organization.system', 'provider.none', 'address.refused']);
    expect((await runtimeOf(slug)).knowledgeBase?.serverUrl).toBe('http://10.1.2.3:9090');
    expect((await runtimeOf(slug)).isSystem).toBe(false);
  });
});

describe('collections of an external server', () => {
  it('are listed for their owner, and for everybody when they are shared', async () => {
    const { organizations, sourceName } = place();
    const collections = ['9', '10', '8'].map((collectionId, index) => ({
      ...collection,
      collectionId,
      isShared: index === 0,
    }));
    await run({ organizations, collections }, { sourceName });
    const list = app().get(ExternalCollectionsService);
    const person = async (origin: string) => {
      const [row] = await rows<{ organization_id: string; local_id: string }>(
        `SELECT * FROM origins WHERE source = $1 AND kind = 'member' AND origin_id = $2`,
        [sourceName, origin],
      );
      return { organizationId: row?.organization_id ?? '', userId: row?.local_id ?? '' };
    };
    const first = await list.list(await person('1'), { limit: 2, cursor: null });
    expect([first.total, first.items.map(({ id }) => id)]).toEqual([3, ['10', '8']]);
    const rest = await list.list(await person('1'), { limit: 2, cursor: first.next_cursor });
    expect(rest).toMatchObject({ items: [{ id: '9', name: 'Cells', shared: true }], next_cursor: null });
    expect((await list.list(await person('2'), { limit: 9, cursor: null })).items.map(({ id }) => id)).toEqual(['9']);
    const answer = await app().api('GET', '/api/v1/knowledge-bases/external');
    expect([answer.status, answer.json]).toEqual([200, { items: [], next_cursor: null, total: 0 }]);
  });
});
