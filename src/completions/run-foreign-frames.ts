import type { JsonObject } from '../kernel';
import type { SourceLinks } from '../knowledge-bases';

type Links = Pick<SourceLinks, 'withoutTokens'>;

interface Frame {
  readonly seq: number;
  /** Without the empty line that ends it. */
  readonly raw: string;
  /** What is known by now that may be shown of a delta; null for other events. */
  text: string | null;
}

/** A piece of the answer of which it is not known yet what it belongs to. */
interface OpenPart {
  readonly frame: Frame;
  readonly text: string;
}

/** Everything that a link may be made of, at the end of a text. */
const LINK_CHARACTER = /[\w/?=&%.~:#+-]/;
/** Where no path is around them, fewer digits of a token may be told before the rest is hidden: they open nothing. */
const FIRST_DIGITS = 16;
const TOKEN_BEGINS = new RegExp(`[0-9a-f]{${FIRST_DIGITS}}$`, 'i');
/** Nothing but a token of ours is as long. */
const BARE_TOKEN = /[0-9a-f]{200,}/gi;
const HIDDEN = '…';
/** A word that is longer is no link. */
const MAX_OPEN = 8_192;

/** What may be told in the middle of a word of the model; with everything else the word has ended. */
const BETWEEN_WORDS: ReadonlySet<string> = new Set(['warning', 'run.progress']);

/** An answer for somebody else than who asked: no link opens without a credential of their own, and no token is left. */
export const answerForOthers = (text: string, links: Links): string =>
  links.withoutTokens(text).replace(BARE_TOKEN, HIDDEN);

/** The same of an answer that goes on: a link that is not written out yet is held back. */
export const unfinishedForOthers = (text: string, links: Links): string => {
  const start = lastWordOf(text);
  return answerForOthers(mayGoOn(text.slice(start)) ? text.slice(0, start) : text, links);
};

/**
 * The events of a run for somebody else than who asked, without the tokens that let who asked open documents. A token may
 * lie in several deltas: those in which one may have begun wait for what follows. Every event keeps its id and its place; of
 * a link over several deltas the first has what is shown, the others nothing of it. As that hangs on the deltas alone, an
 * event has the same bytes every time, for which the frames must be given from the first one on, wherever the reader is.
 */
export class ForeignFrames {
  private readonly waiting: Frame[] = [];
  private open: OpenPart[] = [];
  /** The last characters of the answer that are decided. */
  private before = '';

  /** @param after `seq` of the last event that the reader has */
  constructor(
    private readonly links: Links,
    private readonly after: number,
  ) {}

  /** Takes whole frames and gives those that can be shown by now; '' for none. What waits after the terminal event is nothing. */
  pass(frames: string): string {
    for (const raw of frames.split('\n\n')) if (raw !== '') this.take(raw);
    return this.shown();
  }

  private take(raw: string): void {
    const [id = '', event = ''] = raw.split('\n', 2);
    const seq = Number(id.slice('id: '.length));
    const type = event.slice('event: '.length);
    if (type === 'llm.delta') {
      const frame: Frame = { seq, raw, text: '' };
      this.waiting.push(frame);
      this.hear(frame, String(dataOf(raw)['text']));
      return;
    }
    if (!BETWEEN_WORDS.has(type)) this.decide();
    this.waiting.push({ seq, raw: this.links.withoutTokens(raw), text: null });
  }

  private hear(frame: Frame, text: string): void {
    const start = lastWordOf(text);
    if (start > 0) {
      this.open.push({ frame, text: text.slice(0, start) });
      this.decide();
    }
    if (start < text.length) this.open.push({ frame, text: text.slice(start) });
    const word = joined(this.open);
    if (!mayGoOn(word, this.before) || word.length > MAX_OPEN) this.decide();
  }

  private decide(): void {
    const [first] = this.open;
    if (first === undefined) return;
    const text = joined(this.open);
    const clean = answerForOthers(text, this.links);
    if (clean === text) for (const part of this.open) part.frame.text = (part.frame.text ?? '') + part.text;
    else first.frame.text = (first.frame.text ?? '') + clean;
    this.before = (this.before + text).slice(-FIRST_DIGITS);
    this.open = [];
  }

  private shown(): string {
    const undecided = this.open[0]?.frame;
    const end = undecided === undefined ? this.waiting.length : this.waiting.indexOf(undecided);
    const ready = this.waiting.splice(0, end).filter(({ seq }) => seq > this.after);
    return ready.map(frameText).join('');
  }
}

const joined = (parts: readonly OpenPart[]): string => parts.map(({ text }) => text).join('');

/** Where the text's last word begins, of those that a link may be; its length when it ends with none. */
function lastWordOf(text: string): number {
  let start = text.length;
  while (start > 0 && LINK_CHARACTER.test(text.charAt(start - 1))) start -= 1;
  return start;
}

/** Whether the rest of a link of ours, or of a token, may follow. */
const mayGoOn = (word: string, before = ''): boolean => word.includes('/') || TOKEN_BEGINS.test(before + word);

const DATA = '\ndata: ';

const dataOf = (raw: string): JsonObject => JSON.parse(raw.slice(raw.indexOf(DATA) + DATA.length)) as JsonObject;

function frameText({ raw, text }: Frame): string {
  if (text === null) return `${raw}\n\n`;
  const data = dataOf(raw);
  if (data['text'] === text) return `${raw}\n\n`;
  return `${raw.slice(0, raw.indexOf(DATA) + DATA.length)}${JSON.stringify({ ...data, text })}\n\n`;
}
