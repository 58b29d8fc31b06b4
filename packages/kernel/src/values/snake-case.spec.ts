import { snakeCased } from './snake-case';

describe('snakeCased', () => {
  it('renames members at every depth and keeps values', () => {
    const at = new Date(0);
    expect(snakeCased({ oneTwo: [{ aBC: 'xY', at }, null], already_so: { n: 1 } })).toEqual({
      one_two: [{ a_b_c: 'xY', at: '1970-01-01T00:00:00.000Z' }, null],
      already_so: { n: 1 },
    });
  });
});
