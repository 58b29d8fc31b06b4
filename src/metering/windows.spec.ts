import { windowAt } from './applied-rules';

const NOW = new Date('2026-12-31T23:59:30.500Z');
const TERMS = [
  { name: 'Autumn', from: '2026-09-01', to: '2026-12-31' },
  { name: 'Spring', from: '2027-02-01', to: '2027-06-30' },
];
const at = (start: string, end: string) => ({ start: new Date(start), end: new Date(end) });

describe('the window of a rule, in UTC', () => {
  it('is the minute, the day, the month or the term around now', () => {
    expect(windowAt('minute', NOW, TERMS)).toEqual(at('2026-12-31T23:59:00Z', '2027-01-01T00:00:00Z'));
    expect(windowAt('day', NOW, TERMS)).toEqual(at('2026-12-31T00:00:00Z', '2027-01-01T00:00:00Z'));
    expect(windowAt('month', NOW, TERMS)).toEqual(at('2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z'));
    expect(windowAt('term', NOW, TERMS)).toEqual(at('2026-09-01T00:00:00Z', '2027-01-01T00:00:00Z'));
  });

  it('is missing between terms', () => {
    expect(windowAt('term', new Date('2027-01-01T00:00:00Z'), TERMS)).toBeNull();
    expect(windowAt('term', new Date('2027-02-01T00:00:00Z'), TERMS)?.start).toEqual(new Date('2027-02-01T00:00:00Z'));
  });
});
