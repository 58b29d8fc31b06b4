import { api, must, type Schema } from '$lib/kit/api/client';
import { allOf } from '$lib/kit/api/pages';

type Person = Schema<'SharedUserDto'>;
type SharedGroup = Schema<'SharedGroupDto'>;
type Group = Schema<'GroupDto'>;
type Shared = Schema<'KnowledgeBaseSharesDto'>;

/** The people and groups a knowledge base is shared with; each step is saved at once. */
export class BaseShares {
  /** Null until they were read: the service keeps what it is sent as the whole list. */
  people = $state.raw<readonly Person[] | null>(null);

  groups = $state.raw<readonly SharedGroup[]>([]);
  private all = $state.raw<readonly Group[]>([]);

  /** Somebody else had changed the list when it was saved: it is not what the reader saw before. */
  overtaken = $state(false);

  /** Groups that may be added. */
  get otherGroups(): readonly Group[] {
    return this.all.filter(({ id }) => this.groups.every(({ group_id }) => group_id !== id));
  }

  /** Reads the groups of the organization; without them only people are offered. */
  async loadGroups(slug: string): Promise<void> {
    const path = { slug };
    this.all = await allOf(async (query) =>
      must(await api.GET('/api/v1/organizations/{slug}/groups', { params: { path, query } })),
    );
  }

  async load(id: string): Promise<void> {
    this.people = null;
    this.overtaken = false;
    this.show(await read(id));
  }

  /** Shares with an address. */
  add(id: string, email: string): Promise<void> {
    return this.save(id, ({ users }) => ({ users: [...idsOf(users), email] }));
  }

  remove(id: string, userId: string): Promise<void> {
    return this.save(id, ({ users }) => ({ users: idsOf(users).filter((each) => each !== userId) }));
  }

  addGroup(id: string, groupId: string): Promise<void> {
    return this.save(id, (now) => ({ users: idsOf(now.users), groups: [...groupIdsOf(now.groups), groupId] }));
  }

  removeGroup(id: string, groupId: string): Promise<void> {
    return this.save(id, ({ users, groups }) => ({
      users: idsOf(users),
      groups: groupIdsOf(groups).filter((each) => each !== groupId),
    }));
  }

  /**
   * Upon the list as it is now, for the service takes the whole list and knows no version of it. What somebody else saves
   * between that look and this save (the time of one request) is still lost.
   */
  private async save(id: string, change: (now: Shared) => Schema<'ShareWithDto'>): Promise<void> {
    if (this.people === null) return;
    const now = await read(id);
    const params = { path: { id } };
    const saved = must(await api.PUT('/api/v1/knowledge-bases/{id}/shares', { params, body: change(now) }));
    this.overtaken =
      !isSameList(idsOf(this.people), idsOf(now.users)) || !isSameList(groupIdsOf(this.groups), groupIdsOf(now.groups));
    this.show(saved);
  }

  private show({ users, groups }: Shared): void {
    this.people = users;
    this.groups = groups;
  }
}

const isSameList = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((id) => other.includes(id));

const groupIdsOf = (groups: readonly SharedGroup[]): string[] => groups.map((each) => each.group_id);
const idsOf = (people: readonly Person[]): string[] => people.map((each) => each.user_id);

const read = async (id: string): Promise<Shared> =>
  must(await api.GET('/api/v1/knowledge-bases/{id}/shares', { params: { path: { id } } }));
