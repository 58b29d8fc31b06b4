import { api, must, onSignedOut, type Schema } from '$lib/kit/api/client';
import { ProblemError } from '$lib/kit/api/problem';
import { forgetWork } from './own-work';

export type Me = Schema<'MeDto'>;

const CHANNEL = 'bellwether.session';

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

  /** Somebody signed in: who that is now, null when the browser does not keep the session. */
  async entered(): Promise<{ readonly me: Me | null; readonly isSomebodyElse: boolean }> {
    const before = this.me;
    const me = await this.load();
    if (me !== null) this.lost = false;
    return { me, isSomebodyElse: before !== null && me !== null && identityOf(before) !== identityOf(me) };
  }

  /** The session is closed: other tabs hear of it. */
  signedOut(): void {
    this.me = null;
    forgetWork();
    this.tabs?.postMessage('out');
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
