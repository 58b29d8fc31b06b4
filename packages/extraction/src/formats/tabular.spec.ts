import type { ExtractionLimits } from '../document/extraction.types';
import { readCsv } from './csv';
import { readJson } from './json';

const limits = {} as ExtractionLimits;
const source = (text: string) => ({ bytes: Buffer.from(text), encoding: 'utf-8' as const, limits });
const csv = (text: string): string => readCsv(source(text)).text;
const json = (value: unknown): string =>
  readJson(source(typeof value === 'string' ? value : JSON.stringify(value))).text;

describe('CSV', () => {
  it.each([',', ';', '\t', '|'])('finds out the delimiter %j', (delimiter) => {
    const rows = [
      ['city', 'people'],
      ['Girona', '1"000'.replace('"', '')],
    ];
    expect(csv(rows.map((row) => row.join(delimiter)).join('\n'))).toContain('| Girona | 1000 |');
  });

  it('does not take decimal commas for columns', () => {
    expect(csv('name;a;b\nAna;9,5;8,25\n')).toBe('| name | a | b |\n| --- | --- | --- |\n| Ana | 9,5 | 8,25 |');
  });

  it('names columns itself where the first row holds values', () => {
    expect(csv('1,2\n3,4\n')).toBe('| column 1 | column 2 |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |');
  });

  it.each([
    ['a date', '2026-09-14,Lecture\n2026-09-21,Exam\n', /^\| column 1 \| column 2 \|/],
    ['a figure', 'North,1250\nSouth,900\n', /^\| column 1 \| column 2 \|/],
    ['years above figures', 'Campus,2025,2026\nNorth,1250,1300\n', /^\| Campus \| 2025 \| 2026 \|\n\| ---/],
    ['numbers of questions', 'Name,1,2,3\nAna,0.5,1,0\n', /^\| Name \| 1 \| 2 \| 3 \|\n\| ---/],
  ])('takes a first row for names as people do: %s', (_, text, expected) => expect(csv(text)).toMatch(expected));

  it('repeats the column names every few rows', () => {
    const rows = Array.from({ length: 500 }, (_, index) => `student ${index},${index % 10}`);
    const tables = csv(`name,grade\n${rows.join('\n')}`).split('\n\n');
    expect(tables.length).toBeGreaterThan(10);
    for (const table of tables) expect(table).toMatch(/^\| name \| grade \|\n\| --- \| --- \|\n\| student /);
    expect(tables.join('\n')).toContain('| student 499 | 9 |');
  });

  it('writes long rows as records', () => {
    expect(csv(`who,message\nAna,"${'word '.repeat(80).trim()}\nsecond line"\n`)).toMatch(
      /^who: Ana\nmessage: word word.*\nsecond line$/s,
    );
  });

  it('keeps rows that are shorter or longer than the header', () => {
    expect(csv('a,b\n1\n2,3,4\n')).toBe('| a | b |  |\n| --- | --- | --- |\n| 1 |  |  |\n| 2 | 3 | 4 |');
  });
});

describe('JSON', () => {
  it('gives each value its path', () => {
    expect(json({ course: { name: 'Biology', rooms: ['A1', 'B2'] }, 'odd key': null })).toBe(
      'course: name: Biology; rooms[0]: A1; rooms[1]: B2\n\n["odd key"]: null',
    );
  });

  it('writes each record of a list on its own line', () => {
    const people = Array.from({ length: 50 }, (_, id) => ({ id, name: `Student ${id}` }));
    expect(json({ people })).toContain('people[42]: id: 42; name: Student 42\n');
  });

  it('keeps LaTeX and code in strings as they were meant', () => {
    expect(json({ task: 'Show $\\frac{a}{b}$:\n\n```python\nx = {"a": 1}\n```' })).toBe(
      'task:\nShow $\\frac{a}{b}$:\n\n```python\nx = {"a": 1}\n```',
    );
  });

  it('keeps numbers that a double cannot hold', () => {
    expect(json('{"id": 12345678901234567890, "text": "12345678901234567890", "x": 0.1}')).toBe(
      'id: 12345678901234567890\n\ntext: 12345678901234567890\n\nx: 0.1',
    );
  });

  it.each(['[]', '{}'])('of nothing (%s) is refused', (text) => {
    expect(() => json(text)).toThrow(expect.objectContaining({ code: 'document.empty' }));
  });
});
