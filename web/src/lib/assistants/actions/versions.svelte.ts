import { PagedList } from '$lib/ui/paged-list.svelte';
import type { Assistant } from '$lib/definition/assistant';
import { changesBetween, type PartChange } from './parts';
import { readAssistant, restore, type Version, versionOf, versionsOf } from './requests';

/** The history of an assistant, with one version compared to the current one. */
export class Versions {
  loading = $state(false);
  error = $state.raw<unknown>(null);
  chosen = $state<number | null>(null);
  /** Null while the comparison loads. */
  changes = $state.raw<readonly PartChange[] | null>(null);
  readonly list: PagedList<Version>;

  constructor(assistantId: () => number) {
    this.list = new PagedList((query) => versionsOf(assistantId(), query));
  }

  async load(): Promise<void> {
    this.chosen = null;
    this.changes = null;
    await this.list.load();
  }

  async choose(assistant: Assistant, version: number): Promise<void> {
    this.chosen = version;
    this.changes = null;
    await this.attempt(async () => {
      const [wanted, now] = await Promise.all([
        versionOf(assistant, version),
        versionOf(assistant, this.list.items[0]?.version ?? assistant.version),
      ]);
      if (this.chosen === version) this.changes = changesBetween(now, wanted);
    });
  }

  /** Makes the chosen version the newest one; null when that failed. */
  async restore(assistant: Assistant): Promise<Assistant | null> {
    const { chosen } = this;
    if (chosen === null) return null;
    return this.attempt(async () => {
      // The reader compared with the newest version of the list: a later one must not be replaced.
      const version = this.list.items[0]?.version ?? assistant.version;
      await restore({ ...assistant, version }, chosen);
      return readAssistant(assistant.id);
    });
  }

  private async attempt<Result>(action: () => Promise<Result>): Promise<Result | null> {
    this.loading = true;
    this.error = null;
    try {
      return await action();
    } catch (error) {
      this.error = error;
      return null;
    } finally {
      this.loading = false;
    }
  }
}
