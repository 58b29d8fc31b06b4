import { describe, expect, it } from 'vitest';
import { heightsOf, labelled } from './bars';
import { documentHref, editableOf, newTestHref, ratedHref } from './fixes';
import { groupingOf, periodOf } from './period';

describe('the address of the page', () => {
  it.each([
    ['', 30],
    ['days=7', 7],
    ['days=90', 90],
    ['days=365', 30],
  ])('reads the period of "%s" as %i days', (query, days) => {
    expect(periodOf(new URLSearchParams(query))).toBe(days);
  });

  it('groups by words unless it says meaning', () => {
    expect(groupingOf(new URLSearchParams('group_by=meaning'))).toBe('meaning');
    expect(groupingOf(new URLSearchParams('group_by=mood'))).toBe('words');
  });
});

describe('fixes', () => {
  it('opens a new test with the question, special letters and all', () => {
    const href = newTestHref(7, ' Què és R&D? 100 % ');
    expect(new URL(href, 'http://x').pathname).toBe('/assistants/7/tests');
    expect(new URL(href, 'http://x').searchParams.get('question')).toBe('Què és R&D? 100 %');
  });

  it('keeps the address of a long question short enough for a server', () => {
    expect(newTestHref(7, '語'.repeat(20_000)).length).toBeLessThan(14_000);
  });

  it('adds material only where the reader may', () => {
    const bases = [
      { id: 'a', name: 'Mine', editable: true },
      { id: 'b', name: 'Theirs', editable: false },
    ];
    expect(editableOf(bases).map(({ id }) => id)).toEqual(['a']);
    expect(documentHref({ id: 'a' }, 'd')).toBe('/knowledge-bases/a#document-d');
  });

  it('leads to the rated runs of the period', () => {
    expect(ratedHref(7, 'down', '2026-11-01', '2026-11-30')).toBe(
      '/runs?assistant=7&rating=down&from=2026-11-01&to=2026-11-30',
    );
  });
});

describe('bars', () => {
  it('are shares of the tallest, and one that is not told of tells nothing', () => {
    const of = (questions: number | null) => ({ label: '', questions });
    expect(heightsOf([of(5), of(10), of(0)])).toEqual([50, 100, 0]);
    expect(heightsOf([of(null), of(5)])).toEqual(heightsOf([of(null), of(500)]));
    expect(heightsOf([of(0), of(0)])).toEqual([0, 0]);
  });

  it('have labels at both ends, and few in between', () => {
    expect(labelled(30)).toEqual([0, 7, 15, 22, 29]);
    expect(labelled(3)).toEqual([0, 1, 2]);
    expect(labelled(0)).toEqual([]);
  });
});
