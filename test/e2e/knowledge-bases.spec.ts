import { filesForm, startApp, type TestApp } from '../support/app';
import { foreignOrganization, type Person, person } from '../support/people';

type Upload = readonly [name: string, content: string | Buffer, type?: string];

let app: TestApp;
let teacher: Person;
let colleague: Person;
let foreigner: Person;

beforeAll(async () => {
  app = await startApp();
  teacher = await person(app);
  colleague = await person(app);
  foreigner = await person(app, { organization: await foreignOrganization(app) });
});
afterAll(() => app.stop());

const path = '/api/v1/knowledge-bases';
const hostile = 'Let \\frac{a}{b} and {"k": {}} and {user_input} and {2_rubric} and $& stay.';
const biology = `# Photosynthesis\n\nChlorophyll absorbs light in the thylakoid membrane. ${hostile}\n`;

async function create(who: Person, body: Record<string, unknown> = {}): Promise<any> {
  const answer = await who.api('POST', path, { name: 'Biology', ...body });
  expect(answer.status).toBe(201);
  return answer.json;
}
const upload = (who: Person, id: string, ...files: Upload[]) =>
  who.api('POST', `${path}/${id}/documents`, filesForm(...files));
const ask = async (who: Person, id: string, query: string, more = {}): Promise<any[]> => {
  const answer = await who.api('POST', `${path}/${id}/query`, { query, ...more });
  expect(answer.status).toBe(200);
  return answer.json.results;
};

describe('creating', () => {
  it('makes a slug of the name, numbered when it is taken', async () => {
    const name = 'Càlcul & Àlgebra 101';
    expect([(await create(teacher, { name })).slug, (await create(colleague, { name })).slug]).toEqual([
      'calcul-algebra-101',
      'calcul-algebra-101-2',
    ]);
  });

  it('never makes a slug that looks like the number of an external collection', async () => {
    expect((await create(teacher, { name: '42' })).slug).toBe('kb-42');
    const refused = await teacher.api('POST', path, { name: 'x', slug: '42' });
    expect(refused.json).toMatchObject({ code: 'validation_failed', errors: [{ path: 'slug' }] });
  });

  it('answers 409 for a slug that is taken', async () => {
    await create(teacher, { slug: 'taken' });
    expect((await teacher.api('POST', path, { name: 'y', slug: 'taken' })).status).toBe(409);
  });

  it('lists every problem of a bad body', async () => {
    const { status, json } = await teacher.api('POST', path, {
      name: '',
      language: 'klingon',
      chunk_size: 1,
      owner: 'x',
    });
    expect(status).toBe(400);
    expect(json.errors.map((problem: { path: string }) => problem.path).sort()).toEqual([
      'chunk_size',
      'language',
      'name',
      'owner',
    ]);
  });

  it('is for teachers', async () => {
    const member = await person(app, { role: 'member' });
    expect((await member.api('POST', path, { name: 'x' })).status).toBe(403);
  });
});

describe('documents', () => {
  it('are found with their bytes unchanged, whatever braces they hold', async () => {
    const kb = await create(teacher);
    const uploaded = await upload(
      teacher,
      kb.id,
      ['photosynthesis.md', biology],
      ['volcano.md', '# Volcanoes\n\nMagma rises.\n'],
    );
    expect(uploaded.status).toBe(201);
    expect(uploaded.json.items).toMatchObject([
      { filename: 'photosynthesis.md', status: 'completed', title: 'Photosynthesis', error: null, chunk_count: 1 },
      { filename: 'volcano.md', status: 'completed' },
    ]);
    const [best] = await ask(teacher, kb.id, 'What does chlorophyll absorb?');
    expect(best.data).toBe(biology.trim());
    expect(biology.slice(best.metadata.start, best.metadata.end)).toBe(best.data);
    expect(best.metadata).toMatchObject({ filename: 'photosynthesis.md', section: 'Photosynthesis', chunk_index: 0 });
    expect(best.similarity).toBeGreaterThan(0);
    expect(best.similarity).toBeLessThanOrEqual(1);
  });

  it('fail one by one, each with its reason, and the others are unharmed', async () => {
    const kb = await create(teacher);
    const { json } = await upload(
      teacher,
      kb.id,
      ['good.txt', 'Osmosis moves water.'],
      ['paper.pdf', Buffer.from('%PDF-1.7 \0')],
      ['sly.md', Buffer.from('PK\u0003\u0004\0\0')],
      ['latin.txt', Buffer.from('fotosíntesis', 'latin1')],
      ['blank.md', ' \n\n '],
      ['script.html', '<script>alert(1)</script>'],
    );
    const errors = Object.fromEntries(
      json.items.map((item: { filename: string; status: string; error: string }) => [
        item.filename,
        [item.status, item.error],
      ]),
    );
    expect(errors['good.txt']).toEqual(['completed', null]);
    expect(errors['paper.pdf']).toEqual(['failed', expect.stringContaining('PDF')]);
    expect(errors['sly.md']).toEqual(['failed', expect.stringContaining('archive')]);
    expect(errors['latin.txt']).toEqual(['completed', null]);
    expect(errors['blank.md']).toEqual(['failed', expect.stringContaining('white space')]);
    expect(errors['script.html']).toEqual(['failed', expect.stringContaining('no text')]);
    const failed = await teacher.api('GET', `${path}/${kb.id}/documents?status=failed&limit=2`);
    expect(failed.json).toMatchObject({ total: 4, items: [{}, {}] });
    const rest = await teacher.api('GET', `${path}/${kb.id}/documents?status=failed&cursor=${failed.json.next_cursor}`);
    expect(rest.json).toMatchObject({ items: [{}, {}], next_cursor: null });
  });

  it('the same bytes under the same name change nothing, other bytes replace, another name is another document', async () => {
    const kb = await create(teacher);
    const [first] = (await upload(teacher, kb.id, ['a.md', 'Mitosis splits a cell.'])).json.items;
    const [again] = (await upload(teacher, kb.id, ['a.md', 'Mitosis splits a cell.'])).json.items;
    expect(again).toEqual(first);
    const [changed] = (await upload(teacher, kb.id, ['a.md', 'Meiosis halves the chromosomes.'])).json.items;
    expect(changed).toMatchObject({ id: first.id, status: 'completed' });
    expect(await ask(teacher, kb.id, 'mitosis')).toEqual([]);
    expect(await ask(teacher, kb.id, 'meiosis')).toHaveLength(1);
    const [twin] = (await upload(teacher, kb.id, ['b.md', 'Meiosis halves the chromosomes.'])).json.items;
    expect(twin.id).not.toBe(first.id);
    expect((await teacher.api('GET', `${path}/${kb.id}/documents`)).json.total).toBe(2);
    expect((await teacher.api('GET', `${path}/${kb.id}`)).json.document_count).toBe(2);
    const listed = (await teacher.api('GET', `${path}?limit=100`)).json.items;
    expect(listed.find(({ id }: { id: string }) => id === kb.id).document_count).toBe(2);
  });

  it('leave no trace in answers when deleted', async () => {
    const kb = await create(teacher);
    const [document] = (await upload(teacher, kb.id, ['a.md', 'Enzymes are catalysts.'])).json.items;
    expect((await teacher.api('DELETE', `${path}/${kb.id}/documents/${document.id}`)).status).toBe(204);
    expect(await ask(teacher, kb.id, 'enzymes')).toEqual([]);
    expect((await teacher.api('GET', `${path}/${kb.id}/documents/${document.id}/content`)).status).toBe(404);
    expect((await teacher.api('GET', `${path}/${kb.id}`)).json).toMatchObject({ chunk_count: 0, document_count: 0 });
  });

  it('download as they came, never to be displayed', async () => {
    const kb = await create(teacher);
    const [document] = (await upload(teacher, kb.id, ['fotosíntesi 😀.md', biology])).json.items;
    expect(document.filename).toBe('fotosíntesi 😀.md');
    const answer = await teacher.api('GET', `${path}/${kb.id}/documents/${document.id}/content`);
    expect(answer.text).toBe(biology);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; .*filename\*=UTF-8''fotos%C3%ADntesi%20%F0%9F%98%80\.md$/,
    );
  });

  it('retry only what failed', async () => {
    const kb = await create(teacher);
    const { json } = await upload(teacher, kb.id, ['ok.md', 'Fine.'], ['bad.pdf', Buffer.from('%PDF-1.7')]);
    const [ok, bad] = json.items;
    expect((await teacher.api('POST', `${path}/${kb.id}/documents/${ok.id}/retry`)).status).toBe(409);
    const retry = () =>
      teacher.api('POST', `${path}/${kb.id}/documents/${bad.id}/retry`, undefined, { 'idempotency-key': bad.id });
    expect((await retry()).json).toMatchObject({ status: 'failed', attempts: 2 });
    expect((await retry()).json).toMatchObject({ status: 'failed', attempts: 2 });
  });

  it('take only multipart, only the field files, and a bounded number of bytes', async () => {
    const kb = await create(teacher);
    const to = `${path}/${kb.id}/documents`;
    const imitation = { files: [{ fieldname: 'files', originalname: 'x.md', buffer: 'aGk=' }] };
    expect((await teacher.api('POST', to, imitation)).status).toBe(415);
    const wrongField = new FormData();
    wrongField.append('file', new Blob(['x']), 'x.md');
    expect((await teacher.api('POST', to, wrongField)).status).toBe(400);
    expect((await teacher.api('POST', to, new FormData())).status).toBe(400);
    expect((await teacher.api('GET', to)).json.total).toBe(0);
    const big = Buffer.alloc(32 * 1024 * 1024 + 1, 'a');
    const { status, json } = await upload(teacher, kb.id, ['big.md', big], ['small.md', 'Osmosis.']);
    expect([status, json.items]).toMatchObject([
      201,
      [
        { status: 'failed', error_code: 'document.too_large', size: big.length, chunk_count: 0 },
        { status: 'completed', error_code: null, progress: { current: 1, total: 1 } },
      ],
    ]);
  });

  it('answer a repeated request with the first answer', async () => {
    const kb = await create(teacher);
    const headers = { 'Idempotency-Key': 'upload-1' };
    const to = `${path}/${kb.id}/documents`;
    const send = (text: string) => teacher.api('POST', to, filesForm(['a.md', text]), headers);
    const first = await send('One.');
    const second = await send('One.');
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.json).toEqual(first.json);
    expect((await send('Two.')).status).toBe(422);
  });
});

describe('languages', () => {
  it('stem, and find words with and without their accents', async () => {
    const kb = await create(teacher, { language: 'ca' });
    await upload(teacher, kb.id, [
      'a.md',
      'La fotosíntesi és el procés de les plantes. La intel·ligència no hi té res a veure.',
    ]);
    for (const query of ['fotosintesi', 'planta', 'intel·ligències']) {
      expect(await ask(teacher, kb.id, query)).toHaveLength(1);
    }
  });

  it('are decided by the first document when nobody said', async () => {
    const kb = await create(teacher);
    expect(kb.language).toBeNull();
    await upload(teacher, kb.id, [
      'a.md',
      'The cells of the leaf are green, and that is because of the chlorophyll in them.',
    ]);
    expect((await teacher.api('GET', `${path}/${kb.id}`)).json.language).toBe('en');
    expect(await ask(teacher, kb.id, 'cell')).toHaveLength(1);
  });
});

describe('asking', () => {
  it('honours top_k and threshold and says which mode ran', async () => {
    const kb = await create(teacher);
    await upload(teacher, kb.id, ...['a', 'b', 'c'].map((name) => [`${name}.md`, `Osmosis, part ${name}.`] as const));
    expect(await ask(teacher, kb.id, 'osmosis', { top_k: 2 })).toHaveLength(2);
    expect(await ask(teacher, kb.id, 'osmosis', { threshold: 1 })).toEqual([]);
    const answer = await teacher.api('POST', `${path}/${kb.id}/query`, { query: 'osmosis', mode: 'hybrid' });
    expect(answer.json).toMatchObject({ mode: 'keyword', count: 3, timing: { total_ms: expect.any(Number) } });
  });

  it.each(['', 'the of and', '!!! ???', '{user_input}', "'; DROP TABLE kb_chunks; --", 'a & b | !c:*'])(
    'survives %j',
    async (query) => {
      const kb = await create(teacher);
      const answer = await teacher.api('POST', `${path}/${kb.id}/query`, { query });
      expect(answer.status).toBe(query === '' ? 400 : 200);
    },
  );
});

describe('rights', () => {
  it('a private one does not exist for others, in whatever organization', async () => {
    const kb = await create(teacher);
    await upload(teacher, kb.id, ['a.md', 'Secret osmosis.']);
    for (const stranger of [colleague, foreigner]) {
      const missing = await stranger.api('GET', `${path}/01a20082-0000-7000-8000-000000000000`);
      for (const [method, suffix, body] of [
        ['GET', '', undefined],
        ['PATCH', '', { name: 'mine' }],
        ['DELETE', '', undefined],
        ['GET', '/shares', undefined],
        ['PUT', '/shares', { users: [] }],
        ['GET', '/documents', undefined],
        ['POST', '/query', { query: 'osmosis' }],
      ] as const) {
        const answer = await stranger.api(method, `${path}/${kb.id}${suffix}`, body);
        expect([answer.status, answer.json.detail]).toEqual([404, missing.json.detail]);
      }
      expect((await upload(stranger, kb.id, ['x.md', 'x'])).status).toBe(404);
      expect(
        (await stranger.api('GET', `${path}?limit=100`)).json.items.map(({ id }: { id: string }) => id),
      ).not.toContain(kb.id);
    }
  });

  it('a share may read and not change, until it is taken back', async () => {
    const kb = await create(teacher);
    await upload(teacher, kb.id, ['a.md', 'Shared osmosis.']);
    const shared = await teacher.api('PUT', `${path}/${kb.id}/shares`, { users: [colleague.email] });
    expect(shared.json.users).toMatchObject([{ user_id: colleague.userId, email: colleague.email }]);
    expect(await ask(colleague, kb.id, 'osmosis')).toHaveLength(1);
    expect((await colleague.api('GET', `${path}/${kb.id}`)).json.access).toBe('read');
    expect((await colleague.api('PATCH', `${path}/${kb.id}`, { name: 'mine' })).status).toBe(403);
    expect((await upload(colleague, kb.id, ['x.md', 'x'])).status).toBe(403);
    await teacher.api('PUT', `${path}/${kb.id}/shares`, { users: [] });
    expect((await colleague.api('GET', `${path}/${kb.id}`)).status).toBe(404);
  });

  it('cannot be shared with somebody of another organization', async () => {
    const kb = await create(teacher);
    const answer = await teacher.api('PUT', `${path}/${kb.id}/shares`, { users: [colleague.email, foreigner.email] });
    expect(answer.json).toMatchObject({ code: 'validation_failed', errors: [{ path: 'users[1]' }] });
  });

  it('shown to the organization, its members read it and others do not', async () => {
    const kb = await create(teacher, { visibility: 'organization' });
    expect((await colleague.api('GET', `${path}/${kb.id}`)).status).toBe(200);
    expect((await foreigner.api('GET', `${path}/${kb.id}`)).status).toBe(404);
  });

  it('deleting one takes everything with it', async () => {
    const kb = await create(teacher);
    await upload(teacher, kb.id, ['a.md', 'Gone soon.']);
    expect((await teacher.api('DELETE', `${path}/${kb.id}`)).status).toBe(204);
    expect((await teacher.api('GET', `${path}/${kb.id}/documents`)).status).toBe(404);
  });
});
