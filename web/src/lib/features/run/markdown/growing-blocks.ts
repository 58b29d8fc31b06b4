import type { Token } from 'marked';
import { plainParts } from './plain-parts';

/** A stretch that is shown as it is written. */
export interface PlainToken {
  readonly type: 'plain';
  readonly raw: string;
}

export type AnswerToken = Token | PlainToken;

/** Targets of `[text][label]`, by label. */
export type Links = Record<string, unknown>;

/** Reads Markdown. `links` holds the labels that are known, and gets those that the text defines. May throw. */
export type Lex = (text: string, links: Links) => readonly Token[];

/** A formula may hold blank lines: closing it joins blocks up to this far back (`MATHS` in markdown.ts). */
const OPEN_CHARS = 4_200;
/** The last blocks may become one with what comes: an item of a list is a paragraph until its dot is there. */
const OPEN_BLOCKS = 2;
/** Each new label causes a full read: text before it may name it. */
const MOST_READINGS = 20;

/** Tokens of a text that grows. Each update reads its end only: earlier blocks cannot change any more. */
export class GrowingBlocks {
  private settled = '';
  private tokens: AnswerToken[] = [];
  private links: Links = {};
  private readings = 0;

  constructor(private readonly lex: Lex) {}

  of(given: string): readonly AnswerToken[] {
    const text = given.replace(/\r\n?/g, '\n');
    if (!text.startsWith(this.settled)) this.forget();
    const known = Object.keys(this.links).length;
    let tail = this.read(text.slice(this.settled.length));
    const isNamed = Object.keys(this.links).length > known;
    if (isNamed && this.settled !== '' && this.readings < MOST_READINGS) {
      this.readings += 1;
      this.settled = '';
      this.tokens = [];
      tail = this.read(text);
    }
    const all = [...this.tokens, ...tail];
    this.settle(tail, text);
    return all;
  }

  private forget(): void {
    this.settled = '';
    this.tokens = [];
    this.links = {};
    this.readings = 0;
  }

  private read(text: string): AnswerToken[] {
    return plainParts(text).flatMap(({ text: part, plain }): readonly AnswerToken[] => {
      if (plain) return [{ type: 'plain', raw: part }];
      try {
        return this.lex(part, this.links);
      } catch {
        // Nested deeper than the stack allows.
        return [{ type: 'plain', raw: part }];
      }
    });
  }

  private settle(tail: readonly AnswerToken[], text: string): void {
    const blocks = tail.flatMap(({ type }, index) => (type === 'space' ? [] : [index]));
    const open = blocks.at(-OPEN_BLOCKS) ?? 0;
    for (const token of tail.slice(0, open)) {
      const end = this.settled.length + token.raw.length;
      if (end > text.length - OPEN_CHARS || !text.startsWith(token.raw, this.settled.length)) return;
      this.settled += token.raw;
      this.tokens.push(token);
    }
  }
}
