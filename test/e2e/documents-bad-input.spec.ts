import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { type ApiAnswer, filesForm, startApp, type TestApp } from '../support/app';
import { multiTool, user } from '../support/chat';
import { until } from '../support/until';
import { openTestDatabase } from '../support/database';
import { archive, wordBody, wordDocument, wordParagraph } from '../support/hostile-documents';
import { multipart, type Part } from '../support/multipart';
import { type Person, person } from '../support/people';

const KNOWLEDGE_BASES = '/api/v1/knowledge-bases';
/** A university's whole archive: `BATCH_FILES=10000`. */
const BATCH_FILES = Number(process.env['BATCH_FILES'] ?? 100);
const BATCH_MINUTES = Math.ceil(1 + BATCH_FILES / 200);

let app: TestApp;
let teacher: Person;
let database: DataSource;

beforeAll(async () => {
  app = await startApp();
  database = await openTestDatabase();
  teacher = await person(app);
});
afterAll(async () => {
  await database.destroy();
  await app.stop();
});

/** Whatever is uploaded, it is never a defect of the service. */
afterEach(() => expect(app.log()).not.toContain('"code":"internal_error"'));

const fixture = (name: string): Buffer => readFileSync(join(__dirname, '../fixtures/documents', name));

type Upload = readonly [name: string, content: string | Buffer, type?: string];

const create = async (): Promise<string> =>
  (await teacher.api('POST', KNOWLEDGE_BASES, { name: 'Intake', language: 'en' })).json.id;
const upload = (id: string, ...files: readonly Upload[]): Promise<ApiAnswer> =>
  teacher.api('POST', `${KNOWLEDGE_BASES}/${id}/documents`, filesForm(...files));
const documents = async (id: string, query = ''): Promise<{ items: any[]; total: number }> =>
  (await teacher.api('GET', `${KNOWLEDGE_BASES}/${id}/documents?limit=100${query}`)).json;
const ask = (id: string, query: string): Promise<ApiAnswer> =>
  teacher.api('POST', `${KNOWLEDGE_BASES}/${id}/query`, { query, top_k: 20 });

const counted = async (id: string): Promise<Record<string, number>> => {
  const statuses = ['pending', 'processing', 'completed', 'failed'];
  const totals = await Promise.all(statuses.map(async (status) => (await documents(id, `&status=${status}`)).total));
  return Object.fromEntries(statuses.map((status, index) => [status, totals[index] ?? 0]));
};
/** Looks now and then: asking without a pause would be most of the work. */
const settled = (id: string, ms = 60_000): Promise<Record<string, number>> =>
  until(async () => {
    await sleep(100);
    const counts = await counted(id);
    return counts['pending'] === 0 && counts['processing'] === 0 ? counts : null;
  }, ms);

const rowsOf = async (table: 'kb_documents' | 'kb_chunks', id: string): Promise<number> => {
  const [row] = await database.query<{ count: number }[]>(
    `SELECT count(*)::int AS count FROM ${table} WHERE knowledge_base_id = $1`,
    [id],
  );
  return row?.count ?? -1;
};

const plainZip = archive({ 'notes.txt': 'Just a note.' });

describe('a document that cannot be read', () => {
  it('says why, each for itself, and harms no other of its batch', async () => {
    const id = await create();
    const good: Upload[] = [
      ['good.pdf', fixture('lesson.pdf')],
      ['good.docx', wordDocument(wordBody(wordParagraph('Osmosis in a word.')))],
      ['good.md', '# Mitosis\n\nOsmosis is not mitosis.\n'],
      ['good.html', '<!doctype html><title>Cells</title><p>Osmosis in cells.</p>'],
      ['good.csv', 'term,meaning\nosmosis,water moves\n'],
      ['good.json', '{"term": "osmosis", "meaning": "water moves"}'],
      ['good.txt', 'Osmosis once more.'],
    ];
    const bad: readonly (readonly [...Upload, code: readonly string[]])[] = [
      ['encrypted.pdf', fixture('password.pdf'), 'application/pdf', ['document.encrypted']],
      ['scanned.pdf', fixture('scanned.pdf'), 'application/pdf', ['document.no_text']],
      ['empty.pdf', '', 'application/pdf', ['document.empty']],
      ['empty.md', '', 'text/markdown', ['document.empty']],
      ['blank.txt', ' \n\n\t\n', 'text/plain', ['document.empty', 'document.no_text']],
      ['page.pdf', '<!doctype html><script>alert(1)</script>', 'application/pdf', ['document.type_mismatch']],
      ['paper.md', fixture('lesson.pdf'), 'text/markdown', ['document.type_mismatch']],
      ['broken.json', '{"term": "osmosis", ', 'application/json', ['document.malformed']],
      ['archive.docx', plainZip, 'application/zip', ['document.type_mismatch']],
      ['cut.docx', plainZip.subarray(0, 40), 'application/zip', ['document.malformed', 'document.type_mismatch']],
      ['cut.pdf', fixture('lesson.pdf').subarray(0, 200), 'application/pdf', ['document.malformed']],
      ['photo.txt', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'text/plain', ['document.type_mismatch']],
      ['program.exe', 'MZ', 'application/octet-stream', ['document.unsupported']],
      ['no-extension', 'Osmosis.', 'text/plain', ['document.unsupported']],
    ];
    const mixed = bad.flatMap(([name, content, type], index) => {
      const spare = good[index];
      return spare === undefined ? [[name, content, type] as const] : [spare, [name, content, type] as const];
    });
    const answer = await upload(id, ...mixed);
    expect([answer.status, answer.json.items.map(({ filename }: { filename: string }) => filename)]).toEqual([
      201,
      mixed.map(([name]) => name),
    ]);
    await settled(id, 120_000);

    const { items } = await documents(id);
    const byName = new Map(items.map((item) => [item.filename, item]));
    for (const [name] of good) {
      const { status, error, error_code: code } = byName.get(name);
      expect([name, status, error, code]).toEqual([name, 'completed', null, null]);
    }
    for (const [name, , , codes] of bad) {
      const { status, error, error_code: code } = byName.get(name);
      expect([name, status, codes.includes(code) ? code : `${code}: ${error}`]).toEqual([name, 'failed', code]);
      // A sentence for people: no path, no stack, no library.
      expect(error).toMatch(/^[A-Z][^\n]{10,250}$/);
      expect(error).not.toMatch(/\/(work|tmp|src|node_modules)\/|\bat \w+|Error:|pdfjs|mammoth|undefined/);
    }
    const found = (await ask(id, 'osmosis')).json.results.map((each: any) => each.metadata.filename);
    expect([...new Set(found)].sort()).toEqual(good.map(([name]) => name).sort());
  }, 150_000);

  it('the same bytes are not read twice, and better ones replace them', async () => {
    const id = await create();
    await upload(id, ['a.json', '{"broken": ']);
    await settled(id);
    const [failed] = (await documents(id)).items;
    expect(failed.error_code).toBe('document.malformed');
    const again = await teacher.api('POST', `${KNOWLEDGE_BASES}/${id}/documents/${failed.id}/retry`);
    expect(again.status).toBe(200);
    expect(await settled(id)).toMatchObject({ failed: 1 });
    await upload(id, ['a.json', '{"mended": "osmosis"}']);
    expect(await settled(id)).toMatchObject({ completed: 1, failed: 0 });
    const [mended] = (await documents(id)).items;
    expect(mended).toMatchObject({ id: failed.id, error: null, error_code: null });
  }, 60_000);
});

describe('a large batch', () => {
  it(
    `of ${BATCH_FILES} files with bad ones among them is taken in whole`,
    async () => {
      const id = await create();
      const isBad = (n: number): boolean => n % 25 === 7;
      const files = Array.from({ length: BATCH_FILES }, (_, n): Upload => [
        `file-${n}.${isBad(n) ? 'pdf' : 'md'}`,
        `# File ${n}\n\nOsmosis number${n} in short.\n`,
      ]);
      const failed = files.filter((_, n) => isBad(n)).length;
      const answer = await upload(id, ...files);
      expect([answer.status, answer.json.items.length]).toEqual([201, BATCH_FILES]);
      const counts = await settled(id, BATCH_MINUTES * 60_000);
      expect(counts).toEqual({ pending: 0, processing: 0, completed: BATCH_FILES - failed, failed });
      for (const n of [0, BATCH_FILES >> 1, BATCH_FILES - 1].filter((each) => !isBad(each))) {
        const { results } = (await ask(id, `number${n}`)).json;
        expect(results[0].metadata.filename).toBe(`file-${n}.md`);
      }
      expect((await teacher.api('DELETE', `${KNOWLEDGE_BASES}/${id}`)).status).toBe(204);
      expect((await teacher.api('GET', `${KNOWLEDGE_BASES}/${id}`)).status).toBe(404);
    },
    (BATCH_MINUTES + 1) * 60_000,
  );
});

describe('what changes while it is being read', () => {
  const long = `# Long\n\n${'Osmosis moves water through a membrane, slowly and surely. '.repeat(40_000)}`;

  it('a document deleted while it is taken in leaves nothing behind', async () => {
    const id = await create();
    const sending = upload(id, ['long.md', long], ['short.md', 'Osmosis in short.']);
    const documentId = await until(
      async () => (await documents(id)).items.find(({ filename }) => filename === 'long.md')?.id as string | undefined,
      20_000,
    );
    expect((await teacher.api('DELETE', `${KNOWLEDGE_BASES}/${id}/documents/${documentId}`)).status).toBe(204);
    expect((await sending).status).toBe(201);
    await settled(id);
    expect((await documents(id)).items.map(({ filename, status }) => [filename, status])).toEqual([
      ['short.md', 'completed'],
    ]);
    const names = (await ask(id, 'osmosis')).json.results.map((each: any) => each.metadata.filename);
    expect(names).toEqual(['short.md']);
    await until(async () => (await rowsOf('kb_chunks', id)) === 1);
    expect((await upload(id, ['long.md', 'A new document under the old name: osmosis.'])).status).toBe(201);
    expect(await settled(id)).toMatchObject({ completed: 2 });
  }, 90_000);

  it('a knowledge base deleted while it is filled leaves nothing behind', async () => {
    const id = await create();
    const files = Array.from({ length: 30 }, (_, n): Upload => [`${n}.md`, `# ${n}\n\n${long.slice(0, 60_000)}`]);
    const sending = upload(id, ...files);
    await until(async () => (await documents(id)).total > 0);
    expect((await teacher.api('DELETE', `${KNOWLEDGE_BASES}/${id}`)).status).toBe(204);
    expect([201, 404]).toContain((await sending).status);
    expect((await upload(id, ['late.md', 'Too late.'])).status).toBe(404);
    await until(async () => (await rowsOf('kb_documents', id)) + (await rowsOf('kb_chunks', id)) === 0);
  }, 120_000);

  it('a knowledge base deleted while it is asked: every question gets an answer or a clear no', async () => {
    const id = await create();
    await upload(id, ...Array.from({ length: 20 }, (_, n): Upload => [`${n}.md`, `Osmosis, part ${n}.`]));
    await settled(id);
    const made = await teacher.api('POST', '/api/v1/assistants', {
      name: 'Tutor',
      prompt_template: '{1_context}\n{user_input}',
      metadata: multiTool(
        [{ plugin: 'simple_rag', placeholder: '1_context', enabled: true, config: { collections: [id] } }],
        { connector: 'bypass', llm: 'debug-bypass' },
      ),
    });
    const chat = (): Promise<ApiAnswer> =>
      teacher.api('POST', '/v1/chat/completions', {
        model: `lamb_assistant.${made.json.id}`,
        messages: [user('What is osmosis?')],
      });
    const questions = Array.from({ length: 30 }, async (_, n) => {
      await sleep(n * 10);
      return n % 3 === 0 ? chat() : ask(id, 'osmosis');
    });
    await sleep(120);
    expect((await teacher.api('DELETE', `${KNOWLEDGE_BASES}/${id}`)).status).toBe(204);
    for (const answer of await Promise.all(questions)) expect([200, 404]).toContain(answer.status);
    const after = await chat();
    expect([after.status, after.json.sources]).toEqual([200, []]);
    expect((await ask(id, 'osmosis')).status).toBe(404);
  }, 60_000);
});

async function post(id: string, body: string | Uint8Array<ArrayBuffer>, type: string): Promise<ApiAnswer> {
  const response = await fetch(`${app.url}${KNOWLEDGE_BASES}/${id}/documents`, {
    method: 'POST',
    headers: { 'content-type': type, authorization: `Bearer ${teacher.key}` },
    body,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
}

describe('names', () => {
  const send = (id: string, ...parts: readonly Part[]): Promise<ApiAnswer> => {
    const { body, type } = multipart(parts);
    return post(id, body, type);
  };

  it.each([
    'Übung №1 – «Größe».md',
    'समाधान 解答 حل.md',
    '👩‍🔬 lab.md',
    'caf\u00e9.md',
    'a  b .md',
    "it's; $(rm -rf) & `x` %2e%2e %00.md",
    `${'n'.repeat(250)}.md`,
  ])('%j stays what it is, wherever it is told', async (name) => {
    const id = await create();
    const answer = await send(id, { filename: name, content: 'Osmosis is told.' });
    expect([answer.status, answer.json.items[0].filename]).toEqual([201, name]);
    await settled(id);
    const [{ id: documentId, filename, status }] = (await documents(id)).items;
    expect([filename, status]).toEqual([name, 'completed']);
    const [result] = (await ask(id, 'osmosis')).json.results;
    expect(result.metadata.filename).toBe(name);
    const file = await teacher.api('GET', `${KNOWLEDGE_BASES}/${id}/documents/${documentId}/content`);
    const [, encoded = ''] = /filename\*=UTF-8''(\S+)/.exec(file.headers.get('content-disposition') ?? '') ?? [];
    expect(decodeURIComponent(encoded)).toBe(name);
  });

  it('that differ in their normal form only are one document', async () => {
    const id = await create();
    await send(id, { filename: 'caf\u00e9.md', content: 'One.' }, { filename: 'cafe\u0301.md', content: 'Two.' });
    const { items, total } = await documents(id);
    expect([total, items[0].filename]).toEqual([1, 'caf\u00e9.md']);
  });

  it.each(['../../../../etc/passwd.md', '/etc/passwd.md', 'C:\\windows\\win.md', 'a/b.md', '....//x.md'])(
    '%j is a label, never a path',
    async (name) => {
      const id = await create();
      const answer = await send(id, { filename: name, content: 'Osmosis is told.' });
      expect([201, 400]).toContain(answer.status);
      if (answer.status === 400) return;
      await settled(id);
      const [{ id: documentId, status }] = (await documents(id)).items;
      const file = await teacher.api('GET', `${KNOWLEDGE_BASES}/${id}/documents/${documentId}/content`);
      expect([status, file.status, file.text]).toEqual(['completed', 200, 'Osmosis is told.']);
      expect(file.headers.get('content-disposition')).not.toMatch(/[/\\]|%2F|%5C/i);
    },
  );

  it.each([
    ['NUL', 'a\u0000.md'],
    ['a line break', 'a\nb.md'],
    ['300 characters', `${'n'.repeat(297)}.md`],
    ['bytes that are no UTF-8', Buffer.from([0x66, 0xff, 0xfe, 0x2e, 0x6d, 0x64])],
  ])('with %s are refused before anything is stored', async (_, filename) => {
    const id = await create();
    const answer = await send(id, { filename: 'good.md' }, { filename });
    expect([answer.status, answer.json.code]).toEqual([400, 'bad_request']);
    expect((await documents(id)).total).toBe(0);
  });

  it.each(['..', '.', ' ', '.md'])('%j alone does no harm', async (filename) => {
    const id = await create();
    const answer = await send(id, { filename });
    expect([201, 400]).toContain(answer.status);
    await settled(id);
  });

  it('the same one twice in a batch means the last bytes', async () => {
    const id = await create();
    await send(id, { filename: 'a.md', content: 'First osmosis.' }, { filename: 'a.md', content: 'Second osmosis.' });
    await settled(id);
    expect((await documents(id)).total).toBe(1);
    const results = (await ask(id, 'osmosis')).json.results.map(({ data }: { data: string }) => data);
    expect(results).toEqual(['Second osmosis.']);
  });
});

describe('bodies that only look like an upload', () => {
  it.each([
    [
      'JSON that names a file of the server',
      '{"files":[{"path":"/etc/passwd","originalname":"a.md"}]}',
      'application/json',
    ],
    ['a form', 'files=/etc/passwd', 'application/x-www-form-urlencoded'],
    ['plain text', 'Osmosis.', 'text/plain'],
  ])('%s: 415', async (_, body, type) => {
    const id = await create();
    const answer = await post(id, body, type);
    expect([answer.status, answer.json.code]).toEqual([415, 'unsupported_media_type']);
    expect((await documents(id)).total).toBe(0);
  });

  it.each([
    ['no boundary', 'x', 'multipart/form-data'],
    ['a boundary that never comes', 'x', 'multipart/form-data; boundary=a'],
    [
      'a part without an end',
      '--a\r\nContent-Disposition: form-data; name="files"; filename="a.md"\r\n\r\nx',
      'multipart/form-data; boundary=a',
    ],
    [
      'another field',
      '--a\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\nx\r\n--a--\r\n',
      'multipart/form-data; boundary=a',
    ],
    [
      'a field without a file',
      '--a\r\nContent-Disposition: form-data; name="files"\r\n\r\n/etc/passwd\r\n--a--\r\n',
      'multipart/form-data; boundary=a',
    ],
    ['no part at all', '--a--\r\n', 'multipart/form-data; boundary=a'],
  ])('%s: 400', async (_, body, type) => {
    const id = await create();
    const answer = await post(id, body, type);
    expect([answer.status, answer.json.code]).toEqual([400, 'bad_request']);
    expect((await documents(id)).total).toBe(0);
  });
});
