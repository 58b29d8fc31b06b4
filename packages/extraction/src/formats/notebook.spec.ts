import { readNotebook } from './notebook';
import type { Content } from './format-reader.types';

const limits = { maxBytes: 1e8, maxPages: 9, maxCharacters: 1e6, maxExpansion: 50, timeoutMs: 1, memoryMb: 1 };
const read = (notebook: unknown): Content | Promise<Content> =>
  readNotebook({ bytes: Buffer.from(JSON.stringify(notebook)), encoding: 'utf-8', limits });
const code = (source: string | string[], ...outputs: object[]) => ({ cell_type: 'code', source, outputs });

it('reads Markdown and code with their outputs, each cell as a place', async () => {
  const picture = {
    output_type: 'display_data',
    data: { 'image/png': 'iVBOR'.repeat(200_000) },
  };
  const found = await read({
    metadata: { kernelspec: { language: 'python' } },
    cells: [
      { cell_type: 'markdown', source: ['# Joins\n', 'See ![the plan](data:image/png;base64,iVBOR).'] },
      { cell_type: 'raw', source: 'no text' },
      code(['a = 1\n', 'a'], { output_type: 'execute_result', data: { 'text/plain': ['1'] } }, picture),
      code('', picture),
      code(
        'fail()',
        { output_type: 'stream', text: ['\u001b[31mred\u001b[0m\n'] },
        { output_type: 'error', ename: 'ValueError', evalue: 'no', traceback: ['x'.repeat(9_999)] },
      ),
    ],
  });
  expect(found.text).toBe(
    [
      '# Joins\nSee the plan.',
      '```python\na = 1\na\n```',
      'Output:\n\n```\n1\n```',
      '```python\nfail()\n```',
      'Output:\n\n```\nred\nValueError: no\n```',
    ].join('\n\n'),
  );
  expect(found.pages.map(({ page, start }) => [page, found.text.slice(start, start + 8)])).toEqual([
    [1, '# Joins\n'],
    [3, '```pytho'],
    [5, '```pytho'],
  ]);
  expect(found).toMatchObject({ title: 'Joins', pageCount: 5 });
});

it.each([
  [
    'a page',
    { 'text/html': '<p>Reads: <b>7</b></p>', 'text/plain': '<IPython.core.display.HTML object>' },
    'Reads: **7**',
  ],
  [
    'Markdown',
    { 'text/markdown': ['## 7 ', 'reads'], 'text/plain': ['<IPython.core.display.Markdown object>'] },
    '## 7 reads',
  ],
  ['a formula', { 'text/latex': '$x^2$' }, '$x^2$'],
  ['a table that has a plain form', { 'text/html': '<table></table>', 'text/plain': 'a  b\n1  2' }, 'a  b\n1  2'],
])('reads an output that is shown as %s', async (_, data, shown) => {
  const { text } = await read({ cells: [code('x', { output_type: 'execute_result', data })] });
  expect(text).toBe(`\`\`\`\nx\n\`\`\`\n\nOutput:\n\n\`\`\`\n${shown}\n\`\`\``);
});

it('bounds outputs, says so, and keeps a fence in the code', async () => {
  const { text, warnings } = await read({
    cells: [code('"""\n```\n"""', { output_type: 'stream', text: 'y'.repeat(1e6) })],
  });
  expect(text).toMatch(/^````\n"""\n```\n"""\n````\n\nOutput:/);
  expect(text.length).toBeLessThan(2_200);
  expect(warnings).toEqual(['Output of cell 1 is cut to 2,000 characters']);
});

it('reads version 3 of the format', async () => {
  const cells = [
    { cell_type: 'heading', level: 2, source: 'Old' },
    { cell_type: 'code', input: 'x', outputs: [{ output_type: 'pyout', text: ['2'] }] },
  ];
  expect((await read({ worksheets: [{ cells }] })).text).toBe('## Old\n\n```\nx\n```\n\nOutput:\n\n```\n2\n```');
});

it.each([
  ['without cells', {}, 'document.malformed'],
  ['of a list', [], 'document.malformed'],
  ['of strange cells', { cells: [null, 4, { cell_type: 'code', source: { a: 1 }, outputs: 'x' }] }, 'document.no_text'],
])('refuses a notebook %s', (_, notebook, refused) => {
  expect(() => read(notebook)).toThrow(expect.objectContaining({ code: refused }));
});
