/** A run of lines that belong together. Blocks cover the text without gaps, in order. */
export interface TextBlock {
  readonly start: number;
  readonly end: number;
  readonly heading: boolean;
  /** Headings above and including this block, outermost first. */
  readonly headings: readonly string[];
  readonly prose: boolean;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})[ \t]/;
const HEADING_MAX = 200;

type Kind = 'blank' | 'heading' | 'fence' | 'formula' | 'table' | 'text';

interface Line {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function* linesOf(text: string): Generator<Line> {
  let start = 0;
  while (start < text.length) {
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

/** What ends a block that runs over blank lines, given its first line. */
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

/** Without the `#`s that may close a heading (CommonMark §4.2). A loop: a pattern for this backtracks over long lines. */
function withoutClosing(title: string): string {
  let end = title.length;
  while (title[end - 1] === '#') end -= 1;
  if (end > 0 && end < title.length && !/[ \t]/.test(title.charAt(end - 1))) return title;
  return title.slice(0, end).trimEnd();
}

interface OpenBlock {
  readonly start: number;
  end: number;
  readonly kind: Kind;
  /** While set, everything belongs to the block, blank lines and `#` included. */
  closes: ((line: string) => boolean) | null;
  /** The next line starts a new block. */
  done: boolean;
}

class BlockReader {
  readonly blocks: TextBlock[] = [];
  private readonly path: { depth: number; title: string }[] = [];
  private open: OpenBlock | null = null;

  read(line: Line): void {
    const { open } = this;
    if (open?.closes) return this.readInside(open, open.closes, line);
    const kind = kindOf(line.text);
    if (open !== null && this.continues(open, kind)) {
      open.end = line.end;
      open.done ||= kind === 'blank';
      return;
    }
    this.close();
    this.enter(line.text);
    const closes = kind === 'fence' || kind === 'formula' ? closingLine(line.text) : null;
    this.open = { start: line.start, end: line.end, kind, closes, done: kind === 'blank' || kind === 'heading' };
  }

  close(): void {
    if (this.open === null) return;
    const { start, end, kind } = this.open;
    const headings = this.path.map(({ title }) => title).filter((title) => title !== '');
    this.blocks.push({ start, end, heading: kind === 'heading', headings, prose: kind === 'text' });
    this.open = null;
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

  private enter(line: string): void {
    const heading = titleOf(line);
    if (heading === null) return;
    while ((this.path.at(-1)?.depth ?? 0) >= heading.depth) this.path.pop();
    this.path.push(heading);
  }
}

/** Headings, paragraphs, tables, code and formulas of a Markdown or plain text; a blank line belongs to the block before it. */
export function blocksOf(text: string): TextBlock[] {
  const reader = new BlockReader();
  for (const line of linesOf(text)) reader.read(line);
  reader.close();
  return reader.blocks;
}
