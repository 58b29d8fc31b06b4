import { api, jsonOf, must, onSignedOut, received, type Schema } from '$lib/api/client';
import { problemOf, ProblemError } from '$lib/api/problem';
import { catalogues } from '$lib/catalogues/catalogues.svelte';
import { forgetWork } from './own-work';

export type Me = Schema<'MeDto'>;

const DOOR = '/api/v1/session';
const CHANNEL = 'bellwether.session';

export interface Doors {
  readonly providers: readonly {
    readonly name: string;
    /** Name of the organization whose account it opens; null where the provider's claims decide. */
    readonly organization: string | null;
    readonly url: string;
    readonly logo: string | null;
  }[];
  /** Whether an imported password can sign somebody in. */
  readonly password: boolean;
  /** Address at which the browser also ends the institution's session. */
  readonly sign_out_url: string | null;
}

/** After a password that is used up. */
export interface SignedInByPassword {
  /** Memory holds what somebody else saw: the page must be loaded anew. */
  readonly isSomebodyElse: boolean;
  /** Ways to sign in from now on. */
  readonly providers: Doors['providers'];
}

export type LinkedPerson = Schema<'LinkedPersonDto'>;

/** Not by `api`, for which an answer 401 means that the session has ended. */
async function posted(path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  const response = await received(fetch(path, { method: 'POST', headers, body: JSON.stringify(body) }));
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** A person in an organization: what one sees belongs to both. */
const identityOf = ({ user, organization }: Me): string => `${user.id} ${organization.id}`;

/** The person who is signed in; decides what the interface offers. The service checks every right again. */
class Session {
  me = $state.raw<Me | null>(null);
  /** Set once the service was asked. */
  known = $state(false);
  /** The service no longer knows the session while somebody still looks at a page. */
  lost = $state(false);
  /** Why nothing may be kept in this browser any more: the person signed out, or somebody else has come. */
  left = $state<'out' | 'replaced' | null>(null);
  private readonly tabs = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(CHANNEL);

  readonly isTeacher = $derived(this.me !== null && (this.me.system_admin || this.me.role !== 'member'));
  readonly isAdmin = $derived(
    this.me !== null &&
      this.me.scopes.includes('admin') &&
      (this.me.system_admin || this.me.role === 'owner' || this.me.role === 'admin'),
  );

  /** Administers the whole installation. */
  readonly isSystemAdmin = $derived(this.me?.system_admin === true && this.me.scopes.includes('admin'));

  /** A teacher whose key or session may change things: makes and edits what is theirs. */
  readonly mayWrite = $derived(this.isTeacher && this.me?.scopes.includes('write') === true);

  constructor() {
    onSignedOut(() => this.ended());
    this.tabs?.addEventListener('message', ({ data }) => {
      if (data === 'out') this.signedOutElsewhere();
      else this.signedInElsewhere(String(data));
    });
  }

  /** Asks the service who is there; null when nobody is. */
  async load(): Promise<Me | null> {
    try {
      this.arrive(must(await api.GET('/api/v1/me')));
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

  /** The ways in that the service offers beside an API key: to everybody, in an organization, or for an e-mail domain. */
  async doors(query: Readonly<Record<string, string>> = {}): Promise<Doors> {
    const asked = new URLSearchParams(query).toString();
    const response = await received(fetch(asked === '' ? DOOR : `${DOOR}?${asked}`));
    if (!response.ok) throw await problemOf(response);
    const { providers = [], password = false, sign_out_url = null } = (await jsonOf(response)) as Partial<Doors>;
    return { providers, password, sign_out_url };
  }

  /** Begins to sign in at an institution; the address to go to. Throws a `ProblemError`. */
  async beginAt(url: string, returnTo: string): Promise<string> {
    const query = new URLSearchParams({ return_to: returnTo });
    const response = await received(fetch(`${url}?${query.toString()}`, { method: 'POST' }));
    if (!response.ok) throw await problemOf(response);
    return ((await jsonOf(response)) as { url: string }).url;
  }

  /**
   * Opens a session with an API key; the key itself is not kept. True when memory holds what somebody else saw: then the
   * page must be loaded anew. Throws a `ProblemError`.
   */
  signIn(apiKey: string): Promise<boolean> {
    return this.enter(DOOR, { api_key: apiKey }).then(({ isSomebodyElse }) => isSomebodyElse);
  }

  /** As `signIn`, and uses the link up. */
  signInByLink(token: string): Promise<boolean> {
    return this.enter(`${DOOR}/link`, { token }).then(({ isSomebodyElse }) => isSomebodyElse);
  }

  /** As `signIn`, with a password that an import brought, and uses it up. */
  async signInByPassword(email: string, password: string): Promise<SignedInByPassword> {
    const { isSomebodyElse, answer } = await this.enter(`${DOOR}/password`, { email, password });
    const { providers } = (await jsonOf(answer)) as Pick<SignedInByPassword, 'providers'>;
    return { isSomebodyElse, providers };
  }

  /** The person that a sign-in link signs in. Throws a `ProblemError`, 401 for a used link. */
  async linkedPerson(token: string): Promise<LinkedPerson> {
    return (await jsonOf(await posted(`${DOOR}/link/person`, { token }))) as LinkedPerson;
  }

  private async enter(
    door: string,
    body: object,
  ): Promise<{ readonly isSomebodyElse: boolean; readonly answer: Response }> {
    const before = this.me;
    const answer = await posted(door, body);
    catalogues.forget();
    const now = await this.load();
    // The service gave a cookie and does not get it back: a secure one over plain http, or two of one name on this host.
    if (now === null)
      throw new ProblemError(0, 'cookie_not_kept', 'The browser did not keep the cookie of the session');
    this.lost = false;
    return { isSomebodyElse: before !== null && identityOf(before) !== identityOf(now), answer };
  }

  /** Returns where the page goes next: for people of an institution there, where their session ends. */
  async signOut(): Promise<string> {
    const next = await this.doors().then(
      (doors) => doors.sign_out_url,
      () => null,
    );
    if (next === null) {
      const response = await received(fetch(DOOR, { method: 'DELETE' }));
      if (!response.ok && response.status !== 401) throw await problemOf(response);
    }
    this.me = null;
    forgetWork();
    this.tabs?.postMessage('out');
    return next ?? '/sign-in';
  }

  /** After a session's end: whether the same person is signed in again. Somebody else gets a fresh page. */
  async resume(): Promise<boolean> {
    const { data, response } = await api.GET('/api/v1/me').catch((error: unknown) => {
      if (error instanceof ProblemError && error.status === 401) return { data: undefined, response: undefined };
      throw error;
    });
    if (response === undefined || data === undefined) return false;
    if (this.me !== null && identityOf(data) !== identityOf(this.me)) {
      this.left = 'replaced';
      this.lost = true;
      location.reload();
      return false;
    }
    this.arrive(data);
    this.lost = false;
    return true;
  }

  /** The service refused the session: what is on the page stays, and the layout says so. */
  ended(): void {
    if (this.me !== null) this.lost = true;
  }

  /** Tabs that look at what somebody else may see hear of it, also of one who came by a link. */
  private arrive(me: Me): void {
    forgetWork({ user: me.user.id, organization: me.organization.id });
    this.me = me;
    this.left = null;
    this.tabs?.postMessage(identityOf(me));
  }

  private signedInElsewhere(identity: string): void {
    if (this.me === null || (!this.lost && identity === identityOf(this.me))) return;
    void this.resume().catch(() => undefined);
  }

  private signedOutElsewhere(): void {
    if (this.me === null) return;
    this.left = 'out';
    forgetWork();
    this.ended();
  }
}

export const session = new Session();
