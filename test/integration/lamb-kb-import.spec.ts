import { openKbData } from '@bellwether/lamb-reader';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RetrievalService } from '../../src/knowledge-bases';
import { kbReportText, LambKbImport } from '../../extensions/lamb-import';
import { buildKbData, type KbContent, storedPath } from '../support/kb-data';
import { lambImports } from '../support/lamb-imports';
import { assistant, ORGANIZATION, place, user } from '../support/lamb-source';
import { until } from '../support/until';

const { app, rows, run: importLamb } = lambImports();
const secret = mkdtempSync(join(tmpdir(), 'bw-secret-'));
writeFileSync(join(secret, 'secret.md'), 'The secret of this machine.');
afterAll(() => rmSync(secret, { recursive: true, force: true }));

const file = (id: number, name: string, more: object = {}) => ({
  id,
  collection_id: 7,
  original_filename: name,
  file_path: storedPath(`1/Biology/f${id}.md`),
  ...more,
});

const CONTENT: KbContent = {
  collections: [
    { id: 7, name: 'Biology', owner: '1', description: 'Cells', visibility: 'PUBLIC' },
    { id: 8, name: 'Empty', owner: '2' },
    { id: 9, name: 'Nobody', owner: '99' },
  ],
  file_registry: [
    file(1, 'cells.md'),
    file(2, 'cells.md', { plugin_name: 'markitdown_plus_ingest' }),
    file(3, 'missing.md'),
    file(4, 'traversal.md', { file_path: `${storedPath('..')}/..${secret}/secret.md` }),
    file(5, 'link.md', { file_path: storedPath('1/Biology/link.md') }),
    file(6, 'table.xlsx', { file_path: storedPath('1/Biology/f6.xlsx') }),
    file(7, 'gone.md', { status: 'DELETED' }),
    file(8, 'unlucky.md', { status: 'FAILED', error_message: 'out of memory' }),
    file(9, 'folder.md', { file_path: storedPath('1/linked/secret.md') }),
    file(10, 'https://example.edu/a', {
      plugin_name: 'url_ingest',
      plugin_params: JSON.stringify({
        urls: ['https://example.edu/a', 'https://example.edu/b#top', 'http://localhost/x', 'javascript:alert(1)'],
      }),
      file_url: 'https://example.edu/a',
      file_path: '/tmp/urls.txt',
    }),
    file(11, 'yt_talk.txt', {
      plugin_name: 'youtube_transcript_ingest',
      plugin_params: JSON.stringify({
        video_url: 'https://youtu.be/dQw4w9WgXcQ',
        language: 'es',
        api_key: 'hush-hush',
      }),
    }),
    file(13, 'grades.xlsx', { file_path: storedPath('1/Biology/f13.xlsx'), plugin_name: 'markitdown_plus_ingest' }),
  ],
  originals: {
    '1/Biology/f1.md': '# Cells\n\nMitochondria release energy.',
    '1/Biology/f2.md': '# Walls\n\nCellulose makes walls.',
    '1/Biology/f6.xlsx': Buffer.from('PK\u0003\u0004 and no more'),
    '1/Biology/f8.md': '# Luck\n\nRibosomes build proteins.',
    '1/Biology/f11.md': 'not read',
    '1/Biology/f13.xlsx': Buffer.from('PK\u0003\u0004 and no more'),
    // Made by LAMB.
    '1/Biology/f13.md': '| Name | Grade |\n|---|---|\n| Ada | 10 |',
  },
  links: { '1/Biology/link.md': join(secret, 'secret.md'), '1/linked': secret },
  unknownColumns: ['file_registry.reviewed_by', 'collections.knowledge_store_setup_id'],
};

let serial = 0;
/** A LAMB installation of its own with an assistant that reads the collections, as `import:lamb` brings it. */
async function installation(): Promise<{ source: string; slug: string; organizationId: string; assistantId: number }> {
  serial += 1;
  const source = `lamb${serial}`;
  const slug = `biology-${serial}`;
  const collection = { collectionId: '7', name: 'Biology of LAMB', ownerUserId: 1, organizationId: 2, isShared: true };
  const report = await importLamb(
    {
      ...place(),
      organizations: [{ ...ORGANIZATION, slug }],
      users: [user(1, { email: `one${serial}@biology.example` }), user(2, { email: `two${serial}@biology.example` })],
      assistants: [
        assistant(1, {
          ownerEmail: `two${serial}@biology.example`,
          metadata:
            '{"prompt_processor":"simple_augment","connector":"bypass","llm":"debug-bypass","rag_processor":"simple_rag"}',
          ragCollections: '7,8',
        }),
      ],
      collections: [collection],
    },
    { sourceName: source },
  );
  const [organization] = await rows<{ id: string }>('SELECT id FROM organizations WHERE slug = $1', [slug]);
  const assistantId = report.organizations[0]?.assistants[0]?.id ?? 0;
  return { source, slug, organizationId: organization?.id ?? '', assistantId };
}

const importKb = (folder: string, source: string, more: object = {}) =>
  app()
    .get(LambKbImport)
    .run(openKbData(folder), {
      sourceName: source,
      dryRun: false,
      unowned: null,
      progress: { report: () => undefined },
      signal: new AbortController().signal,
      ...more,
    });

const state = (organizationId: string) =>
  rows(
    `SELECT kb.id, kb.name, kb.alias, kb.visibility, kb.owner_id,
       (SELECT array_agg(filename || ' ' || id ORDER BY id) FROM kb_documents d WHERE d.knowledge_base_id = kb.id) AS documents,
       (SELECT array_agg(url || ' ' || id ORDER BY id) FROM kb_sources s WHERE s.knowledge_base_id = kb.id) AS sources
     FROM knowledge_bases kb WHERE kb.organization_id = $1 ORDER BY kb.alias`,
    [organizationId],
  );

describe('collections of a knowledge-base server', () => {
  let data: ReturnType<typeof buildKbData>;
  beforeEach(() => {
    data = buildKbData(CONTENT);
  });
  afterEach(() => data.remove());

  it('become knowledge bases of their owners, and every file that is left out is told with its reason', async () => {
    const { source, organizationId } = await installation();
    const report = await importKb(data.folder, source);
    const [biology, empty, nobody] = report.collections;
    expect(biology?.counts).toMatchObject({
      knowledge_base: { created: 1 },
      document: { created: 4, left_out: 6 },
      source: { created: 3, left_out: 2 },
    });
    const told = biology?.notes.map(({ origin, code, message }) => [origin, code, message]);
    expect(told).toEqual([
      ['3', 'file.missing', 'its original is not there'],
      ['4', 'file.missing', 'its path leads out of static/'],
      ['5', 'file.missing', 'is a symbolic link'],
      ['6', 'file.unreadable', expect.stringContaining('workbook is damaged')],
      ['7', 'file.deleted', 'was deleted in LAMB'],
      ['8', 'file.failed', expect.stringContaining('failed in LAMB')],
      ['9', 'file.missing', 'its path leads out of static/'],
      ['10', 'file.address', 'is no http or https address'],
      ['10', 'file.address', expect.stringContaining('not allowed')],
      ['13', 'file.converted', expect.stringContaining('not read here')],
    ]);
    expect(empty?.notes).toMatchObject([{ code: 'collection.empty' }]);
    expect(nobody?.notes).toMatchObject([{ code: 'owner.unknown', outcome: 'left_out' }]);
    expect(await state(organizationId)).toMatchObject([
      {
        name: 'Biology of LAMB',
        alias: '7',
        visibility: 'organization',
        documents: [
          expect.stringMatching(/^cells\.md /),
          expect.stringMatching(/^cells \(2\)\.md /),
          expect.stringMatching(/^unlucky\.md /),
          expect.stringMatching(/^grades\.xlsx\.md /),
        ],
        sources: [
          expect.stringMatching(/^https:\/\/example\.edu\/a /),
          expect.stringMatching(/^https:\/\/example\.edu\/b /),
          expect.stringMatching(/^https:\/\/www\.youtube\.com\/watch\?v=dQw4w9WgXcQ /),
        ],
      },
      { name: 'Empty', alias: '8', visibility: 'private', documents: null, sources: null },
    ]);
    const text = kbReportText(report) + JSON.stringify(report);
    expect(text).not.toMatch(/secret-of-embeddings|hush-hush|The secret/);
  });

  it('answer for the ids that assistants have, and are no longer listed as external', async () => {
    const { source, organizationId, assistantId } = await installation();
    const [{ owner_id: userId } = { owner_id: '' }] = await rows<{ owner_id: string }>(
      'SELECT owner_id FROM assistants WHERE id = $1',
      [assistantId],
    );
    const principal = { organizationId, userId };
    const { assistants } = await importKb(data.folder, source);
    // Its owner may read the shared collection, and owns the empty one.
    expect(assistants).toEqual([]);
    const query = { text: 'mitochondria energy', topK: 3, threshold: 0 };
    const retrieval = app().get(RetrievalService);
    for (const reference of ['7', 'external:7']) {
      const found = await until(async () => {
        const answer = await retrieval.retrieve(principal, { ...query, collections: [reference], grouped: true });
        return answer.passages.length > 0 ? answer : null;
      });
      expect(found.collections).toEqual([{ collection: reference, mode: 'keyword' }]);
      expect(found.passages[0]?.text).toContain('Mitochondria release energy');
    }
    expect(await retrieval.target(principal, ['7'])).toBeNull();
    const listed = await rows('SELECT collection_id FROM external_collections WHERE organization_id = $1', [
      organizationId,
    ]);
    expect(listed).toHaveLength(1);
  });

  it('are not made twice, and a repetition adds what is new', async () => {
    const { source, organizationId } = await installation();
    await importKb(data.folder, source);
    const before = await state(organizationId);
    const again = await importKb(data.folder, source);
    expect(await state(organizationId)).toEqual(before);
    expect(again.collections[0]?.counts).toMatchObject({
      knowledge_base: { created: 0, unchanged: 1 },
      document: { created: 0, unchanged: 4 },
      source: { created: 0, unchanged: 3 },
    });
    data.write({
      ...CONTENT,
      file_registry: [...CONTENT.file_registry, file(12, 'new.md')],
      originals: { ...CONTENT.originals, '1/Biology/f12.md': '# New', '1/Biology/f1.md': '# Cells, second edition' },
    });
    const third = await importKb(data.folder, source);
    expect(third.collections[0]?.counts.document).toMatchObject({ created: 1, updated: 1, unchanged: 3 });
    const [biology] = (await state(organizationId)) as any[];
    expect(biology.documents).toHaveLength(5);
  });

  it('that an owner of an assistant may not read are told', async () => {
    const { source, organizationId, assistantId } = await installation();
    await rows('UPDATE external_collections SET shared = false WHERE organization_id = $1', [organizationId]);
    const report = await importKb(data.folder, source);
    expect(report.assistants).toMatchObject([{ origin: '1', id: assistantId, message: expect.stringContaining('7') }]);
  });

  it('that were deleted here stay deleted', async () => {
    const { source, organizationId } = await installation();
    await importKb(data.folder, source);
    await rows(
      `UPDATE knowledge_bases SET deleted_at = now(), alias = NULL WHERE organization_id = $1 AND alias = '7'`,
      [organizationId],
    );
    const again = await importKb(data.folder, source);
    expect(again.collections[0]?.notes).toMatchObject([{ code: 'deleted_here', outcome: 'conflict' }]);
  });

  it('are only reported by a dry run, and go to a named member where their owner is unknown', async () => {
    const { source, slug, organizationId } = await installation();
    const dry = await importKb(data.folder, source, { dryRun: true });
    expect(dry.collections[0]?.counts.document.created).toBe(4);
    expect(await state(organizationId)).toEqual([]);
    const unowned = { organization: slug, email: `two${serial}@biology.example` };
    await importKb(data.folder, source, { unowned });
    expect((await state(organizationId)).map(({ alias }: any) => alias)).toEqual(['7', '8', '9']);
  });

  it('that lack a needed column are refused by its name', () => {
    data.write({
      ...CONTENT,
      file_registry: [],
      without: ['file_registry.file_path', 'collections.owner'],
      collections: [],
    });
    expect(() => openKbData(data.folder)).toThrow(
      expect.objectContaining({
        problems: [
          { path: 'collections.owner', message: 'is missing' },
          { path: 'file_registry.file_path', message: 'is missing' },
        ],
      }),
    );
    expect(() => openKbData(secret)).toThrow('There is no lamb-kb-server.db');
  });
});
