import type { DataSource } from 'typeorm';
import { ownIdentity } from '../../src/platform/database';
import { AssistantArrivals } from '../../src/assistants';
import { AppError } from '../../src/kernel';
import { ExternalCollectionsService } from '../../src/knowledge-bases/external/external-collections.service';
import { LambImport, type ImportedOrganization, type ImportOptions, type ImportReport } from '../../src/lamb-import';
import type { LambOrganization } from '../../src/lamb-import/source/lamb-source.types';
import { OrganizationsService } from '../../src/organizations';
import { RubricsService } from '../../src/rubrics';
import { startApp, type TestApp } from '../support/app';
import { openTestDatabase } from '../support/database';
import {
  assistant,
  collection,
  importOptions,
  ORGANIZATION,
  place,
  rubric,
  rubricDocument,
  sourceOf,
  type SourceParts,
  template,
  user,
} from '../support/lamb-source';

let app: TestApp;
let dataSource: DataSource;

const run = (parts: SourceParts, changes: Partial<ImportOptions> = {}): Promise<ImportReport> =>
  app.get(LambImport).run(sourceOf(parts), importOptions(changes));

const only = ({ organizations }: ImportReport): ImportedOrganization => {
  const [organization] = organizations;
  if (organization === undefined || organizations.length > 1) throw new Error('Not exactly one organization');
  return organization;
};

const rows = <T>(sql: string, parameters: unknown[] = []): Promise<T[]> => dataSource.query(sql, parameters);
const count = async (table: string): Promise<number> =>
  Number((await rows<{ n: string }>(`SELECT count(*) AS n FROM ${table}`))[0]?.n);

beforeAll(async () => {
  app = await startApp();
  dataSource = await openTestDatabase();
});

afterAll(async () => {
  await dataSource.destroy();
  await app.stop();
});

const runtimeOf = async (slug: string) => {
  const [row] = await rows<{ id: string }>('SELECT id FROM organizations WHERE slug = $1', [slug]);
  return app.get(OrganizationsService).runtime(row?.id ?? '');
};

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
    const result = only(report);
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
    const named = await app.get(RubricsService).forPrompt(owner, '6F9619FF-8B86-4D01-B42D-00CF4FC96405', 'markdown');
    expect(named.source.title).toBe('Essay');
    expect((await app.get(RubricsService).forPrompt(owner, 5, 'markdown')).text).toBe(named.text);
    expect((await runtimeOf(slug)).features.members_can_use_all).toBe(true);
  });

  it('is told as unchanged the second time, and nothing is written', async () => {
    const { organizations, sourceName } = place();
    const parts = {
      organizations,
      assistants: [assistant(1), assistant(2, { ownerEmail: 'gone@biology.example' })],
      shares: [{ assistantId: 1, userId: 2 }],
      rubrics: [rubric(1)],
      promptTemplates: [template],
      collections: [collection],
    };
    const first = only(await run(parts, { sourceName }));
    const before = await rows('SELECT * FROM audit_entries ORDER BY id');
    const second = only(await run(parts, { sourceName }));
    expect(second.outcome).toBe('unchanged');
    expect(second.assistants).toEqual(first.assistants);
    for (const [kind, counts] of Object.entries(second.counts)) {
      expect([kind, counts.created, counts.updated, counts.conflict]).toEqual([kind, 0, 0, 0]);
      expect(counts.unchanged).toBe(first.counts[kind as 'assistant'].created);
    }
    expect(await rows('SELECT * FROM audit_entries ORDER BY id')).toEqual(before);
  });

  it('keeps what was changed here, updates what was changed there, and lists what was changed on both sides', async () => {
    const { organizations, sourceName, slug } = place();
    const assistants = [1, 2, 3, 4].map((id) => assistant(id));
    const first = only(await run({ organizations, assistants, rubrics: [rubric(1)] }, { sourceName }));
    const [one, two, three, four] = first.assistants.map(({ id }) => id);
    await dataSource.query(`UPDATE assistants SET description = 'ours' WHERE id = ANY($1)`, [[one, three]]);
    await dataSource.query('UPDATE assistants SET deleted_at = now() WHERE id = $1', [four]);
    const changed = assistants.map((each) =>
      each.id === 1 ? each : { ...each, description: 'theirs', published: true },
    );
    const second = only(
      await run(
        {
          organizations: [{ ...ORGANIZATION, slug, name: 'Life' }],
          assistants: changed,
          rubrics: [rubric(1, { isPublic: true })],
        },
        { sourceName },
      ),
    );
    expect(second.counts.assistant).toMatchObject({ unchanged: 1, updated: 1, conflict: 2 });
    expect(second.counts.rubric.updated).toBe(1);
    expect(second.counts.organization.updated).toBe(1);
    expect(second.conflicts.map(({ origin, code }) => [origin, code])).toEqual([
      ['3', 'changed_on_both_sides'],
      ['4', 'deleted_here'],
    ]);
    const found = await rows<{ id: number; description: string; version: number }>(
      'SELECT id, description, version, published FROM assistants WHERE id = ANY($1) ORDER BY id',
      [[one, two, three]],
    );
    expect(found.map(({ description, version }) => [description, version])).toEqual([
      ['ours', 1],
      ['theirs', 2],
      ['ours', 1],
    ]);
    const versions = await rows('SELECT reason FROM assistant_versions WHERE assistant_id = $1 ORDER BY version', [
      two,
    ]);
    expect(versions).toEqual([{ reason: 'import' }, { reason: 'import' }]);
    expect((await runtimeOf(slug)).name).toBe('Life');
  });

  it('has a next version of what changed there, and of nothing else', async () => {
    const { organizations, sourceName, slug } = place();
    const second = rubric(2, { document: { ...rubricDocument(), rubricId: 'rubric-the-second' } });
    const other = { ...template, id: 5, name: 'Plain' };
    const parts = { organizations, rubrics: [rubric(1), second], promptTemplates: [template, other] };
    await run(parts, { sourceName });
    const versions = async (): Promise<number[][]> => {
      const of = (table: string) =>
        rows<{ version: number }>(
          `SELECT thing.version FROM ${table} thing JOIN organizations o ON o.id = thing.organization_id
           WHERE o.slug = $1 ORDER BY thing.version`,
          [slug],
        );
      const found = [await of('rubrics'), await of('prompt_templates')];
      const [organization] = await rows<{ version: number }>('SELECT version FROM organizations WHERE slug = $1', [
        slug,
      ]);
      return [...found.map((each) => each.map(({ version }) => version)), [organization?.version ?? 0]];
    };
    const [rubrics, templates, [organization = 0] = []] = await versions();
    expect([rubrics, templates]).toEqual([
      [1, 1],
      [1, 1],
    ]);
    const there = {
      organizations: [{ ...ORGANIZATION, slug, name: 'Life' }],
      rubrics: [rubric(1, { isPublic: true }), second],
      promptTemplates: [{ ...template, isShared: false }, other],
    };
    await run(there, { sourceName });
    expect(await versions()).toEqual([[1, 2], [1, 2], [organization + 1]]);
    await run(there, { sourceName });
    expect(await versions()).toEqual([[1, 2], [1, 2], [organization + 1]]);
  });

  it('knows what was deleted and made again at the source, and who is there under another id', async () => {
    const { organizations, sourceName } = place();
    const users = [user(1), user(2), user(3, { email: 'USER2@biology.example' }), user(4)];
    const assistants = [assistant(1), assistant(2), assistant(3, { ownerEmail: 'user4@biology.example' })];
    const shares = [{ assistantId: 1, userId: 4 }];
    const parts = { organizations, users, rubrics: [rubric(1)], promptTemplates: [template], shares };
    const first = only(await run({ ...parts, assistants }, { sourceName }));
    const [one, two, three] = first.assistants.map(({ id }) => id);
    const calling = '{"tools":[{"type":"assistant","assistant_id":11}]}';
    const again = {
      ...parts,
      users: [user(1), user(3, { email: 'user2@biology.example' }), user(14, { email: 'user4@biology.example' })],
      assistants: [
        assistant(11, { name: assistant(1).name, description: 'New' }),
        assistant(12, { name: assistant(2).name }),
        assistant(13, { name: assistant(3).name, ownerEmail: 'user4@biology.example', metadata: calling }),
      ],
      rubrics: [rubric(2, { title: 'Again' })],
      promptTemplates: [{ ...template, id: 14 }],
      shares: [{ assistantId: 12, userId: 3 }],
    };
    const second = only(await run(again, { sourceName }));
    expect([second.conflicts, second.notes, second.leftOut]).toEqual([[], [], []]);
    expect(second.assistants.map(({ origin, id }) => [origin, id])).toEqual([
      [11, one],
      [12, two],
      [13, three],
    ]);
    expect(second.counts).toMatchObject({
      member: { created: 0, updated: 2, unchanged: 1 },
      assistant: { created: 0, updated: 2, unchanged: 1 },
      rubric: { created: 0, updated: 1 },
      prompt_template: { created: 0, unchanged: 1 },
      share: { created: 1, updated: 1 },
    });
    const [row] = await rows<{ metadata: string }>('SELECT metadata FROM assistants WHERE id = $1', [three]);
    expect(row?.metadata).toBe(calling.replace('11', String(one)));
    expect(await rows('SELECT assistant_id FROM assistant_shares WHERE assistant_id = ANY($1)', [[one, two]])).toEqual([
      { assistant_id: two },
    ]);
    const third = only(await run(again, { sourceName }));
    expect([third.outcome, third.conflicts, third.assistants]).toEqual(['unchanged', [], second.assistants]);
  });

  it('does not stumble over names that went from one to another there', async () => {
    const { organizations, sourceName } = place();
    const named = (id: number, name: string) => assistant(id, { name });
    const at = (...assistants: ReturnType<typeof assistant>[]) =>
      run({ organizations, assistants }, { sourceName }).then(only);
    const before = await at(named(1, 'a'), named(2, 'b'), named(3, 'c'));
    const swapped = await at(named(1, 'b'), named(2, 'a'), named(3, 'd'), named(4, 'c'));
    expect(swapped.conflicts.map(({ origin, code }) => [origin, code])).toEqual([
      ['4', 'exists'],
      ['1', 'exists'],
      ['2', 'exists'],
    ]);
    const last = await at(named(1, 'b'), named(2, 'z'), named(3, 'd'), named(4, 'c'));
    expect([last.conflicts, last.counts.assistant]).toMatchObject([[], { created: 1, updated: 2, unchanged: 1 }]);
    expect(last.assistants.slice(0, 3).map(({ id }) => id)).toEqual(before.assistants.map(({ id }) => id));
  });

  it('keeps the address of an account when it changes at the source, and says so', async () => {
    const { organizations, sourceName } = place();
    await run({ organizations }, { sourceName });
    const users = [user(1), user(2, { email: 'new@biology.example' })];
    const result = only(await run({ organizations, users }, { sourceName }));
    expect(result.notes).toMatchObject([{ origin: '2', code: 'user.address_kept' }]);
    expect([result.outcome, result.counts.member.updated]).toEqual(['unchanged', 0]);
    expect(await rows(`SELECT 1 FROM users WHERE email = 'new@biology.example'`)).toEqual([]);
  });

  it('takes a withdrawn share back', async () => {
    const { organizations, sourceName } = place();
    const parts = { organizations, assistants: [assistant(1)] };
    const first = only(await run({ ...parts, shares: [{ assistantId: 1, userId: 2 }] }, { sourceName }));
    const second = only(await run({ ...parts, shares: [] }, { sourceName }));
    expect(second.counts.share.updated).toBe(1);
    expect(await rows('SELECT 1 FROM assistant_shares WHERE assistant_id = $1', [first.assistants[0]?.id])).toEqual([]);
  });

  it('writes nothing in a dry run that tells the same', async () => {
    const { organizations, sourceName, slug } = place();
    const parts = { organizations, assistants: [assistant(1), assistant(2)], shares: [{ assistantId: 1, userId: 2 }] };
    const before = await rows(`SELECT last_value FROM assistants_id_seq`);
    const dry = only(await run(parts, { sourceName, dryRun: true }));
    expect(await rows('SELECT 1 FROM organizations WHERE slug = $1', [slug])).toEqual([]);
    expect(await rows('SELECT 1 FROM origins WHERE source = $1', [sourceName])).toEqual([]);
    expect(await rows(`SELECT last_value FROM assistants_id_seq`)).toEqual(before);
    expect(dry.assistants.map(({ id }) => id)).toEqual([null, null]);
    const wet = only(await run(parts, { sourceName }));
    expect({ ...wet, assistants: [] }).toEqual({ ...dry, assistants: [] });
  });

  it('is left alone when its slug is taken by one that did not come from there', async () => {
    const { organizations, sourceName } = place();
    await run({ organizations }, { sourceName: `${sourceName}-other` });
    const before = await count('members');
    const result = only(await run({ organizations, assistants: [assistant(1)] }, { sourceName }));
    expect(result).toMatchObject({ outcome: 'conflict', assistants: [] });
    expect(result.conflicts).toMatchObject([{ kind: 'organization', code: 'slug.taken' }]);
    expect(result.counts.assistant.created).toBe(0);
    expect(await count('members')).toBe(before);
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
    const arriving = jest.spyOn(app.get(AssistantArrivals), 'arrive');
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
    const result = only(await run(parts, { sourceName }));
    expect(result.conflicts.map(({ kind, origin, code }) => [kind, origin, code])).toEqual([
      ['rubric', '2', 'exists'],
      ['assistant', '2', 'exists'],
    ]);
    expect(result.assistants.map(({ origin }) => origin)).toEqual([1]);
  });

  it('is refused while another import runs, and not by one whose process is dead', async () => {
    const leased = (process: object) =>
      dataSource.query(
        `INSERT INTO import_leases VALUES ('lamb', gen_random_uuid(), $1, now() + interval '1 minute')
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder`,
        [JSON.stringify({ label: 'process 1 on elsewhere', process })],
      );
    await leased({ pid: 1, realm: 'elsewhere', startTime: '1' });
    const refusal = { code: 'conflict', detail: expect.stringContaining('process 1 on elsewhere') };
    await expect(run({})).rejects.toMatchObject(refusal);
    await leased({ ...ownIdentity(), startTime: '1' });
    const { organizations, sourceName } = place();
    expect(only(await run({ organizations }, { sourceName })).outcome).toBe('created');
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
    const result = only(report);
    expect(report.problems).toMatchObject([{ table: 'Creator_users', row: '6', code: 'user.nowhere' }]);
    expect(result.notes.map(({ kind, origin, code }) => [kind, origin, code])).toEqual([
      ['user', '5', 'user.placed'],
      ['assistant', '2', 'owner.replaced'],
      ['assistant', '3', 'owner.replaced'],
    ]);
    const owners = await rows<{ email: string }>(
      `SELECT email FROM assistants JOIN users ON users.id = owner_id
       JOIN organizations ON organizations.id = organization_id WHERE slug = $1 ORDER BY assistants.id`,
      [slug],
    );
    expect(owners.map(({ email }) => email)).toEqual([5, 1, 1].map((id) => `user${id}@biology.example`));
    const alone = place();
    const nobody = only(await run({ ...alone, users: [], roles: [], assistants: [assistant(1)] }, alone));
    expect(nobody.leftOut).toMatchObject([{ kind: 'assistant', code: 'owner.missing' }]);
  });

  it('meets a person who is here already, whatever the case of their address', async () => {
    const { organizations, sourceName } = place();
    const [known] = await rows<{ id: string }>('SELECT id FROM users WHERE email = $1', ['user1@biology.example']);
    const users = [
      user(1, { email: 'USER1@Biology.example' }),
      user(2, { email: 'user1@BIOLOGY.example', enabled: false }),
    ];
    const result = only(await run({ organizations, users }, { sourceName }));
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
    const result = only(await run({ organizations, assistants }, { sourceName }));
    expect(result.leftOut.map(({ origin, code }) => [origin, code])).toEqual(
      [5, 6, 7, 20].map((id) => [String(id), 'assistant.unstorable']),
    );
    expect(result.notes.map(({ origin, code }) => [origin, code])).toEqual([
      ['2', 'metadata.unreadable'],
      ['21', 'name.changed'],
      ['21', 'top_k.clamped'],
      ['22', 'top_k.clamped'],
    ]);
    const stored = await rows(
      'SELECT metadata, rag_top_k, rag_collections FROM assistants WHERE id = ANY($1) ORDER BY id',
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
    const result = only(await run({ organizations, assistants }, { sourceName }));
    const [one, two] = result.assistants.map(({ id }) => id);
    expect(result.notes).toMatchObject([{ origin: '2', code: 'function.target_missing' }]);
    const stored = await rows('SELECT metadata FROM assistants WHERE id = ANY($1) ORDER BY id', [[one, two]]);
    expect(stored).toEqual([{ metadata: calling(two ?? 0) }, { metadata: calling(77).replace('77', 'null') }]);
  });

  it('that was rewritten here and not changed there stays rewritten', async () => {
    const { organizations, sourceName } = place();
    const parts = { organizations, assistants: [assistant(1)] };
    const id = only(await run(parts, { sourceName })).assistants[0]?.id;
    await dataSource.query(`UPDATE assistants SET metadata = '{"_format_version":3}', version = 2 WHERE id = $1`, [id]);
    expect(only(await run(parts, { sourceName })).counts.assistant).toMatchObject({ unchanged: 1, conflict: 0 });
  });
});

describe('settings', () => {
  const config = (key: string) => ({
    setups: { default: { providers: { openai: { api_key: key, base_url: 'http://127.0.0.1:9/v1', models: ['m'] } } } },
  });

  it('arrive with their secrets sealed, and change when the secret changed there', async () => {
    const { sourceName, slug } = place();
    const at = (key: string) => ({ organizations: [{ ...ORGANIZATION, slug, config: config(key) }] });
    expect(only(await run(at('CANARY-1'), { sourceName })).outcome).toBe('created');
    expect((await runtimeOf(slug)).providers.get('openai')).toMatchObject({ apiKey: 'CANARY-1', models: ['m'] });
    expect(only(await run(at('CANARY-1'), { sourceName })).outcome).toBe('unchanged');
    expect(only(await run(at('CANARY-2'), { sourceName })).counts.organization.updated).toBe(1);
    expect((await runtimeOf(slug)).providers.get('openai')?.apiKey).toBe('CANARY-2');
    const dump = JSON.stringify([
      await rows('SELECT * FROM organizations'),
      await rows('SELECT * FROM origins'),
      await rows('SELECT * FROM audit_entries'),
    ]);
    expect(dump).not.toContain('CANARY');
    expect(app.log()).not.toContain('CANARY');
  });

  it('that were changed here and there are a conflict, and people come along all the same', async () => {
    const { organizations, sourceName, slug } = place();
    await run({ organizations }, { sourceName });
    await dataSource.query(`UPDATE organizations SET name = 'Ours' WHERE slug = $1`, [slug]);
    const organization = { ...ORGANIZATION, slug, name: 'Theirs', status: 'suspended' as const };
    const result = only(await run({ organizations: [organization], users: [user(1), user(3)] }, { sourceName }));
    expect(result).toMatchObject({
      outcome: 'updated',
      conflicts: [{ kind: 'organization', code: 'changed_on_both_sides' }],
    });
    expect(result.counts.member).toMatchObject({ created: 1, unchanged: 1 });
    expect(await rows('SELECT name, suspended FROM organizations WHERE slug = $1', [slug])).toEqual([
      { name: 'Ours', suspended: false },
    ]);
  });

  it('with an address that the service may not call are kept, and it is said', async () => {
    const { sourceName, slug } = place();
    const organization = {
      ...ORGANIZATION,
      slug,
      isSystem: true,
      config: { kb_server: { url: 'http://10.1.2.3:9090' } },
    };
    const result = only(await run({ organizations: [organization] }, { sourceName }));
    expect(result.notes.map(({ code }) => code)).toEqual(['organization.system', 'address.refused']);
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
    const list = app.get(ExternalCollectionsService);
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
    const answer = await app.api('GET', '/api/v1/knowledge-bases/external');
    expect([answer.status, answer.json]).toEqual([200, { items: [], next_cursor: null, total: 0 }]);
  });
});
