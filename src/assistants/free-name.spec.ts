import { freeName } from './assistant-transfer';

describe('the name of an imported assistant', () => {
  it('stays while nobody else has it', () => {
    expect(freeName('Tutor', new Set(['Tutor of biology']))).toBe('Tutor');
  });

  it('gets the first free number', () => {
    expect(freeName('Tutor', new Set(['Tutor', 'Tutor (2)', 'Tutor (4)']))).toBe('Tutor (3)');
  });

  it('counts on from a number that it has', () => {
    expect(freeName('Tutor (2)', new Set(['Tutor', 'Tutor (2)', 'Tutor (3)']))).toBe('Tutor (4)');
    expect(freeName('Tutor (2)', new Set(['Tutor']))).toBe('Tutor (2)');
  });

  it('fits into the longest name', () => {
    const long = 'x'.repeat(200);
    expect(freeName(long, new Set([long]))).toBe(`${'x'.repeat(196)} (2)`);
  });
});
