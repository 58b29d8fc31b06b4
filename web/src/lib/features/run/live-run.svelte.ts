import { api, idempotencyKey, must } from '$lib/kit/api/client';
import { ProblemError, toProblem } from '$lib/kit/api/problem';
import { type Link, follow } from './follow';
import type { Run, RunEvent, Source } from './run-events';
import { type RunState, beginning, ended, hasEnded, problemsOf, reduceAll } from './run-state';

/** The state of a run whose events are gone or incomplete, from its record. Its failures have a code without words. */
export function settled(state: RunState, run: Run): RunState {
  const told = reduceAll(state, (run.events ?? []) as unknown as readonly RunEvent[]);
  const sources = run.sources as unknown as readonly Source[];
  const { status, strategy, connector, model, usage, finish_reason: finishReason, error_code: code } = run;
  const now = Math.max(told.now, run.timings.total_ms ?? 0);
  return ended({
    ...told,
    ...{ status, now, strategy, connector, model, usage, finishReason },
    answer: run.answer ?? told.answer,
    sources: sources.length === 0 ? told.sources : sources,
    error: told.error ?? (code === null ? null : { code, message: code }),
  });
}

/** A content of several parts, or plain text. */
export type Content = string | readonly Readonly<Record<string, unknown>>[];

export interface Ask {
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: Content }[];
  readonly verbose?: boolean;
}

/** Assistant that answers: a stored one, or a definition that need not be saved. */
export type Asked =
  | { readonly assistantId: number }
  | {
      readonly definition: object;
      /** The assistant that it is a draft of. */
      readonly draftOf: number | null;
    };

async function started(asked: Asked, body: Ask): Promise<string> {
  const headers = { 'Idempotency-Key': idempotencyKey() };
  if ('assistantId' in asked) {
    const params = { path: { id: asked.assistantId } };
    return must(await api.POST('/api/v1/assistants/{id}/runs', { params, headers, body: body as never })).id;
  }
  const { definition, draftOf } = asked;
  const draft = { ...body, definition, ...(draftOf === null ? {} : { assistant_id: draftOf }) };
  return must(await api.POST('/api/v1/runs', { headers, body: draft as never })).run_id;
}

/** How long events are gathered where the browser draws no frames. */
const HIDDEN_MS = 100;

/** One run as it happens. Events are gathered and shown once a frame, however fast they come. */
export class LiveRun {
  state = $state.raw<RunState>(beginning(''));
  link = $state<Link>('connecting');
  /** Why the run could not be started or followed. */
  problem = $state.raw<ProblemError | null>(null);
  /** Why it could not be stopped; it goes on. */
  stopProblem = $state.raw<ProblemError | null>(null);
  stopping = $state(false);
  /** Id of the request that asked, where something failed; an operator finds it in the log. */
  requestId = $state<string | null>(null);

  readonly isOver = $derived(this.problem !== null || hasEnded(this.state));

  private readonly leaving = new AbortController();
  private pending: RunEvent[] = [];
  /** When the last events were taken in, by the page's own clock. */
  private takenAt = 0;
  private stopWhenStarted = false;

  /** @param withRecord false for readers who know the answer elsewhere: the record of the run holds its machinery */
  constructor(private readonly withRecord = true) {}

  /** Starts a run in the background and follows it; resolves when it has ended. */
  async begin(asked: Asked, body: Ask, onstarted?: (id: string) => void): Promise<void> {
    try {
      const id = await started(asked, body);
      onstarted?.(id);
      if (this.stopWhenStarted) void this.cancel(id);
      await this.resume(id);
    } catch (error) {
      this.problem = toProblem(error);
    }
  }

  /** Follows a run that goes on, or replays one that has ended. */
  async resume(id: string): Promise<void> {
    this.state = beginning(id);
    try {
      await follow(id, {
        after: 0,
        signal: this.leaving.signal,
        onevent: (event) => this.gather(event),
        onlink: (link) => (this.link = link),
      });
      this.flush();
      await this.settle(id);
      const hasFailed = this.state.status === 'failed' || problemsOf(this.state) > 0;
      if (this.withRecord && hasFailed) void this.trace(id);
    } catch (error) {
      if (!this.leaving.signal.aborted) this.problem = toProblem(error);
    }
    this.flush();
  }

  /** Ends the run on the service; its end comes as an event. */
  async stop(): Promise<void> {
    if (this.isOver || this.stopping) return;
    this.stopping = true;
    this.stopProblem = null;
    if (this.state.id === '') this.stopWhenStarted = true;
    else await this.cancel(this.state.id);
  }

  /** Milliseconds since the run began, as far as this page can tell; 0 before its first event. */
  elapsed(): number {
    return this.takenAt === 0 ? 0 : this.state.now + performance.now() - this.takenAt;
  }

  /** Stops reading; the run goes on. */
  leave(): void {
    this.leaving.abort();
  }

  /** The events of runs that ended long ago are gone: their record tells the rest. */
  private async settle(id: string): Promise<void> {
    if (this.leaving.signal.aborted || hasEnded(this.state)) return;
    if (!this.withRecord) throw new ProblemError(0, 'worker_lost', 'The events of the run are gone');
    const { signal } = this.leaving;
    const run = must(await api.GET('/api/v1/runs/{id}', { params: { path: { id } }, signal }));
    this.state = settled(this.state, run);
  }

  private async trace(id: string): Promise<void> {
    try {
      const { signal } = this.leaving;
      this.requestId = must(await api.GET('/api/v1/runs/{id}', { params: { path: { id } }, signal })).request_id;
    } catch {
      // The failure is told without it.
    }
  }

  private async cancel(id: string): Promise<void> {
    try {
      await api.POST('/api/v1/runs/{id}/cancel', { params: { path: { id } } });
    } catch (error) {
      const problem = toProblem(error);
      // It was faster: its end is on its way.
      if (problem.code !== 'run_ended') this.stopProblem = problem;
    } finally {
      this.stopping = false;
    }
  }

  private gather(event: RunEvent): void {
    this.pending.push(event);
    if (this.pending.length > 1) return;
    if (document.hidden) setTimeout(() => this.flush(), HIDDEN_MS);
    else requestAnimationFrame(() => this.flush());
  }

  private flush(): void {
    if (this.pending.length === 0) return;
    const events = this.pending;
    this.pending = [];
    this.takenAt = performance.now();
    this.state = reduceAll(this.state, events);
  }
}
