import fc from 'fast-check';
import type { LoggedEvent } from '../runs';
import { answerForOthers, ForeignEvents, unfinishedForOthers } from './foreign-events';

const TOKEN = '0a1b2c3d4e'.repeat(22).slice(0, 218);
const LINK = `/api/v1/sources?link=${TOKEN}`;
const PLAIN = '/api/v1/knowledge-bases/k/documents/d/content';
const links = { withoutTokens: (text: string) => text.replaceAll(LINK, PLAIN) };

type Told = readonly [type: LoggedEvent['type'], text?: string];

const event = (seq: number, [type, text]: Told): LoggedEvent => ({
  seq,
  type,
  at: 'now',
  data: JSON.stringify({ seq, type, ...(text === undefined ? {} : { text }) }),
});
const logOf = (events: readonly Told[]): LoggedEvent[] => events.map((told, n) => event(n + 1, told));
const deltas = (texts: readonly string[]): Told[] => texts.map((text) => ['llm.delta', text]);
const END: Told = ['run.completed'];

const shown = (events: readonly LoggedEvent[], after = 0): LoggedEvent[] => {
  const view = new ForeignEvents(links, after);
  return events.flatMap((one) => view.pass([one]));
};
const seqsOf = (events: readonly LoggedEvent[]): number[] => events.map(({ seq }) => seq);
const answerOf = (events: readonly LoggedEvent[]): string =>
  events.map(({ data }) => (JSON.parse(data) as { text?: string }).text ?? '').join('');

describe('events for somebody else than who asked', () => {
  it('are the same bytes, at once, where no link is', () => {
    const log = logOf([['run.started'], ...deltas(['Leaves and', ' stems are gre', 'en.']), ['usage'], END]);
    const view = new ForeignEvents(links, 0);
    expect(log.map((one) => view.pass([one]))).toEqual(log.map((one) => [one]));
  });

  it('hold no token, wherever the answer is cut, and every event its id', () => {
    const answer = `See [1](${LINK}) and https://x.example${LINK}, bare ${TOKEN} too, /api/v1/s end`;
    const cuts = fc.array(fc.integer({ min: 0, max: answer.length }), { maxLength: 12 });
    fc.assert(
      fc.property(cuts, fc.nat(14), (points, after) => {
        const places = [0, ...points.sort((a, b) => a - b), answer.length];
        const parts = places.slice(1).map((end, n) => answer.slice(places[n], end));
        const log = logOf([['run.started'], ...deltas(parts), END]);
        const told = shown(log);
        const text = answerOf(told);
        expect(seqsOf(told)).toEqual(seqsOf(log));
        expect(text).not.toMatch(/[0-9a-f]{17}/);
        expect(text).toContain(`[1](${PLAIN}) and https://x.example${PLAIN}, bare `);
        expect(text).toMatch(/ too, \/api\/v1\/s end$/);
        // A reader that returns, and one that reads all events at once, get the same bytes.
        expect(shown(log, after)).toEqual(told.slice(after));
        expect(new ForeignEvents(links, 0).pass(log)).toEqual(told);
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
    const view = new ForeignEvents(links, 0);
    const steps = log.map((one) => seqsOf(view.pass([one])));
    expect(steps).toEqual([[], [], [], [1, 2, 3, 4], [5]]);
    expect(answerOf(shown(log))).toBe(`See ${PLAIN}`);
  });

  it('do not wait for ever for the end of a word', () => {
    const view = new ForeignEvents(links, 0);
    expect(answerOf(view.pass([event(1, ['llm.delta', `/${'a'.repeat(10_000)}`])]))).toBe('/…');
  });

  it('have an answer without tokens, whole or not', () => {
    expect(answerForOthers(`See ${LINK}.`, links)).toBe(`See ${PLAIN}.`);
    expect(unfinishedForOthers(`See ${LINK.slice(0, -1)}`, links)).toBe('See ');
    expect(unfinishedForOthers('See the lea', links)).toBe('See the lea');
  });
});
