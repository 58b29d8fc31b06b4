import {
  FoundingService,
  MembersService,
  OrganizationImport,
  OrganizationsService,
  SettingsService,
} from '../../src/organizations';
import { AuditLog } from '../../src/infrastructure/audit';
import { emptyDatabase, openRooms, type Rooms, type TestOrganization } from './auth.rooms';

const refused = (code: string): object => expect.objectContaining({ code });
const CANARY = 'sk-CANARY-0123456789';

let rooms: Rooms;
let org: TestOrganization;
beforeAll(async () => {
  await emptyDatabase();
  rooms = await openRooms({ OPENAI_API_KEY: 'sk-operator', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' });
});
beforeEach(async () => {
  org = await rooms.organization();
});
afterAll(() => rooms.close());

const row = async (): Promise<string> => {
  const [found] = await rooms.dataSource.query('SELECT settings FROM organizations WHERE id = $1', [org.id]);
  return JSON.stringify(found);
};

describe('provider secrets', () => {
  const patch = (body: object): Promise<void> => rooms.get(SettingsService).patch(org.caller(), org.id, body, null);
  const runtime = () => rooms.get(OrganizationsService).runtime(org.id);

  beforeEach(() => patch({ providers: { openai: { api_key: CANARY, base_url: 'http://127.0.0.1:8/v1' } } }));

  it('lie encrypted in the row and come out only in the runtime', async () => {
    expect(await row()).toMatch(/"api_key":"v1:[0-9a-f]{8}:/);
    expect(await row()).not.toContain('CANARY');
    expect((await runtime()).providers.get('openai')).toMatchObject({ apiKey: CANARY, trusted: false });
    const view = await rooms.get(OrganizationsService).view(org.caller(), org.slug);
    expect(JSON.stringify(view)).not.toContain('CANARY');
    expect(JSON.stringify(view)).not.toContain('v1:');
    expect(view.providers).toEqual({
      openai: expect.objectContaining({
        api_key_configured: true,
        base_url: 'http://127.0.0.1:8/v1',
        environment: false,
      }),
    });
  });

  it('never reach the audit, which says only that they were entered or went', async () => {
    await patch({ providers: { openai: { base_url: null } } });
    const { items } = await rooms.get(AuditLog).list(org.id, { limit: 10, cursor: null });
    const text = JSON.stringify(items);
    expect(text).not.toContain('CANARY');
    expect(text).not.toContain('v1:');
    expect(items.map(({ after }) => after)).toMatchObject([
      { cleared: ['providers.openai.api_key'], entered: [] },
      { cleared: [], entered: ['providers.openai.api_key'] },
      { slug: org.slug },
    ]);
  });

  it('go when their base_url changes without a new secret', async () => {
    await patch({ providers: { openai: { base_url: 'http://127.0.0.1:7/v1' } } });
    expect((await runtime()).providers.get('openai')).toMatchObject({ apiKey: null, baseUrl: 'http://127.0.0.1:7/v1' });
    expect(await row()).not.toContain('api_key');
  });

  it('are seen by a run at once after a change, although settings are cached', async () => {
    await runtime();
    await patch({ providers: { openai: { api_key: 'sk-second' } } });
    expect((await runtime()).providers.get('openai')?.apiKey).toBe('sk-second');
  });

  it('leave other parts alone when two administrators save at the same moment', async () => {
    await Promise.all([
      patch({ models: ['a'] }),
      patch({ features: { sharing: false } }),
      patch({ knowledge_base: { server_url: 'http://127.0.0.1:6', api_token: 't' } }),
      patch({ name: 'Renamed' }),
    ]);
    const { name, models, features, knowledgeBase, providers } = await runtime();
    expect({ name, models, sharing: features.sharing, kb: knowledgeBase?.apiToken }).toEqual({
      name: 'Renamed',
      models: ['a'],
      sharing: false,
      kb: 't',
    });
    expect(providers.get('openai')?.apiKey).toBe(CANARY);
  });

  it('are not stored beside an address that may not be dialled', async () => {
    const before = await row();
    const body = { moodle: { api_url: 'http://169.254.169.254/' }, knowledge_base: { server_url: 'http://[::1]:80' } };
    await expect(patch(body)).rejects.toMatchObject({
      code: 'outbound_refused',
      problems: expect.arrayContaining([
        expect.objectContaining({ path: 'moodle.api_url' }),
        expect.objectContaining({ path: 'knowledge_base.server_url' }),
      ]),
    });
    expect(await row()).toBe(before);
  });
});

describe('the slug of the system organization', () => {
  it('is taken before the first start has made it', async () => {
    const create = rooms.get(FoundingService).create(null, { slug: 'default', name: 'Theirs' });
    await expect(create).rejects.toEqual(refused('conflict'));
    await rooms.dataSource.transaction(async (tx) => {
      expect(await rooms.get(OrganizationImport).isSlugTaken('default', tx)).toBe(true);
      expect(await rooms.get(OrganizationImport).isSlugTaken('law', tx)).toBe(false);
    });
  });

  it('does not stop the first start when an earlier build gave it to another organization', async () => {
    await rooms.dataSource
      .transaction(async (tx) => {
        await tx.query(`UPDATE organizations SET slug = 'default' WHERE id = $1`, [org.id]);
        const { organizationId, founded } = await rooms.get(FoundingService).ensureSystem(tx);
        const [{ slug }] = await tx.query('SELECT slug FROM organizations WHERE id = $1', [organizationId]);
        expect([founded, slug]).toEqual([true, expect.stringMatching(/^system-/)]);
        throw new Error('rolled back');
      })
      .catch((error: Error) => expect(error.message).toBe('rolled back'));
  });
});

describe("the environment's providers", () => {
  it('serve the system organization only', async () => {
    const { organizationId } = await rooms.dataSource.transaction((tx) => rooms.get(FoundingService).ensureSystem(tx));
    const system = await rooms.get(OrganizationsService).runtime(organizationId);
    expect(system.providers.get('openai')).toMatchObject({ apiKey: 'sk-operator', trusted: true });
    expect((await rooms.get(OrganizationsService).runtime(org.id)).providers.size).toBe(0);
  });
});

describe('members', () => {
  const members = () => rooms.get(MembersService);

  it('are found by id or address inside their organization and nowhere else', async () => {
    const other = await rooms.organization();
    const userId = await org.member('teacher', 'Mixed.Case@Example.edu');
    for (const reference of [userId, 'mixed.case@example.edu', ' MIXED.CASE@example.edu ']) {
      await expect(members().find(org.id, reference)).resolves.toMatchObject({ userId, role: 'teacher' });
      await expect(members().find(other.id, reference)).resolves.toBeNull();
    }
  });

  it('belong to several organizations, each with its own name and role for them', async () => {
    const other = await rooms.organization();
    const userId = await org.member('teacher', 'both@example.edu');
    const [one, two] = ['BOTH@example.edu', 'both@example.edu'];
    const again = await members().add(other.caller(), other.id, { email: one, name: 'Elsewhere', role: 'admin' });
    expect(again.user_id).toBe(userId);
    await expect(members().find(org.id, two)).resolves.toMatchObject({ name: 'teacher', role: 'teacher' });
    await expect(members().find(other.id, two)).resolves.toMatchObject({ name: 'Elsewhere', role: 'admin' });
  });

  it('cannot be added twice', async () => {
    await org.member('teacher', 'twice@example.edu');
    const add = members().add(org.caller(), org.id, { email: 'twice@example.edu', name: 'T', role: 'member' });
    await expect(add).rejects.toEqual(refused('conflict'));
  });

  it.each([
    ['demoted', (id: string) => members().update(org.caller(), org.id, id, { role: 'member' })],
    ['disabled', (id: string) => members().update(org.caller(), org.id, id, { disabled: true })],
    ['removed', (id: string) => members().remove(org.caller(), org.id, id)],
  ])('keep their last owner from being %s', async (_, change) => {
    await expect(change(org.ownerId)).rejects.toEqual(refused('conflict'));
    const disabled = await org.member('owner');
    await members().update(org.caller(), org.id, disabled, { disabled: true });
    await expect(change(org.ownerId)).rejects.toEqual(refused('conflict'));
    await org.member('owner');
    await expect(change(org.ownerId)).resolves.not.toThrow();
  });

  it('keep one owner when two owners remove each other at the same moment', async () => {
    const second = await org.member('owner');
    const results = await Promise.allSettled([
      members().remove(org.caller(), org.id, second),
      members().remove(org.caller({ userId: second }), org.id, org.ownerId),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('are not raised above, nor touched over, the rank of an admin', async () => {
    const admin = org.caller({ userId: await org.member('admin'), role: 'admin' });
    const teacher = await org.member('teacher');
    await expect(members().update(admin, org.id, teacher, { role: 'owner' })).rejects.toEqual(refused('forbidden'));
    await expect(members().update(admin, org.id, org.ownerId, { disabled: true })).rejects.toEqual(
      refused('forbidden'),
    );
    await expect(members().remove(admin, org.id, org.ownerId)).rejects.toEqual(refused('forbidden'));
    const added = { email: 'new@example.edu', name: 'N', role: 'owner' } as const;
    await expect(members().add(admin, org.id, added)).rejects.toEqual(refused('forbidden'));
    await expect(members().update(admin, org.id, teacher, { role: 'admin' })).resolves.toMatchObject({ role: 'admin' });
  });

  it('are listed page by page without gap or repetition', async () => {
    for (let n = 0; n < 5; n += 1) await org.member('member');
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await members().list(org.id, { limit: 2, cursor });
      expect(page.total).toBe(6);
      seen.push(...page.items.map(({ email }) => email));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(new Set(seen).size).toBe(6);
    await expect(members().list(org.id, { limit: 2, cursor: 'nonsense' })).rejects.toEqual(
      refused('validation_failed'),
    );
  });
});

describe('organizations', () => {
  it('tell an ordinary member no settings', async () => {
    const view = await rooms.get(OrganizationsService).get(org.caller({ role: 'teacher' }), org.slug);
    expect(Object.keys(view).sort()).toEqual(
      [
        'created_at',
        'erase_after',
        'features',
        'id',
        'is_system',
        'name',
        'slug',
        'suspended',
        'updated_at',
        'version',
      ].sort(),
    );
  });
});
