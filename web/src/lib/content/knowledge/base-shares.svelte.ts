import { api, must, type Schema } from '$lib/api/client';

type Person = Schema<'SharedUserDto'>;

/** The people a knowledge base is shared with; each step is saved at once. */
export class BaseShares {
  /** Null until they were read: the service keeps what it is sent as the whole list. */
  people = $state.raw<readonly Person[] | null>(null);

  /** Somebody else had changed the list when it was saved: it is not what the reader saw before. */
  overtaken = $state(false);

  async load(id: string): Promise<void> {
    this.people = null;
    this.overtaken = false;
    this.people = await read(id);
  }

  /** By address. */
  add(id: string, email: string): Promise<void> {
    return this.save(id, (users) => [...users, email]);
  }

  remove(id: string, userId: string): Promise<void> {
    return this.save(id, (users) => users.filter((each) => each !== userId));
  }

  /**
   * Upon the list as it is now, for the service takes the whole list and knows no version of it. What somebody else saves
   * between that look and this save (the time of one request) is still lost.
   */
  private async save(id: string, change: (users: readonly string[]) => string[]): Promise<void> {
    if (this.people === null) return;
    const now = await read(id);
    const params = { path: { id } };
    const body = { users: change(idsOf(now)) };
    const { users } = must(await api.PUT('/api/v1/knowledge-bases/{id}/shares', { params, body }));
    this.overtaken = !isSameList(idsOf(this.people), idsOf(now));
    this.people = users;
  }
}

const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((id) => other.includes(id));

const idsOf = (people: readonly Person[]): string[] => people.map((each) => each.user_id);

const read = async (id: string): Promise<readonly Person[]> =>
  must(await api.GET('/api/v1/knowledge-bases/{id}/shares', { params: { path: { id } } })).users;
