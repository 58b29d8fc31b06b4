import type { Assistant } from '$lib/assistants/definition';
import { changesBetween, type PartChange } from './parts';
import { readAssistant, restore, type Version, versionOf, versionsOf } from './requests';

/** The history of an assistant, one version of it compared with the one of now. */
export class Versions {
  items = $state.raw<readonly Version[]>([]);
  loading = $state(true);
  error = $state.raw<unknown>(null);
  chosen = $state<number | null>(null);
  /** Null while it is not known. */
  changes = $state.raw<readonly PartChange[] | null>(null);
  private cursor = $state.raw<string | null>(null);

  readonly hasMore = $derived.by(() => this.cursor !== null);

  async load(assistant: Assistant): Promise<void> {
    this.items = [];
    this.cursor = null;
    this.chosen = null;
    this.changes = null;
    await this.more(assistant);
  }

  async more(assistant: Assistant): Promise<void> {
    await this.attempt(async () => {
      const found = await versionsOf(assistant, this.cursor ?? undefined);
      this.items = [...this.items, ...found.items];
      this.cursor = found.next_cursor;
    });
  }

  async choose(assistant: Assistant, version: number): Promise<void> {
    this.chosen = version;
    this.changes = null;
    await this.attempt(async () => {
      const [wanted, now] = await Promise.all([
        versionOf(assistant, version),
        versionOf(assistant, this.items[0]?.version ?? assistant.version),
      ]);
      if (this.chosen === version) this.changes = changesBetween(now, wanted);
    });
  }

  /** The assistant with the chosen version as its newest one; null when that failed. */
  async restore(assistant: Assistant): Promise<Assistant | null> {
    const { chosen } = this;
    if (chosen === null) return null;
    return this.attempt(async () => {
      // What was compared is the newest version of the list: that one may be replaced, a later one not.
      const version = this.items[0]?.version ?? assistant.version;
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
