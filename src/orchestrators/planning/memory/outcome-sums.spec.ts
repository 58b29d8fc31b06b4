import * as fc from 'fast-check';
import { type OutcomeRow, influences, noSums } from './outcome-sums';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const row = (
  tools: string,
  plans: number,
  failedSteps: number,
  confidence: number,
  day = '2026-11-22',
): OutcomeRow => ({
  key: { organizationId: 'o', assistantId: 1, queryClass: 'simple/any', tools, planner: 'model', arm: '', day },
  sums: { ...noSums(), plans, steps: plans, failedSteps, confidenceSum: confidence * plans, confidences: plans },
});
const of = (rows: readonly OutcomeRow[], name: string): number => influences(rows, 'simple/any', NOW).get(name) ?? 0;

describe('what earlier plans teach', () => {
  it('speaks for tools with which plans went well, and against others', () => {
    const rows = [row('1_context', 50, 0, 0.9), row('2_context', 50, 25, 0.3)];
    expect(of(rows, '1_context')).toBeGreaterThan(0.05);
    expect(of(rows, '2_context')).toBeLessThan(-0.05);
  });

  it('says little after few plans, and less the older they are', () => {
    const much = of([row('1_context', 50, 50, 0)], '1_context');
    expect(Math.abs(of([row('1_context', 1, 1, 0)], '1_context'))).toBeLessThan(Math.abs(much) / 2);
    expect(Math.abs(of([row('1_context', 50, 50, 0, '2026-09-25')], '1_context'))).toBeLessThan(Math.abs(much));
  });

  it('says nothing of other classes of questions', () => {
    expect(influences([row('1_context', 50, 50, 0)], 'comparison/any', NOW).size).toBe(0);
  });

  it('never weighs more than 0.15', () => {
    const any = fc.record({
      tools: fc.constantFrom('1_context', '2_context', '1_context+2_context'),
      plans: fc.integer({ min: 1, max: 1_000_000 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      confidence: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(any), (given) => {
        const rows = given.map(({ tools, plans, share, confidence }) =>
          row(tools, plans, Math.round(plans * share), confidence),
        );
        for (const value of influences(rows, 'simple/any', NOW).values()) {
          expect(Math.abs(value)).toBeLessThanOrEqual(0.15);
        }
      }),
    );
  });
});
