/** A value that is here, or a promise of it. What is in memory is answered without a promise. */
export type Awaitable<T> = T | Promise<T>;

/** Goes on with a value: at once where it is here. Throws or rejects as its parts do. */
export const after = <T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> =>
  value instanceof Promise ? value.then(next) : next(value);

/** Goes on with what `work` throws or rejects with; `failed` throws, or gives a value in its place. */
export function onFailure<T>(work: () => Awaitable<T>, failed: (error: unknown) => Awaitable<T>): Awaitable<T> {
  try {
    const value = work();
    return value instanceof Promise ? value.catch(failed) : value;
  } catch (error) {
    return failed(error);
  }
}
