import { api, idempotencyKey, must, type Schema } from '$lib/kit/api/client';
import type { Assistant } from '$lib/app/catalogues/assistant';

export type ConversionPlan = Schema<'ConversionPlanDto'>;

/** Plan of converting a classic assistant, and the conversion itself. */
export class Conversion {
  plan = $state.raw<ConversionPlan | null>(null);
  error = $state.raw<unknown>(null);
  isBusy = $state(false);

  constructor(private readonly id: number) {}

  /** Looks again at the newest definition; nothing is written. */
  async look(): Promise<void> {
    await this.attempt(async () => {
      this.plan = null;
      const answer = must(
        await api.POST('/api/v1/assistants/{id}/convert', {
          params: { path: { id: this.id }, query: { dry_run: 'true' }, header: { 'if-match': '*' } },
        }),
      );
      if ('status' in answer) this.plan = answer;
    });
  }

  /** Converts the definition that was looked at; null when it could not be, and `error` says why. */
  async convert(): Promise<Assistant | null> {
    const { plan } = this;
    if (plan?.status !== 'ready') return null;
    return this.attempt(async () => {
      const answer = must(
        await api.POST('/api/v1/assistants/{id}/convert', {
          params: {
            path: { id: this.id },
            header: { 'if-match': `"${plan.version}"`, 'Idempotency-Key': idempotencyKey() },
          },
        }),
      );
      return 'status' in answer ? null : answer;
    });
  }

  private async attempt<Value>(action: () => Promise<Value>): Promise<Value | null> {
    this.isBusy = true;
    this.error = null;
    try {
      return await action();
    } catch (error) {
      this.error = error;
      return null;
    } finally {
      this.isBusy = false;
    }
  }
}
