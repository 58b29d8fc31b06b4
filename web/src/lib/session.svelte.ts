import { api, must, type Schema } from '$lib/api/client';
import { ProblemError } from '$lib/api/problem';

export type Me = Schema<'MeDto'>;

/** Who is signed in; decides what the interface offers. The service checks every right again. */
class Session {
  me = $state.raw<Me | null>(null);
  /** Set once the service was asked. */
  known = $state(false);

  readonly isTeacher = $derived(this.me !== null && (this.me.system_admin || this.me.role !== 'member'));
  readonly isAdmin = $derived(
    this.me !== null &&
      this.me.scopes.includes('admin') &&
      (this.me.system_admin || this.me.role === 'owner' || this.me.role === 'admin'),
  );

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

  ended(): void {
    this.me = null;
  }
}

export const session = new Session();
