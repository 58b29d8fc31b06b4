import type { Hit } from '../search/chunk.types';
import type { SectionChunk, SectionKey } from '../search/passage.repository';
import { selectPassages } from './select-passages';
import { type Candidate, externalCandidate, isOwn, joinedText, ownCandidate, withColumnNames } from './candidate';

/** A document of sections, each cut into chunks of ten characters. */
const SECTION = 40;

const textAt = (document: string, start: number, end: number): string =>
  Array.from({ length: end - start }, (_, n) =>
    (start + n) % 10 === 0 ? ' ' : (`${document}${start + n}`.at(-1) ?? ''),
  ).join('');

const own = (document: string, start: number, similarity: number): Candidate =>
  ownCandidate(
    {
      chunk_id: `${document}${start}`,
      document_id: document,
      generation: 'g',
      similarity,
      text: `${document} at ${start} says ${similarity} of it`,
      table_header: null,
      page: 1 + start,
      page_end: null,
      page_label: null,
      page_end_label: null,
      section_start: Math.floor(start / SECTION) * SECTION,
      section_end: Math.floor(start / SECTION) * SECTION + SECTION,
      start_offset: start,
      end_offset: start + 10,
    } as Hit,
    'Biology',
  );

const external = (text: string, similarity: number): Candidate =>
  externalCandidate({
    text,
    similarity,
    metadata: {},
    source: { type: 'knowledge_base', title: text, url: '', similarity, document: null },
  });

const sections = (asked: SectionKey[][]) => (keys: readonly SectionKey[]) => {
  asked.push([...keys]);
  return Promise.resolve(
    keys.map(({ documentId, start }, place): SectionChunk[] =>
      [0, 10, 20, 30].map((from) => ({
        place,
        text: `${documentId}${start + from}`.padEnd(10, '.'),
        table_header: null,
        start_offset: start + from,
        end_offset: start + from + 10,
        page: start + from,
        page_end: null,
        page_label: null,
        page_end_label: null,
      })),
    ),
  );
};

const texts = (candidates: readonly Candidate[]): string[] => candidates.map(({ text }) => text);

describe('arranging what collections found', () => {
  it('ranks over all of them, each text once, and fills up with what comes next', async () => {
    const twin = { ...own('a', 0, 0.9), text: 'the same words stand here and there' };
    const lists = [
      [twin, own('a', 10, 0.5)],
      [{ ...twin, similarity: 0.8 }, own('b', 0, 0.7)],
      [external('from the server', 0.6)],
    ];
    const { candidates, isShort } = await selectPassages(lists, { topK: 3 }, sections([]));
    expect(candidates.map(({ similarity }) => similarity)).toEqual([0.9, 0.7, 0.6]);
    expect(isShort).toBe(false);
  });

  it('says when near-duplicates leave fewer than wanted', async () => {
    const twins = [0.9, 0.8, 0.7].map((similarity) => ({ ...own('a', 0, similarity), text: 'all of them say this' }));
    expect(await selectPassages([twins], { topK: 2 }, sections([]))).toMatchObject({
      candidates: [twins[0]],
      isShort: true,
    });
  });

  it('looks at so many of the best only, however many collections are full of one text', async () => {
    const twin = (n: number): Candidate => ({ ...own('a', n, 0.9), text: 'all of them say this' });
    const lists = Array.from({ length: 20 }, () => Array.from({ length: 100 }, (_, n) => twin(n)));
    const found = await selectPassages([...lists, [own('b', 0, 0.1)]], { topK: 2, parent: true }, sections([]));
    expect([found.candidates.length, found.isShort]).toEqual([1, true]);
  });

  it('leaves collections as they are where they are grouped', async () => {
    const twin = { ...own('a', 0, 0.2), text: 'the same' };
    const lists = [[twin, own('a', 10, 0.1), own('a', 20, 0.05)], [], [{ ...twin, similarity: 0.9 }]];
    const { candidates } = await selectPassages(lists, { topK: 2, grouped: true }, sections([]));
    expect(candidates.map(({ similarity }) => similarity)).toEqual([0.2, 0.1, 0.9]);
  });

  it('merges the hits of a section into it, where the best of them stood, with all its pages', async () => {
    const asked: SectionKey[][] = [];
    const list = [own('a', 10, 0.9), own('b', 0, 0.8), own('a', 30, 0.7), own('a', 40, 0.6), external('parent', 0.5)];
    const { candidates } = await selectPassages([list], { topK: 4, parent: true }, sections(asked));
    expect(texts(candidates)).toEqual([
      'a0........a10.......a20.......a30.......',
      'b0........b10.......b20.......b30.......',
      'a40.......a50.......a60.......a70.......',
      'parent',
    ]);
    expect(candidates.filter(isOwn).map(({ matches }) => matches)).toEqual([2, 1, 1]);
    expect(candidates[0]).toMatchObject({
      similarity: 0.9,
      hit: { page: 0, page_end: 30, start_offset: 0, end_offset: 40 },
    });
    expect(asked).toHaveLength(1);
  });

  it('cites no page on which only the neighbours of a section stand', async () => {
    const chunk = (start_offset: number, end_offset: number, page: number, page_end: number): SectionChunk => {
      return {
        place: 0,
        text: 'x'.repeat(end_offset - start_offset),
        table_header: null,
        start_offset,
        end_offset,
        page,
        page_end,
        page_label: null,
        page_end_label: null,
      };
    };
    const { candidates } = await selectPassages([[own('a', 40, 0.9)]], { topK: 1, parent: true }, () =>
      Promise.resolve([[chunk(35, 45, 1, 2), chunk(45, 78, 2, 3), chunk(75, 90, 3, 4)]]),
    );
    expect(candidates).toMatchObject([{ hit: { page: 2, page_end: 3, start_offset: 40, end_offset: 80 } }]);
  });

  it('keeps the chunk where its section has gone meanwhile', async () => {
    const list = [own('a', 10, 0.9)];
    const { candidates } = await selectPassages([list], { topK: 2, parent: true }, (keys) =>
      Promise.resolve(keys.map(() => [])),
    );
    expect(candidates).toEqual(list);
  });
});

describe('neighbours', () => {
  const words = Array.from({ length: 700 }, (_, n) => `word${n}`.padEnd(9, '.'));
  const document = (from: number, to: number): string => words.join(' ').slice(from, to);
  /** A slice of one document, on the page of its tens. */
  const slice = (start: number, end: number, similarity: number, more: Partial<Hit> = {}): Candidate => {
    const candidate = own('x', start, similarity);
    if (!isOwn(candidate)) return candidate;
    const hit = { ...candidate.hit, text: document(start, end), end_offset: end, section: 'One', ...more };
    return { ...candidate, hit, text: hit.text, chunks: [hit.text] };
  };
  const select = async (list: Candidate[], topK: number) =>
    (await selectPassages([list], { topK }, sections([]))).candidates;

  it('that both match are one passage, where the better one stood', async () => {
    const found = await select([slice(30, 50, 0.9), own('b', 0, 0.8), slice(45, 60, 0.7), slice(10, 30, 0.6)], 2);
    expect(found).toHaveLength(2);
    expect(found[0]).toMatchObject({
      text: document(10, 60),
      matches: 3,
      similarity: 0.9,
      chunks: [document(10, 30), document(30, 50), document(45, 60)],
      hit: { start_offset: 10, end_offset: 60, page: 11, page_end: 46 },
    });
  });

  it('stay apart where they are in two sections, of two documents, too far or too long', async () => {
    const long = slice(0, 5_990, 0.9);
    const alone = [
      [slice(0, 20, 0.9), slice(20, 40, 0.8, { section: 'Two' })],
      [slice(0, 20, 0.9), slice(20, 40, 0.8, { document_id: 'y' })],
      [slice(0, 20, 0.9), slice(20, 40, 0.8, { generation: 'h' })],
      [slice(0, 20, 0.9), slice(80, 90, 0.8)],
      [long, slice(5_990, 6_010, 0.8)],
      [slice(0, 20, 0.9), own('x', 20, 0.8)],
    ];
    for (const list of alone) expect(await select(list, 2)).toHaveLength(2);
  });

  it('are left out where one does not belong to the best', async () => {
    const found = await select([slice(0, 20, 0.9), own('b', 0, 0.8), own('c', 0, 0.7), slice(20, 40, 0.1)], 2);
    expect(texts(found)).toEqual([document(0, 20), 'b at 0 says 0.8 of it']);
  });
});

describe('several documents', () => {
  const select = async (list: Candidate[], topK: number) =>
    texts((await selectPassages([list], { topK }, sections([]))).candidates).map((text) => text.slice(0, 7));

  it('share the places where they are about as good', async () => {
    const list = [own('a', 0, 0.9), own('a', 100, 0.88), own('a', 200, 0.86), own('b', 0, 0.8), own('c', 0, 0.2)];
    expect(await select(list, 3)).toEqual(['a at 0 ', 'a at 10', 'b at 0 ']);
  });

  it('do not where one is much better', async () => {
    const list = [own('a', 0, 0.9), own('a', 100, 0.88), own('a', 200, 0.86), own('b', 0, 0.7)];
    expect(await select(list, 3)).toEqual(['a at 0 ', 'a at 10', 'a at 20']);
  });
});

describe('rows from the middle of a table', () => {
  const header = '| Name | Grade |\n|---|---|';
  const row = (candidate: Candidate): Candidate =>
    isOwn(candidate) ? { ...candidate, hit: { ...candidate.hit, table_header: header } } : candidate;

  it('stand under their column names, with the offsets of the rows', () => {
    const candidate = withColumnNames(row(own('a', 10, 0.9)));
    expect(candidate.text).toBe(`${header}\na at 10 says 0.9 of it`);
    expect(candidate).toMatchObject({ hit: { start_offset: 10, end_offset: 20 } });
    expect(withColumnNames(own('a', 10, 0.9)).text).toBe('a at 10 says 0.9 of it');
  });

  it('are no near-duplicates for their column names', async () => {
    const parts = ['| Ana | 1.3 |', '| Pau | 2.5 |'].map((text, n) => ({
      ...row(own('a', 10 * n, 0.9 - n / 10)),
      text,
    }));
    const { candidates } = await selectPassages([parts], { topK: 2 }, sections([]));
    expect(candidates).toHaveLength(2);
  });

  it('give a part of a section that begins in a table its column names', async () => {
    const chunk = (start: number, table_header: string | null): SectionChunk => {
      const text = `| row ${start} |`.padEnd(20, ' ');
      return {
        place: 0,
        text,
        table_header,
        start_offset: start,
        end_offset: start + 20,
        page: null,
        page_end: null,
        page_label: null,
        page_end_label: null,
      };
    };
    const found = await selectPassages([[own('a', 40, 0.9)]], { topK: 1, parent: true }, () =>
      Promise.resolve([[chunk(40, header), chunk(60, header)]]),
    );
    const [candidate] = found.candidates.map(withColumnNames);
    expect(candidate?.text.split(header)).toHaveLength(2);
    expect(candidate?.text).toMatch(/^\| Name \| Grade \|/);
  });
});

describe('the text of a section', () => {
  const document = textAt('x', 0, 100);
  const slice = (start: number, end: number) => ({ text: document.slice(start, end), start, end });

  it('is the document again where its slices touch and overlap', () => {
    expect(joinedText([slice(0, 40), slice(30, 60), slice(35, 55), slice(60, 100)])).toBe(document);
  });

  it('has a break where white space was left out', () => {
    expect(joinedText([slice(1, 5), slice(6, 9), slice(12, 15)])).toBe(
      `${document.slice(1, 5)}\n${document.slice(6, 9)}\n\n${document.slice(12, 15)}`,
    );
  });
});
