import type { Assistant } from '$lib/assistants/definition';
import { saveShares, sharesOf, type Share } from './requests';

type Access = Share['access'];

/** Somebody in the list; a person who was typed in has no id yet. */
export interface SharePerson {
  readonly key: string;
  readonly userId: string | null;
  readonly email: string | null;
  readonly name: string | null;
  readonly access: Access;
}

const EMAIL = /^[^\s@]+@[^\s@]+$/;
const personOf = ({ user_id, email, name, access }: Share): SharePerson => ({
  key: user_id,
  userId: user_id,
  email,
  name,
  access,
});

/** The people an assistant is shared with, edited as one list that is saved whole. */
export class Shares {
  /** Null until they were read: saved, this is the whole list. */
  people = $state.raw<readonly SharePerson[] | null>(null);
  loading = $state(true);
  saving = $state(false);
  error = $state.raw<unknown>(null);

  async load(assistant: Assistant): Promise<void> {
    this.loading = true;
    this.error = null;
    this.people = null;
    try {
      this.people = (await sharesOf(assistant)).map(personOf);
    } catch (error) {
      this.error = error;
    } finally {
      this.loading = false;
    }
  }

  /** Null, or why the address was not taken. */
  add(typed: string, access: Access): 'sharing.email_wrong' | 'sharing.email_twice' | null {
    const email = typed.trim().toLowerCase();
    if (!EMAIL.test(email)) return 'sharing.email_wrong';
    if (this.people?.some((person) => person.email?.toLowerCase() === email)) return 'sharing.email_twice';
    this.edit((people) => [...people, { key: email, userId: null, email, name: null, access }]);
    return null;
  }

  change(key: string, access: Access): void {
    this.edit((people) => people.map((person) => (person.key === key ? { ...person, access } : person)));
  }

  remove(key: string): void {
    this.edit((people) => people.filter((person) => person.key !== key));
  }

  /** Whether it was saved; `error` says why not. */
  async save(assistant: Assistant): Promise<boolean> {
    const { people } = this;
    if (people === null) return false;
    this.saving = true;
    this.error = null;
    try {
      const wanted = people.map(({ userId, email, access }) =>
        userId === null ? { email: email ?? '', access } : { user_id: userId, access },
      );
      this.people = (await saveShares(assistant, wanted)).map(personOf);
      return true;
    } catch (error) {
      this.error = error;
      return false;
    } finally {
      this.saving = false;
    }
  }

  private edit(change: (people: readonly SharePerson[]) => readonly SharePerson[]): void {
    if (this.people !== null) this.people = change(this.people);
  }
}
