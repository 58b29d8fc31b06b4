import fc from 'fast-check';
import { answerForOthers, ForeignFrames, unfinishedForOthers } from './run-foreign-frames';

const TOKEN = '0a1b2c3d4e'.repeat(22).slice(0, 218);
const LINK = `/api/v1/sources?link=${TOKEN}`;
const PLAIN = '/api/v1/knowledge-bases/k/documents/d/content';
const links = { withoutTokens: (text: string) => text.replaceAll(LINK, PLAIN) };

type Told = readonly [type: string, text?: string];

const frame = (seq: number, [type, text]: Told): string =>
  `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify({ seq, type, ...(text === undefined ? {} : { text }) })}\n\n`;
const logOf = (events: readonly Told[]): string[] => events.map((event, n) => frame(n + 1, event));
const deltas = (texts: readonly string[]): Told[] => texts.map((text) => ['llm.delta', text]);
const END: Told = ['run.completed'];

const shown = (frames: readonly string[], after = 0): string => {
  const view = new ForeignFrames(links, after);
  return frames.map((one) => view.pass(one)).join('');
};
const parsed = (text: string) =>
  text
    .split('\n\n')
    .filter((block) => block !== '')
    .map(
      (block) => JSON.parse(block.slice(block.indexOf('data: ') + 6)) as { seq: number; type: string; text?: string },
    );
const answerOf = (text: string): string =>
  parsed(text)
    .map((event) => event.text ?? '')
    .join('');

describe('events for somebody else than who asked', () => {
  it('are the same bytes, at once, where no link is', () => {
    const log = logOf([['run.started'], ...deltas(['Leaves and', ' stems are gre', 'en.']), ['usage'], END]);
    const view = new ForeignFrames(links, 0);
    expect(log.map((one) => view.pass(one))).toEqual(log);
  });

  it('hold no token, wherever the answer is cut, and every event its id', () => {
    const answer = `See [1](${LINK}) and https://x.example${LINK}, bare ${TOKEN} too, /api/v1/s end`;
    const cuts = fc.array(fc.integer({ min: 0, max: answer.length }), { maxLength: 12 });
    fc.assert(
      fc.property(cuts, fc.nat(14), (points, after) => {
        const places = [0, ...points.sort((a, b) => a - b), answer.length];
        const parts = places.slice(1).map((end, n) => answer.slice(places[n], end));
        const log = logOf([['run.started'], ...deltas(parts), END]);
        const text = shown(log);
        expect(parsed(text).map(({ seq }) => seq)).toEqual(log.map((_, n) => n + 1));
        expect(answerOf(text)).not.toMatch(/[0-9a-f]{17}/);
        expect(answerOf(text)).toContain(`[1](${PLAIN}) and https://x.example${PLAIN}, bare `);
        expect(answerOf(text)).toMatch(/ too, \/api\/v1\/s end$/);
        // Whoever comes back gets the rest of the same bytes, and so does who gets all in one piece.
        expect(shown(log, after)).toBe(
          text
            .split('\n\n')
            .slice(after)
            .map((block) => (block === '' ? '' : `${block}\n\n`))
            .join(''),
        );
        expect(shown([log.join('')])).toBe(text);
      }),
      { numRuns: 200 },
    );
  });

  it('wait while a link is being written, warnings behind it included, and no longer than it is', () => {
    const log = logOf([
      ...deltas([`See ${LINK.slice(0, 90)}`]),
      ['warning'],
      ...deltas([LINK.slice(90)]),
      ['usage'],
      END,
    ]);
    const view = new ForeignFrames(links, 0);
    const steps = log.map((one) => parsed(view.pass(one)).map(({ seq }) => seq));
    expect(steps).toEqual([[], [], [], [1, 2, 3, 4], [5]]);
    expect(answerOf(shown(log))).toBe(`See ${PLAIN}`);
  });

  it('do not wait for ever for the end of a word', () => {
    const view = new ForeignFrames(links, 0);
    expect(answerOf(view.pass(frame(1, ['llm.delta', `/${'a'.repeat(10_000)}`])))).toBe('/…');
  });

  it('have an answer without tokens, whole or not', () => {
    expect(answerForOthers(`See ${LINK}.`, links)).toBe(`See ${PLAIN}.`);
    expect(unfinishedForOthers(`See ${LINK.slice(0, -1)}`, links)).toBe('See ');
    expect(unfinishedForOthers('See the lea', links)).toBe('See the lea');
  });
});
