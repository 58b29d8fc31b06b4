import { api, must, onSignedOut, type Schema } from '$lib/api/client';
import { problemOf, ProblemError } from '$lib/api/problem';
import { catalogues } from '$lib/catalogues.svelte';

export type Me = Schema<'MeDto'>;

const DOOR = '/api/v1/session';
const CHANNEL = 'bellwether.session';

export interface Doors {
  readonly providers: readonly { readonly name: string; readonly url: string }[];
}

/** Who is signed in; decides what the interface offers. The service checks every right again. */
class Session {
  me = $state.raw<Me | null>(null);
  /** Set once the service was asked. */
  known = $state(false);
  /** The service no longer knows the session while somebody still looks at a page. */
  lost = $state(false);
  private readonly tabs = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(CHANNEL);

  readonly isTeacher = $derived(this.me !== null && (this.me.system_admin || this.me.role !== 'member'));
  readonly isAdmin = $derived(
    this.me !== null &&
      this.me.scopes.includes('admin') &&
      (this.me.system_admin || this.me.role === 'owner' || this.me.role === 'admin'),
  );

  constructor() {
    onSignedOut(() => this.ended());
    this.tabs?.addEventListener('message', ({ data }) => {
      if (data === 'in' && this.lost) void this.resume().catch(() => undefined);
      if (data === 'out') this.ended();
    });
  }

  /** Asks the service who is there; null when nobody is. */
  async load(): Promise<Me | null> {
    try {
      this.me = must(await api.GET('/api/v1/me'));
    } catch (error) {
      if (!(error instanceof ProblemError) || error.status !== 401) throw error;
      this.me = null;
    }
    this.known = true;
    return this.me;
  }

  hasFeature(name: keyof Me['organization']['features']): boolean {
    return this.me?.organization.features[name] === true;
  }

  /** The ways in that the service offers beside an API key. */
  async doors(): Promise<Doors> {
    const response = await fetch(DOOR);
    if (!response.ok) throw await problemOf(response);
    const { providers } = (await response.json()) as Partial<Doors>;
    return { providers: providers ?? [] };
  }

  /** Opens a session with an API key; the key itself is not kept. Throws a `ProblemError`. */
  async signIn(apiKey: string): Promise<void> {
    const response = await fetch(DOOR, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ api_key: apiKey }),
    });
    if (!response.ok) throw await problemOf(response);
    catalogues.forget();
    await this.load();
    this.lost = false;
    this.tabs?.postMessage('in');
  }

  async signOut(): Promise<void> {
    const response = await fetch(DOOR, { method: 'DELETE' });
    if (!response.ok && response.status !== 401) throw await problemOf(response);
    this.me = null;
    this.tabs?.postMessage('out');
  }

  /** After a session's end: whether the same person is signed in again. Somebody else gets a fresh page. */
  async resume(): Promise<boolean> {
    const { data, response } = await api.GET('/api/v1/me').catch((error: unknown) => {
      if (error instanceof ProblemError && error.status === 401) return { data: undefined, response: undefined };
      throw error;
    });
    if (response === undefined || data === undefined) return false;
    if (this.me !== null && data.user.id !== this.me.user.id) location.reload();
    this.me = data;
    this.lost = false;
    return true;
  }

  /** The service refused the session: what is on the page stays, and the layout says so. */
  ended(): void {
    if (this.me !== null) this.lost = true;
  }
}

export const session = new Session();
