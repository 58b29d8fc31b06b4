import { atMost } from '@bellwether/kernel';
import { Worker } from 'node:worker_threads';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DETECTOR_FILE } from './detector-file';

/** The language of a text. */
export interface TextLanguage {
  /** ISO 639-1. */
  readonly language: string;
  /** Similarity to each language that comes near, 0..1. */
  readonly scores: Readonly<Record<string, number>>;
}

export interface ToDetector {
  readonly id: number;
  readonly texts: readonly string[];
}

export interface FromDetector {
  readonly id: number;
  /** Languages in the order of the texts; null for a text that is too short to tell. */
  readonly found: readonly (TextLanguage | null)[];
}

/** Related languages share most letter sequences. A language within this share of the best score is possible, too. */
const MARGIN = 0.95;

/** Whether the text may be in one of the languages. True without languages. */
export function isIn({ language, scores }: TextLanguage, languages: readonly string[]): boolean {
  const best = scores[language] ?? 1;
  return languages.length === 0 || languages.some((each) => each === language || (scores[each] ?? 0) >= MARGIN * best);
}

/** The library reads this much. */
const TEXT_CHARS = 1_000;
interface Use {
  /** Milliseconds that it waits for an answer. Loading the library takes a second on a busy machine. */
  readonly limitMs: number;
  /** Milliseconds that the thread stays afterwards. The library holds 60 MB. */
  readonly stayMs: number;
}
const QUESTION: Use = { limitMs: 3_000, stayMs: 10 * 60_000 };
/** Documents come one after the other, and then none for days. */
const DOCUMENT: Use = { limitMs: 60_000, stayMs: 2_000 };
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 };
const REMEMBERED = 1_000;
/** Parts of a long text that are looked at. */
const SAMPLES = 5;

/**
 * Tells languages with the library eld. It runs in a thread that starts with the first text and ends when it is idle:
 * loading it takes longer than the event loop may stand still.
 */
@Injectable()
export class LanguageDetector implements OnApplicationShutdown {
  private readonly log = new Logger('Languages');
  private readonly known = new LRUCache<string, { readonly found: TextLanguage | null }>(atMost(REMEMBERED));
  private readonly waiting = new Map<number, (found: FromDetector['found'] | null) => void>();
  private thread: Worker | null = null;
  private idle: NodeJS.Timeout | undefined;
  private stayUntil = 0;
  private last = 0;

  /** Null when the text is too short to tell, or the library does not answer in time. */
  async detect(text: string): Promise<TextLanguage | null> {
    const start = text.slice(0, TEXT_CHARS).trim();
    if (!/\p{L}/u.test(start)) return null;
    const known = this.known.get(start);
    if (known !== undefined) return known.found;
    const found = await this.ask([start], QUESTION);
    if (found === null) return null;
    const [language = null] = found;
    this.known.set(start, { found: language });
    return language;
  }

  /** The language of a text, if it is one of these. */
  async among<Language extends string>(text: string, languages: readonly Language[]): Promise<Language | null> {
    const found = await this.detect(text);
    if (found === null) return null;
    const near = languages.filter((language) => isIn(found, [language]));
    return near.sort((a, b) => (found.scores[b] ?? 0) - (found.scores[a] ?? 0))[0] ?? null;
  }

  /** The language of most parts of a text of any length. */
  async detectMost(text: string): Promise<TextLanguage | null> {
    const step = Math.max(TEXT_CHARS, Math.ceil(text.length / SAMPLES));
    const samples = Array.from({ length: Math.ceil(text.length / step) }, (_, index) =>
      text.slice(index * step, index * step + TEXT_CHARS),
    );
    const found =
      (await this.ask(
        samples.filter((sample) => /\p{L}/u.test(sample)),
        DOCUMENT,
      )) ?? [];
    const languages = found.filter((each) => each !== null);
    const votes = (language: string): number => languages.filter((each) => each.language === language).length;
    return languages.sort((a, b) => votes(b.language) - votes(a.language))[0] ?? null;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.end();
  }

  private ask(texts: readonly string[], { limitMs, stayMs }: Use): Promise<FromDetector['found'] | null> {
    if (texts.length === 0) return Promise.resolve([]);
    const id = ++this.last;
    return new Promise((resolve) => {
      const answer = (found: FromDetector['found'] | null): void => {
        clearTimeout(late);
        this.waiting.delete(id);
        if (this.waiting.size === 0) this.rest(stayMs);
        resolve(found);
      };
      const late = setTimeout(() => {
        this.log.warn({ msg: 'the language of a text was not told in time' });
        answer(null);
      }, limitMs);
      this.waiting.set(id, answer);
      this.running().postMessage({ id, texts } satisfies ToDetector);
    });
  }

  private running(): Worker {
    clearTimeout(this.idle);
    this.thread ??= this.started();
    return this.thread;
  }

  private rest(stayMs: number): void {
    this.stayUntil = Math.max(this.stayUntil, performance.now() + stayMs);
    clearTimeout(this.idle);
    this.idle = setTimeout(() => void this.end(), this.stayUntil - performance.now()).unref();
  }

  private started(): Worker {
    const thread = new Worker(DETECTOR_FILE, { resourceLimits: RESOURCE_LIMITS });
    thread.unref();
    thread.on('message', ({ id, found }: FromDetector) => this.waiting.get(id)?.(found));
    thread.on('error', (error) => {
      this.log.error({ msg: 'the thread that tells languages broke', err: error });
      this.forget(thread);
    });
    thread.on('exit', () => this.forget(thread));
    return thread;
  }

  private forget(thread: Worker): void {
    if (this.thread !== thread) return;
    this.thread = null;
    for (const answer of [...this.waiting.values()]) answer(null);
  }

  /** A text that comes while the thread ends gets another one. */
  private async end(): Promise<void> {
    const { thread } = this;
    if (thread === null) return;
    this.forget(thread);
    clearTimeout(this.idle);
    await thread.terminate();
  }
}
