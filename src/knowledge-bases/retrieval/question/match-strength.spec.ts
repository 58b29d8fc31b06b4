import { matchOf } from '../retrieval.service';

it.each([
  [[0.5, 0.1], { strength: 0.823, weak: false }],
  [[0.2], { strength: 0.5, weak: false }],
  [[0.19], { strength: 0.482, weak: true }],
  [[0], { strength: 0, weak: true }],
  [[null, 0.3], { strength: 0.646, weak: false }],
  [[null], null],
  [[], null],
])('the match of hits of %j is told with its strength', (strengths, match) =>
  expect(matchOf(strengths.map((strength) => ({ strength })))).toEqual(match),
);
