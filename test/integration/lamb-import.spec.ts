import type { DataSource } from 'typeorm';
import { LambImport, type ImportedOrganization, type ImportOptions, type ImportReport } from '../../src/lamb-import';
import type { LambOrganization } from '../../src/lamb-import/source/lamb-source.types';
import { OrganizationsService } from '../../src/organizations';
import { RubricsService } from '../../src/rubrics';
import { startApp, type TestApp } from '../support/app';
import { openTestDatabase } from '../support/database';
import {
  assistant,
  ORGANIZATION,
  rubric,
  rubricDocument,
  sourceOf,
  type SourceParts,
  user,
} from '../support/lamb-source';

let app: TestApp;
let dataSource: DataSource;

const options = (changes: Partial<ImportOptions> = {}): ImportOptions => ({
  files: null,
  dryRun: false,
  sourceName: 'campus',
  organization: null,
  progress: { report: () => undefined },
  signal: new AbortController().signal,
  ...changes,
});

const run = (parts: SourceParts, changes: Partial<ImportOptions> = {}): Promise<ImportReport> =>
  app.get(LambImport).run(sourceOf(parts), options(changes));

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

let serial = 0;
/** Another slug and another installation for every test. */
const place = (): { organizations: LambOrganization[]; sourceName: string; slug: string } => {
  serial += 1;
  const slug = `biology-${serial}`;
  return { organizations: [{ ...ORGANIZATION, slug }], sourceName: `campus-${serial}`, slug };
};

const template = {
  id: 4,
  organizationId: ORGANIZATION.id,
  ownerEmail: 'USER1@biology.example ',
  name: 'Socratic',
  description: 'Asks back',
  systemPrompt: 'Ask back.',
  promptTemplate: '{user_input}',
  isShared: true,
};
const collection = {
  collectionId: '7',
  name: 'Cells',
  ownerUserId: 1,
  organizationId: ORGANIZATION.id,
  isShared: false,
};

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
    const { organizations, sourceName, slug } = place();
    await run({ organizations }, { sourceName: `${sourceName}-other` });
    const before = await count('members');
    const result = only(await run({ organizations, assistants: [assistant(1)] }, { sourceName }));
    expect(result).toMatchObject({ outcome: 'conflict', assistants: [] });
    expect(result.conflicts).toMatchObject([{ kind: 'organization', code: 'slug.taken' }]);
    expect(result.counts.assistant.created).toBe(0);
    expect(await count('members')).toBe(before);
    expect(slug).toBe(result.slug);
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
    const broken = {
      ...rubric(1),
      rubricId: 'same-key',
      document: { ...rubricDocument(), rubricId: 'rubric-aaaaaaaaaa' },
    };
    const report = await run(
      { organizations: [...organizations, other], rubrics: [broken, { ...broken, id: 2 }], assistants: [assistant(1)] },
      { sourceName },
    );
    expect(report.organizations.map(({ outcome }) => outcome)).toEqual(['failed', 'created']);
    expect(report.organizations[0]?.leftOut).toMatchObject([{ kind: 'organization', code: 'conflict' }]);
    expect(await rows('SELECT 1 FROM organizations WHERE slug = $1', [slug])).toEqual([]);
  });

  it('is refused while another import runs', async () => {
    await dataSource.query(
      `INSERT INTO import_leases VALUES ('lamb', $1, 'process 1 on elsewhere', now() + interval '1 minute')`,
      ['00000000-0000-7000-8000-000000000000'],
    );
    await expect(run({})).rejects.toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('process 1 on elsewhere'),
    });
    await dataSource.query(`UPDATE import_leases SET until = now() - interval '1 second'`);
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
