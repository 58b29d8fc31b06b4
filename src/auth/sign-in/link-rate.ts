import { AppError, atMost } from '@bellwether/kernel';
import { LRUCache } from 'lru-cache';

const MINUTE_MS = 60_000;
const PER_MINUTE = 60;
const MOST_PEOPLE = 10_000;

/** Limits the sign-in links and invitations that one person makes, or that one network address asks for, in a minute. */
export class LinkRate {
  private readonly windows = new LRUCache<string, { readonly endsAt: number; count: number }>(atMost(MOST_PEOPLE));

  constructor(private readonly now: () => number = Date.now) {}

  /** @throws {AppError} `too_many_requests` */
  count(who: string): void {
    const found = this.windows.get(who);
    const window =
      found !== undefined && found.endsAt > this.now() ? found : { endsAt: this.now() + MINUTE_MS, count: 0 };
    this.windows.set(who, window);
    window.count += 1;
    if (window.count <= PER_MINUTE) return;
    const retryAfter = Math.max(1, Math.ceil((window.endsAt - this.now()) / 1_000));
    throw new AppError('too_many_requests', `At most ${PER_MINUTE} links and invitations a minute`, {
      reason: 'link.too_many',
      values: { limit: PER_MINUTE },
      retryAfter,
    });
  }
}
