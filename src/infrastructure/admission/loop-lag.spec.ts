import { LoopLag } from './admission';

const judged = (limitMs: number, samples: readonly number[]): string => {
  const lag = new LoopLag(limitMs, () => undefined);
  return samples.map((lateMs) => (lag.sample(lateMs), lag.isOver ? 'x' : '.')).join('');
};

it.each([
  ['one long step is no overload', [900, 0, 900, 0], '....'],
  ['two late samples in a row are', [200, 200, 200], '.xx'],
  ['it is over after five in a row below half of the limit', [200, 200, 99, 99, 99, 99, 99, 99], '.xxxxx..'],
  ['a sample in between begins the five anew', [200, 200, 9, 9, 9, 9, 150, 9, 9, 9, 9, 9], '.xxxxxxxxxx.'],
])('%s', (_, samples, expected) => {
  expect(judged(200, samples)).toBe(expected);
});

it('tells when the loop has recovered', () => {
  const recovered = jest.fn();
  const lag = new LoopLag(200, recovered);
  for (const lateMs of [200, 200, 0, 0, 0, 0]) lag.sample(lateMs);
  expect(recovered).not.toHaveBeenCalled();
  lag.sample(0);
  expect(recovered).toHaveBeenCalledTimes(1);
});
