import { api, must, type Schema } from '$lib/api/client';
import type { Assistant } from '$lib/definition/assistant';

export type GroupShare = Schema<'GroupShareViewDto'>;
type Group = Schema<'GroupDto'>;

/** The groups an assistant is shared with, saved apart from the people. */
export class GroupShares {
  /** Null until they were read. */
  shared = $state.raw<readonly GroupShare[] | null>(null);
  error = $state.raw<unknown>(null);
  private all = $state.raw<readonly Group[]>([]);
  private changed = false;

  /** Groups that may be added. */
  get others(): readonly Group[] {
    return this.all.filter(({ id }) => this.shared?.every(({ group_id }) => group_id !== id) === true);
  }

  async load({ id }: Assistant, slug: string): Promise<void> {
    this.error = null;
    this.shared = null;
    this.changed = false;
    try {
      const [shares, groups] = await Promise.all([
        api.GET('/api/v1/assistants/{id}/shares', { params: { path: { id } } }),
        api.GET('/api/v1/organizations/{slug}/groups', { params: { path: { slug }, query: { limit: 100 } } }),
      ]);
      this.all = must(groups).items;
      this.shared = must(shares).groups;
    } catch (error) {
      this.error = error;
    }
  }

  add(id: string): void {
    const group = this.all.find((each) => each.id === id);
    if (group !== undefined) this.edit((shared) => [...shared, { group_id: id, name: group.name, access: 'use' }]);
  }

  change(id: string, access: GroupShare['access']): void {
    this.edit((shared) => shared.map((each) => (each.group_id === id ? { ...each, access } : each)));
  }

  remove(id: string): void {
    this.edit((shared) => shared.filter(({ group_id }) => group_id !== id));
  }

  /** Whether the list is as the reader wants it; `error` says why not. */
  async save({ id }: Assistant): Promise<boolean> {
    if (!this.changed || this.shared === null) return true;
    this.error = null;
    try {
      const groups = this.shared.map(({ group_id, access }) => ({ group_id, access }));
      this.shared = must(
        await api.PUT('/api/v1/assistants/{id}/shares', { params: { path: { id } }, body: { groups } }),
      ).groups;
      this.changed = false;
      return true;
    } catch (error) {
      this.error = error;
      return false;
    }
  }

  private edit(change: (shared: readonly GroupShare[]) => readonly GroupShare[]): void {
    if (this.shared === null) return;
    this.shared = change(this.shared);
    this.changed = true;
  }
}
