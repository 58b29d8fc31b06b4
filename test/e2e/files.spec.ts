import { Extractor } from '@bellwether/extraction';
import type { Caller, Principal } from '@bellwether/kernel';
import { execFileSync } from 'node:child_process';
import { linkSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { BlobStore, cutText, FilesService } from '../../src/files';
import type { FileEntity } from '../../src/files/storage/file.entity';
import { FileTextRepository } from '../../src/files/file-text.repository';
import { filesForm, startApp, type TestApp } from '../support/app';
import { rawPdf } from '../support/hostile-documents';
import { foreignOrganization, type Person, person } from '../support/people';

const fixture = (name: string): Buffer => readFileSync(join(__dirname, '../fixtures/documents', name));

type Upload = readonly [name: string, content: string | Buffer, type?: string];

let app: TestApp;
let teacher: Person;
let colleague: Person;
let foreigner: Person;
let owner: Principal;
let files: FilesService;

beforeAll(async () => {
  app = await startApp();
  teacher = await person(app);
  colleague = await person(app);
  foreigner = await person(app, { organization: await foreignOrganization(app) });
  const me = await teacher.api('POST', '/api/v1/files', filesForm(['first.md', 'x']));
  expect(me.status).toBe(201);
  const [organizationId = ''] = readdirSync(join(app.dataDir, 'files'));
  owner = { organizationId, userId: teacher.userId };
  files = app.get(FilesService);
});
afterAll(() => app.stop());

const path = '/api/v1/files';
const upload = (who: Person, ...list: Upload[]) => who.api('POST', path, filesForm(...list));
const space = (): string => join(app.dataDir, 'files', owner.organizationId, owner.userId);

describe('uploading', () => {
  it('keeps name, bytes and their description', async () => {
    const { json } = await upload(teacher, ['guía..v2.txt', 'Sé amable.\n']);
    expect(json.items).toMatchObject([{ path: 'guía..v2.txt', size: 12, content_type: 'text/plain' }]);
    const { id } = json.items[0];
    expect((await teacher.api('GET', `${path}/${id}`)).json.path).toBe('guía..v2.txt');
    const download = await teacher.api('GET', `${path}/${id}/content`);
    expect(download.text).toBe('Sé amable.\n');
    expect(download.headers.get('content-disposition')).toMatch(/^attachment;/);
    expect(download.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('replaces a file of the same name, keeps its id and leaves no old bytes behind', async () => {
    const first = (await upload(teacher, ['same.md', 'old'])).json.items[0];
    const before = readdirSync(space()).length;
    const second = (await upload(teacher, ['same.md', 'new'])).json.items[0];
    expect(second.id).toBe(first.id);
    expect((await files.readText(owner, 'same.md', 100)).text).toBe('new');
    expect(readdirSync(space())).toHaveLength(before);
  });

  it('survives many first uploads of one name at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => upload(teacher, ['race.md', `version ${n}`])),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ json }) => json.items[0].id)).size).toBe(1);
    expect((await files.readText(owner, 'race.md', 100)).text).toMatch(/^version \d$/);
  });

  it('stores all or nothing: one bad name refuses the request', async () => {
    const before = readdirSync(space()).length;
    const answer = await upload(teacher, ['good.md', 'x'], ['..', 'y'], ['good.md', 'z']);
    expect(answer.status).toBe(400);
    expect(answer.json.errors).toHaveLength(2);
    expect(await files.exists(owner, 'good.md')).toBe(false);
    expect(readdirSync(space())).toHaveLength(before);
  });

  it('lists by name, page by page', async () => {
    await upload(colleague, ['b.md', '2'], ['a.md', '1'], ['c.md', '3']);
    const first = await colleague.api('GET', `${path}?limit=2`);
    expect(first.json).toMatchObject({ total: 3, items: [{ path: 'a.md' }, { path: 'b.md' }] });
    const second = await colleague.api('GET', `${path}?limit=2&cursor=${first.json.next_cursor}`);
    expect(second.json).toMatchObject({ items: [{ path: 'c.md' }], next_cursor: null });
    expect((await colleague.api('GET', `${path}?cursor=nonsense`)).status).toBe(400);
  });
});

describe('files that a member of another organization causes', () => {
  it('are in the audit of the organization that gets them', async () => {
    const slug = await foreignOrganization(app);
    const foreign = (await app.api('GET', `/api/v1/organizations/${slug}`)).json;
    const stranger = await person(app, { organization: slug });
    const actor: Caller = {
      kind: 'api_key',
      credentialId: null,
      organizationId: foreign.id,
      organizationSlug: slug,
      userId: stranger.userId,
      role: 'teacher',
      systemAdmin: false,
      scopes: ['chat'],
      assistantIds: null,
    };
    const bytes = Buffer.from('made for the owner');
    const [file] = await files.store(owner, actor, [
      { name: 'made.txt', bytes, size: bytes.length, sha256: '0'.repeat(64) },
    ]);
    const entriesOf = async (organization: string): Promise<{ target: { id: string }; actor: object }[]> =>
      (await app.api('GET', `/api/v1/organizations/${organization}/audit?limit=100`)).json.items;
    const mine = (await entriesOf('default')).filter(({ target }) => target.id === file?.id);
    expect(mine).toMatchObject([{ action: 'file.create', actor: { user_id: stranger.userId } }]);
    expect((await entriesOf(slug)).filter(({ target }) => target.id === file?.id)).toEqual([]);
  });
});

describe('other people', () => {
  it('see neither the file nor whether it exists', async () => {
    const { id } = (await upload(teacher, ['mine.md', 'secret'])).json.items[0];
    for (const stranger of [colleague, foreigner]) {
      for (const [method, suffix] of [
        ['GET', ''],
        ['GET', '/content'],
        ['DELETE', ''],
      ] as const) {
        expect((await stranger.api(method, `${path}/${id}${suffix}`)).status).toBe(404);
      }
    }
    await expect(files.readText({ ...owner, userId: colleague.userId }, id, 10)).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(files.readText({ ...owner, userId: colleague.userId }, 'mine.md', 10)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('reading text', () => {
  it('cuts at max_chars without halving a character and says so', async () => {
    await upload(teacher, ['long.md', 'ab😀cd']);
    expect(await files.readText(owner, 'long.md', 3)).toEqual({
      path: 'long.md',
      text: 'ab',
      chars: 2,
      totalChars: 6,
      truncated: true,
    });
    expect(await files.readText(owner, 'long.md', 6)).toMatchObject({ text: 'ab😀cd', truncated: false });
  });

  it('reads the first bytes only of a long plain text whose characters were counted', async () => {
    const long = '\ufeff' + '😀é€a'.repeat(50_000);
    const { id } = (await upload(teacher, ['counted.md', long])).json.items[0];
    const whole = jest.spyOn(app.get(BlobStore), 'read');
    const start = jest.spyOn(app.get(BlobStore), 'readStart');
    const read = async (max: number) => (await teacher.api('GET', `${path}/${id}/text?max_chars=${max}`)).json;
    for (const max of [1_000, 1_000, 1, 2, 3, 4, 5]) {
      const { text, chars, total_chars, truncated } = await read(max);
      const expected = cutText(long.slice(1), max);
      expect([text, chars, total_chars, truncated]).toEqual([expected, expected.length, 250_000, true]);
    }
    expect(whole).toHaveBeenCalledTimes(1);
    const bytes = await Promise.all(start.mock.results.map(async ({ value }) => (await value).length));
    expect(bytes).toEqual([3_004, 7, 10, 13, 16, 19]);
    const replaced = (await upload(teacher, ['counted.md', `${long}!`])).json.items[0];
    expect([replaced.id, (await read(10)).total_chars]).toEqual([id, 250_001]);
    whole.mockRestore();
    start.mockRestore();
  });

  it('finds a file by its id and by either spelling of its accents', async () => {
    const { id } = (await upload(teacher, ['cafe\u0301.md', 'espresso'])).json.items[0];
    for (const ref of [id, 'café.md', 'cafe\u0301.md'])
      expect((await files.readText(owner, ref, 100)).text).toBe('espresso');
  });

  it('refuses what is not text', async () => {
    await upload(
      teacher,
      ['picture.png', Buffer.from('89504e470d0a1a0a00', 'hex')],
      ['latin.txt', Buffer.from('é', 'latin1')],
    );
    for (const name of ['picture.png', 'latin.txt']) {
      await expect(files.readText(owner, name, 100)).rejects.toMatchObject({ code: 'unsupported_media_type' });
    }
  });

  it('gives the text of PDF, Word and HTML documents, and text files byte for byte', async () => {
    const document = (name: string): Upload => [name, fixture(name)];
    await upload(teacher, document('lesson.pdf'), document('lesson.docx'), document('lesson.html'));
    for (const name of ['lesson.pdf', 'lesson.docx', 'lesson.html']) {
      const { text } = await files.readText(owner, name, 100_000);
      expect(text).toContain('Osmosis moves water through a membrane');
      expect(text).not.toMatch(/<\/?[a-z]+>|%PDF|never text/);
    }
    const raw = '# Title\r\n\ttabs,  "quotes" <b>and tags</b>\r\n';
    await upload(teacher, ['raw.md', raw], ['raw.csv', raw], ['named-only.html', 'no markup at all']);
    expect((await files.readText(owner, 'raw.md', 1000)).text).toBe(raw);
    expect((await files.readText(owner, 'raw.csv', 1000)).text).toBe(raw);
    expect((await files.readText(owner, 'named-only.html', 1000)).text).toBe('no markup at all');
  });

  it('extracts a document once per content, also when many ask at once', async () => {
    const extract = jest.spyOn(app.get(Extractor), 'extract');
    const pdf = Buffer.concat([fixture('lesson.pdf'), Buffer.from('\n% a version of its own\n')]);
    await upload(teacher, ['once.pdf', pdf]);
    await Promise.all(Array.from({ length: 5 }, () => files.readText(owner, 'once.pdf', 100)));
    const { text, chars, truncated } = await files.readText(owner, 'once.pdf', 50);
    expect([text.length, chars, truncated]).toEqual([50, 50, true]);
    expect(extract).toHaveBeenCalledTimes(1);
    await upload(teacher, ['once.pdf', rawPdf(Buffer.from('BT /F1 12 Tf 10 10 Td (another version) Tj ET'))]);
    expect((await files.readText(owner, 'once.pdf', 100)).text).toContain('another version');
    expect(extract).toHaveBeenCalledTimes(2);
    extract.mockRestore();
  });

  it('forgets the text of a document that is replaced, also when its reading ends afterwards', async () => {
    const texts = app.get(FileTextRepository);
    const storedText = async (id: string): Promise<string[]> =>
      (await app.get(DataSource).query<{ text: string }[]>('SELECT text FROM file_texts WHERE file_id = $1', [id])).map(
        ({ text }) => text,
      );
    const pdf = (text: string): Upload => ['private.pdf', rawPdf(Buffer.from(`BT /F1 12 Tf 10 10 Td (${text}) Tj ET`))];
    const { id, sha256 } = (await upload(teacher, pdf('the old secret'))).json.items[0];
    await files.readText(owner, 'private.pdf', 100);
    expect(await storedText(id)).toEqual([expect.stringContaining('the old secret')]);
    await upload(teacher, pdf('the old secret'));
    expect(await storedText(id)).toHaveLength(1);
    await upload(teacher, pdf('nothing private'));
    expect(await storedText(id)).toEqual([]);
    const old = { id, sha256, organizationId: owner.organizationId } as FileEntity;
    await texts.keep(old, { text: 'the old secret', totalChars: 14, warnings: [], failure: null });
    expect(await storedText(id)).toEqual([]);
    expect((await files.readText(owner, 'private.pdf', 100)).text).toContain('nothing private');
  });

  it.each([
    ['scanned.pdf', 'scanned.pdf', /looks scanned.*OCR/, 'document.no_text'],
    ['password.pdf', 'password.pdf', /password/, 'document.encrypted'],
    ['lesson.pdf', 'lesson.docx', /a PDF.*\.docx/, 'document.type_mismatch'],
  ])('says why %s as %s has no text', async (source, name, reason, code) => {
    const { id } = (await upload(teacher, [name, fixture(source)])).json.items[0];
    const extract = jest.spyOn(app.get(Extractor), 'extract');
    await expect(files.readText(owner, name, 100)).rejects.toMatchObject({
      code: 'unsupported_media_type',
      detail: expect.stringMatching(reason),
    });
    const answer = await teacher.api('GET', `${path}/${id}/text`);
    expect([answer.status, answer.json.detail]).toEqual([415, expect.stringMatching(reason)]);
    expect(answer.json.reason).toBe(code);
    expect(await files.readFailure(owner, name)).toEqual({ code, message: expect.stringMatching(reason) });
    expect(extract).toHaveBeenCalledTimes(1);
    extract.mockRestore();
  });

  it('answers with the beginning of a text, to its owner only', async () => {
    const { id } = (await upload(teacher, ['preview.pdf', fixture('lesson.pdf')])).json.items[0];
    const { status, json } = await teacher.api('GET', `${path}/${id}/text?max_chars=40`);
    expect([status, json.chars, json.truncated, json.path]).toEqual([200, 40, true, 'preview.pdf']);
    expect(json.total_chars).toBeGreaterThan(40);
    expect((await colleague.api('GET', `${path}/${id}/text`)).status).toBe(404);
    expect((await teacher.api('GET', `${path}/${id}/text?max_chars=0`)).status).toBe(400);
  });

  it('tells at save that a chosen file cannot be read, and refuses to publish it', async () => {
    await upload(teacher, ['scan.pdf', fixture('scanned.pdf')], ['good.pdf', fixture('lesson.pdf')]);
    const body = (file_path: string) => ({
      name: `Reads ${file_path}`,
      prompt_template: '{1_file} {user_input}',
      metadata: { assistant_type: 'multi_tool', tools: [{ plugin: 'single_file_rag', config: { file_path } }] },
    });
    const unreadable = (json: { diagnostics: { code: string }[] }) =>
      json.diagnostics.filter(({ code }) => code === 'tool.unreadable');
    const scan = (await teacher.api('POST', '/api/v1/assistants', body('scan.pdf'))).json;
    expect(unreadable(scan)).toMatchObject([
      { severity: 'warning', path: 'metadata.tools[0].config.file_path', message: expect.stringContaining('scanned') },
    ]);
    expect((await teacher.api('PUT', `/api/v1/assistants/${scan.id}/publication`)).status).toBe(409);
    const classic = { rag_processor: 'single_file_rag', file_path: 'scan.pdf' };
    const old = await teacher.api('POST', '/api/v1/assistants', { name: 'Classic', metadata: classic });
    expect(unreadable(old.json)).toMatchObject([{ path: 'metadata.file_path' }]);
    const good = (await teacher.api('POST', '/api/v1/assistants', body('good.pdf'))).json;
    expect(unreadable(good)).toEqual([]);
  });

  it.each(['../first.md', '/etc/passwd', '..\\first.md', 'a/../first.md', 'first.md\0', './first.md'])(
    'refuses the path %j',
    async (ref) => {
      await expect(files.readText(owner, ref, 100)).rejects.toMatchObject({ code: 'bad_request' });
      expect(await files.exists(owner, ref)).toBe(false);
    },
  );

  it.each(['．．/first.md', '%2e%2e/first.md', '..%2ffirst.md', 'FIRST.MD', 'first.md '])(
    'does not find %j',
    async (ref) => expect(files.readText(owner, ref, 100)).rejects.toMatchObject({ code: 'not_found' }),
  );

  /** Puts something else where the bytes of a file were, as somebody with access to the disk might. */
  async function tampered(name: string, put: (path: string) => void): Promise<unknown> {
    const before = new Set(readdirSync(space()));
    await upload(teacher, [name, 'innocent']);
    const blob = readdirSync(space()).find((entry) => !before.has(entry)) ?? '';
    rmSync(join(space(), blob));
    put(join(space(), blob));
    return files.readText(owner, name, 100).then(
      ({ text }) => text,
      (error: { code?: string }) => error.code,
    );
  }

  it('follows no symlink, hard link or FIFO on the disk, and does not hang', async () => {
    const outside = join(app.dataDir, 'outside.txt');
    writeFileSync(outside, 'outside');
    expect(await tampered('symlink.md', (blob) => symlinkSync(outside, blob))).toBe('not_found');
    expect(await tampered('hardlink.md', (blob) => linkSync(outside, blob))).toBe('not_found');
    expect(await tampered('fifo.md', (blob) => execFileSync('mkfifo', [blob]))).toBe('not_found');
    expect(await tampered('folder.md', (blob) => execFileSync('mkdir', [blob]))).toBe('not_found');
    expect(await tampered('device.md', (blob) => symlinkSync('/dev/zero', blob))).toBe('not_found');
    expect(await tampered('gone.md', () => undefined)).toBe('not_found');
    expect((await app.api('GET', '/health/ready')).status).toBe(200);
  });
});
