import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { filesForm, startApp, type TestApp } from '../support/app';
import { BrowserSession } from '../support/browser-session';
import { type Person, person } from '../support/people';

const ROOT = join(__dirname, '..', '..');
const ORGANIZATION = '/api/v1/organizations/{slug}';
const CLASSIC = {
  prompt_processor: 'simple_augment',
  connector: 'bypass',
  llm: 'debug-bypass',
  rag_processor: 'no_rag',
};
const CANARY = 'sk-canary-of-the-audit-0123456789';

/** Routes that change nothing: they ask, check or try. Completions and runs are recorded as runs. */
const WITHOUT_CHANGE = [
  'POST /api/v1/session/link/person',
  'POST /api/v1/lti/activities/{id}/trials',
  // A preference of one's own page.
  'PATCH /api/v1/first-steps',
  'POST /v1/chat/completions',
  'POST /chat/completions',
  'POST /lamb/v1/completions',
  'POST /lamb/v1/completions/tools/{name}/validate',
  'POST /api/v1/assistants/{id}/completions',
  'POST /api/v1/assistants/{id}/plan',
  'POST /api/v1/assistants/{id}/runs',
  'POST /api/v1/runs',
  'POST /api/v1/runs/{id}/replay',
  'POST /api/v1/replays',
  'POST /api/v1/replays/{id}/cancel',
  'POST /api/v1/receipts/verify',
  'POST /api/v1/assistants/{id}/test-runs',
  'POST /api/v1/assistants/{id}/test-runs/{run}/cancel',
  'POST /api/v1/assistants/validate',
  'POST /api/v1/tools/{name}/validate',
  'POST /api/v1/knowledge-bases/{id}/query',
  'POST /api/v1/knowledge-bases/{knowledgeBaseId}/evaluation',
  'POST /api/v1/organizations/{slug}/sign-on/issuers/{key}/test',
  'POST /api/v1/organizations/{slug}/providers/{name}/test',
  'POST /api/v1/organizations/{slug}/mcp/servers/{name}/test',
  'POST /api/v1/organizations/{slug}/moodle/test',
  'POST /api/v1/organizations/{slug}/knowledge_base/test',
  'POST /api/v1/organizations/{slug}/reranker/test',
  'POST /api/v1/organizations/{slug}/translator/test',
  'POST /api/v1/organizations/{slug}/sign-on/issuers/{key}/trial',
  'POST /api/v1/organizations/{slug}/audit/verification',
  'POST /api/v1/admin/migrations/{batch}/verify',
];

/** Private notes of one person, which nobody else can read. The log of the organization does not say that they exist. */
const PRIVATE = [
  'POST /api/v1/conversations',
  'PATCH /api/v1/conversations/{id}',
  'DELETE /api/v1/conversations/{id}',
  'DELETE /api/v1/conversations',
  'PUT /api/v1/conversations/{id}/branch',
  'POST /api/v1/conversations/{id}/messages',
  // The run shows its rating.
  'PUT /api/v1/runs/{id}/rating',
  'DELETE /api/v1/runs/{id}/rating',
];

/** Routes that need a state which another spec makes; it asserts the entry by this text. */
const ELSEWHERE: Readonly<Record<string, readonly [file: string, text: string]>> = {
  'POST /api/v1/runs/{id}/cancel': ['test/e2e/run-readers.spec.ts', `action: 'run.cancel'`],
  'POST /api/v1/join': ['test/e2e/join.spec.ts', `action = 'member.add'`],
  'POST /api/v1/session/mail': ['test/e2e/invitations.spec.ts', `action = 'sign_in_link.create'`],
  'POST /api/v1/session/link': ['test/e2e/invitations.spec.ts', `action = 'session.create'`],
  'POST /api/v1/session/password': ['test/e2e/single-sign-on.spec.ts', `action = 'session.create'`],
  'POST /api/v1/organizations/{slug}/members/{member}/invitation': [
    'test/e2e/invitations.spec.ts',
    `action = 'member.invite'`,
  ],
  ...Object.fromEntries(
    [
      'PATCH /api/v1/lti/activities/{id}',
      'PUT /api/v1/lti/activities/{id}/agreement',
      'DELETE /api/v1/lti/activities/{id}/agreement',
      'PUT /api/v1/lti/activities/{id}/assistants/{assistant}/publication',
      'POST /api/v1/lti/activities/{id}/grades',
      'POST /api/v1/lti/activities/{id}/grades/{grade}/send',
      'POST /api/v1/lti/deep-linking/{id}',
      'POST /api/v1/organizations/{slug}/lti/registrations',
    ].map((route) => [route, ['test/e2e/lti-audit.spec.ts', 'has one entry for each change of an activity']]),
  ),
  'POST /api/v1/organizations/{slug}/pseudonyms/look-up': ['test/e2e/vendor-user-ids.spec.ts', `pseudonym.look_up`],
  ...Object.fromEntries(
    ['Users', 'Groups'].flatMap((kind) =>
      [`POST /scim/v2/${kind}`, ...['PUT', 'PATCH', 'DELETE'].map((method) => `${method} /scim/v2/${kind}/{id}`)].map(
        (route) => [route, ['test/e2e/scim.spec.ts', 'what a directory did is in the audit log']],
      ),
    ),
  ),
  ...Object.fromEntries(
    [
      'PUT /api/v1/knowledge-bases/{knowledgeBaseId}/judgements',
      'DELETE /api/v1/knowledge-bases/{knowledgeBaseId}/judgements/{id}',
    ].map((route) => [route, ['test/e2e/embeddings.spec.ts', `action LIKE 'judgement.%'`]]),
  ),
  'POST /api/v1/admin/migrations': ['test/e2e/migration-admin.spec.ts', `action: 'assistant.migrate'`],
  'POST /api/v1/admin/migrations/{batch}/rollback': [
    'test/integration/rewrites.spec.ts',
    `action: 'assistant.rollback'`,
  ],
};

const covered = new Set<string>();
let app: TestApp;
let ana: Person;
let browser: BrowserSession;

const sql = <T>(text: string): Promise<T[]> => app.get(DataSource).query<T[]>(text);
const entries = (): Promise<{ action: string }[]> => sql('SELECT action FROM audit_entries ORDER BY id');

type Send = (method: string, path: string, body?: unknown) => Promise<{ status: number; text: string; json: any }>;

/** Calls a route of the OpenAPI document and expects one entry with the action, or none for null. */
async function does(
  route: string,
  names: Readonly<Record<string, string | number>>,
  action: string | null,
  body?: unknown,
  send: Send = app.api,
): Promise<any> {
  const [method = '', template = ''] = route.split(' ');
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => String({ slug: 'default', ...names }[name]));
  const before = (await entries()).length;
  const answer = await send(method, path, body);
  expect([route, answer.status < 300 ? 'done' : answer.text]).toEqual([route, 'done']);
  const written = (await entries()).slice(before).map((entry) => entry.action);
  expect([route, written]).toEqual([route, action === null ? [] : [action]]);
  covered.add(route);
  return answer.json;
}

beforeAll(async () => {
  app = await startApp();
  ana = await person(app);
  browser = new BrowserSession(app);
});
afterAll(() => app.stop());

describe('each change writes exactly one entry', () => {
  it('of organizations, members and groups', async () => {
    await does('POST /api/v1/organizations', {}, 'organization.create', { slug: 'physics', name: 'Physics' });
    await does(`PATCH ${ORGANIZATION}`, {}, 'organization.update', {
      providers: { openai: { api_key: CANARY, models: ['gpt-4o'] } },
      moodle: { api_url: 'https://moodle.example.edu', token: CANARY },
    });
    await does(`PUT ${ORGANIZATION}/suspension`, { slug: 'physics' }, 'organization.suspend');
    await does(`DELETE ${ORGANIZATION}/suspension`, { slug: 'physics' }, 'organization.resume');
    await does(`DELETE ${ORGANIZATION}`, { slug: 'physics' }, 'organization.end');
    await does(`POST ${ORGANIZATION}/restore`, { slug: 'physics' }, 'organization.restore');
    const email = { email: 'bo@example.edu', name: 'Bo', role: 'member' };
    const { user_id: member } = await does(`POST ${ORGANIZATION}/members`, {}, 'member.add', email);
    await does(`PATCH ${ORGANIZATION}/members/{member}`, { member }, 'member.update', { role: 'teacher' });
    await does(`POST ${ORGANIZATION}/members/{member}/sign-in-link`, { member }, 'sign_in_link.create');
    const { id } = await does(`POST ${ORGANIZATION}/groups`, {}, 'group.create', { name: 'Course' });
    const link = await does(`POST ${ORGANIZATION}/join-links`, {}, 'join_link.create', { name: 'Course' });
    await does(`DELETE ${ORGANIZATION}/join-links/{id}`, { id: link.id }, 'join_link.revoke');
    await does(`PATCH ${ORGANIZATION}/groups/{id}`, { id }, 'group.update', { name: 'Course 2' });
    await does(`POST ${ORGANIZATION}/groups/{id}/members`, { id }, 'group.members', { members: [member] });
    await does(`DELETE ${ORGANIZATION}/groups/{id}/members/{member}`, { id, member }, 'group.members');
    await does(`DELETE ${ORGANIZATION}/groups/{id}`, { id }, 'group.delete');
    await does(`DELETE ${ORGANIZATION}/members/{member}`, { member }, 'member.remove');
  });

  it('of keys, sessions and sign-in services', async () => {
    const key = await does('POST /api/v1/api-keys', {}, 'api_key.create', { name: 'Script', scopes: ['read'] });
    await does('DELETE /api/v1/api-keys/{id}', key, 'api_key.revoke');
    const send: Send = (method, path, body) => browser.send(method, path, body);
    await does('POST /api/v1/session', {}, 'session.create', { api_key: ana.key }, send);
    const other = new BrowserSession(app);
    await other.signIn(ana.key);
    const { credential } = (await other.send('GET', '/api/v1/me')).json;
    await does('DELETE /api/v1/sessions/{id}', credential, 'session.end', undefined, send);
    await new BrowserSession(app).signIn(ana.key);
    await does('DELETE /api/v1/sessions', {}, 'session.end_all', undefined, send);
    await does('DELETE /api/v1/session', {}, 'session.end', undefined, send);
    await new BrowserSession(app).signIn(ana.key);
    await does(`DELETE ${ORGANIZATION}/members/{member}/sessions`, { member: ana.userId }, 'session.end_all');
    const issuer = {
      key: 'university',
      name: 'University',
      issuer: 'https://idp.example.edu',
      client_id: 'us',
      client_secret: CANARY,
    };
    const issuers = `${ORGANIZATION}/sign-on/issuers`;
    const made = await does(`POST ${issuers}`, {}, 'oidc_issuer.create', issuer);
    await does(`PATCH ${issuers}/{key}`, made, 'oidc_issuer.update', { name: 'Renamed' });
    await does(`DELETE ${issuers}/{key}`, made, 'oidc_issuer.delete');
    const platforms = `${ORGANIZATION}/lti/platforms`;
    const added = await does(`POST ${platforms}`, {}, 'lti_platform.create', {
      issuer: 'https://moodle.example.edu',
      client_id: 'tool-1',
      authorization_endpoint: 'https://moodle.example.edu/auth',
      token_endpoint: 'https://moodle.example.edu/token',
      jwks_uri: 'https://moodle.example.edu/jwks',
      deployment_ids: ['1'],
    });
    await does(`PATCH ${platforms}/{id}`, added, 'lti_platform.update', { name: 'Renamed' });
    await does(`DELETE ${platforms}/{id}`, added, 'lti_platform.delete');
    const bridge = `${ORGANIZATION}/lti/bridge`;
    await does(`PATCH ${bridge}`, {}, 'lti_bridge.update', { until: '2026-01-01' });
    const consumer = { kind: 'activity', consumer_key: 'lamb', secret: CANARY };
    const keyed = await does(`POST ${bridge}/keys`, {}, 'lti_bridge_key.create', consumer);
    await does(`PATCH ${bridge}/keys/{id}`, keyed, 'lti_bridge_key.update', { secret: CANARY });
    await does(`DELETE ${bridge}/keys/{id}`, keyed, 'lti_bridge_key.delete');
    const tokens = `${ORGANIZATION}/scim/tokens`;
    const token = await does(`POST ${tokens}`, {}, 'scim_token.create', { name: 'Directory' });
    await does(`DELETE ${tokens}/{id}`, token, 'scim_token.remove');
  });

  it('of files, knowledge bases and documents', async () => {
    const uploaded = await does('POST /api/v1/files', {}, 'file.create', filesForm(['notes.txt', 'Some notes']));
    await does('DELETE /api/v1/files/{id}', uploaded.items[0], 'file.delete');
    const base = await does('POST /api/v1/knowledge-bases', {}, 'knowledge_base.create', { name: 'Biology' });
    await does('PATCH /api/v1/knowledge-bases/{id}', base, 'knowledge_base.update', { name: 'Botany' });
    await does('PUT /api/v1/knowledge-bases/{id}/shares', base, 'knowledge_base.share', { users: [ana.userId] });
    const documents = '/api/v1/knowledge-bases/{knowledgeBaseId}/documents';
    const of = { knowledgeBaseId: base.id };
    const bad = filesForm(['bad.pdf', '%PDF-1.4 not really a document']);
    const { items } = await does(`POST ${documents}`, of, 'document.create', bad);
    await sql(`UPDATE kb_documents SET status = 'failed', error_code = 'document.unreadable'`);
    await does(`POST ${documents}/{id}/retry`, { ...of, ...items[0] }, 'document.retry');
    await sql(`UPDATE kb_documents SET status = 'failed', error_code = 'document.unreadable'`);
    await does(`POST ${documents}/retry`, of, 'document.retry_failed');
    await sql(`UPDATE kb_documents SET status = 'pending', error_code = NULL`);
    await does(`POST ${documents}/{id}/cancel`, { ...of, ...items[0] }, 'document.cancel');
    await does(`DELETE ${documents}/{id}`, { ...of, ...items[0] }, 'document.delete');
    const sources = '/api/v1/knowledge-bases/{knowledgeBaseId}/sources';
    const source = await does(`POST ${sources}`, of, 'source.create', { url: 'http://127.0.0.1:9/page' });
    await does(`POST ${sources}/{id}/refresh`, { ...of, ...source }, 'source.refresh');
    await does(`PATCH ${sources}/{id}`, { ...of, ...source }, 'source.update', { refresh: 'weekly' });
    await does(`DELETE ${sources}/{id}`, { ...of, ...source }, 'source.delete');
    await does('DELETE /api/v1/knowledge-bases/{id}', base, 'knowledge_base.delete');
  });

  it('of assistants, rubrics and prompt templates', async () => {
    const body = { name: 'Tutor', metadata: CLASSIC };
    const made = await does('POST /api/v1/assistants', {}, 'assistant.create', body);
    const ofAssistant = (route: string): string => route.replace('~', '/api/v1/assistants/{id}');
    await does(ofAssistant('PATCH ~'), made, 'assistant.update', { description: 'New' });
    const told = { name: 'Green', turns: [{ question: 'Why?', expectations: [] }] };
    const test = await does(ofAssistant('POST ~/tests'), made, 'assistant_test.create', told);
    const ofTest = { ...made, test: test.id };
    await does(ofAssistant('PATCH ~/tests/{test}'), ofTest, 'assistant_test.update', { name: 'Greener' });
    await does(ofAssistant('DELETE ~/tests/{test}'), ofTest, 'assistant_test.delete');
    const gate = { required: false, override: 'owner' };
    await does(ofAssistant('PUT ~/publication/gate'), made, 'assistant.gate', gate);
    await does(ofAssistant('PUT ~/publication'), made, 'assistant.publish');
    await does(ofAssistant('PUT ~/publication/everywhere'), made, 'assistant.publish_to_all');
    await does(ofAssistant('DELETE ~/publication/everywhere'), made, 'assistant.unpublish_from_all');
    await does(ofAssistant('DELETE ~/publication'), made, 'assistant.unpublish');
    await does(ofAssistant('PUT ~/shares'), made, 'assistant.share', { shares: [] });
    await does(ofAssistant('PUT ~/suspension'), made, 'assistant.disable');
    await does(ofAssistant('DELETE ~/suspension'), made, 'assistant.enable');
    await does(ofAssistant('POST ~/versions/{version}/restore'), { ...made, version: 1 }, 'assistant.restore');
    await does(ofAssistant('POST ~/convert'), made, 'assistant.convert', { to: 'multi_tool' });
    await does(ofAssistant('POST ~/duplicate'), made, 'assistant.duplicate');
    const document = (await app.api('GET', `/api/v1/assistants/${made.id}/export`)).json;
    await does('POST /api/v1/assistants/import', {}, 'assistant.import', document);
    await does(ofAssistant('DELETE ~'), made, 'assistant.delete');

    const template = await does('POST /api/v1/prompt-templates', {}, 'prompt_template.create', { name: 'Mine' });
    const ofTemplate = (route: string): string => route.replace('~', '/api/v1/prompt-templates/{id}');
    await does(ofTemplate('PATCH ~'), template, 'prompt_template.update', { name: 'Ours' });
    await does(ofTemplate('PUT ~/share'), template, 'prompt_template.share', { shared: true });
    await does(ofTemplate('POST ~/duplicate'), template, 'prompt_template.duplicate');
    await does(ofTemplate('DELETE ~'), template, 'prompt_template.delete');

    const rubric = await does('POST /api/v1/rubrics', {}, 'rubric.create', RUBRIC);
    const ofRubric = (route: string): string => route.replace('~', '/api/v1/rubrics/{id}');
    await does('POST /api/v1/rubrics/import', {}, 'rubric.create', RUBRIC);
    await does(ofRubric('PUT ~'), rubric, 'rubric.update', { ...RUBRIC, title: 'Second' });
    await does(ofRubric('PATCH ~'), rubric, 'rubric.update', { title: 'Third' });
    await does(ofRubric('PUT ~/visibility'), rubric, 'rubric.visibility', { visibility: 'organization' });
    await does(ofRubric('POST ~/duplicate'), rubric, 'rubric.create');
    await does(ofRubric('DELETE ~'), rubric, 'rubric.delete');
  });

  it('of the data of people', async () => {
    await does('POST /api/v1/me/data-export', {}, 'person.export');
    const member = ana.userId;
    await does(`POST ${ORGANIZATION}/data-export`, {}, 'organization.export');
    await does(`POST ${ORGANIZATION}/members/{member}/data-export`, { member }, 'person.export');
    const erasure = `POST ${ORGANIZATION}/members/{member}/erasure`;
    await does(erasure, { member }, null, { dry_run: true });
    const { userId, email } = await person(app);
    const path = `/api/v1/organizations/default/members/${userId}/erasure`;
    expect((await app.api('POST', path, { dry_run: false, confirm: email })).status).toBeLessThan(300);
    // The erasure itself follows in the background, with an entry of its own.
    const requests = (await entries()).filter(({ action }) => action === 'person.erase_request');
    expect(requests).toHaveLength(1);
  });

  it('for every route of the API that changes something', () => {
    const { paths } = JSON.parse(readFileSync(join(ROOT, 'docs/reference/openapi.json'), 'utf8')) as {
      paths: Record<string, Record<string, unknown>>;
    };
    const changing = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => ['post', 'put', 'patch', 'delete'].includes(method))
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    const known = new Set([...covered, ...WITHOUT_CHANGE, ...PRIVATE, ...Object.keys(ELSEWHERE)]);
    expect(changing.filter((route) => !known.has(route))).toEqual([]);
    expect([...known].filter((route) => !changing.includes(route))).toEqual([]);
    for (const [file, text] of Object.values(ELSEWHERE)) {
      const path = join(ROOT, file);
      expect([file, existsSync(path) && readFileSync(path, 'utf8').includes(text)]).toEqual([file, true]);
    }
  });

  it('without any secret', async () => {
    const log = JSON.stringify(await sql('SELECT * FROM audit_entries'));
    expect(log).not.toContain(CANARY);
    expect(log).not.toContain(ana.key);
    expect(log).not.toContain(browser.cookie.slice(3) || 'no cookie');
  });
});

const RUBRIC = {
  rubricId: 'essay-rubric-0001',
  title: 'Essay',
  description: 'For short essays',
  metadata: { createdAt: '2026-01-01T00:00:00Z', modifiedAt: '2026-01-01T00:00:00Z' },
  scoringType: 'points',
  maxScore: 10,
  criteria: [
    {
      id: 'c1',
      name: 'Thesis',
      description: 'Clarity',
      weight: 100,
      levels: [
        { id: 'l1', score: 1, label: 'Weak', description: 'Weak work' },
        { id: 'l2', score: 4, label: 'Strong', description: 'Strong work' },
      ],
    },
  ],
};
