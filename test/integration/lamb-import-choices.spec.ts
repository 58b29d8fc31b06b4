import { type LambOrganization, readLambPasswords } from '@bellwether/lamb-reader';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { NO_CHOICES } from '../../extensions/lamb-import';
import { buildLambDatabase } from '../support/lamb-database';
import { lambImports } from '../support/lamb-imports';
import { assistant, ORGANIZATION, place, rubric, template, user } from '../support/lamb-source';

const { rows, run, runOne, runtimeOf } = lambImports();

describe('an organization', () => {
  it('comes beside one of its slug under another name that the operator gives it', async () => {
    const { organizations, sourceName, slug } = place();
    await run({ organizations }, { sourceName: `${sourceName}-other` });
    const conflict = (await runOne({ organizations }, { sourceName })).conflicts[0];
    expect(conflict?.message).toContain(`--rename ${slug}=<another slug>`);
    const choices = { ...NO_CHOICES, slugs: new Map([[slug, `${slug}-law`]]) };
    expect(await runOne({ organizations }, { sourceName, choices })).toMatchObject({
      outcome: 'created',
      slug: `${slug}-law`,
      originSlug: slug,
    });
    expect((await runtimeOf(`${slug}-law`)).name).toBe('Biology');
    // Imported already: the report says that the choice has no effect, and names the slug that the organization has.
    const again = { ...NO_CHOICES, slugs: new Map([[slug, `${slug}-arts`]]) };
    const repeated = await runOne({ organizations }, { sourceName, choices: again });
    expect([repeated.slug, repeated.notes.find(({ code }) => code === 'slug.kept')?.message]).toEqual([
      `${slug}-law`,
      `was imported as ${slug}-law and keeps that slug, not ${slug}-arts`,
    ]);
    const absent = { ...NO_CHOICES, slugs: new Map([['absent', 'law']]) };
    await expect(run({ organizations }, { sourceName, choices: absent })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('what belongs to somebody', () => {
  it('goes from disabled people to whom the operator names, and else says that it does not answer', async () => {
    const { organizations, sourceName, slug } = place();
    const users = [user(1), user(2, { enabled: false }), user(3)];
    const assistants = [assistant(1, { ownerEmail: 'user2@biology.example' })];
    const parts = { organizations, users, assistants, shares: [{ assistantId: 1, userId: 3 }] };
    const told = (await runOne(parts, { sourceName })).notes;
    expect(told).toMatchObject([{ code: 'owner.disabled', message: expect.stringContaining('--disabled-owners-to') }]);
    const choices = { ...NO_CHOICES, disabledOwnersTo: 'user3@biology.example' };
    const second = await runOne(parts, { sourceName, choices });
    expect(second.notes.map(({ code }) => code)).toEqual(['owner.disabled_replaced']);
    const owners = await rows<{ email: string }>(
      `SELECT email FROM assistants JOIN users ON users.id = owner_id
       JOIN organizations ON organizations.id = organization_id WHERE slug = $1`,
      [slug],
    );
    expect(owners).toEqual([{ email: 'user3@biology.example' }]);
    const nobody = { ...NO_CHOICES, disabledOwnersTo: 'nobody@biology.example' };
    await expect(run(parts, { sourceName, choices: nobody })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('says of an owner whom the source knows elsewhere who that was', async () => {
    const { organizations, sourceName } = place();
    const users = [user(1), user(7, { organizationId: 40 })];
    const assistants = [assistant(1, { ownerEmail: 'user7@biology.example' })];
    const result = await runOne({ organizations, users, assistants }, { sourceName });
    expect(result.notes[0]?.message).toBe(
      'belonged to user7@biology.example, who is in another organization of the source; it belongs to user1@biology.example now',
    );
  });

  it('is counted share by share', async () => {
    const { organizations, sourceName } = place();
    const shares = [1, 1, 2].map((assistantId, index) => ({ assistantId, userId: index === 1 ? 3 : 2 }));
    const users = [user(1), user(2), user(3)];
    const parts = { organizations, users, assistants: [assistant(1), assistant(2)], shares };
    expect((await runOne(parts, { sourceName })).counts.share.created).toBe(3);
  });

  it('that is gone at the source is named, with what becomes of it here', async () => {
    const { organizations, sourceName } = place();
    const assistants = [assistant(1, { name: '1_essay', published: true }), assistant(2, { name: '1_old' })];
    const parts = { organizations, rubrics: [rubric(1)], promptTemplates: [template] };
    const [essay, old] = (await runOne({ ...parts, assistants }, { sourceName })).assistants.map(({ id }) => id);
    const deleted = assistant(2, { name: '1_old_deleted_1', deleted: true });
    const { notes, leftOut } = await runOne({ organizations, assistants: [deleted] }, { sourceName });
    expect(notes.map(({ kind, name, message }) => [kind, name, message])).toEqual([
      [
        'assistant',
        '1_essay',
        `is not at the source any more; it stays here as lamb_assistant.${essay}, and stays published`,
      ],
      ['rubric', 'Essay', 'is not at the source any more; it stays here'],
      ['prompt_template', 'Socratic', 'is not at the source any more; it stays here'],
    ]);
    expect(leftOut).toMatchObject([{ message: `was deleted in LAMB; it stays here as lamb_assistant.${old}` }]);
  });
});

describe('settings', () => {
  const LAMB_SYSTEM: LambOrganization = {
    ...ORGANIZATION,
    id: 1,
    slug: 'lamb-system',
    isSystem: true,
    config: {
      setups: {
        default: {
          providers: { openai: { api_key: 'CANARY-system', models: ['gpt-4o'] } },
          knowledge_base: { server_url: 'http://127.0.0.1:9090', api_token: 'CANARY-kb' },
        },
      },
    },
  };

  it('without own servers are told, and are those of the system organization when the operator says so', async () => {
    const { sourceName, slug } = place();
    const organizations = [LAMB_SYSTEM, { ...ORGANIZATION, slug, config: {} }].slice(0, 2);
    const parts = { organizations, assistants: [assistant(1, { ragCollections: '3' })] };
    const alone = await runOne(parts, { sourceName, organization: slug });
    expect(alone.notes.map(({ code, name }) => [code, name])).toEqual([
      ['provider.none', slug],
      ['knowledge_base.none', slug],
    ]);
    expect(alone.notes[0]?.message).toContain('--inherit-system');
    const choices = { ...NO_CHOICES, inheritSystem: true };
    const second = await runOne(parts, { sourceName, organization: slug, choices });
    expect(second.notes.map(({ code }) => code)).toEqual(['setting.inherited', 'setting.inherited']);
    const runtime = await runtimeOf(slug);
    expect(runtime.providers.get('openai')).toMatchObject({ apiKey: 'CANARY-system', models: ['gpt-4o'] });
    expect(runtime.knowledgeBase).toMatchObject({ serverUrl: 'http://127.0.0.1:9090', apiToken: 'CANARY-kb' });
    const dump = JSON.stringify([await rows('SELECT settings FROM organizations'), second]);
    expect(dump).not.toContain('CANARY');
  });

  it('with addresses that do not resolve name each of them, and are called where the operator maps them to', async () => {
    const { sourceName, slug } = place();
    const config = {
      setups: {
        default: {
          providers: {
            ollama: { base_url: 'http://ollama.invalid:11434' },
            openai: { base_url: 'http://kb.invalid/v1' },
          },
          knowledge_base: { server_url: 'http://kb.invalid/' },
        },
      },
    };
    const parts = { organizations: [{ ...ORGANIZATION, slug, config }] };
    const first = await runOne(parts, { sourceName });
    expect(first.unresolved).toEqual(['http://kb.invalid', 'http://ollama.invalid:11434']);
    const addresses = [
      { from: new URL('http://kb.invalid'), to: new URL('http://127.0.0.1:9090') },
      { from: new URL('http://ollama.invalid:11434'), to: new URL('http://127.0.0.1:11434') },
    ];
    const second = await runOne(parts, { sourceName, choices: { ...NO_CHOICES, addresses } });
    expect([second.unresolved, second.notes.map(({ code }) => code)]).toEqual([
      [],
      ['address.mapped', 'address.mapped', 'address.mapped'],
    ]);
    const { knowledgeBase, providers } = await runtimeOf(slug);
    expect([knowledgeBase?.serverUrl, providers.get('openai')?.baseUrl, providers.get('ollama')?.baseUrl]).toEqual([
      'http://127.0.0.1:9090',
      'http://127.0.0.1:9090/v1',
      'http://127.0.0.1:11434',
    ]);
  });
});

describe('passwords', () => {
  // By libxcrypt: crypt("correct horse battery staple", "$2b$12$…").
  const hash = '$2b$12$KjQ0l1Yv6m8cN3pR5tW7xuXwPdh81HKA8v3JTSMtcnlZVQcWRsgxO';
  const until = new Date(Date.now() + 86_400_000);
  const stored = (slug: string) =>
    rows<{ email: string }>(
      `SELECT u.email FROM imported_passwords p JOIN users u ON u.id = p.user_id
       JOIN organizations o ON o.id = p.organization_id WHERE o.slug = $1 ORDER BY 1`,
      [slug],
    );

  it('come only where the operator says so, for people who never signed in here, and never in plain text', async () => {
    const { organizations, sourceName, slug } = place();
    const users = [1, 2, 3].map((id) => user(id, { email: `${slug}-${id}@biology.example` }));
    const parts = { organizations, users };
    await runOne(parts, { sourceName });
    expect(await stored(slug)).toEqual([]);
    const emails = users.map(({ email }) => email);
    await rows(
      'UPDATE members SET first_signed_in_at = now() WHERE user_id = (SELECT id FROM users WHERE email = $1)',
      [emails[1]],
    );
    const hashes = new Map([
      [1, hash],
      [2, hash],
      [3, 'no bcrypt'],
      [77, hash],
    ]);
    const choices = { ...NO_CHOICES, passwords: { until, hashes } };
    const dry = await runOne(parts, { sourceName, choices, dryRun: true });
    expect([dry.notes.at(-1)?.code, await stored(slug)]).toEqual(['passwords.taken', []]);
    const report = await runOne(parts, { sourceName, choices });
    expect(report.notes.at(-1)?.message).toMatch(/^1 passwords work for one sign-in until .*; 2 not, because/);
    expect(await stored(slug)).toEqual([{ email: emails[0] }]);
    const dump = JSON.stringify([
      report,
      await rows('SELECT * FROM imported_passwords'),
      await rows('SELECT * FROM audit_entries'),
    ]);
    expect(dump).not.toContain('$2b$');
    await runOne(parts, { sourceName });
    expect(await stored(slug)).toHaveLength(1);
  });

  it('do not come for two users with one address, also of two organizations, and both are told', async () => {
    const { organizations, sourceName, slug } = place();
    const other = { ...ORGANIZATION, id: 9, slug: `${slug}-arts` };
    const users = [
      user(1, { email: `${slug}-ada@biology.example` }),
      user(2, { email: `${slug}-ADA@biology.example`, organizationId: other.id }),
      user(3, { email: `${slug}-bo@biology.example` }),
    ];
    const hashes = new Map([1, 2, 3].map((id) => [id, id === 2 ? `${hash.slice(0, -1)}a` : hash]));
    const choices = { ...NO_CHOICES, passwords: { until, hashes } };
    const report = await run({ organizations: [...organizations, other], users }, { sourceName, choices });
    for (const { notes } of report.organizations) {
      expect(notes.map(({ code }) => code)).toEqual(expect.arrayContaining(['user.merged', 'passwords.ambiguous']));
    }
    expect([await stored(slug), await stored(other.slug)]).toEqual([[{ email: users[2]?.email }], []]);
  });

  it('are read from databases that have them, and from no others', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'bw-passwords-')), 'lamb.db');
    const person = (id: number, password_hash: string | null) => ({
      id,
      user_email: 'a@b.example',
      user_name: 'A',
      password_hash,
    });
    const people = { Creator_users: [person(4, hash), person(5, null), person(6, '')] };
    buildLambDatabase(file, people);
    expect([...readLambPasswords(file)]).toEqual([[4, hash]]);
    buildLambDatabase(file, {}, { without: ['Creator_users.password_hash'] });
    expect(() => readLambPasswords(file)).toThrow(/passwords are in Open WebUI/);
    rmSync(dirname(file), { recursive: true });
  });
});
