import { withMessages } from './completions.service';

const asked = (content: string) => [{ role: 'user', content }];

it.each<[string, object, object]>([
  ['a prompt', { model: 'm', prompt: 'Hi' }, { model: 'm', messages: asked('Hi') }],
  ['several', { prompt: ['Hi', 'there'], stream: true }, { messages: asked('Hi there'), stream: true }],
  ['a nested one', { params: { prompt: 'Hi' } }, { messages: asked('Hi') }],
  ['messages, which win', { messages: asked('A'), prompt: 'B' }, { messages: asked('A'), prompt: 'B' }],
  ['no text', { prompt: 7 }, { prompt: 7 }],
  ['an empty list', { prompt: [] }, { prompt: [] }],
])('a body with %s', (_, body, expected) => {
  expect(withMessages(body)).toEqual(expected);
});

it('what is no object stays as it is', () => {
  expect([null, 'text', [1]].map(withMessages)).toEqual([null, 'text', [1]]);
});
