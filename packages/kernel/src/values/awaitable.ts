/** A value that is here, or a promise of it. What is in memory is answered without a promise. */
export type Awaitable<T> = T | Promise<T>;

/** Goes on with a value: at once where it is here. Throws or rejects as its parts do. */
export const after = <T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> =>
  value instanceof Promise ? value.then(next) : next(value);

/**
 * Goes on with what `work` gives, or with what it throws or rejects with. As with `then`, `failed` does not see what
 * `next` throws.
 */
export function settle<T, R>(
  work: () => Awaitable<T>,
  next: (value: T) => Awaitable<R>,
  failed: (error: unknown) => Awaitable<R>,
): Awaitable<R> {
  let value: Awaitable<T>;
  try {
    value = work();
  } catch (error) {
    return failed(error);
  }
  return value instanceof Promise ? value.then(next, failed) : next(value);
}

/** Takes one step after another, at once while no step waits. Throws or rejects as the first step that fails. */
export function inTurn<T>(items: readonly T[], step: (item: T) => Awaitable<unknown>): Awaitable<void> {
  for (const [at, item] of items.entries()) {
    const waiting = step(item);
    if (waiting instanceof Promise) return waiting.then(() => inTurn(items.slice(at + 1), step));
  }
}

/** An answer of a plugin, whose promises need not be the language's own. */
export const awaitable = <T>(value: T | PromiseLike<T>): Awaitable<T> =>
  isThenable(value) && !(value instanceof Promise) ? Promise.resolve(value) : (value as Awaitable<T>);

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';

/** Goes on with what `work` throws or rejects with; `failed` throws, or gives a value in its place. */
export function onFailure<T>(work: () => Awaitable<T>, failed: (error: unknown) => Awaitable<T>): Awaitable<T> {
  try {
    const value = work();
    return value instanceof Promise ? value.catch(failed) : value;
  } catch (error) {
    return failed(error);
  }
}
