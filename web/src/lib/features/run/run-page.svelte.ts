import { api, must } from '$lib/kit/api/client';
import { LiveRun } from './live-run.svelte';
import { reportOf, type RunReport } from './report';
import type { Run } from './run-events';

/** One run with its record and what happens in it, followed until it has ended. */
export class RunPage {
  run = $state.raw<Run | null>(null);
  problem = $state.raw<unknown>(null);
  /** The beginning of what was asked, as reports keep it. */
  question = $state<string | null>(null);
  /** Tools as they were set when it ran; undefined before the end, and for readers who do not see them. */
  tools = $state.raw<RunReport['tools']>();
  readonly live = new LiveRun();

  /** Only those who may edit the assistant are told what happened in it. */
  readonly withContents = $derived.by(() => this.run?.events !== undefined);

  constructor(private readonly id: string) {}

  async load(): Promise<void> {
    this.problem = null;
    try {
      await this.fetch();
      void this.askedBy();
      const isOpen = this.run?.finished_at === null;
      await this.live.resume(this.id);
      // Its end has brought figures.
      if (isOpen) await Promise.all([this.fetch(), this.askedBy()]);
    } catch (error) {
      this.problem = error;
    }
  }

  leave(): void {
    this.live.leave();
  }

  private async fetch(): Promise<void> {
    this.run = must(await api.GET('/api/v1/runs/{id}', { params: { path: { id: this.id } } }));
  }

  private async askedBy(): Promise<void> {
    try {
      const { request, tools } = await reportOf(this.id);
      this.question = request.user_message;
      if (this.withContents) this.tools = tools;
    } catch {
      // A run that waits or that failed early has no report.
    }
  }
}
