import { api, must } from '$lib/kit/api/client';
import { allOf } from '$lib/kit/api/pages';
import { session } from '$lib/app/session/session.svelte';
import type { Kind } from '$lib/features/limits/rule';

export interface Subject {
  readonly id: string;
  readonly name: string;
}
type Particular = Exclude<Kind, 'organization'>;

/** People, groups, keys and assistants that a rule can be about, each list loaded when it is first needed. */
export class Subjects {
  error = $state.raw<unknown>(null);
  private lists = $state.raw<Partial<Record<Particular, readonly Subject[]>>>({});
  private asked: readonly Kind[] = [];

  constructor(private readonly slug: string) {}

  /** Empty until they are there. */
  of(kind: Kind): readonly Subject[] {
    return kind === 'organization' ? [] : (this.lists[kind] ?? []);
  }

  readonly nameOf = (kind: Kind, id: string): string | null =>
    this.of(kind).find((subject) => subject.id === id)?.name ?? null;

  async load(kind: Kind): Promise<void> {
    if (kind === 'organization' || this.asked.includes(kind)) return;
    this.asked = [...this.asked, kind];
    try {
      const found = await this.read(kind);
      this.lists = { ...this.lists, [kind]: found };
    } catch (error) {
      this.asked = this.asked.filter((each) => each !== kind);
      this.error = error;
    }
  }

  private read(kind: Particular): Promise<readonly Subject[]> {
    const path = { slug: this.slug };
    if (kind === 'person') {
      return allOf(async (query) => {
        const page = must(await api.GET('/api/v1/organizations/{slug}/members', { params: { path, query } }));
        return {
          ...page,
          items: page.items.map(({ user_id, name, email }) => ({ id: user_id, name: `${name} (${email})` })),
        };
      });
    }
    if (kind === 'group')
      return allOf(async (query) =>
        must(await api.GET('/api/v1/organizations/{slug}/groups', { params: { path, query } })),
      );
    // Keys and assistants are listed for one's own organization only.
    if (session.me?.organization.slug !== this.slug) return Promise.resolve([]);
    if (kind === 'key')
      return allOf(async (query) =>
        must(await api.GET('/api/v1/api-keys', { params: { query: { ...query, owner: 'all' } } })),
      );
    return allOf(async (query) => {
      const page = must(await api.GET('/api/v1/assistants', { params: { query } }));
      return { ...page, items: page.items.map(({ id, name }) => ({ id: String(id), name })) };
    });
  }
}
