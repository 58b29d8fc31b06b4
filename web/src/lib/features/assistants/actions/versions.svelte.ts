import { PagedList } from '$lib/kit/ui/paged-list.svelte';
import type { Comparable } from '$lib/features/changes/changes';
import type { Assistant, Metadata } from '$lib/app/catalogues/assistant';
import {
  publishVersion,
  readAssistant,
  restore,
  type Version,
  type VersionDetail,
  versionOf,
  versionsOf,
} from './requests';

export interface Comparison {
  readonly before: Comparable;
  readonly after: Comparable;
}

const comparable = (detail: VersionDetail): Comparable => ({ ...detail, metadata: detail.metadata as Metadata });

/** The history of an assistant, with one version compared to the current one. */
export class Versions {
  loading = $state(false);
  error = $state.raw<unknown>(null);
  chosen = $state<number | null>(null);
  /** Null while the comparison loads. */
  comparison = $state.raw<Comparison | null>(null);
  readonly list: PagedList<Version>;

  constructor(assistantId: () => number) {
    this.list = new PagedList((query) => versionsOf(assistantId(), query));
  }

  async load(): Promise<void> {
    this.chosen = null;
    this.comparison = null;
    await this.list.load();
  }

  async choose(assistant: Assistant, version: number): Promise<void> {
    this.chosen = version;
    this.comparison = null;
    await this.attempt(async () => {
      const [wanted, now] = await Promise.all([
        versionOf(assistant, version),
        versionOf(assistant, this.list.items[0]?.version ?? assistant.version),
      ]);
      if (this.chosen === version) this.comparison = { before: comparable(now), after: comparable(wanted) };
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

  /** Gives the chosen version to the people who use the assistant; null when that failed. */
  async publish(assistant: Assistant): Promise<Assistant | null> {
    const { chosen } = this;
    return chosen === null ? null : this.attempt(() => publishVersion(assistant, chosen));
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
