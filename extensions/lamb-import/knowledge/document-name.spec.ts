import type { KbFile } from '@bellwether/lamb-reader';
import { convertedNameOf, documentNameOf, numbered } from './collection-files';

const file = (name: string, path = '/opt/kb/static/1/Biology/0a1b.pdf'): KbFile => ({
  id: 1,
  collectionId: 7,
  name,
  path,
  url: '',
  plugin: 'simple_ingest',
  parameters: {},
  status: 'completed',
});

it.each([
  ['cells.md', 'cells.md'],
  ['C:\\notes\\cells.md', 'cells.md'],
  ['../../etc/passwd', 'passwd.pdf'],
  ['lecture 3', 'lecture 3.pdf'],
  ['v1.2 draft', 'v1.2 draft.pdf'],
  ['', '0a1b.pdf'],
  ['.pdf', '.pdf.pdf'],
  [`${'x'.repeat(300)}.md`, `${'x'.repeat(197)}.md`],
])('the document of %j is called %j', (name, expected) => {
  expect(documentNameOf(file(name))).toBe(expected);
});

it('a name without an extension anywhere stays as it is', () => {
  expect(documentNameOf(file('noext', '/opt/kb/static/1/noext'))).toBe('noext');
  expect(documentNameOf(file('', ''))).toBe('document');
});

it('a converted file and the second of one name keep their extensions', () => {
  expect(convertedNameOf(file('table.xlsx'))).toBe('table.xlsx.md');
  expect([1, 2].map((number) => numbered('cells.md', number))).toEqual(['cells.md', 'cells (2).md']);
  expect(numbered(`${'x'.repeat(197)}.md`, 12)).toHaveLength(200);
});
