import { toProblem } from '$lib/kit/api/problem';
import type { Content } from '$lib/features/run/live-run.svelte';
import type { Message } from './chat.types';
import { Exchange } from './exchange.svelte';
import {
  type ChatPlace,
  createConversation,
  deleteConversation,
  postQuestion,
  readConversation,
  showBranch,
} from './requests';

interface Hooks {
  /** The service has the first question of a new conversation. */
  readonly onstarted: (id: string) => void;
  /** An answer that was followed here has ended. */
  readonly onanswered: (exchange: Exchange) => void;
}

/** The conversation on the page: read from the service, or new until its first question. */
export class OpenConversation {
  id = $state<string | null>(null);
  exchanges = $state.raw<readonly Exchange[]>([]);
  loading = $state(false);
  /** Why it could not be read. */
  problem = $state.raw<unknown>(null);

  readonly last = $derived(this.exchanges.at(-1));
  private changing = $state(false);
  readonly isBusy = $derived(this.changing || this.last?.isOpen === true);
  private next = 1;
  private stopWanted = false;
  /** Counts what was opened: an answer that comes late changes nothing. */
  private turn = 0;

  constructor(
    private readonly place: ChatPlace,
    private readonly hooks: Hooks,
  ) {}

  /** Shows a stored conversation, or a new one for null. */
  async open(id: string | null): Promise<void> {
    if (id === this.id && this.problem === null && (id !== null || this.exchanges.length === 0)) return;
    this.leave();
    const turn = ++this.turn;
    this.id = id;
    this.exchanges = [];
    this.problem = null;
    this.loading = id !== null;
    if (id === null) return;
    try {
      const { messages } = await readConversation(id);
      if (turn !== this.turn) return;
      this.exchanges = this.paired(messages);
    } catch (error) {
      if (turn === this.turn) this.problem = error;
    } finally {
      if (turn === this.turn) this.loading = false;
    }
  }

  /** Asks at the end. A question that could not be sent stays, with its reason. */
  async ask(content: Content): Promise<void> {
    const exchange = new Exchange(this.next++, content);
    this.exchanges = [...this.exchanges, exchange];
    await this.send(exchange);
  }

  /** Sends a question again that the service does not have. */
  async send(exchange: Exchange): Promise<void> {
    const turn = this.turn;
    exchange.unsent = null;
    try {
      await this.post(exchange, null);
    } catch (error) {
      if (turn === this.turn) exchange.unsent = toProblem(error);
    }
  }

  /**
   * Asks in place of an earlier question, which stays with what follows as another version. Throws, and changes nothing,
   * when that fails.
   */
  async replace(earlier: Exchange, content: Content): Promise<void> {
    if (this.isBusy) return;
    const exchange = new Exchange(this.next++, content);
    this.changing = true;
    const turn = this.turn;
    try {
      await this.post(exchange, earlier.question?.id ?? null);
    } finally {
      this.changing = false;
    }
    if (turn !== this.turn) return;
    this.exchanges = [...this.exchanges.slice(0, this.exchanges.indexOf(earlier)), exchange];
  }

  /** Shows another version of a question, with what follows it. Throws, and changes nothing, when that fails. */
  async show(questionId: string): Promise<void> {
    if (this.isBusy || this.id === null) return;
    this.changing = true;
    const turn = this.turn;
    try {
      const { messages } = await showBranch(this.id, questionId);
      if (turn === this.turn) this.exchanges = this.paired(messages);
    } finally {
      this.changing = false;
    }
  }

  /** Ends the answer that is being written; what is there of it stays. */
  async stop(): Promise<void> {
    if (this.last?.status === 'sending') this.stopWanted = true;
    else await this.last?.live?.stop();
  }

  /** Stops reading. Running answers continue on the service. */
  leave(): void {
    for (const exchange of this.exchanges) exchange.leave();
  }

  private async post(exchange: Exchange, replaces: string | null): Promise<void> {
    const turn = this.turn;
    this.stopWanted = false;
    const isNew = this.id === null;
    const id = this.id ?? (await createConversation(this.place)).id;
    try {
      const { question, answer } = await postQuestion(id, exchange.content, replaces);
      // The reader has gone to another conversation: the answer waits in this one.
      if (turn !== this.turn) return;
      exchange.question = question;
      this.id = id;
      void this.follow(exchange, answer);
    } catch (error) {
      // Without a question it would be an empty entry of the list.
      if (isNew) void deleteConversation(id).catch(() => undefined);
      throw error;
    }
    if (isNew) this.hooks.onstarted(id);
    if (this.stopWanted) await exchange.live?.stop();
  }

  /** Questions with their answers; those that are on the page stay, and one that is being written is followed. */
  private paired(messages: readonly Message[]): readonly Exchange[] {
    const shown = this.exchanges;
    const exchanges: Exchange[] = [];
    for (const message of messages) {
      const last = exchanges.at(-1);
      if (message.role === 'user') {
        const known = shown.find(({ question }) => question?.id === message.id);
        exchanges.push(known ?? Exchange.of(this.next++, message));
      } else if (last !== undefined && last.answer === null) void this.follow(last, message);
    }
    return exchanges;
  }

  private async follow(exchange: Exchange, answer: Message): Promise<void> {
    await exchange.take(answer);
    if (exchange.live !== null && exchange.live.isOver) this.hooks.onanswered(exchange);
  }
}
