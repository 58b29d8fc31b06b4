import type { Assistant } from '$lib/definition/assistant';
import { isSameList, mergedShares, type SharePerson } from './merged-shares';
import { saveShares, sharesOf, type Share } from './requests';

type Access = Share['access'];
type ShareInput = Parameters<typeof saveShares>[1][number];

const EMAIL = /^[^\s@]+@[^\s@]+$/;
const personOf = ({ user_id, email, name, access }: Share): SharePerson => ({
  key: user_id,
  userId: user_id,
  email,
  name,
  access,
});

const inputOf = ({ userId, email, access }: SharePerson): ShareInput =>
  userId === null ? { email: email ?? '', access } : { user_id: userId, access };

/** The people an assistant is shared with, edited as one list that is saved whole. */
export class Shares {
  /** Null until they were read: saved, this is the whole list. */
  people = $state.raw<readonly SharePerson[] | null>(null);
  loading = $state(true);
  saving = $state(false);
  error = $state.raw<unknown>(null);
  /** Somebody else had changed the list when it was saved: it is not what the reader saw before. */
  overtaken = $state(false);
  private read: readonly SharePerson[] | null = null;

  async load(assistant: Assistant): Promise<void> {
    this.loading = true;
    this.error = null;
    this.people = null;
    this.overtaken = false;
    try {
      this.show((await sharesOf(assistant)).map(personOf));
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

  /**
   * Whether it was saved; `error` says why not. Only what was changed here is saved, upon the list as it is now, for the
   * service takes the whole list and knows no version of it. What somebody else saves between that look and this save
   * (the time of one request) is still lost.
   */
  async save(assistant: Assistant): Promise<boolean> {
    const { people, read } = this;
    if (people === null || read === null) return false;
    this.saving = true;
    this.error = null;
    try {
      const now = (await sharesOf(assistant)).map(personOf);
      const wanted = mergedShares(read, people, now);
      const saved = isSameList(wanted, now) ? now : (await saveShares(assistant, wanted.map(inputOf))).map(personOf);
      this.overtaken = !isSameList(read, now);
      this.show(saved);
      return true;
    } catch (error) {
      this.error = error;
      return false;
    } finally {
      this.saving = false;
    }
  }

  private show(people: readonly SharePerson[]): void {
    this.read = people;
    this.people = people;
  }

  private edit(change: (people: readonly SharePerson[]) => readonly SharePerson[]): void {
    if (this.people !== null) this.people = change(this.people);
  }
}
