import { idempotencyKey } from './client';
import { ProblemError } from './problem';

/** The `Idempotency-Key` of one form: what is sent again after an answer got lost is the same wish, and makes no second thing. */
export class RepeatKey {
  private of: string | null = null;
  private value = '';

  /** The key of the last time while the body is the same. */
  for(body: unknown): string {
    const mark = JSON.stringify(body);
    if (mark !== this.of) {
      this.of = mark;
      this.value = idempotencyKey();
    }
    return this.value;
  }

  /** After a refusal the next attempt is another wish; after silence, 5xx or an equal request that still runs it is not. */
  failed(error: unknown): void {
    if (!(error instanceof ProblemError) || error.code === 'idempotency_in_progress') return;
    if (error.status >= 400 && error.status < 500) this.done();
  }

  done(): void {
    this.of = null;
  }
}
