import { workbook } from '../../../../../test/support/archives';
import type { ExtractionLimits } from '../../document/extraction.types';
import { readXlsx } from './xlsx';

const LIMITS: ExtractionLimits = {
  maxBytes: 1e8,
  maxPages: 100,
  maxCharacters: 100_000,
  maxExpansion: 50,
  timeoutMs: 1,
  memoryMb: 1,
};
const read = (bytes: Buffer, limits: Partial<ExtractionLimits> = {}) =>
  readXlsx({ bytes, encoding: null, limits: { ...LIMITS, ...limits } });

const text = (at: string, words: string): string => `<c r="${at}" t="inlineStr"><is><t>${words}</t></is></c>`;
const number = (at: string, value: number, style = 0): string => `<c r="${at}" s="${style}"><v>${value}</v></c>`;
const row = (n: number, ...cells: string[]): string => `<row r="${n}">${cells.join('')}</row>`;
const data = (...rows: string[]): string => `<sheetData>${rows.join('')}</sheetData>`;

it('reads visible sheets in their order, with their names as places', async () => {
  const found = await read(
    workbook({
      sheets: {
        'name="Plan &amp; dates"': data(
          row(1, text('A1', 'Week'), text('B1', 'Topic')),
          row(2, number('A2', 1), text('B2', 'Cells')),
        ),
        'name="Answers" state="hidden"': data(row(1, text('A1', 'secret'))),
        'name="Empty"': data(),
        'name="Grades"': data(row(1, '<c r="A1" t="s"><v>1</v></c>')),
      },
      strings: '<si><t>x</t></si><si><r><t>All </t></r><r><t>passed</t></r><rPh><t>!</t></rPh></si>',
    }),
  );
  expect(found.text).toBe(
    '## Plan & dates\n\n| Week | Topic |\n| --- | --- |\n| 1 | Cells |\n\n## Grades\n\nAll passed',
  );
  expect(found.pages.map(({ page, start }) => [page, found.text.slice(start).split('\n')[0]])).toEqual([
    [1, '## Plan & dates'],
    [4, '## Grades'],
  ]);
  expect(found).toMatchObject({ pageCount: 4, pageLabels: ['Plan & dates', 'Answers', 'Empty', 'Grades'] });
  expect(found.warnings).toEqual(['Sheet “Answers”: hidden, left out']);
});

it('reads values as they are displayed, computed ones as they are stored', async () => {
  const styles =
    '<numFmts><numFmt numFmtId="170" formatCode="d mmm yyyy"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/><xf numFmtId="9"/></cellXfs>';
  const found = await read(
    workbook({
      sheets: {
        'name="A"': data(
          row(1, text('A1', 'Exam'), text('B1', 'Passed'), text('C1', 'Open'), text('D1', 'Mean')),
          row(
            2,
            number('A2', 46_278, 1),
            number('B2', 0.75, 2),
            '<c r="C2" t="b"><v>1</v></c>',
            '<c r="D2"><f>AVERAGE(F1:F9)</f><v>6.5</v></c>',
            '<c r="E2"><f>NOW()</f></c>',
          ),
        ),
      },
      styles,
    }),
  );
  expect(found.text).toContain('| 13 Sep 2026 | 75% | TRUE | 6.5 |');
  expect(found.warnings).toEqual([expect.stringContaining('some formulas have no stored value')]);
});

it('names columns below merged names, repeats what is merged over rows, and keeps notes above the table', async () => {
  const { text: written } = await read(
    workbook({
      sheets: {
        'name="A"': `${data(
          row(1, text('A1', 'Results of 2026')),
          row(3, text('A3', 'Group'), text('B3', 'Name'), text('C3', 'Exam')),
          row(4, text('C4', 'first'), text('D4', 'second')),
          row(5, text('A5', 'North'), text('B5', 'Ana'), number('C5', 5), number('D5', 6)),
          row(6, text('B6', 'Ben'), number('C6', 7), number('D6', 8)),
          row(8, text('A8', 'South'), text('B8', 'Eva'), number('C8', 9), number('D8', 9)),
        )}<mergeCells><mergeCell ref="A3:A4"/><mergeCell ref="B3:B4"/><mergeCell ref="C3:D3"/><mergeCell ref="A5:A6"/></mergeCells>`,
      },
    }),
  );
  expect(written).toBe(
    [
      '## A',
      'Results of 2026',
      '| Group | Name | Exam – first | Exam – second |\n| --- | --- | --- | --- |\n| North | Ana | 5 | 6 |\n| North | Ben | 7 | 8 |',
      '| Group | Name | Exam – first | Exam – second |\n| --- | --- | --- | --- |\n| South | Eva | 9 | 9 |',
    ].join('\n\n'),
  );
});

describe('column names', () => {
  const named = (cells: Readonly<Record<string, string | number>>): string =>
    data(
      ...[...new Set(Object.keys(cells).map((at) => Number(at.slice(1))))].map((n) =>
        row(
          n,
          ...Object.entries(cells)
            .filter(([at]) => Number(at.slice(1)) === n)
            .map(([at, value]) => (typeof value === 'number' ? number(at, value) : text(at, value))),
        ),
      ),
    );
  const sheet = async (cells: Readonly<Record<string, string | number>>): Promise<string[]> =>
    (await read(workbook({ sheets: { 'name="A"': named(cells) } }))).text.split('\n\n').slice(1);

  it('of a report stand above their own table, over a blank row, and figures are never names', async () => {
    const half = (at: number, year: number, passed: number): Record<string, string | number> => ({
      [`A${at}`]: 'In thousands',
      [`D${at}`]: `January to June ${year}`,
      [`B${at + 1}`]: 'Students',
      [`C${at + 1}`]: 'Passed',
      [`D${at + 1}`]: 'Failed',
      [`A${at + 3}`]: 'North',
      [`B${at + 3}`]: 1250,
      [`C${at + 3}`]: passed,
      [`D${at + 3}`]: 350,
      [`A${at + 4}`]: 'South',
      [`B${at + 4}`]: 940,
      [`C${at + 4}`]: 700,
      [`D${at + 4}`]: 240,
    });
    expect(await sheet({ A1: 'Examinations by campus', ...half(3, 2023, 900), ...half(10, 2022, 820) })).toEqual([
      'Examinations by campus',
      '| In thousands | Students | Passed | January to June 2023 – Failed |\n| --- | --- | --- | --- |\n| North | 1250 | 900 | 350 |\n| South | 940 | 700 | 240 |',
      '| In thousands | Students | Passed | January to June 2022 – Failed |\n| --- | --- | --- | --- |\n| North | 1250 | 820 | 350 |\n| South | 940 | 700 | 240 |',
    ]);
  });

  it.each<[string, Record<string, string | number>, string[]]>([
    [
      'may be years',
      { A1: 'Campus', B1: 2022, C1: 2023, A2: 'North', B2: 5, C2: 6 },
      ['| Campus | 2022 | 2023 |\n| --- | --- | --- |\n| North | 5 | 6 |'],
    ],
    [
      'may count questions',
      { A1: 'Student', B1: 1, C1: 2, A2: 'Ana', B2: 7, C2: 3 },
      ['| Student | 1 | 2 |\n| --- | --- | --- |\n| Ana | 7 | 3 |'],
    ],
    [
      'do not take in a row without a mark',
      { A1: 'Name', B1: 'Mark', A2: 'Ana', B2: 'absent', A3: 'Ben', B3: 7 },
      ['| Name | Mark |\n| --- | --- |\n| Ana | absent |\n| Ben | 7 |'],
    ],
    [
      'are those above the blank rows between groups',
      { A1: 'Name', B1: 'Born', A2: 'Ana', B2: 1999, A4: 'Ben', B4: 2001, A5: 'Eva', B5: 2000 },
      [
        '| Name | Born |\n| --- | --- |\n| Ana | 1999 |',
        '| Name | Born |\n| --- | --- |\n| Ben | 2001 |\n| Eva | 2000 |',
      ],
    ],
    [
      'are invented for figures with nothing above them',
      { A1: 'North', B1: 5, A2: 'South', B2: 6 },
      ['| column 1 | column 2 |\n| --- | --- |\n| North | 5 |\n| South | 6 |'],
    ],
    [
      'are none in a line of words above another table',
      { A1: 'Course', B1: 'Biology', A3: 'Name', B3: 'Mark', A4: 'Ana', B4: 7 },
      ['Course | Biology', '| Name | Mark |\n| --- | --- |\n| Ana | 7 |'],
    ],
  ])('%s', async (_, cells, expected) => {
    expect(await sheet(cells)).toEqual(expected);
  });
});

it('leaves hidden rows and columns out, and says so', async () => {
  const { text: written, warnings } = await read(
    workbook({
      sheets: {
        'name="A"': `<cols><col min="2" max="2" hidden="1"/></cols>${data(
          row(1, text('A1', 'Name'), text('B1', 'Mark'), text('C1', 'Seat')),
          row(2, text('A2', 'Ana'), number('B2', 3), number('C2', 4)),
          '<row r="3" hidden="1"><c r="A3"><v>5</v></c></row>',
        )}`,
      },
    }),
  );
  expect(written).toBe('## A\n\n| Name | Seat |\n| --- | --- |\n| Ana | 4 |');
  expect(warnings).toEqual(['Sheet “A”: hidden rows, columns or shapes are left out']);
});

describe('a hostile workbook', () => {
  it('with a cell in the last row and column costs no more than its cells', async () => {
    const { text: written } = await read(
      workbook({
        sheets: { 'name="A"': data(row(1, text('A1', 'first')), row(1_048_576, text('XFD1048576', 'last'))) },
      }),
    );
    expect(written).toBe('## A\n\nfirst\n\nlast');
  });

  it.each<[string, Buffer, string]>([
    ['without a list of sheets', workbook({ sheets: {} }), 'document.no_text'],
    [
      'with a document type',
      workbook({ sheets: { 'name="A"': data(row(1, text('A1', 'x'))) }, prolog: '<!DOCTYPE x>' }),
      'document.malformed',
    ],
    [
      'with cells within cells',
      workbook({ sheets: { 'name="A"': '<c>'.repeat(1_000) + '</c>'.repeat(1_000) } }),
      'document.malformed',
    ],
    [
      'that repeats one long text in every cell',
      workbook({
        sheets: { 'name="A"': data(row(1, ...Array<string>(50).fill('<c t="s"><v>0</v></c>'))) },
        strings: `<si><t>${'x'.repeat(30_000)}</t></si>`,
      }),
      'document.too_large',
    ],
    ['of zeros', workbook({ sheets: { 'name="A"': data(' '.repeat(20_000_000)) } }), 'document.expansion'],
  ])('%s is refused', async (_, bytes, code) => {
    await expect(read(bytes)).rejects.toMatchObject({ code });
  });

  it('of more sheets than the limit is refused', async () => {
    const sheets = { 'name="A"': data(row(1, text('A1', 'x'))), 'name="B"': data() };
    await expect(read(workbook({ sheets }), { maxPages: 1 })).rejects.toMatchObject({
      code: 'document.too_many_pages',
    });
  });
});
