import { AppError } from '@bellwether/kernel';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

const MINUTE_MS = 60_000;
/** Limit of tests per organization and minute, in this process. */
const MAX_TESTS = 30;

/** Keeps a test from becoming a way to try keys or to scan for servers. */
@Injectable()
export class TestRate {
  private readonly minutes = new LRUCache<string, { readonly endsAt: number; tests: number }>({ max: 5_000 });

  /** @throws {AppError} `too_many_requests` */
  count(organizationId: string): void {
    const now = Date.now();
    const held = this.minutes.get(organizationId);
    const minute = held !== undefined && held.endsAt > now ? held : { endsAt: now + MINUTE_MS, tests: 0 };
    this.minutes.set(organizationId, minute);
    minute.tests += 1;
    if (minute.tests <= MAX_TESTS) return;
    const retryAfter = Math.max(1, Math.ceil((minute.endsAt - now) / 1_000));
    throw new AppError('too_many_requests', `At most ${MAX_TESTS} tests in a minute`, {
      reason: 'connection.too_many_tests',
      values: { limit: MAX_TESTS },
      retryAfter,
    });
  }
}
