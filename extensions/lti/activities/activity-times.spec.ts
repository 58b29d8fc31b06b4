import { instructionOf, openingAt, settingsOf, strictestOf, windowsAt } from './activities.service';

const at = (time: string): number => Date.parse(`2027-01-20T${time}Z`);
const window = (from: string, until: string, mode: 'closed' | 'strict' = 'strict', instruction = 'Hints only.') => ({
  from: `2027-01-20T${from}Z`,
  until: `2027-01-20T${until}Z`,
  mode,
  ...(mode === 'strict' && { instruction }),
});

describe('the dates of an activity', () => {
  const settings = settingsOf({ opensAt: '2027-01-20T08:00:00Z', closesAt: '2027-01-20T20:00:00Z' });

  it.each([
    ['07:59:59.999', 'early'],
    ['08:00:00', 'open'],
    ['19:59:59.999', 'open'],
    ['20:00:00', 'over'],
  ])('at %s mean %s', (time, state) => expect(openingAt(settings, at(time)).state).toBe(state));

  it('are optional', () => expect(openingAt(settingsOf({}), at('08:00:00')).state).toBe('open'));
});

describe('assessment windows', () => {
  const midterm = window('10:00:00', '11:00:00');

  it.each([
    ['09:59:59.999', 0],
    ['10:00:00', 1],
    ['10:59:59.999', 1],
    ['11:00:00', 0],
  ])('at %s: %i', (time, count) => expect(windowsAt([midterm], at(time))).toHaveLength(count));

  it('that overlap follow a closed one, then the longest', () => {
    const closed = window('10:00:00', '10:30:00', 'closed');
    const longer = window('10:00:00', '12:00:00');
    expect(strictestOf([midterm, closed, longer])).toBe(closed);
    expect(strictestOf([midterm, longer])).toBe(longer);
    expect(strictestOf([])).toBeNull();
  });

  it('give each instruction once', () => {
    const other = window('10:00:00', '11:00:00', 'strict', 'No code.');
    expect(instructionOf([midterm, midterm, other])).toBe('Hints only.\n\nNo code.');
    expect(instructionOf([window('10:00:00', '11:00:00', 'closed')])).toBeNull();
  });
});
