import { describe, expect, it } from 'vitest';
import { canResume, canTakeBack, diffLines, isBusy, pauseBefore } from './batches';

const batch = { migrated: 2, rolled_back: 0 };

describe('batches', () => {
  it('are busy while the server works on them', () => {
    expect(isBusy({ state: 'running', task: 'apply' })).toBe(true);
    expect(isBusy({ state: 'done', task: 'verify' })).toBe(true);
    expect(isBusy({ state: 'queued', task: null })).toBe(true);
    expect(isBusy({ state: 'done', task: null })).toBe(false);
  });

  it('go back when something was written and nobody is at work', () => {
    expect(canTakeBack({ ...batch, state: 'done', task: null })).toBe(true);
    expect(canTakeBack({ ...batch, state: 'interrupted', task: null })).toBe(true);
    expect(canTakeBack({ ...batch, state: 'done', task: 'verify' })).toBe(false);
    expect(canTakeBack({ ...batch, rolled_back: 2, state: 'rolled_back', task: null })).toBe(false);
    expect(canResume({ state: 'interrupted', task: null })).toBe(true);
  });

  it('are asked about less and less often', () => {
    const pauses = Array.from({ length: 20 }, (_, turn) => pauseBefore(turn));
    expect(pauses[0]).toBe(500);
    expect(pauses.at(-1)).toBe(5_000);
    expect([...pauses].sort((a, b) => a - b)).toEqual(pauses);
  });
});

describe('lines of a diff', () => {
  it('names each part once and keeps the text of every line', () => {
    expect(diffLines(['--- metadata', '+++ metadata', ' {', '-  "a": 1', '+  "a": 2', '+++'])).toEqual([
      { kind: 'file', text: 'metadata' },
      { kind: 'same', text: '{' },
      { kind: 'removed', text: '  "a": 1' },
      { kind: 'added', text: '  "a": 2' },
      { kind: 'added', text: '++' },
    ]);
  });
});
