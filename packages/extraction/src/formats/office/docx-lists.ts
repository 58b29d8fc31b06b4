import { allNamed, childNamed, elementsOf, parseXml, scanXml, type XmlElement } from './office-xml';

/** Private-use characters around a number, which reach the HTML in front of the text of a list item. */
const MARK = /\ue0f1\d+\ue0f2/g;
const MARKED_LIST = /<ol><li>\ue0f1(\d+)\ue0f2/g;
const markOf = (number: number): string => `<w:r><w:t>\ue0f1${number}\ue0f2</w:t></w:r>`;

/** Word itself stops at 32,767. */
const NUMBER = /^\d{1,5}$/;

/** Numbers by level, `w:ilvl`. */
type Starts = ReadonlyMap<number, number>;

/** A numbering of word/numbering.xml (ECMA-376-1 §17.9). Numberings of one abstract definition count on together. */
interface Numbering {
  readonly id: string;
  readonly abstractId: string;
  readonly starts: Starts;
  /** Numbers with which this numbering begins anew although others of its definition have counted. */
  readonly restarts: Starts;
}

/** A place in a numbering, as a paragraph or its style names it. */
interface ListPlace {
  readonly numbering: string | undefined;
  readonly level: string | undefined;
}

export interface WordLists {
  readonly numberings: ReadonlyMap<string, Numbering>;
  readonly styles: ReadonlyMap<string, ListPlace>;
}

const valueIn = (element: XmlElement | undefined, name: string): string | undefined =>
  childNamed(element, name)?.attributes['w:val'];

const startsIn = (element: XmlElement | undefined, child: string, name: string): Starts =>
  new Map(
    (element === undefined ? [] : elementsOf(element)).flatMap((level) => {
      const start = level.name === child ? valueIn(level, name) : undefined;
      return start === undefined || !NUMBER.test(start)
        ? []
        : [[Number(level.attributes['w:ilvl'] ?? 0), Number(start)] as const];
    }),
  );

/** @throws {ExtractionError} `document.malformed` */
export function wordLists(numberingXml: string | undefined, stylesXml: string | undefined): WordLists {
  if (numberingXml === undefined) return { numberings: new Map(), styles: new Map() };
  const root = parseXml(numberingXml);
  const definitions = new Map(allNamed(root, 'abstractNum').map((each) => [each.attributes['w:abstractNumId'], each]));
  const numberings = allNamed(root, 'num').map((each): Numbering => {
    const abstractId = valueIn(each, 'abstractNumId') ?? '';
    const starts = startsIn(definitions.get(abstractId), 'lvl', 'start');
    const restarts = startsIn(each, 'lvlOverride', 'startOverride');
    return { id: each.attributes['w:numId'] ?? '', abstractId, starts, restarts };
  });
  const styles = stylesXml?.includes('numPr') ? allNamed(parseXml(stylesXml), 'style') : [];
  return {
    numberings: new Map(numberings.map((each) => [each.id, each])),
    styles: new Map(
      styles.map((style) => {
        const place = childNamed(childNamed(style, 'pPr'), 'numPr');
        return [
          style.attributes['w:styleId'] ?? '',
          { numbering: valueIn(place, 'numId'), level: valueIn(place, 'ilvl') },
        ];
      }),
    ),
  };
}

interface OpenParagraph {
  /** Offset of the end of its properties; null without any. */
  contentAt: number | null;
  style: string;
  numbering: string | undefined;
  level: string | undefined;
  hasText: boolean;
}

/** Counts the items of lists as Word does. */
class ListCount {
  private readonly counts = new Map<string, number[]>();
  private readonly begun = new Set<string>();

  constructor(private readonly lists: WordLists) {}

  /** Null for paragraphs of no list. */
  next(paragraph: OpenParagraph): number | null {
    const ofStyle = this.lists.styles.get(paragraph.style);
    const list = this.lists.numberings.get(paragraph.numbering ?? ofStyle?.numbering ?? '');
    return list === undefined ? null : this.count(list, levelOf(paragraph.level ?? ofStyle?.level));
  }

  private count(list: Numbering, level: number): number {
    const counts = this.counts.get(list.abstractId) ?? [];
    this.counts.set(list.abstractId, counts);
    counts.length = Math.min(counts.length, level + 1);
    const place = `${list.id} ${level}`;
    const restart = this.begun.has(place) ? undefined : list.restarts.get(level);
    this.begun.add(place);
    const before = counts[level];
    const following = before === undefined ? (list.starts.get(level) ?? 1) : before + 1;
    return (counts[level] = restart ?? following);
  }
}

const DEEPEST = 8;
const levelOf = (written: string | undefined): number => Math.min(Math.max(Number(written ?? 0) || 0, 0), DEEPEST);

/**
 * The main part with the number of each later item of a list in front of its text. Mammoth begins an interrupted list anew.
 * @throws {ExtractionError} `document.malformed`
 */
export function withListNumbers(part: string, lists: WordLists): string {
  if (lists.numberings.size === 0) return part;
  const xml = part.replace(/^\ufeff/, '');
  const count = new ListCount(lists);
  const path: string[] = [];
  const open: OpenParagraph[] = [];
  const marks: (readonly [at: number, number: number])[] = [];
  scanXml(xml, {
    open: (name, { 'w:val': value }) => {
      const paragraph = open.at(-1);
      if (name === 'p')
        open.push({ contentAt: null, style: '', numbering: undefined, level: undefined, hasText: false });
      else if (paragraph !== undefined) {
        const parents = path.slice(-3).join(' ');
        if (name === 't') paragraph.hasText = true;
        else if (name === 'pStyle') paragraph.style = value ?? '';
        else if (parents === 'p pPr numPr' && name === 'numId') paragraph.numbering = value;
        else if (parents === 'p pPr numPr' && name === 'ilvl') paragraph.level = value;
      }
      path.push(name);
    },
    close: (name, end) => {
      path.pop();
      const paragraph = open.at(-1);
      if (name === 'pPr' && path.at(-1) === 'p' && paragraph !== undefined) paragraph.contentAt = end;
      if (name !== 'p' || paragraph === undefined) return;
      open.pop();
      const number = count.next(paragraph);
      if (number !== null && number > 1 && paragraph.hasText && paragraph.contentAt !== null)
        marks.push([paragraph.contentAt, number]);
    },
    text: () => undefined,
  });
  return withMarks(xml, marks);
}

function withMarks(xml: string, marks: readonly (readonly [at: number, number: number])[]): string {
  const pieces: string[] = [];
  let from = 0;
  for (const [at, number] of marks.toSorted(([one], [other]) => one - other)) {
    pieces.push(xml.slice(from, at), markOf(number));
    from = at;
  }
  return pieces.join('') + xml.slice(from);
}

/** The HTML of a marked document: lists begin with the number of their first item, and no mark is left. */
export const withListStarts = (html: string): string =>
  html.replace(MARKED_LIST, '<ol start="$1"><li>').replace(MARK, '');
