import type { Caller } from '@bellwether/kernel';
import { ImagesService } from '../../src/files';
import { startApp, type TestApp } from '../support/app';
import { makeAssistant, makeMember, streamed, user } from '../support/chat';
import { foreignOrganization, person } from '../support/people';
import { png } from '../support/pictures';
import { startUpstream, type Upstream } from '../support/upstream';

const PICTURE = png();
const MEBIBYTE = 1024 * 1024;

let app: TestApp;
let upstream: Upstream;

beforeAll(async () => {
  upstream = await startUpstream();
  app = await startApp({
    env: {
      GOOGLE_API_KEY: 'g-test',
      GOOGLE_BASE_URL: upstream.origin,
      ANTHROPIC_API_KEY: 'a-test',
      ANTHROPIC_BASE_URL: upstream.origin,
      OUTBOUND_ALLOW: '',
    },
  });
});
beforeEach(() => upstream.reset());
afterEach(() => upstream.verify());
afterAll(async () => {
  await app.stop();
  await upstream.stop();
});

const painter = (metadata: object = {}) =>
  makeAssistant(app, {
    prompt_template: 'Draw: {user_input}',
    metadata: {
      connector: 'banana_img',
      llm: null,
      capabilities: { vision: true, image_generation: true },
      ...metadata,
    },
  });

const ask = (id: number, content: unknown, more: object = {}, headers: Record<string, string> = {}) =>
  app.api(
    'POST',
    '/v1/chat/completions',
    { model: `lamb_assistant.${id}`, messages: [{ role: 'user', content }], ...more },
    headers,
  );

const drawn = (bytes = PICTURE) => [{ mediaType: 'image/png', base64: bytes.toString('base64') }];
const linkIn = (text: string): string => /!\[Generated image[^\]]*\]\(([^)]+)\)/.exec(text)?.[1] ?? '';
const dataUrl = (bytes: Buffer, type = 'image/png'): string => `data:${type};base64,${bytes.toString('base64')}`;
const picturePart = (url: string) => ({ type: 'image_url', image_url: { url } });

describe('an assistant that makes pictures', () => {
  it('answers with a link that anyone can load, to a file of the assistant’s owner', async () => {
    const id = await painter();
    const student = await makeMember(app, 'member');
    await app.api('PUT', `/api/v1/assistants/${id}/publication`);
    upstream.expect({ content: null, images: drawn() });
    const answer = await ask(id, 'a red pixel', {}, student.headers);
    expect(answer.status).toBe(200);
    const { content } = answer.json.choices[0].message;
    expect(content).toMatch(/^!\[Generated image\]\(\/api\/v1\/images\?link=[0-9a-f]+\)$/);

    const shown = await fetch(app.url + linkIn(content));
    expect(shown.status).toBe(200);
    expect(Object.fromEntries(shown.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': expect.stringMatching(/^inline; /),
    });
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(PICTURE);

    const { items } = (await app.api('GET', '/api/v1/files?limit=100')).json;
    const file = items.find(({ path }: { path: string }) => path.startsWith('images/'));
    expect(file).toMatchObject({ content_type: 'image/png', size: PICTURE.length });
    const asked = upstream.questions()[0];
    expect(asked?.model).toBe('gemini-2.5-flash-image');
    expect(asked?.turns).toEqual([
      expect.objectContaining({ role: 'user', text: expect.stringMatching(/^Draw:\s+a red pixel/) }),
    ]);

    await app.api('DELETE', `/api/v1/files/${file.id}`);
    expect((await fetch(app.url + linkIn(content))).status).toBe(404);
  });

  it('shows no picture of a suspended organization or assistant, of a disabled owner, or of a deleted assistant', async () => {
    const organization = await foreignOrganization(app);
    const boss = await person(app, { organization, role: 'owner', scopes: ['chat', 'read', 'write', 'admin'] });
    const owner = await person(app, { organization });
    const { json } = await boss.api('GET', `/api/v1/organizations/${organization}`);
    const made = await owner.api('POST', '/api/v1/assistants', { name: 'Painter', metadata: {} });
    const id: number = made.json.id;
    const maker = { owner: { organizationId: json.id as string, userId: owner.userId }, assistantId: id };
    const actor = { ...maker.owner, kind: 'system', credentialId: null } as unknown as Caller;
    const [kept] = await app.get(ImagesService).save(maker, actor, [PICTURE]);
    const link = app.url + (kept?.url ?? '');
    const shown = async (): Promise<number> => (await fetch(link)).status;
    expect(await shown()).toBe(200);

    const suspension = `/api/v1/organizations/${organization}/suspension`;
    const member = `/api/v1/organizations/${organization}/members/${owner.userId}`;
    for (const [off, on] of [
      [() => app.api('PUT', suspension), () => app.api('DELETE', suspension)],
      [() => boss.api('PATCH', member, { disabled: true }), () => boss.api('PATCH', member, { disabled: false })],
      [
        () => boss.api('PUT', `/api/v1/assistants/${id}/suspension`),
        () => boss.api('DELETE', `/api/v1/assistants/${id}/suspension`),
      ],
    ] as const) {
      expect((await off()).status).toBeLessThan(300);
      expect(await shown()).toBe(404);
      expect((await on()).status).toBeLessThan(300);
      expect(await shown()).toBe(200);
    }
    await boss.api('DELETE', `/api/v1/assistants/${id}`);
    expect(await shown()).toBe(404);
  });

  it('streams what the model says and then the pictures, numbered', async () => {
    const id = await painter();
    upstream.expect({ content: 'Here you are:', images: [...drawn(), ...drawn()] });
    const answer = await streamed(app, '/v1/chat/completions', {
      model: `lamb_assistant.${id}`,
      messages: [user('two')],
    });
    expect(answer.text).toMatch(
      /^Here you are:\n\n!\[Generated image 1\]\([^)]+\)\n\n!\[Generated image 2\]\([^)]+\)$/,
    );
    expect(answer.chunks.map((chunk) => chunk.choices[0].finish_reason).filter(Boolean)).toEqual(['stop']);
    expect(answer.data.at(-1)).toBe('[DONE]');
    expect((await fetch(app.url + linkIn(answer.text))).status).toBe(200);
  });

  it('changes the picture that is sent with the question, in the shape that is asked for', async () => {
    const id = await painter();
    upstream.expect({ content: null, images: drawn() });
    const content = [{ type: 'text', text: 'in blue' }, picturePart(dataUrl(PICTURE))];
    const answer = await ask(id, content, { size: '1792x1024' });
    expect(answer.status).toBe(200);
    expect(upstream.questions()[0]?.turns[0]).toMatchObject({
      text: expect.stringMatching(/^Draw:\s+in blue/),
      images: [{ mediaType: 'image/png', base64: PICTURE.toString('base64') }],
    });
    expect(upstream.requests[0]?.body['generationConfig']).toEqual({
      responseModalities: ['TEXT', 'IMAGE'],
      imageConfig: { aspectRatio: '16:9' },
    });
  });

  it('fails without a trace of success when the model makes none, or no picture, or too large a one', async () => {
    const id = await painter();
    const rows = [
      [{ content: null }, 502, 'upstream_bad_response'],
      [{ content: null, images: drawn(Buffer.from('<svg onload="alert(1)"/>')) }, 502, 'upstream_bad_response'],
      [{ content: null, images: drawn(png(21 * MEBIBYTE)) }, 413, 'payload_too_large'],
    ] as const;
    for (const [reply, status, code] of rows) {
      upstream.expect(reply);
      const answer = await ask(id, 'a pixel');
      expect([answer.status, answer.json.error.code]).toEqual([status, code]);
    }
  });

  it('is listed with what it can do, and never answers for `auto`', async () => {
    const { json } = await app.api('GET', '/api/v1/connectors');
    const banana = json.connectors.find(({ name }: { name: string }) => name === 'banana_img');
    expect(banana).toMatchObject({
      configured: true,
      default_model: 'gemini-2.5-flash-image',
      capabilities: { image_generation: true, functions: false },
    });
    const names = json.connectors.filter((each: any) => each.configured).map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['anthropic', 'google', 'banana_img']));
    upstream.expect({ content: 'Words.' });
    await ask(await painter({ connector: 'auto' }), 'a question');
    expect(upstream.requests[0]?.path).toBe('/v1/messages');
  });
});

describe('the function that makes pictures', () => {
  it('works through the image model of the organization, whatever model the assistant has', async () => {
    const id = await makeAssistant(app, {
      metadata: { connector: 'anthropic', llm: 'claude-haiku-4-5', functions: [{ type: 'image' }] },
    });
    const call = { name: 'generate_image', arguments: '{"prompt":"a plant cell","size":"1024x1536"}' };
    upstream.expect({ content: null, toolCalls: [call] });
    upstream.expect({ content: null, images: drawn() });
    upstream.expect({ content: 'Here it is.' });
    const answer = await ask(id, 'Show me a cell.');
    expect([answer.status, answer.json.choices?.[0].message.content]).toEqual([200, 'Here it is.']);
    const [first, painted, second] = upstream.questions();
    expect(first?.functions.map(({ name }) => name)).toEqual(['generate_image']);
    expect(painted).toMatchObject({ model: 'gemini-2.5-flash-image', turns: [{ text: 'a plant cell' }] });
    const content = second?.turns.at(-1)?.results[0]?.content ?? '';
    expect((await fetch(app.url + linkIn(content))).status).toBe(200);
  });
});

describe('links to pictures', () => {
  it.each(['', '?link=', '?link=00', `?link=${'0'.repeat(158)}`, '?link=a&link=b'])(
    '%s leads nowhere',
    async (query) => {
      const answer = await app.api('GET', `/api/v1/images${query}`);
      expect([answer.status, answer.json.code]).toEqual([404, 'not_found']);
    },
  );
});

describe.each(['anthropic', 'google', 'banana_img'])('pictures in a question to %s', (connector) => {
  const seeing = () => painter({ connector, llm: connector === 'anthropic' ? 'claude-haiku-4-5' : null });
  const refusal = async (url: string) => {
    const answer = await ask(await seeing(), [{ type: 'text', text: 'What is this?' }, picturePart(url)]);
    return [answer.status, answer.json.error.code];
  };

  it.each([
    'http://127.0.0.1:9/a.png',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/a.png',
    'https://10.0.0.8/a.png',
    'http://localhost/a.png',
    'file:///etc/passwd',
    'http://user:secret@example.org/a.png',
  ])('are not fetched from %s', async (url) => expect(await refusal(url)).toEqual([400, 'outbound_refused']));

  it('are refused when they are no pictures', async () => {
    expect(await refusal(dataUrl(Buffer.from('<svg/>'), 'image/svg+xml'))).toEqual([400, 'bad_request']);
    expect(await refusal('data:image/png,notbase64')).toEqual([400, 'bad_request']);
  });

  it('are refused when they are too large', async () => {
    const [status, code] = await refusal(dataUrl(png(30 * MEBIBYTE)));
    expect([status, code]).toEqual([413, 'payload_too_large']);
  });
});
