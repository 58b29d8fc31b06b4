import { type PdfLine, linesOf, withoutPageHeaders } from './pdf-lines';
import { composePdf } from './pdf-text';
import type { PdfPage, PdfTextItem } from './pdf.types';

const item = (str: string, x: number, y: number, size = 10, fontName = 'body'): PdfTextItem => ({
  str,
  transform: [size, 0, 0, size, x, y],
  width: str.length * size * 0.5,
  fontName,
});
const page = (number: number, items: PdfTextItem[]): PdfPage => ({
  number,
  height: 800,
  bottom: 0,
  items,
  monospaced: new Set(['mono']),
});
const compose = (...pages: PdfTextItem[][]) =>
  composePdf(withoutPageHeaders(pages.map((items, index) => linesOf(page(index + 1, items)))), []);
/** Lines of a paragraph, from `y` downwards. */
const paragraph = (lines: string[], y: number): PdfTextItem[] =>
  lines.map((line, index) => item(line, 60, y - 12 * index));
const BODY = 'This is a line of plain text that is as wide as any other';

describe('lines', () => {
  const lines = (...items: PdfTextItem[]): PdfLine[] => linesOf(page(1, items));

  it('join runs, with a blank where there is room for one', () => {
    expect(lines(item('Hel', 60, 500), item('lo', 75, 500), item('world', 90, 500)).map(({ text }) => text)).toEqual([
      'Hello world',
    ]);
  });

  it('keep an exponent on its line', () => {
    expect(lines(item('x', 60, 500), item('2', 65, 504, 7), item('= 4', 71, 500))).toHaveLength(1);
  });

  it('of turned text read like any other', () => {
    const turned = { ...item('DRAFT', 0, 0), transform: [0, 10, -10, 0, 300, 200] };
    expect(lines(item('body', 60, 500), turned).map(({ text }) => text)).toEqual(['body', 'DRAFT']);
  });
});

describe('text', () => {
  it('makes words whole that a line end cut, and leaves compounds alone', () => {
    const { text } = compose(
      paragraph([`${BODY} trans-`, 'port through a well-', 'known mem­', `brane; ${BODY}`, 'It is well-known.'], 600),
    );
    expect(text).toContain('transport through a well-known membrane;');
  });

  it('gives accents that TeX draws back to their letters', () => {
    expect(compose(paragraph(['Evaluaci´on de la ense˜nanza na¨ıve, gar¸con'], 600)).text).toBe(
      'Evaluación de la enseñanza naïve, garçon',
    );
  });

  it('drops running heads and page numbers, not titles', () => {
    const pages = [1, 2, 3, 4].map((number) => [
      item(`Biology I, page ${number}`, 60, 780, 8),
      item(`Lecture ${number}`, 60, 760, 20),
      ...paragraph([`${BODY} ${'abcd'[number - 1]}.`, BODY, BODY, BODY], 700),
      item(String(number), 300, 20, 8),
    ]);
    const { text, pages: starts } = compose(...pages);
    expect(text).not.toMatch(/Biology|^\d$/m);
    expect(text.match(/^# Lecture \d$/gm)).toHaveLength(4);
    expect(starts.map(({ page: number, start }) => [number, text.slice(start, start + 11)])).toEqual(
      [1, 2, 3, 4].map((number) => [number, `# Lecture ${number}`]),
    );
  });

  it('drops page numbers by their counting, wherever the page was cropped, and heads of one chapter with them', () => {
    const numbered = (number: number, head: string): PdfTextItem[] => [
      item(head, 60, 600, 9),
      ...paragraph([`${BODY} ${'abcdef'[number]}`, `${BODY} ${'ghijkl'[number]}`, 'goes on and al-'], 560),
      item(String(number + 20), 300, 300, 10, 'mono'),
    ];
    const { text } = compose(
      numbered(1, 'Piracy 21'),
      numbered(2, 'Creators 22'),
      numbered(3, 'Property 23'),
      numbered(4, 'Property 24'),
      paragraph(['lowed by law in 25'], 560),
    );
    expect(text).not.toMatch(/Piracy|Creators|Property|```|^2\d/m);
    expect(text).toContain('goes on and allowed by law in 25');
  });

  it('keeps a numbered title at the top of each page', () => {
    const { text } = compose(
      ...[1, 2, 3, 4].map((number) => [
        item(`${number} Exercise on ${'abcde'[number]}`, 60, 780),
        ...paragraph([`${BODY} ${'abcde'[number]}.`], 700),
      ]),
    );
    expect(text.match(/\d Exercise/g)).toHaveLength(4);
  });

  it('goes on with a sentence over the page', () => {
    const { text, pages } = compose(paragraph([BODY, 'and it goes on'], 600), paragraph(['to the next page.'], 700));
    expect(text).toBe(`${BODY} and it goes on to the next page.`);
    expect(pages[1]?.start).toBeGreaterThan(BODY.length / 2);
  });

  it('indents listings by where their letters stand', () => {
    const { text } = compose([
      item('def f(x):', 60, 600, 10, 'mono'),
      item('return x', 80, 588, 10, 'mono'),
      ...paragraph([BODY], 560),
    ]);
    expect(text).toMatch(/^```\ndef f\(x\):\n {4}return x\n```/);
  });

  it('never lets a line of prose become structure', () => {
    expect(compose(paragraph(['# not a heading'], 600)).text).toBe('\\# not a heading');
  });

  it('leaves tables of contents out, with entries of two lines and of chapters', () => {
    const { text } = compose([
      item('Contents', 60, 720, 18),
      item('1 Water', 60, 690),
      item('3', 500, 690),
      ...paragraph(
        ['1.1 Osmosis . . . . . . . . . . . 3', '1.2 A title that is longer', 'than its line . . . . . . 12'],
        678,
      ),
      item('1.3 Salt..........', 60, 642),
      item('xiv', 300, 642),
      ...paragraph([`${BODY}.`, 'Wait...'], 600),
    ]);
    expect(text).toBe(`${BODY}. Wait...`);
  });

  describe('a table with cells of several lines', () => {
    const table =
      '| Join | What it gives | Cost |\n| --- | --- | --- |\n| hash join | rows that match, in no order | linear |\n| nested loops | each row with each other | quadratic |';
    const head = [item('Join', 60, 600), item('What it gives', 160, 600), item('Cost', 300, 600)];

    it('drawn cell by cell', () => {
      const { text } = compose([
        ...paragraph([`${BODY}:`], 614),
        ...head,
        item('hash join', 60, 580),
        item('rows that match,', 160, 580),
        item('in no order', 160, 568),
        item('linear', 300, 580),
        item('nested', 60, 548),
        item('loops', 60, 536),
        item('each row with', 160, 548),
        item('each other', 160, 536),
        item('quadratic', 300, 548),
        ...paragraph([`${BODY}.`, BODY], 490),
      ]);
      expect(text).toBe(`${BODY}:\n\n${table}\n\n${BODY}. ${BODY}`);
    });

    it('drawn line by line', () => {
      const { text } = compose([
        ...head,
        item('hash join', 60, 580),
        item('rows that match,', 160, 580),
        item('linear', 300, 580),
        item('in no order', 160, 568),
        item('nested loops', 60, 548),
        item('each row with', 160, 548),
        item('quadratic', 300, 548),
        item('each other', 160, 536),
      ]);
      expect(text).toBe(table);
    });
  });

  it('never takes two columns of prose for a table', () => {
    const column = (x: number): PdfTextItem[] =>
      Array.from({ length: 20 }, (_, line) => item(`column at ${x} line ${line} of it`, x, 700 - 12 * line));
    const { text } = compose([...column(60), ...column(320)]);
    expect(text).not.toContain('|');
    expect(text.indexOf('column at 60 line 19')).toBeLessThan(text.indexOf('column at 320 line 0'));
  });
});
