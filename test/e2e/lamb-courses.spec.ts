import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { type ImportedOrganization, LambImport, openLambSource } from '../../src/lamb-import';
import { startApp, type TestApp } from '../support/app';
import { buildLambDatabase, type LambRow } from '../support/lamb-database';
import { importOptions } from '../support/lamb-source';
import { CLAIM, Lms, LtiBrowser } from '../support/lms';

const TUTOR = 41;
const SECOND = 42;
const DRAFT = 43;

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
  ];
  const run = async (
    rows = activities,
  ): Promise<{ notTaken: object; organization: ImportedOrganization | undefined }> => {
    const file = join(folder, 'lamb.db');
    buildLambDatabase(file, {
      organizations: [{ id: 2, slug: 'bio', name: 'Biology', config: {} }],
      Creator_users: [{ id: 1, organization_id: 2, user_email: 'ana@uni.example', user_name: 'Ana' }],
      organization_roles: [{ organization_id: 2, user_id: 1, role: 'owner' }],
      assistants: [assistant(TUTOR), assistant(SECOND), assistant(DRAFT)],
      assistant_publish: [TUTOR, SECOND].map((assistant_id) => ({
        assistant_id,
        oauth_consumer_name: `c${assistant_id}`,
      })),
      lti_activities: rows,
      lti_activity_assistants: [
        { activity_id: 1, assistant_id: TUTOR },
        { activity_id: 1, assistant_id: SECOND },
        { activity_id: 1, assistant_id: 999 },
        { activity_id: 2, assistant_id: SECOND },
        { activity_id: 3, assistant_id: 999 },
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
    expect(notTaken).toEqual({ lti_activities: 3 });
    expect(organization?.counts.activity).toMatchObject({ created: 2, left_out: 1 });
    expect(organization?.notes).toMatchObject(
      expect.arrayContaining([expect.objectContaining({ kind: 'activity', origin: '1', code: 'activity.assistants' })]),
    );
    expect(organization?.leftOut).toMatchObject([{ kind: 'activity', origin: '3', code: 'activity.no_assistant' }]);
    expect((await run()).organization?.counts.activity).toMatchObject({ created: 0, unchanged: 2 });
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
        settings: { teachersRead: true },
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
    expect((await run(changed)).organization?.counts.activity).toMatchObject({ updated: 1, unchanged: 1 });
    await sql(
      `UPDATE lti_activities SET assistant_ids = '{${report?.assistants[1]?.id}}' WHERE resource_link_id = 'r1'`,
    );
    expect((await launch('r1')).location).toContain(`/chat/${report?.assistants[1]?.id}?`);
  });
});
