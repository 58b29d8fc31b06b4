import type { Snippet } from 'svelte';
import { api, must, type Schema } from '$lib/kit/api/client';
import { toProblem } from '$lib/kit/api/problem';

declare module '$lib/app/slots' {
  interface Slots {
    'chat.menu': { course: CourseActivity; assistantId: number };
    /** Around the box for questions. */
    'chat.foot': { course: CourseActivity; children: Snippet };
  }
}

/** The activity as a person sees it who takes part. */
type OwnActivity = Schema<'ActivityDto'>;

/** Longer waits overflow a timer. */
const LONGEST_MS = 2_147_483_647;

/** The activity of a course from which a chat was opened, for the person who takes part. */
export class CourseActivity {
  value = $state.raw<OwnActivity | null>(null);
  /** Why it could not be read. */
  problem = $state.raw<unknown>(null);
  /** False until it is known that nothing stands in the way of a question. */
  readonly mayAsk = $derived.by(() => {
    const { value } = this;
    if (value === null) return this.isOutside;
    if (value.role === 'instructor') return true;
    return value.agreement.covered && value.state === 'open' && value.window?.mode !== 'closed';
  });
  /** There is no activity: the chat was opened outside of a course, or the course is gone. */
  private isOutside = $state(false);
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** `id` null: outside of a course. */
  constructor(readonly id: string | null) {
    this.isOutside = id === null;
  }

  async load(): Promise<void> {
    if (this.id === null) return;
    this.problem = null;
    try {
      const params = { path: { id: this.id } };
      this.show(must(await api.GET('/api/v1/lti/activities/{id}', { params })));
    } catch (error) {
      // The service checks every question: without the activity it answers as outside of the course, or not at all.
      this.isOutside = toProblem(error).code === 'not_found';
      if (!this.isOutside) this.problem = error;
    }
  }

  async agree(): Promise<void> {
    const needed = this.value?.agreement.needed ?? null;
    if (this.id === null || needed === null) return;
    try {
      const params = { path: { id: this.id } };
      const body = { agree_to: needed };
      this.show(must(await api.PUT('/api/v1/lti/activities/{id}/agreement', { params, body })));
    } catch (error) {
      // The teacher has changed the settings: their new text is shown.
      await this.load();
      throw error;
    }
  }

  async withdraw(): Promise<void> {
    if (this.id === null) return;
    const params = { path: { id: this.id } };
    this.show(must(await api.DELETE('/api/v1/lti/activities/{id}/agreement', { params })));
  }

  leave(): void {
    clearTimeout(this.timer);
  }

  /** Reads it again when the next of its times has come, by the clock of the service. */
  private show(activity: OwnActivity): void {
    this.value = activity;
    clearTimeout(this.timer);
    const { opens_at, closes_at, window, next_window, now } = activity;
    const waits = [opens_at, closes_at, window?.until, next_window?.from]
      .map((moment) => Date.parse(moment ?? '') - Date.parse(now))
      .filter((wait) => wait > 0);
    if (waits.length > 0) this.timer = setTimeout(() => void this.load(), Math.min(LONGEST_MS, ...waits) + 500);
  }
}
