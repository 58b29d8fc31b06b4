import { api, must, type Schema } from '$lib/api/client';

type Person = Schema<'SharedUserDto'>;

/** The people a knowledge base is shared with; each step is saved at once. */
export class BaseShares {
  /** Null until they were read: the service keeps what it is sent as the whole list. */
  people = $state.raw<readonly Person[] | null>(null);

  async load(id: string): Promise<void> {
    this.people = null;
    this.people = await read(id);
  }

  /** By address. */
  async add(id: string, email: string): Promise<void> {
    if (this.people === null) return;
    await this.save(id, [...idsOf(this.people), email]);
  }

  async remove(id: string, userId: string): Promise<void> {
    if (this.people === null) return;
    await this.save(
      id,
      idsOf(this.people).filter((each) => each !== userId),
    );
  }

  private async save(id: string, users: string[]): Promise<void> {
    const params = { path: { id } };
    this.people = must(await api.PUT('/api/v1/knowledge-bases/{id}/shares', { params, body: { users } })).users;
  }
}

const idsOf = (people: readonly Person[]): string[] => people.map((each) => each.user_id);

const read = async (id: string): Promise<readonly Person[]> =>
  must(await api.GET('/api/v1/knowledge-bases/{id}/shares', { params: { path: { id } } })).users;
