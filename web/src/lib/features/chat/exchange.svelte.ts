import { type ProblemError, toProblem } from '$lib/kit/api/problem';
import { type Content, LiveRun } from '$lib/features/run/live-run.svelte';
import type { SearchNotice, Source } from '$lib/features/run/run-events';
import { noticeOf } from '@bellwether/kernel/chat';
import type { Message, MessageStatus, Rating } from './chat.types';
import { rate } from './requests';

/** A question and its answer. */
export class Exchange {
  /** Null while the question is on its way. */
  question = $state.raw<Message | null>(null);
  answer = $state.raw<Message | null>(null);
  /** The answer while it is written; null for answers that are read from the conversation. */
  live = $state.raw<LiveRun | null>(null);
  /** Why the question could not be sent. */
  unsent = $state.raw<ProblemError | null>(null);
  rating = $state.raw<Rating | null>(null);

  readonly status = $derived.by((): MessageStatus | 'sending' | 'unsent' => {
    if (this.unsent !== null) return 'unsent';
    if (this.answer === null) return 'sending';
    if (this.live === null) return this.answer.status;
    if (!this.live.isOver) return 'running';
    if (this.live.problem !== null) return 'failed';
    const { status } = this.live.state;
    return status === 'completed' || status === 'cancelled' ? status : 'failed';
  });
  readonly isOpen = $derived(this.status === 'sending' || this.status === 'running');
  readonly text = $derived.by(() => {
    const read = this.answer === null ? '' : String(this.answer.content);
    return this.live === null ? read : this.live.state.answer || read;
  });
  readonly sources = $derived.by((): readonly Source[] => {
    const read = this.answer?.sources ?? [];
    return this.live === null || this.live.state.sources.length === 0 ? read : this.live.state.sources;
  });
  /** Notice about the searches behind the answer. */
  readonly notice = $derived.by((): SearchNotice | null =>
    this.live === null
      ? (this.answer?.notice ?? null)
      : noticeOf(this.live.state.spans.flatMap(({ search }) => search ?? [])),
  );
  /** Code of the failure of the answer. */
  readonly failure = $derived.by(
    () => this.live?.state.error?.code ?? this.live?.problem?.code ?? this.answer?.error?.code ?? null,
  );

  constructor(
    readonly key: number,
    readonly content: Content,
  ) {}

  static of(key: number, question: Message): Exchange {
    const exchange = new Exchange(key, question.content);
    exchange.question = question;
    return exchange;
  }

  /** Takes an answer that is there, or is being written. Resolves when it has ended. */
  async take(answer: Message): Promise<void> {
    this.answer = answer;
    this.rating = answer.rating;
    if (answer.status !== 'running' || answer.run_id === null) return;
    this.live = new LiveRun(false);
    await this.live.resume(answer.run_id);
  }

  /** Shows the rating at once; what could not be kept is taken back. */
  async rate(rating: Rating | null): Promise<void> {
    const runId = this.answer?.run_id ?? null;
    if (runId === null) return;
    const before = this.rating;
    this.rating = rating;
    try {
      await rate(runId, rating);
    } catch (error) {
      this.rating = before;
      throw toProblem(error);
    }
  }

  leave(): void {
    this.live?.leave();
  }
}
