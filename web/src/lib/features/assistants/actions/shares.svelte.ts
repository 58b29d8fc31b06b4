import { catalogues } from '$lib/app/catalogues/catalogues.svelte';
import { BaseShares } from '$lib/features/content/knowledge/base-shares.svelte';
import { mentions } from '$lib/features/content/usage';
import type { Assistant } from '$lib/app/catalogues/assistant';
import { saveShares, sharesOf, type Share } from './requests';

type Access = Share['access'];
type ShareInput = Parameters<typeof saveShares>[1][number];
type People = readonly Share[];

const EMAIL = /^[^\s@]+@[^\s@]+$/;
const inputOf = ({ user_id, access }: Share): ShareInput => ({ user_id, access });

const isSameList = (one: People, other: People): boolean =>
  one.length === other.length &&
  one.every(({ user_id, access }) => other.some((each) => each.user_id === user_id && each.access === access));

/** The people an assistant is shared with; each step is saved at once. */
export class Shares {
  /** Null until they were read: the service keeps what it is sent as the whole list. */
  people = $state.raw<People | null>(null);
  busy = $state(false);
  error = $state.raw<unknown>(null);
  /** Somebody else had changed the list when it was saved: it is not what the reader saw before. */
  overtaken = $state(false);

  /** Knowledge bases of the reader that the assistant searches: an editor cannot open them until they are shared, too. */
  material = $state.raw<readonly string[]>([]);

  async load(assistant: Assistant): Promise<void> {
    this.people = null;
    this.overtaken = false;
    this.material = [];
    await this.work(async () => {
      this.people = await sharesOf(assistant);
      const named = [assistant.metadata, assistant.RAG_collections];
      // Without their list the assistant alone is shared.
      const bases = await catalogues.knowledgeBases().catch(() => []);
      this.material = bases
        .filter(
          ({ id, slug, access }) =>
            access === 'owner' && mentions(named, { has: (name) => name === id || name === slug }),
        )
        .map(({ id }) => id);
    });
  }

  /** Null, or why the address was not taken. */
  async add(
    assistant: Assistant,
    typed: string,
    access: Access,
    withMaterial = false,
  ): Promise<'sharing.email_wrong' | 'sharing.email_twice' | null> {
    const email = typed.trim().toLowerCase();
    if (!EMAIL.test(email)) return 'sharing.email_wrong';
    if (this.people?.some((person) => person.email?.toLowerCase() === email)) return 'sharing.email_twice';
    await this.save(assistant, (now) => [
      ...now.filter((person) => person.email?.toLowerCase() !== email).map(inputOf),
      { email, access },
    ]);
    if (withMaterial && this.error === null) await this.work(() => this.lend(email));
    return null;
  }

  change(assistant: Assistant, userId: string, access: Access): Promise<void> {
    return this.save(assistant, (now) => now.map((one) => inputOf(one.user_id === userId ? { ...one, access } : one)));
  }

  remove(assistant: Assistant, userId: string): Promise<void> {
    return this.save(assistant, (now) => now.filter(({ user_id }) => user_id !== userId).map(inputOf));
  }

  /**
   * Upon the list as it is now, for the service takes the whole list and knows no version of it. What somebody else saves
   * between that look and this save (the time of one request) is still lost.
   */
  private async save(assistant: Assistant, change: (now: People) => ShareInput[]): Promise<void> {
    const read = this.people;
    if (read === null) return;
    await this.work(async () => {
      const now = await sharesOf(assistant);
      this.people = await saveShares(assistant, change(now));
      this.overtaken = !isSameList(read, now);
    });
  }

  private async lend(email: string): Promise<void> {
    for (const id of this.material) {
      const base = new BaseShares();
      await base.load(id);
      await base.add(id, email);
    }
  }

  private async work(action: () => Promise<unknown>): Promise<void> {
    this.busy = true;
    this.error = null;
    try {
      await action();
    } catch (error) {
      this.error = error;
    } finally {
      this.busy = false;
    }
  }
}
