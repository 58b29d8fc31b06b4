import { api, must, type Schema } from '$lib/kit/api/client';
import { allOf } from '$lib/kit/api/pages';

export type OpenSession = Schema<'OpenSessionDto'>;

/** Sessions in which the reader is signed in. */
export class OpenSessions {
  /** Null until they are known. */
  items = $state.raw<readonly OpenSession[] | null>(null);
  error = $state.raw<unknown>(null);
  private keys = $state.raw<Readonly<Record<string, string>>>({});

  readonly others = $derived.by(() => this.items?.filter(({ current }) => !current) ?? []);

  async load(): Promise<void> {
    this.error = null;
    try {
      this.items = must(await api.GET('/api/v1/sessions')).items;
    } catch (error) {
      this.error = error;
    }
  }

  /** Names of the keys that sessions were opened with: advice, without which the page stands. */
  async loadKeys(): Promise<void> {
    try {
      const own = await allOf(async (page) =>
        must(await api.GET('/api/v1/api-keys', { params: { query: { ...page, owner: 'me' } } })),
      );
      this.keys = Object.fromEntries(own.map(({ id, name }) => [id, name]));
    } catch {
      // What opened a session is then said without a name.
    }
  }

  keyOf({ api_key_id: id }: OpenSession): string | null {
    return id === null ? null : (this.keys[id] ?? null);
  }

  async end({ id }: OpenSession): Promise<void> {
    await api.DELETE('/api/v1/sessions/{id}', { params: { path: { id } } });
    await this.load();
  }

  async endOthers(): Promise<void> {
    await api.DELETE('/api/v1/sessions');
    await this.load();
  }
}
