import type { JsonObject } from '@bellwether/kernel';
import type { SourceLinks } from '../knowledge-bases';
import type { LoggedEvent } from '../runs';

type Links = Pick<SourceLinks, 'withoutTokens'>;

interface WaitingEvent {
  readonly event: LoggedEvent;
  /** The final text of a delta; null for other events. */
  text: string | null;
}

/** A piece of the answer that may belong to an unfinished link. */
interface OpenPart {
  readonly delta: WaitingEvent;
  readonly text: string;
}

/** Characters of a link. */
const LINK_CHARACTER = /[\w/?=&%.~:#+-]/;
/** Digits of a token that may be shown: fewer than a whole token open nothing. */
const FIRST_DIGITS = 16;
const TOKEN_BEGINS = new RegExp(`[0-9a-f]{${FIRST_DIGITS}}$`, 'i');
/** Length from which a word may be one of our tokens. */
const BARE_TOKEN = /[0-9a-f]{200,}/gi;
const HIDDEN = '…';
/** Longer words are no links. */
const MAX_OPEN = 8_192;

/** Events that may interrupt a word of the model. Every other event ends the word. */
const BETWEEN_WORDS: ReadonlySet<string> = new Set(['warning', 'run.progress']);

/** An answer for readers other than the asker: links without tokens, which need the reader's own credential. */
export const answerForOthers = (text: string, links: Links): string =>
  links.withoutTokens(text).replace(BARE_TOKEN, HIDDEN);

/** The same for an unfinished answer. An unfinished link is held back. */
export const unfinishedForOthers = (text: string, links: Links): string => {
  const start = lastWordOf(text);
  return answerForOthers(mayGoOn(text.slice(start)) ? text.slice(0, start) : text, links);
};

/**
 * Removes the asker's link tokens from the events of a run for other readers. A token may span several deltas, so a delta
 * with an unfinished link waits for the next ones. Events keep their ids and order; the first delta of a link carries its
 * shown text. Pass the events from the first one on: then replays are equal.
 */
export class ForeignEvents {
  private readonly waiting: WaitingEvent[] = [];
  private open: OpenPart[] = [];
  /** The last characters of the final text. */
  private before = '';

  /** @param after `seq` of the last event that the reader has */
  constructor(
    private readonly links: Links,
    private readonly after: number,
  ) {}

  /** Returns the events that are final. The terminal event releases all. */
  pass(events: readonly LoggedEvent[]): readonly LoggedEvent[] {
    for (const event of events) this.take(event);
    return this.shown();
  }

  private take(event: LoggedEvent): void {
    if (event.type === 'llm.delta') {
      const delta: WaitingEvent = { event, text: '' };
      this.waiting.push(delta);
      this.hear(delta, textOf(event));
      return;
    }
    if (!BETWEEN_WORDS.has(event.type)) this.decide();
    this.waiting.push({ event: { ...event, data: this.links.withoutTokens(event.data) }, text: null });
  }

  private hear(delta: WaitingEvent, text: string): void {
    const start = lastWordOf(text);
    if (start > 0) {
      this.open.push({ delta, text: text.slice(0, start) });
      this.decide();
    }
    if (start < text.length) this.open.push({ delta, text: text.slice(start) });
    const word = joined(this.open);
    if (!mayGoOn(word, this.before) || word.length > MAX_OPEN) this.decide();
  }

  private decide(): void {
    const [first] = this.open;
    if (first === undefined) return;
    const text = joined(this.open);
    const clean = answerForOthers(text, this.links);
    if (clean === text) for (const part of this.open) part.delta.text = (part.delta.text ?? '') + part.text;
    else first.delta.text = (first.delta.text ?? '') + clean;
    this.before = (this.before + text).slice(-FIRST_DIGITS);
    this.open = [];
  }

  private shown(): readonly LoggedEvent[] {
    const undecided = this.open[0]?.delta;
    const end = undecided === undefined ? this.waiting.length : this.waiting.indexOf(undecided);
    return this.waiting
      .splice(0, end)
      .filter(({ event }) => event.seq > this.after)
      .map(shownEvent);
  }
}

const joined = (parts: readonly OpenPart[]): string => parts.map(({ text }) => text).join('');

/** Start of the last word that may be a link; the text's length without one. */
function lastWordOf(text: string): number {
  let start = text.length;
  while (start > 0 && LINK_CHARACTER.test(text.charAt(start - 1))) start -= 1;
  return start;
}

/** True when the word may be the beginning of a link or a token. */
const mayGoOn = (word: string, before = ''): boolean => word.includes('/') || TOKEN_BEGINS.test(before + word);

const textOf = ({ data }: LoggedEvent): string => String((JSON.parse(data) as JsonObject)['text']);

function shownEvent({ event, text }: WaitingEvent): LoggedEvent {
  if (text === null || textOf(event) === text) return event;
  return { ...event, data: JSON.stringify({ ...(JSON.parse(event.data) as JsonObject), text }) };
}
