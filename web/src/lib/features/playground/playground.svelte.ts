import type { Ask, Asked, Content } from '$lib/features/run/live-run.svelte';
import { LiveRun } from '$lib/features/run/live-run.svelte';
import { session } from '$lib/app/session/session.svelte';
import { questionsKey } from '$lib/app/session/own-work';

export interface Picture {
  readonly name: string;
  /** The picture's own bytes as `data:` address. */
  readonly url: string;
}

/** A question and the run that answers it. */
export interface Exchange {
  readonly key: number;
  readonly question: string;
  readonly pictures: readonly Picture[];
  readonly verbose: boolean;
  readonly live: LiveRun;
}

interface Kept {
  readonly question: string;
  readonly verbose: boolean;
  readonly runId: string;
}

/** Exchanges that a reload brings back. */
const KEPT = 10;

/** A conversation with one assistant, kept in this tab across reloads. */
export class Conversation {
  exchanges = $state.raw<readonly Exchange[]>([]);

  readonly last = $derived(this.exchanges.at(-1));
  readonly isBusy = $derived(this.last !== undefined && !this.last.live.isOver);

  private next = 1;
  /** Ids of runs by the key of their exchange. */
  private runIds = $state.raw<Readonly<Record<number, string>>>({});
  private readonly me = session.me;

  /** `assistantId` null: an assistant that is not saved yet; its conversation is the form's until it is. */
  constructor(
    private readonly assistantId: () => number | null,
    private readonly form = '',
  ) {}

  private get storageKey(): string {
    return questionsKey(this.me, this.assistantId() ?? this.form);
  }

  /** Brings back what this tab had asked; a run that goes on is followed from its beginning, and misses nothing. */
  restore(): void {
    for (const { question, verbose, runId } of this.kept()) {
      const exchange = this.append(question, [], verbose);
      this.runIds = { ...this.runIds, [exchange.key]: runId };
      void exchange.live.resume(runId);
    }
  }

  /** Asks with what was said before; resolves when the run has ended. */
  async ask(
    question: string,
    {
      pictures = [],
      verbose = false,
      definition = null,
    }: Partial<Pick<Exchange, 'pictures' | 'verbose'>> & { readonly definition?: object | null } = {},
  ): Promise<Exchange> {
    const messages: Ask['messages'] = [...this.history(), { role: 'user', content: contentOf(question, pictures) }];
    const exchange = this.append(question, pictures, verbose);
    const { live, key } = exchange;
    await live.begin(this.asked(definition), { messages, ...(verbose ? { verbose } : {}) }, (id) => {
      this.runIds = { ...this.runIds, [key]: id };
      this.keep();
    });
    return exchange;
  }

  /** Takes an exchange out: its question is asked anew. Its run stays in the list of runs. */
  drop(exchange: Exchange): void {
    exchange.live.leave();
    this.exchanges = this.exchanges.filter((one) => one !== exchange);
    this.keep();
  }

  /** A definition answers in place of the stored assistant. */
  private asked(definition: object | null): Asked {
    const assistantId = this.assistantId();
    if (assistantId !== null && definition === null) return { assistantId };
    return { definition: definition ?? {}, draftOf: assistantId };
  }

  /** Starts anew; what goes on is left alone. */
  clear(): void {
    this.leave();
    this.exchanges = [];
    this.runIds = {};
    this.keep();
  }

  /** Stops reading everywhere; runs go on. */
  leave(): void {
    for (const { live } of this.exchanges) live.leave();
  }

  runIdOf({ key }: Exchange): string | null {
    return this.runIds[key] ?? null;
  }

  private append(question: string, pictures: readonly Picture[], verbose: boolean): Exchange {
    const exchange = { key: this.next++, question, pictures, verbose, live: new LiveRun() };
    this.exchanges = [...this.exchanges, exchange];
    return exchange;
  }

  /** Answers as far as they came; reports are none. */
  private history(): Ask['messages'] {
    return this.exchanges.flatMap(({ question, pictures, verbose, live }) => {
      const { answer } = live.state;
      if (verbose || answer === '') return [];
      return [
        { role: 'user' as const, content: contentOf(question, pictures) },
        { role: 'assistant' as const, content: answer },
      ];
    });
  }

  private kept(): readonly Kept[] {
    try {
      return JSON.parse(sessionStorage.getItem(this.storageKey) ?? '[]') as Kept[];
    } catch {
      return [];
    }
  }

  private keep(): void {
    // Who signed out leaves nothing behind; a session that ended by itself is another matter.
    if (session.left !== null) return;
    const kept = this.exchanges.flatMap((exchange): Kept[] => {
      const runId = this.runIdOf(exchange);
      return runId === null ? [] : [{ question: exchange.question, verbose: exchange.verbose, runId }];
    });
    try {
      sessionStorage.setItem(this.storageKey, JSON.stringify(kept.slice(-KEPT)));
    } catch {
      // A full storage costs the comfort of reloading, nothing else.
    }
  }
}

export const contentOf = (question: string, pictures: readonly Picture[]): Content =>
  pictures.length === 0
    ? question
    : [
        ...(question === '' ? [] : [{ type: 'text', text: question }]),
        ...pictures.map(({ url }) => ({ type: 'image_url', image_url: { url } })),
      ];
