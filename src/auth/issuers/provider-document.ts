import { AppError } from '../../kernel';

/** Milliseconds after which the document is read again; a retired key is good until then. */
const FRESH_MS = 10 * 60_000;
/** Between two searches for unknown keys, which anybody can cause. A new key is found after this time at the latest. */
const COOL_DOWN_MS = 5_000;
/** After a failed reading. */
const RETRY_MS = 5_000;
/** For how long a reading shows that the provider answers. */
const LIVE_MS = 5_000;
/** For how long the last document is good while the provider is down. */
const STALE_MS = 24 * 3_600_000;

/** @param cause stays in the log; answers never quote it */
export const providerDown = (cause?: unknown): AppError =>
  new AppError('unavailable', 'The sign-in service of the institution does not answer', {
    cause,
    retryAfter: RETRY_MS / 1_000,
  });

/**
 * The published metadata or keys of a provider. Unknown keys cause one reading per cool-down, however many
 * tokens name them. The last document stays good while the provider is down.
 */
export class ProviderDocument<T> {
  private last: { readonly value: T; readonly at: number } | null = null;
  private loading: Promise<T> | null = null;
  private failedAt = -Infinity;
  private searchedAt = -Infinity;

  constructor(
    private readonly read: () => Promise<T>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @throws {AppError} `unavailable` where nothing is known and the provider does not answer */
  async current(): Promise<T> {
    const age = this.last === null ? Infinity : this.now() - this.last.at;
    if (this.last !== null && age < FRESH_MS) return this.last.value;
    try {
      return await this.reload();
    } catch (error) {
      if (this.last !== null && age < STALE_MS) return this.last.value;
      throw error;
    }
  }

  /**
   * Read in the last seconds: a browser that is sent to a provider which is down gets no page at all.
   * @throws {AppError} `unavailable`
   */
  async live(): Promise<T> {
    if (this.last !== null && this.now() - this.last.at < LIVE_MS) return this.last.value;
    return this.reload();
  }

  /**
   * A newer document, for a key that the last one lacks. Null during the cool-down: the token is refused without asking.
   * @throws {AppError} `unavailable` where the provider does not answer, as the key may be a new one
   */
  async search(): Promise<T | null> {
    if (this.now() - this.searchedAt < COOL_DOWN_MS) return null;
    const value = await this.reload();
    this.searchedAt = this.now();
    return value;
  }

  private async reload(): Promise<T> {
    if (this.now() - this.failedAt < RETRY_MS) throw providerDown();
    this.loading ??= this.read().finally(() => (this.loading = null));
    try {
      const value = await this.loading;
      this.last = { value, at: this.now() };
      return value;
    } catch (error) {
      this.failedAt = this.now();
      throw providerDown(error);
    }
  }
}
