import { lambImports } from '../support/lamb-imports';
import {
  assistant,
  collection,
  onlyOrganization,
  ORGANIZATION,
  place,
  rubric,
  rubricDocument,
  template,
  user,
} from '../support/lamb-source';

const { app, rows, run, runOne, runtimeOf } = lambImports();

describe('an organization that is imported again', () => {
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
    const first = await runOne(parts, { sourceName });
    const before = await rows('SELECT * FROM audit_entries ORDER BY id');
    const second = await runOne(parts, { sourceName });
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
    const first = await runOne({ organizations, assistants, rubrics: [rubric(1)] }, { sourceName });
    const [one, two, three, four] = first.assistants.map(({ id }) => id);
    await rows(`UPDATE assistants SET description = 'ours' WHERE id = ANY($1)`, [[one, three]]);
    await rows('UPDATE assistants SET deleted_at = now() WHERE id = $1', [four]);
    const changed = assistants.map((each) =>
      each.id === 1 ? each : { ...each, description: 'theirs', published: true },
    );
    const second = await runOne(
      {
        organizations: [{ ...ORGANIZATION, slug, name: 'Life' }],
        assistants: changed,
        rubrics: [rubric(1, { isPublic: true })],
      },
      { sourceName },
    );
    expect(second.counts.assistant).toMatchObject({ unchanged: 1, updated: 1, conflict: 2 });
    expect(second.counts.rubric.updated).toBe(1);
    expect(second.counts.organization.updated).toBe(1);
    expect(second.conflicts.map(({ origin, code }) => [origin, code])).toEqual([
      ['3', 'changed_on_both_sides'],
      ['4', 'deleted_here'],
    ]);
    const found = await rows<{ id: number; description: string; version: number }>(
      'SELECT id, description, version, published FROM assistants WHERE id = ANY($1) ORDER BY name',
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
    const first = await runOne({ ...parts, assistants }, { sourceName });
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
    const second = await runOne(again, { sourceName });
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
    const third = await runOne(again, { sourceName });
    expect([third.outcome, third.conflicts, third.assistants]).toEqual(['unchanged', [], second.assistants]);
  });

  it('does not stumble over names that went from one to another there', async () => {
    const { organizations, sourceName } = place();
    const named = (id: number, name: string) => assistant(id, { name });
    const at = (...assistants: ReturnType<typeof assistant>[]) =>
      run({ organizations, assistants }, { sourceName }).then(onlyOrganization);
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
    const result = await runOne({ organizations, users }, { sourceName });
    expect(result.notes).toMatchObject([{ origin: '2', code: 'user.address_kept' }]);
    expect([result.outcome, result.counts.member.updated]).toEqual(['unchanged', 0]);
    expect(await rows(`SELECT 1 FROM users WHERE email = 'new@biology.example'`)).toEqual([]);
  });

  it('names a person who was removed here and whose address it meets, once', async () => {
    const { organizations, sourceName } = place();
    const email = `left-${sourceName}@biology.example`;
    const users = [user(1), user(2, { email })];
    await rows('INSERT INTO users (id, email, system_admin) VALUES (gen_random_uuid(), $1, false)', [email]);
    const result = await runOne({ organizations, users }, { sourceName });
    expect(result.notes).toMatchObject([{ origin: '2', name: email, code: 'user.returned' }]);
    expect((await runOne({ organizations, users }, { sourceName })).notes).toEqual([]);
  });

  it('takes a withdrawn share back', async () => {
    const { organizations, sourceName } = place();
    const parts = { organizations, assistants: [assistant(1)] };
    const first = await runOne({ ...parts, shares: [{ assistantId: 1, userId: 2 }] }, { sourceName });
    const second = await runOne({ ...parts, shares: [] }, { sourceName });
    expect(second.counts.share.updated).toBe(1);
    expect(await rows('SELECT 1 FROM assistant_shares WHERE assistant_id = $1', [first.assistants[0]?.id])).toEqual([]);
  });
});

describe('an assistant', () => {
  it('that was rewritten here and not changed there stays rewritten', async () => {
    const { organizations, sourceName } = place();
    const parts = { organizations, assistants: [assistant(1)] };
    const id = (await runOne(parts, { sourceName })).assistants[0]?.id;
    await rows(`UPDATE assistants SET metadata = '{"_format_version":3}', version = 2 WHERE id = $1`, [id]);
    expect((await runOne(parts, { sourceName })).counts.assistant).toMatchObject({
      unchanged: 1,
      conflict: 0,
    });
  });
});

describe('settings', () => {
  const config = (key: string) => ({
    setups: { default: { providers: { openai: { api_key: key, base_url: 'http://127.0.0.1:9/v1', models: ['m'] } } } },
  });

  it('arrive with their secrets sealed, and change when the secret changed there', async () => {
    const { sourceName, slug } = place();
    const at = (key: string) => ({ organizations: [{ ...ORGANIZATION, slug, config: config(key) }] });
    expect((await runOne(at('CANARY-1'), { sourceName })).outcome).toBe('created');
    expect((await runtimeOf(slug)).providers.get('openai')).toMatchObject({ apiKey: 'CANARY-1', models: ['m'] });
    expect((await runOne(at('CANARY-1'), { sourceName })).outcome).toBe('unchanged');
    expect((await runOne(at('CANARY-2'), { sourceName })).counts.organization.updated).toBe(1);
    expect((await runtimeOf(slug)).providers.get('openai')?.apiKey).toBe('CANARY-2');
    const dump = JSON.stringify([
      await rows('SELECT * FROM organizations'),
      await rows('SELECT * FROM origins'),
      await rows('SELECT * FROM audit_entries'),
    ]);
    expect(dump).not.toContain('CANARY');
    expect(app().log()).not.toContain('CANARY');
  });

  it('that were changed here and there are a conflict, and people come along all the same', async () => {
    const { organizations, sourceName, slug } = place();
    await run({ organizations }, { sourceName });
    await rows(`UPDATE organizations SET name = 'Ours' WHERE slug = $1`, [slug]);
    const organization = { ...ORGANIZATION, slug, name: 'Theirs', status: 'suspended' as const };
    const result = await runOne({ organizations: [organization], users: [user(1), user(3)] }, { sourceName });
    expect(result).toMatchObject({
      outcome: 'updated',
      conflicts: [{ kind: 'organization', code: 'changed_on_both_sides' }],
    });
    expect(result.counts.member).toMatchObject({ created: 1, unchanged: 1 });
    expect(await rows('SELECT name, suspended FROM organizations WHERE slug = $1', [slug])).toEqual([
      { name: 'Ours', suspended: false },
    ]);
  });
});
