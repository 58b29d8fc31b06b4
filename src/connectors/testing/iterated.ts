import type { ModelChunk, TakeChunks } from '../contract';

/** Thrown into a stream whose consumer asks no more. */
class LeftStream extends Error {}

/** Iterates a stream, which waits while the consumer does not ask. */
export async function* iterated(
  stream: (take: TakeChunks) => Promise<void>,
): AsyncGenerator<readonly ModelChunk[], void, void> {
  const taken: (readonly ModelChunk[])[] = [];
  let told = (): void => undefined;
  let ask = (): void => undefined;
  let hasLeft = false;
  let isOver = false;
  const take: TakeChunks = (chunks) => {
    if (hasLeft) throw new LeftStream();
    taken.push(chunks);
    told();
    return new Promise((resolve, reject) => (ask = () => (hasLeft ? reject(new LeftStream()) : resolve())));
  };
  const over = stream(take).finally(() => {
    isOver = true;
    told();
  });
  over.catch(() => undefined);
  try {
    for (;;) {
      const chunks = taken.shift();
      if (chunks !== undefined) {
        yield chunks;
        ask();
      } else if (isOver) return await over;
      else await new Promise<void>((resolve) => (told = resolve));
    }
  } finally {
    hasLeft = true;
    ask();
  }
}
