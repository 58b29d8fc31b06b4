import { beforeAll, describe, expect, it, vi } from 'vitest';
import { i18n } from '$lib/kit/i18n/i18n.svelte';
import english from '$lib/kit/i18n/messages/runs.en.json';
import { filledOf, shownParts, templateOf } from './prompt';
import { beginning, type Span } from './run-state';
import { linkOf, placeOf } from './sources';
import { durationText } from '$lib/kit/i18n/durations';
import { barsOf, reasonOf } from './spans';

const span = (start: number, end: number | null, more: Partial<Span> = {}): Span =>
  ({ key: `${start}`, start, end, duration: null, firstText: null, ...more }) as Span;

describe('bars', () => {
  it('share one clock and stay in the box', () => {
    const spans = [span(0, 500), span(500, 1000, { firstText: 750 }), span(1000, 1000)];
    const bars = barsOf({ ...beginning('r'), spans }, 1000);
    expect(bars.map(({ left, width }) => [left, width])).toEqual([
      [0, 50],
      [50, 50],
      [99.4, 0.6],
    ]);
    expect(bars[1]?.firstText).toBe(50);
  });

  it('grow with the clock while something goes on', () => {
    const [bar] = barsOf({ ...beginning('r'), spans: [span(100, null)] }, 1100);
    expect(bar).toMatchObject({ duration: 1000 });
    expect((bar?.left ?? 0) + (bar?.width ?? 0)).toBeCloseTo(100);
  });
});

describe('texts of a run', () => {
  it('have one format for durations', () => {
    expect(durationText(38.4)).toBe('38 ms');
    expect(durationText(1_449)).toBe('1.4 s');
  });

  it('have the reason of a failure without signs', () => {
    expect(reasonOf('❌ Tool failed: simple_rag - no knowledge base is chosen')).toBe('no knowledge base is chosen');
    expect(reasonOf('✅ get_weather completed')).toBe('get_weather completed');
  });
});

describe('the filled prompt', () => {
  const parts = [
    { text: 'Context:', chars: 8 },
    { slot: '1_context', index: 0, text: 'found', chars: 5 },
    { slot: '2_rubric', index: 1, text: '', chars: 0 },
    { text: 'Q:', chars: 2 },
    { slot: 'user_input', text: 'What is…', chars: 16 },
  ];

  it('is the template with contents between blank lines', () => {
    const shown = shownParts(parts, 'What is osmosis?');
    expect(templateOf(shown)).toBe('Context:{1_context}{2_rubric}Q:{user_input}');
    expect(filledOf(shown)).toBe('Context:\n\nfound\n\nQ:\n\nWhat is osmosis?\n\n');
    expect(shown.some(({ isCut }) => isCut)).toBe(false);
  });

  it('says what is cut where the question is not known', () => {
    expect(shownParts(parts).map(({ isCut }) => isCut)).toEqual([false, false, false, false, true]);
  });
});

describe('sources', () => {
  beforeAll(async () => {
    vi.stubGlobal('fetch', async () => Response.json(english));
    await i18n.use('en');
    vi.unstubAllGlobals();
  });

  it('lead to their page, and only to web pages and places of the service', () => {
    expect(linkOf({ type: 'knowledge_base', url: '/api/v1/sources?link=1', page: 3 })).toBe(
      '/api/v1/sources?link=1#page=3',
    );
    expect(linkOf({ type: 'knowledge_base', url: 'javascript:alert(1)' })).toBeNull();
    expect(linkOf({ type: 'knowledge_base', url: '//evil.example' })).toBeNull();
    expect(linkOf({ type: 'knowledge_base', url: '/\\evil.example' })).toBeNull();
    expect(linkOf({ type: 'knowledge_base', url: '/\t/evil.example' })).toBeNull();
    expect(linkOf({ type: 'file' })).toBeNull();
  });

  it.each([
    [undefined, 'page 3–4'],
    [{ unit: 'page', label: null, of: 9 }, 'page 3–4 of 9'],
    [{ unit: 'page', label: 'i–ii', of: 9 }, 'p. i–ii (3–4 of 9)'],
    [{ unit: 'slide', label: null, of: 9 }, 'slide 3–4'],
    [{ unit: 'sheet', label: 'Grades', of: 9 }, 'sheet “Grades”'],
    [{ unit: 'cell', label: null, of: 9 }, 'cell 3–4'],
  ] as const)('say where they stand: %j', (place, words) => {
    const facts = place === undefined ? {} : { place: { ...place, from: 3, to: 4, text: '' } };
    expect(placeOf({ page: 3, page_end: 4, ...facts })).toBe(words);
  });
});
