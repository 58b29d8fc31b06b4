/** Dots that lead to a page number, at the end of a line: `Joins . . . . . 41`. */
const LEADERS = /(?:(?:[.·…‥] ?){4}|…{2} ?)(?:\d{1,4}|[ivxlc]{1,7})$/i;
/** Longer lines are prose. */
const LINE_CHARS = 300;
const TAIL_CHARS = 120;

/** The content of a table row, without its outer bars. */
function withoutFrame(row: string): string {
  const start = row.startsWith('|') ? row.slice(1).trimStart() : row;
  return start.endsWith('|') ? start.slice(0, -1).trimEnd() : start;
}

/** Whether a line is an entry of a table of contents with dotted leaders. */
export const isContentsLine = (line: string): boolean => {
  const text = withoutFrame(line.trim());
  return text.length <= LINE_CHARS && LEADERS.test(text.slice(-TAIL_CHARS).replace(/\s+/g, ' '));
};

/** A run of lines of one kind. Blocks cover the text without gaps, in order. */
export interface TextBlock {
  readonly start: number;
  readonly end: number;
  readonly heading: boolean;
  /** Headings above and including this block, outermost first. */
  readonly headings: readonly string[];
  /** Offset of the innermost heading; null above the first one. */
  readonly section: number | null;
  readonly prose: boolean;
  /** Range of a table's column names and delimiter row; else null. */
  readonly header: TextRange | null;
  /** Leads to other places and says nothing itself: a table of links, or lines of a table of contents. */
  readonly navigation: boolean;
}

export interface TextRange {
  readonly start: number;
  readonly end: number;
}

export interface BlockOptions {
  /** Lines are records (CSV, JSON), not sentences. */
  readonly records?: boolean;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})[ \t]/;
const HEADING_MAX = 200;
const TABLE_RULE = /^[\s:|-]+$/;
/** Longer column names are not repeated in every chunk of their table: the index would grow too much. */
const HEADER_MAX = 2_000;
/** Longer blocks are split, so that no step over a hostile text takes long. */
const PART = 65_536;

type Kind = 'blank' | 'heading' | 'fence' | 'formula' | 'table' | 'text';

interface Line {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Many blank lines at once: a hostile text may have millions. The bound limits the stack of the pattern. */
const BLANK_LINES = /(?:[ \t]*\r?\n){1,1000}/y;

function blankEnd(text: string, start: number): number {
  BLANK_LINES.lastIndex = start;
  return BLANK_LINES.test(text) ? BLANK_LINES.lastIndex : start;
}

function* linesOf(text: string): Generator<Line> {
  let start = 0;
  while (start < text.length) {
    const blank = blankEnd(text, start);
    if (blank > start) {
      yield { start, end: blank, text: '' };
      start = blank;
      continue;
    }
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline + 1;
    yield { start, end, text: text.slice(start, end).replace(/\r?\n$/, '') };
    start = end;
  }
}

function kindOf(line: string): Kind {
  if (line.trim() === '') return 'blank';
  if (HEADING.test(line)) return 'heading';
  if (FENCE.test(line)) return 'fence';
  const bare = line.trim();
  if (bare === '$$' || bare === '\\[' || /^\\begin\{/.test(bare)) return 'formula';
  return bare.startsWith('|') ? 'table' : 'text';
}

/** Tells the last line of a fence or formula from its first line. */
function closingLine(first: string): (line: string) => boolean {
  const fence = FENCE.exec(first)?.[1];
  if (fence !== undefined)
    return (line) => line.trim().startsWith(fence) && line.trim().replaceAll(fence[0] ?? '', '') === '';
  const bare = first.trim();
  if (bare === '$$') return (line) => line.trim() === '$$';
  if (bare === '\\[') return (line) => line.trim() === '\\]';
  const environment = /^\\begin(\{[^}]*\})/.exec(bare)?.[1] ?? '';
  return (line) => line.includes(`\\end${environment}`);
}

function titleOf(line: string): { depth: number; title: string } | null {
  const match = HEADING.exec(line);
  if (match === null) return null;
  return {
    depth: match[1]?.length ?? 1,
    title: withoutClosing(line.slice(match[0].length).trim()).slice(0, HEADING_MAX),
  };
}

/** Removes the closing `#`s of a heading (CommonMark §4.2). A loop, because a pattern would backtrack over long lines. */
function withoutClosing(title: string): string {
  let end = title.length;
  while (title[end - 1] === '#') end -= 1;
  if (end > 0 && end < title.length && !/[ \t]/.test(title.charAt(end - 1))) return title;
  return title.slice(0, end).trimEnd();
}

/** Markdown links and images, and bare URLs. Each alternative scans a line once. */
const LINKS = /!?\[[^[\]]*\]\([^()]*\)|<?https?:\/\/[^\s|<>]+>?/g;
/** Separators between the links of a cell. */
const BETWEEN_LINKS = /^(?:[\s|:·•,/-]|<br>)*$/;

/** Content of a table row; delimiter rows and empty cells count as nothing. */
function cellsOf(line: string): 'nothing' | 'links' | 'text' {
  const rest = line.replace(LINKS, '');
  // Removing an image inside a link leaves the link.
  const bare = rest.replace(LINKS, '');
  if (!BETWEEN_LINKS.test(bare)) return 'text';
  return rest.length < line.length ? 'links' : 'nothing';
}

/** Two checks, because one pattern would backtrack over long lines. */
const isTableRule = (line: string): boolean => line.includes('-') && TABLE_RULE.test(line);

interface OpenBlock {
  readonly start: number;
  end: number;
  readonly kind: Kind;
  /** The first row of a table; with the delimiter row after the second. */
  header: TextRange | null;
  lines: number;
  /** Content of a table's cells so far. */
  cells: 'nothing' | 'links' | 'text';
  /** Every line so far is an entry of a table of contents. */
  isContents: boolean;
  /** While set, all lines belong to the block, blank lines and `#` included. */
  closes: ((line: string) => boolean) | null;
  /** The next line starts a new block. */
  done: boolean;
}

class BlockReader {
  private readonly path: { depth: number; title: string; start: number }[] = [];
  private open: OpenBlock | null = null;
  private blocks: TextBlock[] = [];

  constructor(private readonly options: BlockOptions) {}

  read(line: Line): void {
    this.extend(line);
    const { open } = this;
    if (open === null || open.end - open.start < PART) return;
    this.close();
    this.open = { ...open, start: open.end, kind: open.done ? 'blank' : open.kind };
  }

  /** The blocks that are complete so far. */
  take(): readonly TextBlock[] {
    const { blocks } = this;
    if (blocks.length > 0) this.blocks = [];
    return blocks;
  }

  close(): void {
    if (this.open === null || this.open.start === this.open.end) return;
    const { start, end, kind, header, lines, cells, isContents } = this.open;
    this.blocks.push({
      start,
      end,
      heading: kind === 'heading',
      headings: this.path.map(({ title }) => title).filter((title) => title !== ''),
      section: this.path.at(-1)?.start ?? null,
      prose: kind === 'text' && this.options.records !== true,
      header: lines > 1 ? header : null,
      navigation: kind === 'table' ? cells === 'links' : isContents,
    });
    this.open = null;
  }

  private extend(line: Line): void {
    const { open } = this;
    if (open?.closes) return this.readInside(open, open.closes, line);
    const kind = kindOf(line.text);
    if (open !== null && this.continues(open, kind)) {
      open.end = line.end;
      open.done ||= kind === 'blank';
      this.readRow(open, kind, line);
      return;
    }
    this.close();
    this.enter(line);
    this.open = {
      start: line.start,
      end: line.end,
      kind,
      header: kind === 'table' ? { start: line.start, end: line.end } : null,
      lines: 1,
      cells: kind === 'table' ? cellsOf(line.text) : 'text',
      isContents: kind === 'text' && isContentsLine(line.text),
      closes: kind === 'fence' || kind === 'formula' ? closingLine(line.text) : null,
      done: kind === 'blank' || kind === 'heading',
    };
  }

  /** The second line of a table tells whether the first one names the columns (GFM §4.10). */
  private readRow(open: OpenBlock, kind: Kind, line: Line): void {
    open.lines += 1;
    if (kind === 'text') open.isContents &&= isContentsLine(line.text);
    if (kind === 'table' && open.cells !== 'text') {
      const cells = cellsOf(line.text);
      if (cells !== 'nothing') open.cells = cells;
    }
    if (open.lines !== 2 || open.header === null) return;
    const header = { start: open.header.start, end: line.end };
    const names = header.end - header.start <= HEADER_MAX && isTableRule(line.text);
    open.header = names ? header : null;
  }

  private readInside(open: OpenBlock, closes: (line: string) => boolean, line: Line): void {
    open.end = line.end;
    if (!closes(line.text)) return;
    open.closes = null;
    open.done = true;
  }

  private continues(open: OpenBlock, kind: Kind): boolean {
    if (kind === 'blank') return true;
    return !open.done && kind === open.kind && (kind === 'text' || kind === 'table');
  }

  private enter(line: Line): void {
    const heading = titleOf(line.text);
    if (heading === null) return;
    while ((this.path.at(-1)?.depth ?? 0) >= heading.depth) this.path.pop();
    this.path.push({ ...heading, start: line.start });
  }
}

/** Headings, paragraphs, tables, code and formulas of a Markdown or plain text. A blank line belongs to the block before it. */
export function* blocksOf(text: string, options: BlockOptions = {}): Generator<TextBlock> {
  const reader = new BlockReader(options);
  for (const line of linesOf(text)) {
    reader.read(line);
    yield* reader.take();
  }
  reader.close();
  yield* reader.take();
}
