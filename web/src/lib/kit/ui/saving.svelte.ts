import { t } from '$lib/kit/i18n/i18n.svelte';
import { toasts } from './toasts.svelte';

/** One action at a time with its failure: the state of a button and of what stands beside it. */
export class Saving {
  busy = $state(false);
  error = $state.raw<unknown>(null);

  /** True when it worked. `said` null says nothing. */
  async run(work: () => Promise<void>, said: string | null = t('shell.saved')): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    this.error = null;
    try {
      await work();
      if (said !== null) toasts.success(said);
      return true;
    } catch (error) {
      this.error = error;
      toasts.closeSuccess();
      return false;
    } finally {
      this.busy = false;
    }
  }
}
