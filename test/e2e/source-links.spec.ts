import { AppError } from '@bellwether/kernel';
import { createSecretKey, randomBytes } from 'node:crypto';
import { RequestAuthenticator } from '../../src/auth/access/authenticator';
import { SourceLinks } from '../../src/knowledge-bases';
import { encodeToken, type SourceLinkTarget } from '../../src/knowledge-bases/documents/source-links';
import { SecretsService } from '../../src/infrastructure/secrets';
import { type ApiAnswer, filesForm, startApp, type TestApp } from '../support/app';
import { until } from '../support/until';
import { foreignOrganization, type Person, person } from '../support/people';

const KNOWLEDGE_BASES = '/api/v1/knowledge-bases';
const CONTENT = '# Osmosis\n\nWater moves through the membrane.\n';
const HTML = '<!doctype html><title>Cells</title><script>alert(1)</script><p>Cells divide.</p>';

let app: TestApp;
let organizationId: string;
let teacher: Person;
let colleague: Person;
let student: Person;

beforeAll(async () => {
  app = await startApp();
  teacher = await person(app);
  colleague = await person(app);
  student = await person(app, { role: 'member' });
  organizationId = (await app.api('GET', '/api/v1/organizations/default')).json.id;
});
afterAll(() => app.stop());

interface Filed {
  readonly knowledgeBaseId: string;
  readonly documentId: string;
}

async function filed(owner: Person, name = 'osmosis.md', content = CONTENT): Promise<Filed> {
  const { json } = await owner.api('POST', KNOWLEDGE_BASES, { name: 'Biology' });
  const uploaded = await owner.api('POST', `${KNOWLEDGE_BASES}/${json.id}/documents`, filesForm([name, content]));
  const documentId: string = uploaded.json.items[0].id;
  await until(async () => {
    const read = await owner.api('GET', `${KNOWLEDGE_BASES}/${json.id}/documents/${documentId}`);
    return read.json.status === 'completed';
  }, 20_000);
  return { knowledgeBaseId: json.id, documentId };
}

const targetOf = (document: Filed, owner: Person, reader: Person): SourceLinkTarget => ({
  ...document,
  organizationId,
  ownerId: owner.userId,
  readerId: reader.userId,
  assistantId: null,
});
const linkTo = (document: Filed, owner: Person, reader: Person): string =>
  app.get(SourceLinks).sign(targetOf(document, owner, reader));

/** As a browser would: no credential at all. */
async function click(path: string, headers: Record<string, string> = {}): Promise<ApiAnswer & { bytes: Buffer }> {
  const response = await fetch(app.url + path, { headers, redirect: 'manual' });
  const bytes = Buffer.from(await response.arrayBuffer());
  const text = bytes.toString('utf8');
  const json = (response.headers.get('content-type') ?? '').includes('json') ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, text, json, bytes };
}

const member = (who: Person, changes: object) =>
  app.api('PATCH', `/api/v1/organizations/default/members/${who.userId}`, changes);

describe('a source link', () => {
  it('opens the original without another credential, as it was uploaded', async () => {
    const document = await filed(teacher, 'Òsmosi (1) «à».md');
    const answer = await click(linkTo(document, teacher, student));
    expect([answer.status, answer.text]).toEqual([200, CONTENT]);
    expect(answer.headers.get('content-disposition')).toContain(
      "filename*=UTF-8''%C3%92smosi%20%281%29%20%C2%AB%C3%A0%C2%BB.md",
    );
  });

  it('is served as bytes to keep, never as a page of ours', async () => {
    const document = await filed(teacher, 'cells.html', HTML);
    const { headers, text } = await click(linkTo(document, teacher, student));
    expect(text).toBe(HTML);
    expect(headers.get('content-disposition')).toMatch(/^attachment;/);
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'referrer-policy': 'no-referrer',
      'cache-control': 'private, no-store',
    });
    expect(headers.has('set-cookie')).toBe(false);
  });

  it('shows plain text in the browser, in a sandbox', async () => {
    const { headers } = await click(linkTo(await filed(teacher, 'cells.txt', 'Plain text.'), teacher, student));
    expect(headers.get('content-disposition')).toMatch(/^inline; filename="cells.txt"/);
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
  });

  it('works with what chat clients add to it', async () => {
    const link = linkTo(await filed(teacher), teacher, student);
    for (const path of [`${link}#page=3`, `${link}&utm_source=chat.example`])
      expect((await click(path)).status).toBe(200);
  });

  it('is no credential for anything else', async () => {
    const document = await filed(teacher);
    const token = linkTo(document, teacher, teacher).split('link=')[1] ?? '';
    const content = `${KNOWLEDGE_BASES}/${document.knowledgeBaseId}/documents/${document.documentId}/content`;
    for (const [path, headers] of [
      [content, { authorization: `Bearer ${token}` }],
      [content, { 'x-api-key': token }],
      [`${content}?link=${token}`, {}],
      ['/v1/models', { authorization: `Bearer ${token}` }],
    ] as const)
      expect((await click(path, headers)).status).toBe(401);
  });

  it('is not written to the log', async () => {
    const link = linkTo(await filed(teacher), teacher, student);
    const token = link.split('link=')[1] ?? 'none';
    await click(link);
    await click(`${link}0`);
    expect(app.log()).toContain('/api/v1/sources');
    expect(app.log()).not.toContain(token.slice(0, 40));
  });

  it('says plainly that it has expired, in a browser without JSON', async () => {
    const target = targetOf(await filed(teacher), teacher, student);
    const [key] = app.get(SecretsService).derivedKeys('source-links');
    if (key === undefined) throw new Error('no key');
    const stale = (seconds: number) =>
      `/api/v1/sources?link=${encodeToken({ ...target, expiresAt: Math.floor(Date.now() / 1000) + seconds }, key)}`;
    expect((await click(stale(60))).status).toBe(200);
    const answer = await click(stale(-1));
    expect([answer.status, answer.json.code]).toEqual([410, 'link_expired']);
    const page = await click(stale(-1), { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect([page.status, page.headers.get('content-type')]).toEqual([410, 'text/plain; charset=utf-8']);
    expect(page.text).toContain('expired');
    expect(page.headers.get('cache-control')).toBe('private, no-store');
    // The chat stays open longer than the link lives: the signed-in reader is known, others are not.
    const opened = await click(stale(-1), { authorization: `Bearer ${student.key}` });
    expect([opened.status, opened.text]).toEqual([200, CONTENT]);
    for (const authorization of [`Bearer ${teacher.key}`, 'Bearer bw_unknown'])
      expect((await click(stale(-1), { authorization })).status).toBe(410);
    // Keys of programs do not name the reader, though they are the reader's.
    for (const bounds of [{ published_only: true }, { scopes: ['chat', 'read', 'act_as'] }]) {
      const body = { name: 'program', owner: student.email, scopes: ['chat', 'read'], ...bounds };
      const made = await app.api('POST', '/api/v1/api-keys', body);
      expect(made.status).toBe(201);
      expect((await click(stale(-1), { authorization: `Bearer ${made.json.key}` })).status).toBe(410);
    }
  });

  it('does not say that it has expired to a reader whose credential cannot be checked just now', async () => {
    const target = targetOf(await filed(teacher), teacher, student);
    const [key] = app.get(SecretsService).derivedKeys('source-links');
    if (key === undefined) throw new Error('no key');
    const stale = `/api/v1/sources?link=${encodeToken({ ...target, expiresAt: 1 }, key)}`;
    const outage = jest.spyOn(app.get(RequestAuthenticator), 'authenticate');
    outage.mockRejectedValueOnce(new AppError('unavailable', 'The database does not answer'));
    expect((await click(stale, { authorization: `Bearer ${student.key}` })).status).toBe(503);
    outage.mockRestore();
    expect((await click(stale, { authorization: `Bearer ${student.key}` })).status).toBe(200);
  });
});

describe('behind a click everything is checked again', () => {
  const dead = async (link: string): Promise<void> => {
    const [answer, nonsense] = [await click(link), await click('/api/v1/sources?link=00')];
    expect([answer.status, answer.json.code]).toEqual([404, 'not_found']);
    expect({ ...answer.json, request_id: '' }).toEqual({ ...nonsense.json, request_id: '' });
  };

  it('forged and foreign tokens lead nowhere, and all dead links look alike', async () => {
    const document = await filed(teacher);
    const target = targetOf(document, teacher, student);
    const expiresAt = Math.floor(Date.now() / 1000) + 60;
    const [key] = app.get(SecretsService).derivedKeys('source-links');
    const [other] = app.get(SecretsService).derivedKeys('something-else');
    if (key === undefined || other === undefined) throw new Error('no key');
    const elsewhere = await filed(colleague);
    for (const token of [
      encodeToken({ ...target, expiresAt }, createSecretKey(randomBytes(32))),
      encodeToken({ ...target, expiresAt }, other),
      encodeToken({ ...target, documentId: elsewhere.documentId, expiresAt }, key),
      encodeToken({ ...target, knowledgeBaseId: elsewhere.knowledgeBaseId, expiresAt }, key),
      encodeToken({ ...target, organizationId: document.documentId, expiresAt }, key),
      encodeToken({ ...target, ...elsewhere, expiresAt }, key),
      '',
      'x',
    ])
      await dead(`/api/v1/sources?link=${token}`);
    await dead('/api/v1/sources');
    await dead('/api/v1/sources?link[]=a');
    const good = linkTo(document, teacher, student);
    await dead(`${good}&link=${good.split('link=')[1] ?? ''}`);
  });

  it('the document: gone when it is deleted', async () => {
    const document = await filed(teacher);
    const link = linkTo(document, teacher, student);
    expect((await click(link)).status).toBe(200);
    await teacher.api('DELETE', `${KNOWLEDGE_BASES}/${document.knowledgeBaseId}/documents/${document.documentId}`);
    await dead(link);
  });

  it('the knowledge base: gone when it is deleted', async () => {
    const document = await filed(teacher);
    const link = linkTo(document, teacher, student);
    await teacher.api('DELETE', `${KNOWLEDGE_BASES}/${document.knowledgeBaseId}`);
    await dead(link);
  });

  it('the owner of the assistant: a share that is taken back ends the links that were given on it', async () => {
    const document = await filed(colleague);
    const shares = `${KNOWLEDGE_BASES}/${document.knowledgeBaseId}/shares`;
    const link = linkTo(document, teacher, student);
    await dead(link);
    await colleague.api('PUT', shares, { users: [teacher.email] });
    expect((await click(link)).status).toBe(200);
    await colleague.api('PUT', shares, { users: [] });
    await dead(link);
    await colleague.api('PATCH', `${KNOWLEDGE_BASES}/${document.knowledgeBaseId}`, { visibility: 'organization' });
    expect((await click(link)).status).toBe(200);
    await colleague.api('PATCH', `${KNOWLEDGE_BASES}/${document.knowledgeBaseId}`, { visibility: 'private' });
    await dead(link);
  });

  it('the people: links of disabled and former members, readers or owners, end', async () => {
    const owner = await person(app);
    const reader = await person(app, { role: 'member' });
    const link = linkTo(await filed(owner), owner, reader);
    for (const who of [owner, reader]) {
      await member(who, { disabled: true });
      await dead(link);
      await member(who, { disabled: false });
      expect((await click(link)).status).toBe(200);
    }
    expect((await app.api('DELETE', `/api/v1/organizations/default/members/${reader.userId}`)).status).toBe(204);
    await dead(link);
  });

  it('the assistant: its links end for who may not use it any more, and with it', async () => {
    const document = await filed(teacher);
    const metadata = { prompt_processor: 'simple_augment', connector: 'bypass', llm: 'debug-bypass' };
    const body = { name: 'Tutor', metadata };
    const { json, status } = await teacher.api('POST', '/api/v1/assistants', body);
    expect(status).toBe(201);
    const given = (reader: Person) =>
      app.get(SourceLinks).sign({ ...targetOf(document, teacher, reader), assistantId: json.id });
    const [link, own] = [given(student), given(teacher)];
    await dead(link);
    const path = `/api/v1/assistants/${json.id}`;
    expect((await teacher.api('PUT', `${path}/shares`, { user_emails: [student.email] })).status).toBe(200);
    expect((await click(link)).status).toBe(200);
    await teacher.api('PUT', `${path}/shares`, { user_emails: [] });
    await dead(link);
    expect((await click(own)).status).toBe(200);
    await teacher.api('PUT', `${path}/suspension`);
    await dead(own);
    await teacher.api('DELETE', `${path}/suspension`);
    expect((await click(own)).status).toBe(200);
    await teacher.api('DELETE', path);
    await dead(own);
  });

  it('the organization: its links end while it is suspended', async () => {
    const organization = await foreignOrganization(app);
    const owner = await person(app, { organization, role: 'owner', scopes: ['chat', 'read', 'write', 'admin'] });
    const { json } = await owner.api('GET', `/api/v1/organizations/${organization}`);
    const target = { ...targetOf(await filed(owner), owner, owner), organizationId: json.id as string };
    const link = app.get(SourceLinks).sign(target);
    expect((await click(link)).status).toBe(200);
    await app.api('PUT', `/api/v1/organizations/${organization}/suspension`);
    await dead(link);
    await app.api('DELETE', `/api/v1/organizations/${organization}/suspension`);
    expect((await click(link)).status).toBe(200);
  });

  it('the organization: a member of another one is no reader here', async () => {
    const document = await filed(teacher);
    const foreigner = await person(app, { organization: await foreignOrganization(app) });
    await dead(linkTo(document, teacher, foreigner));
    await dead(linkTo(document, foreigner, student));
  });
});

describe('signing', () => {
  it('survives a restart and a new key, and ends with the key that signed', async () => {
    const [old, fresh] = ['old', 'new'].map((kid) => `${kid}:${randomBytes(32).toString('hex')}`);
    const { dataDir } = app;
    const link = await signedUnder({ SECRETS_KEY: `${old}` }, await filed(teacher), dataDir);
    expect(await statusUnder({ SECRETS_KEY: `${old}` }, link, dataDir)).toBe(200);
    expect(await statusUnder({ SECRETS_KEY: `${fresh},${old}` }, link, dataDir)).toBe(200);
    expect(await statusUnder({ SECRETS_KEY: `${fresh}` }, link, dataDir)).toBe(404);
  });

  it('gives an absolute link where the public address is known', async () => {
    const env = { PUBLIC_URL: 'https://learn.example.edu' };
    const path = await signedUnder(env, await filed(teacher), app.dataDir);
    expect(path).toMatch(/^https:\/\/learn\.example\.edu\/api\/v1\/sources\?link=[0-9a-f]+$/);
  });

  async function signedUnder(env: Record<string, string>, document: Filed, dataDir: string): Promise<string> {
    const second = await startApp({ env, reset: false, dataDir });
    try {
      return second.get(SourceLinks).sign(targetOf(document, teacher, student));
    } finally {
      await second.stop();
    }
  }

  async function statusUnder(env: Record<string, string>, path: string, dataDir: string): Promise<number> {
    const second = await startApp({ env, reset: false, dataDir });
    try {
      return (await fetch(second.url + path)).status;
    } finally {
      await second.stop();
    }
  }
});
