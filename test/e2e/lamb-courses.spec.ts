import { openLambSource } from '@bellwether/lamb-reader';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { type ImportedOrganization, LambImport } from '../../extensions/lamb-import';
import { startApp, type TestApp } from '../support/app';
import { buildLambDatabase, type LambRow } from '../support/lamb-database';
import { importOptions } from '../support/lamb-source';
import { CLAIM, Lms, LtiBrowser } from '../support/lms';
import { Consumer } from '../support/lti11';

const TUTOR = 41;
const SECOND = 42;
const DRAFT = 43;
const SECRET = 'canary-global-secret';
const BRIDGE = '/api/v1/organizations/bio/lti/bridge';

const assistant = (id: number): LambRow => ({
  id,
  organization_id: 2,
  name: `tutor_${id}`,
  owner: 'ana@uni.example',
  prompt_template: '{user_input}',
  api_callback:
    '{"connector":"bypass","llm":"debug-bypass","prompt_processor":"simple_augment","rag_processor":"no_rag"}',
});
const activity = (id: number, changes: object = {}): LambRow => ({
  id,
  resource_link_id: `r${id}`,
  organization_id: 2,
  context_id: 'c1',
  context_title: 'Biology',
  activity_name: `Activity ${id}`,
  ...changes,
});

describe('courses of LAMB', () => {
  let app: TestApp;
  let lms: Lms;
  let folder: string;
  let report: ImportedOrganization | undefined;

  const sql = (text: string): Promise<any[]> => app.get(DataSource).query(text);
  const activities = [
    activity(1, { chat_visibility_enabled: 1 }),
    activity(2),
    activity(3),
    activity(4, { status: 'disabled' }),
    activity(5, { organization_id: null }),
    activity(6, { resource_link_id: 'r1' }),
    activity(7, { activity_type: 'file_evaluation' }),
    activity(8),
  ];
  const run = async (
    rows = activities,
    secret = SECRET,
  ): Promise<{ notTaken: object; organization: ImportedOrganization | undefined }> => {
    const file = join(folder, 'lamb.db');
    buildLambDatabase(file, {
      organizations: [{ id: 2, slug: 'bio', name: 'Biology', config: {} }],
      Creator_users: [
        { id: 1, organization_id: 2, user_email: 'ana@uni.example', user_name: 'Ana' },
        { id: 2, organization_id: 2, user_email: 'ben@uni.example', user_name: 'Ben' },
        { id: 3, organization_id: 2, user_email: 'lti_3@lamb-lti.local', user_name: 'Cleo', lti_user_id: '33' },
      ],
      organization_roles: [{ organization_id: 2, user_id: 1, role: 'owner' }],
      assistants: [assistant(TUTOR), assistant(SECOND), assistant(DRAFT)],
      assistant_publish: [TUTOR, SECOND].map((assistant_id) => ({
        assistant_id,
        oauth_consumer_name: `c${assistant_id}`,
      })),
      lti_global_config: [{ id: 1, oauth_consumer_key: 'lamb', oauth_consumer_secret: secret }],
      lti_creator_keys: [
        { organization_id: 2, oauth_consumer_key: 'bio', oauth_consumer_secret: 'canary-bio' },
        { organization_id: 9, oauth_consumer_key: 'other', oauth_consumer_secret: 'canary-other', enabled: 0 },
      ],
      lti_identity_links: [
        { lms_user_id: '22', lms_email: 'Ben@uni.example', creator_user_id: 2 },
        { lms_user_id: '11', creator_user_id: 1 },
        { lms_user_id: '44', creator_user_id: 1 },
        { lms_user_id: '44', creator_user_id: 2 },
        { lms_user_id: '55', creator_user_id: 999 },
      ],
      lti_activities: rows,
      lti_activity_assistants: [
        { activity_id: 1, assistant_id: TUTOR },
        { activity_id: 1, assistant_id: SECOND },
        { activity_id: 1, assistant_id: 999 },
        { activity_id: 2, assistant_id: SECOND },
        { activity_id: 3, assistant_id: 999 },
        { activity_id: 7, assistant_id: TUTOR },
        { activity_id: 8, assistant_id: TUTOR },
      ],
    });
    const { organizations, notTaken } = await app.get(LambImport).run(openLambSource(file), importOptions());
    return { notTaken, organization: organizations[0] };
  };
  const launch = (link: string, claims: object = {}) =>
    new LtiBrowser(app, lms).launch({ claims: { [CLAIM('resource_link')]: { id: link, title: '' }, ...claims } });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'bw-courses-'));
    app = await startApp({ env: { OUTBOUND_ALLOW: '127.0.0.1' } });
    lms = await Lms.start();
  });
  afterAll(async () => {
    await app.stop();
    await lms.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('come along with their activities, and the report says which did not', async () => {
    const { notTaken, organization } = await run();
    report = organization;
    expect(notTaken).toEqual({ lti_activities: 4, lti_keys: 1 });
    expect(organization?.counts).toMatchObject({
      activity: { created: 3, left_out: 1 },
      lti_key: { created: 4, left_out: 0 },
      lti_person: { created: 3, left_out: 2 },
    });
    const codes = (notes: ImportedOrganization['notes'] = []) => notes.map(({ kind, code }) => `${kind} ${code}`);
    expect(codes(organization?.notes)).toEqual(
      expect.arrayContaining([
        'activity activity.assistants',
        'organization lti.off',
        'organization lti.secret_missing',
      ]),
    );
    expect(codes(organization?.leftOut)).toEqual([
      'activity activity.no_assistant',
      'lti_person lti_person.ambiguous',
      'lti_person lti_person.ambiguous',
    ]);
    const again = (await run()).organization?.counts;
    expect([again?.activity, again?.lti_key, again?.lti_person]).toMatchObject([
      { created: 0, unchanged: 3 },
      { created: 0, unchanged: 4 },
      { created: 0, unchanged: 3 },
    ]);
    expect(JSON.stringify(await sql('SELECT * FROM origins'))).not.toContain('canary');
  });

  it('follow LAMB’s key until it is changed here', async () => {
    expect((await run(activities, 'canary-next')).organization?.counts.lti_key).toMatchObject({
      updated: 1,
      unchanged: 3,
    });
    expect((await run()).organization?.counts.lti_key).toMatchObject({ updated: 1, unchanged: 3 });
  });

  it('answer at the first launch of the link by LTI 1.3, without a teacher', async () => {
    const made = await app.api('POST', '/api/v1/organizations/bio/lti/platforms', lms.registration());
    expect(made.status).toBe(201);
    lms.tool = made.json;
    const ids = new Map(report?.assistants.map(({ origin, id }) => [origin, id]));
    const { status, location } = await launch('r1');
    expect([status, location]).toEqual([303, expect.stringContaining(`/chat/${ids.get(TUTOR)}?`)]);
    expect(await sql('SELECT title, assistant_ids, settings FROM lti_activities')).toEqual([
      {
        title: 'Activity 1',
        assistant_ids: [ids.get(TUTOR), ids.get(SECOND)],
        settings: { teachersRead: true, anonymous: true },
      },
    ]);
    // The platform may name the old link of a copied activity.
    const copied = await launch('new-link', { [CLAIM('lti1p1')]: { resource_link_id: 'r2' } });
    expect(copied.location).toContain(`/chat/${ids.get(SECOND)}?`);
  });

  it('are not taken for others: of another course, switched off, or without assistants', async () => {
    const elsewhere = { [CLAIM('context')]: { id: 'c2', title: 'Chemistry' } };
    for (const [link, claims] of [
      ['r2', elsewhere],
      ['r3', {}],
      ['r4', {}],
      ['r5', {}],
      ['r99', { [CLAIM('lti1p1')]: { resource_link_id: 7 } }],
    ] as const) {
      const { status, location } = await launch(link, claims);
      expect([link, status, location]).toEqual([link, 404, null]);
    }
  });

  it('follow LAMB until their first launch, and keep what was decided here afterwards', async () => {
    const changed = activities.map((row) => (row['id'] === 1 ? { ...row, activity_name: 'Renamed' } : row));
    expect((await run(changed)).organization?.counts.activity).toMatchObject({ updated: 1, unchanged: 2 });
    await sql(
      `UPDATE lti_activities SET assistant_ids = '{${report?.assistants[1]?.id}}' WHERE resource_link_id = 'r1'`,
    );
    expect((await launch('r1')).location).toContain(`/chat/${report?.assistants[1]?.id}?`);
  });

  describe('while Moodle still sends LTI 1.1', () => {
    let moodle: Consumer;
    const arrive = async (...[door, parameters, options]: Parameters<Consumer['form']>) => {
      const browser = new LtiBrowser(app, lms);
      const { location, text } = await moodle.launch(browser, door, parameters, options);
      return { location, text, me: (await browser.get('/api/v1/me')).json };
    };

    beforeAll(() => {
      moodle = new Consumer(app.url, 'lamb', SECRET);
    });

    it('nothing opens before an administrator has set the last day', async () => {
      expect((await arrive('activity', { resource_link_id: 'r8' })).text).toContain('<code>lti11_off</code>');
      const keys = (await app.api('GET', `${BRIDGE}/keys`)).json.items;
      expect(keys.map(({ kind, consumer_key: key, secret_configured: has }: any) => [kind, key, has])).toEqual([
        ['activity', 'lamb', true],
        ['creator', 'bio', true],
        ['assistant', `c${TUTOR}`, false],
        ['assistant', `c${SECOND}`, false],
      ]);
      const until = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
      const on = await app.api('PATCH', BRIDGE, { enabled: true, until, assistant_secret: 'canary-lti-secret' });
      expect(on.json).toMatchObject({ state: 'on' });
    });

    it('activities and single assistants open with their assistants and settings', async () => {
      const ids = new Map(report?.assistants.map(({ origin, id }) => [origin, id]));
      const link = await arrive('activity', { resource_link_id: 'r8' });
      expect(link.location).toContain(`/chat/${ids.get(TUTOR)}?`);
      expect(link.me).toMatchObject({ role: 'member', assistant_ids: [ids.get(TUTOR)] });
      const single = await arrive(
        'assistant',
        { resource_link_id: 'r80' },
        { key: `c${SECOND}`, secret: 'canary-lti-secret' },
      );
      expect(single.location).toContain(`/chat/${ids.get(SECOND)}?`);
    });

    it('teachers are those whom LAMB knew, by their links and by their work', async () => {
      const teacher = { resource_link_id: 'r8', roles: 'Instructor', lis_person_contact_email_primary: '' };
      expect((await arrive('activity', { ...teacher, user_id: '22' })).me.user.email).toBe('ben@uni.example');
      expect((await arrive('activity', { ...teacher, user_id: '33' })).me).toMatchObject({
        user: { name: 'Cleo' },
        scopes: ['chat'],
      });
      const work = await arrive('creator', { ...teacher, user_id: '33' }, { key: 'bio', secret: 'canary-bio' });
      expect([work.location, work.me]).toEqual([
        '/',
        expect.objectContaining({ role: 'teacher', user: expect.objectContaining({ name: 'Cleo' }) }),
      ]);
    });

    it('nobody becomes somebody else: owners, ambiguous links, other addresses, students', async () => {
      const parameters = { resource_link_id: 'r8', lis_person_contact_email_primary: '' };
      const teacher = { ...parameters, roles: 'Instructor', tool_consumer_instance_guid: 'two.example' };
      const known = ['ana@uni.example', 'ben@uni.example', 'lti_3@lamb-lti.local'];
      for (const [door, other, options] of [
        ['activity', { ...teacher, user_id: '11', custom_assistant: '41' }, {}],
        ['activity', { ...teacher, user_id: '44', custom_assistant: '41' }, {}],
        [
          'activity',
          {
            ...parameters,
            user_id: '22',
            lis_person_contact_email_primary: 'eve@uni.example',
            tool_consumer_instance_guid: 'three.example',
            custom_assistant: '41',
          },
          {},
        ],
        [
          'activity',
          { ...parameters, user_id: '33', tool_consumer_instance_guid: 'four.example', custom_assistant: '41' },
          {},
        ],
        ['creator', { ...teacher, user_id: '22' }, { key: 'bio', secret: 'canary-bio' }],
      ] as const) {
        const { me } = await arrive(door, other, options);
        expect([other, known]).toEqual([other, expect.not.arrayContaining([me.user.email])]);
      }
    });

    it('the switch to LTI 1.3 keeps the person, by the signed claim', async () => {
      const before = await arrive('activity', { resource_link_id: 'r8', user_id: '60' });
      const browser = new LtiBrowser(app, lms);
      const claims = { sub: 'sixty', [CLAIM('resource_link')]: { id: 'r8', title: '' } };
      const answer = await browser.launchAs({ key: 'lamb', secret: SECRET }, claims, {
        user_id: '60',
        tool_consumer_instance_guid: 'moodle.uni.example',
      });
      expect(answer.location).toBe(before.location);
      expect((await browser.get('/api/v1/me')).json.user.id).toBe(before.me.user.id);
      // A teacher who has not launched since the import.
      const ben = new LtiBrowser(app, lms);
      const role = { [CLAIM('roles')]: ['Instructor'], email: 'ben@uni.example', sub: 'new-22' };
      await sql(`DELETE FROM lti_identities WHERE subject LIKE 'activity:%:22'`);
      await ben.launchAs({ key: 'lamb', secret: SECRET }, { ...claims, ...role }, { user_id: '22' });
      expect((await ben.get('/api/v1/me')).json.user.email).toBe('ben@uni.example');
    });
  });
});
