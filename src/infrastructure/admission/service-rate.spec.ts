import { ServiceRate } from './admission';

it('gives refused clients times that are spread at the measured rate', () => {
  const rate = new ServiceRate(10);
  expect(rate.perMs).toBeNull();
  for (let n = 0; n < 4; n++) rate.ended(5_000);
  // Two places a second become free.
  expect(rate.perMs).toBe(0.002);
  expect(Array.from({ length: 6 }, () => rate.retryAfter(0, 4))).toEqual([3, 3, 4, 4, 5, 5]);
});

it('begins again from the earliest time when the last one is a minute away', () => {
  const rate = new ServiceRate(1);
  for (let n = 0; n < 4; n++) rate.ended(20_000);
  expect(Array.from({ length: 5 }, () => rate.retryAfter(0, 0))).toEqual([20, 40, 60, 60, 20]);
});

it('never says less than a second or more than a minute', () => {
  const rate = new ServiceRate(100);
  expect(rate.retryAfter(0, 0)).toBe(1);
  for (let n = 0; n < 50; n++) rate.ended(3_600_000);
  expect(rate.retryAfter(0, 1_000)).toBe(60);
});
