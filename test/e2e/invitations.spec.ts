import { DataSource } from 'typeorm';
import { startApp, type TestApp } from '../support/app';
import { BrowserSession } from '../support/browser-session';
import { type MailServer, startMailServer } from '../support/mail-server';
import { foreignOrganization, keyOf, person } from '../support/people';
import { until } from '../support/until';

const MEMBERS = '/api/v1/organizations/default/members';

let app: TestApp;
let mail: MailServer;
beforeAll(async () => {
  mail = await startMailServer();
  const env = {
    SMTP_URL: mail.url,
    MAIL_FROM: 'Bellwether <noreply@example.edu>',
    PUBLIC_URL: 'http://bw.example.edu',
  };
  app = await startApp({ env });
});
afterAll(async () => {
  await app.stop();
  await mail.stop();
});

const sql = (text: string, values: unknown[] = []): Promise<any[]> => app.get(DataSource).query(text, values);
/** A failure is noted before its job waits for the next try: ask again until it does. */
const tryNow = () =>
  sql(`UPDATE pgboss.job SET start_after = now() WHERE name = 'invitation-mail' AND state = 'retry'`);
const tokenOf = (url: string): string => new URL(url).hash.slice('#link='.length);
const administrator = (role: 'owner' | 'admin' = 'admin') =>
  person(app, { role, scopes: ['chat', 'read', 'write', 'admin'] });

async function listed(email: string): Promise<any> {
  const { items } = (await app.api('GET', `${MEMBERS}?limit=100`)).json;
  return items.find((member: { email: string }) => member.email === email);
}

async function opens(url: string): Promise<boolean> {
  const browser = new BrowserSession(app);
  const answer = await browser.send('POST', '/api/v1/session/link', { token: tokenOf(url) });
  expect([200, 401]).toContain(answer.status);
  if (answer.status === 200) expect((await browser.send('GET', '/api/v1/me')).status).toBe(200);
  return answer.status === 200;
}

describe('an organization that ends', () => {
  it('tells its members in their language, and again when it is back', async () => {
    const slug = await foreignOrganization(app);
    const members = await Promise.all([person(app, { organization: slug }), person(app, { organization: slug })]);
    const left = await person(app, { organization: slug });
    await app.api('PATCH', `/api/v1/organizations/${slug}/members/${left.email}`, { disabled: true });
    const to = (words: RegExp) =>
      mail.mails
        .filter(({ text }) => words.test(text))
        .flatMap((each) => [...each.to])
        .sort();
    const emails = members.map(({ email }) => email).sort();
    await app.api('DELETE', `/api/v1/organizations/${slug}?language=es`);
    const ended = /ya no ofrece aquí.*se borrarán/s;
    await until(() => to(ended).length === 2);
    expect(to(ended)).toEqual(emails);
    await app.api('POST', `/api/v1/organizations/${slug}/restore?language=eu`);
    await until(() => to(/berriro dabiltza/).length === 2);
    expect(to(/berriro dabiltza/)).toEqual(emails);
    expect((await app.api('DELETE', `/api/v1/organizations/${slug}?language=xx`)).status).toBe(400);
  });
});

describe('a sign-in link of a member', () => {
  it('works once, until its end, and shows who has not signed in yet', async () => {
    const admin = await administrator();
    const { email } = await person(app, { role: 'teacher' });
    expect(await listed(email)).toMatchObject({ first_signed_in_at: null, invitation: null });
    const made = await admin.api('POST', `${MEMBERS}/${email}/sign-in-link`);
    expect([made.status, new URL(made.json.url).origin]).toEqual([201, 'http://bw.example.edu']);
    const hours = (Date.parse(made.json.expires_at) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(71);
    expect(hours).toBeLessThanOrEqual(72.1);
    expect(await listed(email)).toMatchObject({
      first_signed_in_at: null,
      invitation: { state: 'link', problem: null },
    });
    expect(await opens(made.json.url)).toBe(true);
    expect(await opens(made.json.url)).toBe(false);
    expect((await listed(email)).first_signed_in_at).not.toBeNull();
    const [opened] = await sql(`SELECT * FROM audit_entries WHERE action = 'session.create' ORDER BY id DESC LIMIT 1`);
    expect(opened.after).toMatchObject({ api_key_id: null });
  });

  it('tells whom it is for before it is used, and is used by nothing but that page', async () => {
    const { email } = await person(app);
    const { url } = (await app.api('POST', `${MEMBERS}/${email}/sign-in-link`)).json;
    const token = tokenOf(url);
    const browser = new BrowserSession(app);
    // Robots of mail servers and chats open addresses.
    expect((await browser.send('GET', new URL(url).pathname)).status).toBeLessThan(500);
    const look = () => browser.send('POST', '/api/v1/session/link/person', { token });
    expect((await look()).json).toMatchObject({ email, organization: expect.any(String) });
    const foreign = { 'sec-fetch-site': 'cross-site' };
    expect((await browser.send('POST', '/api/v1/session/link', { token }, foreign)).status).toBe(403);
    expect(await opens(url)).toBe(true);
    expect((await look()).status).toBe(401);
  });

  it('ends the earlier one', async () => {
    const { email } = await person(app);
    const [first, second] = [
      await app.api('POST', `${MEMBERS}/${email}/sign-in-link`),
      await app.api('POST', `${MEMBERS}/${email}/sign-in-link`),
    ];
    expect(await opens(first.json.url)).toBe(false);
    expect(await opens(second.json.url)).toBe(true);
  });

  it('ends with "sign out everywhere", and with the administrator who made it', async () => {
    const [admin, other] = [await administrator(), await administrator()];
    const { email } = await person(app);
    const link = async (by: typeof admin): Promise<string> =>
      (await by.api('POST', `${MEMBERS}/${email}/sign-in-link`)).json.url;
    const first = await link(admin);
    expect((await other.api('DELETE', `${MEMBERS}/${email}/sessions`)).status).toBe(204);
    expect(await opens(first)).toBe(false);
    const second = await link(admin);
    expect((await app.api('PATCH', `${MEMBERS}/${admin.email}`, { disabled: true })).status).toBe(200);
    expect(await opens(second)).toBe(false);
    const third = await link(other);
    expect((await app.api('DELETE', `${MEMBERS}/${admin.email}`)).status).toBe(204);
    expect(await opens(third)).toBe(true);
  });

  it('is in the audit log with the administrator, without its token', async () => {
    const admin = await administrator();
    const { email, userId } = await person(app);
    const made = await admin.api('POST', `${MEMBERS}/${email}/sign-in-link`);
    const [entry] = await sql(
      `SELECT * FROM audit_entries WHERE action = 'sign_in_link.create' ORDER BY id DESC LIMIT 1`,
    );
    expect(entry).toMatchObject({ actor_user_id: admin.userId, after: { user_id: userId } });
    expect(tokenOf(made.json.url)).toHaveLength(43);
    expect(JSON.stringify(entry)).not.toContain(tokenOf(made.json.url));
  });

  it('is not made for a higher role, a disabled member, a stranger or by a teacher', async () => {
    const admin = await administrator();
    const { email: owner } = await administrator('owner');
    const { email } = await person(app);
    const make = async (who: string, by = admin) => (await by.api('POST', `${MEMBERS}/${who}/sign-in-link`)).status;
    expect(await make(owner)).toBe(403);
    expect(await make('nobody@example.edu')).toBe(404);
    expect(await make(email, await person(app, { role: 'teacher' }))).toBe(403);
    const foreign = await person(app, { organization: await foreignOrganization(app) });
    expect(await make(foreign.email)).toBe(404);
    expect((await foreign.api('POST', `${MEMBERS}/${email}/sign-in-link`)).status).toBe(403);
    await app.api('PATCH', `${MEMBERS}/${email}`, { disabled: true });
    expect(await make(email)).toBe(409);
    // The first administrator of the service.
    const [root] = await sql('SELECT email FROM users WHERE system_admin');
    expect(await make(root.email)).toBe(403);
  });

  it('is not made with a key that has fewer rights than the session would have', async () => {
    const { email } = await administrator();
    const narrow = await keyOf(app, email, { scopes: ['read', 'admin'] });
    const { email: teacher } = await person(app);
    const answer = await narrow.api('POST', `${MEMBERS}/${teacher}/sign-in-link`);
    expect([answer.status, answer.json.code]).toEqual([403, 'forbidden']);
  });

  it('neither is made nor opens while people sign in through their institution', async () => {
    const slug = await foreignOrganization(app);
    const { email } = await person(app, { organization: slug });
    const path = `/api/v1/organizations/${slug}/members/${email}/sign-in-link`;
    const { url } = (await app.api('POST', path)).json;
    await app.api('PATCH', `/api/v1/organizations/${slug}`, { features: { local_sign_in: false } });
    const refused = await app.api('POST', path);
    expect([refused.status, refused.json.code]).toEqual([403, 'feature_disabled']);
    expect(await opens(url)).toBe(false);
    const { invitations } = (await app.api('GET', `/api/v1/organizations/${slug}/members`)).json;
    expect(invitations).toEqual({ by_link: false, by_mail: false });
  });
});

describe('an invitation by e-mail', () => {
  const lastMail = () => mail.mails.at(-1);

  it('arrives in the chosen language with a link that signs in', async () => {
    const { email } = await person(app);
    const answer = await app.api('POST', `${MEMBERS}/${email}/invitation`, { language: 'es' });
    expect(answer.status).toBe(202);
    await until(async () => (await listed(email)).invitation.state === 'sent');
    expect(lastMail()).toMatchObject({ from: 'noreply@example.edu', to: [email] });
    expect(lastMail()?.text).toContain('funciona una sola vez');
    expect(lastMail()?.source).toContain('Content-Type: text/html');
    const [url = ''] = /http:\/\/bw\.example\.edu\/sign-in#link=[\w-]{43}/.exec(lastMail()?.text ?? '') ?? [];
    expect(await opens(url)).toBe(true);
    const [entry] = await sql(`SELECT * FROM audit_entries WHERE action = 'member.invite' ORDER BY id DESC LIMIT 1`);
    expect(entry.after).toEqual({ language: 'es' });
  });

  it('shows what the mail server said, and is given up when it refuses the address', async () => {
    const { email } = await person(app);
    mail.refuseNext(email, 550, 'No such mailbox here');
    await app.api('POST', `${MEMBERS}/${email}/invitation`, {});
    await until(async () => (await listed(email)).invitation.state === 'failed');
    expect((await listed(email)).invitation.problem).toContain('No such mailbox here');
  });

  it('shows nothing of the mail server but its words', async () => {
    const { email } = await person(app);
    mail.refuseNext(email, 550, '5.7.1 Relaying denied by mx1.internal.example.edu [10.1.2.3] at 127.0.0.1');
    await app.api('POST', `${MEMBERS}/${email}/invitation`, {});
    await until(async () => (await listed(email)).invitation.state === 'failed');
    const { problem } = (await listed(email)).invitation;
    expect(problem).toContain('5.7.1 Relaying denied by …');
    expect(problem).not.toMatch(/internal|10\.1\.2|127\.0/);
  });

  it('goes to one person five times a day at most', async () => {
    const { email } = await person(app);
    const invite = () => app.api('POST', `${MEMBERS}/${email}/invitation`, {});
    for (let count = 0; count < 5; count += 1) expect((await invite()).status).toBe(202);
    const refused = await invite();
    expect([refused.status, refused.json.code]).toEqual([429, 'too_many_requests']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_600);
    await sql(`UPDATE users SET invitation_mails_since = now() - interval '25 hours' WHERE email = $1`, [email]);
    expect((await invite()).status).toBe(202);
    await until(async () => (await listed(email)).invitation.state === 'sent');
  });

  it('is tried again while the mail server is busy', async () => {
    const { email } = await person(app);
    mail.refuseNext(email, 451, 'Try again later');
    await app.api('POST', `${MEMBERS}/${email}/invitation`, {});
    await until(async () => String((await listed(email)).invitation.problem).includes('Try again later'));
    expect((await listed(email)).invitation.state).toBe('sending');
    await until(async () => {
      await tryNow();
      return (await listed(email)).invitation.state === 'sent';
    });
    expect((await listed(email)).invitation.problem).toBeNull();
    expect(lastMail()?.to).toEqual([email]);
  });

  it('is cancelled by a link that an administrator makes meanwhile', async () => {
    const { email } = await person(app);
    mail.refuseNext(email, 451, 'Try again later');
    await app.api('POST', `${MEMBERS}/${email}/invitation`, {});
    await until(async () => (await listed(email)).invitation.problem !== null);
    const { url } = (await app.api('POST', `${MEMBERS}/${email}/sign-in-link`)).json;
    await until(async () => {
      await tryNow();
      const [{ open }] = await sql(
        `SELECT count(*)::int AS open FROM pgboss.job WHERE name = 'invitation-mail' AND state IN ('created', 'retry', 'active')`,
      );
      return open === 0;
    });
    expect((await listed(email)).invitation.state).toBe('link');
    expect(await opens(url)).toBe(true);
  });

  it.each([['a language that it does not speak', { language: 'fr' }, 400]])(
    'is refused with %s',
    async (_, body, status) => {
      const { email } = await person(app);
      expect((await app.api('POST', `${MEMBERS}/${email}/invitation`, body)).status).toBe(status);
    },
  );
});

describe('a sign-in link that somebody asks for by e-mail', () => {
  const ask = (email: string) =>
    new BrowserSession(app).send('POST', '/api/v1/session/mail', { email, language: 'ca' });
  const sentTo = (email: string) => mail.mails.filter(({ to }) => to.includes(email));
  const linksIn = (text = ''): string[] => text.match(/http:\/\/bw\.example\.edu\/sign-in#link=[\w-]{43}/g) ?? [];

  it('arrives for a member, signs in once, and leaves other links as they are', async () => {
    expect((await new BrowserSession(app).send('GET', '/api/v1/session')).json.mail).toBe(true);
    const { email } = await person(app);
    const earlier = (await app.api('POST', `${MEMBERS}/${email}/sign-in-link`)).json.url;
    expect((await ask(email.toUpperCase())).status).toBe(202);
    await until(() => sentTo(email).length === 1);
    expect(sentTo(email)[0]?.text).toContain('una sola vegada');
    const [entry] = await sql(
      `SELECT * FROM audit_entries WHERE action = 'sign_in_link.create' ORDER BY id DESC LIMIT 1`,
    );
    expect(entry).toMatchObject({ actor_user_id: null, after: { user_id: expect.any(String) } });
    const [url = ''] = linksIn(sentTo(email)[0]?.text);
    expect([await opens(url), await opens(url), await opens(earlier)]).toEqual([true, false, true]);
  });

  it('is answered alike for an address that nobody has, and sends nothing', async () => {
    const known = await person(app);
    const unknown = await ask('nobody@example.edu');
    const answer = await ask(known.email);
    expect([unknown.status, unknown.text]).toEqual([answer.status, answer.text]);
    await until(() => sentTo(known.email).length === 1);
    expect(sentTo('nobody@example.edu')).toEqual([]);
  });

  it('has a link for each organization that lets the person in, and none for a disabled member', async () => {
    const slug = await foreignOrganization(app);
    const { email } = await person(app);
    await app.api('POST', `/api/v1/organizations/${slug}/members`, { email, name: 'Ada', role: 'member' });
    await ask(email);
    await until(() => sentTo(email).length === 1);
    expect(linksIn(sentTo(email)[0]?.text)).toHaveLength(2);
    await app.api('PATCH', `${MEMBERS}/${email}`, { disabled: true });
    await ask(email);
    await until(() => sentTo(email).length === 2);
    expect(linksIn(sentTo(email)[1]?.text)).toHaveLength(1);
  });

  it('opens no account of an owner, and none of somebody who comes by a directory', async () => {
    const [owner, provisioned, known] = [await person(app, { role: 'owner' }), await person(app), await person(app)];
    await sql(
      `INSERT INTO scim_users (organization_id, user_id, user_name_key, resource)
       SELECT organization_id, user_id, user_id::text, '{}' FROM members WHERE user_id = $1`,
      [provisioned.userId],
    );
    for (const { email } of [owner, provisioned, known]) await ask(email);
    await until(() => sentTo(known.email).length === 1);
    await until(
      async () =>
        (await sql(`SELECT FROM pgboss.job WHERE name = 'sign-in-mail' AND state < 'completed'`)).length === 0,
    );
    expect([...sentTo(owner.email), ...sentTo(provisioned.email)]).toEqual([]);
  });

  it('comes five times a day at most', async () => {
    const { email } = await person(app);
    const done = (): Promise<boolean> =>
      sql(`SELECT FROM pgboss.job WHERE name = 'sign-in-mail' AND state < 'completed'`).then(
        ({ length }) => length === 0,
      );
    for (let count = 0; count < 6; count += 1) {
      await ask(email);
      await until(done);
    }
    expect(sentTo(email)).toHaveLength(5);
  });
});
