import { AppError, type ErrorReason, atMost } from '@bellwether/kernel';
import { LRUCache } from 'lru-cache';
import { addressGroup } from '../access/failed-credentials.service';

const MINUTE_MS = 60_000;
const PER_MINUTE = 60;
const MOST_PEOPLE = 10_000;

interface LinkRefusal {
  readonly text: string;
  readonly reason?: ErrorReason;
}

const MADE: LinkRefusal = { text: `At most ${PER_MINUTE} links and invitations a minute`, reason: 'link.too_many' };
/** People of a network, who did not choose how many they are. */
const ASKED: LinkRefusal = { text: 'Too many people of your network ask for this at once: try again in a minute' };

/** Limits the sign-in links and invitations that one person makes, or that one network address asks for, in a minute. */
export class LinkRate {
  private readonly windows = new LRUCache<string, { readonly endsAt: number; count: number }>(atMost(MOST_PEOPLE));

  constructor(private readonly now: () => number = Date.now) {}

  /** @throws {AppError} `too_many_requests` */
  count(who: string, refusal = MADE): void {
    const found = this.windows.get(who);
    const window =
      found !== undefined && found.endsAt > this.now() ? found : { endsAt: this.now() + MINUTE_MS, count: 0 };
    this.windows.set(who, window);
    window.count += 1;
    if (window.count <= PER_MINUTE) return;
    const retryAfter = Math.max(1, Math.ceil((window.endsAt - this.now()) / 1_000));
    const { text, reason } = refusal;
    throw new AppError('too_many_requests', text, {
      ...(reason !== undefined && { reason, values: { limit: PER_MINUTE } }),
      retryAfter,
    });
  }

  /** Counts a request of somebody who is not signed in, by the network. @throws {AppError} `too_many_requests` */
  countNetwork(ip: string | null): void {
    this.count(addressGroup(ip), ASKED);
  }
}
