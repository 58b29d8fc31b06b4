import { noticeOf } from './search-facts';

const weak = { match: { strength: 0.1, weak: true } };
const good = { match: { strength: 0.9, weak: false } };
const gap = { question: 'es', material: ['en'] };

it.each([
  [[], null],
  [[good], null],
  [[weak], { weak: true, searched_for: null, languages: null }],
  [[weak, good], null],
  [[weak, {}], null],
  [[{ ...good, searched_for: 'isolation level' }], { weak: false, searched_for: 'isolation level', languages: null }],
  [[{ ...good, languages: { ...gap, bridge: 'rewriter' as const } }], null],
  [[{ ...weak, languages: { ...gap, bridge: null } }], { weak: true, searched_for: null, languages: gap }],
])('readers of an answer with the searches %j are told %j', (searches, notice) =>
  expect(noticeOf(searches)).toEqual(notice),
);
