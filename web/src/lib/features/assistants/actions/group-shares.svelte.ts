import { api, must, type Schema } from '$lib/kit/api/client';
import type { Assistant } from '$lib/app/catalogues/assistant';

export type GroupShare = Schema<'GroupShareViewDto'>;
type Group = Schema<'GroupDto'>;

/** The groups an assistant is shared with, apart from the people; each step is saved at once. */
export class GroupShares {
  /** Null until they were read. */
  shared = $state.raw<readonly GroupShare[] | null>(null);
  busy = $state(false);
  error = $state.raw<unknown>(null);
  private all = $state.raw<readonly Group[]>([]);

  /** Groups that may be added. */
  get others(): readonly Group[] {
    return this.all.filter(({ id }) => this.shared?.every(({ group_id }) => group_id !== id) === true);
  }

  async load(assistant: Assistant, slug: string): Promise<void> {
    this.error = null;
    this.shared = null;
    try {
      const [shared, groups] = await Promise.all([
        read(assistant),
        api.GET('/api/v1/organizations/{slug}/groups', { params: { path: { slug }, query: { limit: 100 } } }),
      ]);
      this.all = must(groups).items;
      this.shared = shared;
    } catch (error) {
      this.error = error;
    }
  }

  add(assistant: Assistant, id: string): Promise<void> {
    const group = this.all.find((each) => each.id === id);
    if (group === undefined) return Promise.resolve();
    return this.save(assistant, (now) => [...now, { group_id: id, name: group.name, access: 'use' }]);
  }

  change(assistant: Assistant, id: string, access: GroupShare['access']): Promise<void> {
    return this.save(assistant, (now) => now.map((each) => (each.group_id === id ? { ...each, access } : each)));
  }

  remove(assistant: Assistant, id: string): Promise<void> {
    return this.save(assistant, (now) => now.filter(({ group_id }) => group_id !== id));
  }

  /** Upon the list as it is now, for the service takes the whole list and knows no version of it. */
  private async save(
    assistant: Assistant,
    change: (now: readonly GroupShare[]) => readonly GroupShare[],
  ): Promise<void> {
    if (this.shared === null) return;
    this.busy = true;
    this.error = null;
    try {
      const groups = change(await read(assistant)).map(({ group_id, access }) => ({ group_id, access }));
      const params = { path: { id: assistant.id } };
      this.shared = must(await api.PUT('/api/v1/assistants/{id}/shares', { params, body: { groups } })).groups;
    } catch (error) {
      this.error = error;
    } finally {
      this.busy = false;
    }
  }
}

const read = async ({ id }: Assistant): Promise<readonly GroupShare[]> =>
  must(await api.GET('/api/v1/assistants/{id}/shares', { params: { path: { id } } })).groups;
