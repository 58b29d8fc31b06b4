import { describe, expect, it } from 'vitest';
import type { KnowledgeDocument } from './knowledge.types';
import { countsOf, endedSince, mergeNews, nextPause } from './news';

const document = (id: string, status: KnowledgeDocument['status'], at = '2026-01-01'): KnowledgeDocument =>
  ({ id, status, updated_at: at }) as KnowledgeDocument;
const told = (list: readonly KnowledgeDocument[]): string[] => list.map(({ id, status }) => `${id} ${status}`);

describe('news of documents', () => {
  const list = [document('1', 'completed'), document('2', 'pending')];

  it('takes the place of what was shown, and puts new ones first when asked to', () => {
    const news = [document('2', 'completed', '2026-01-02'), document('3', 'pending')];
    expect(told(mergeNews(list, news, true))).toEqual(['3 pending', '1 completed', '2 completed']);
    expect(told(mergeNews(list, news, false))).toEqual(['1 completed', '2 completed']);
  });

  it('does not go back to what is older than what is shown', () => {
    expect(told(mergeNews([document('1', 'completed', '2026-01-02')], [document('1', 'pending')], false))).toEqual([
      '1 completed',
    ]);
  });

  it('asks after documents that were under way and no longer are', () => {
    expect(told(endedSince([...list, document('3', 'processing')], [document('3', 'processing')]))).toEqual([
      '2 pending',
    ]);
  });

  it('counts by status', () => {
    expect(countsOf([1, 2, 3, 4])).toEqual({ pending: 1, processing: 2, completed: 3, failed: 4 });
  });

  it('looks again soon at first, then ever later, and at least four times a minute', () => {
    const pauses = [nextPause(null)];
    for (let look = 0; look < 20; look++) pauses.push(nextPause(pauses.at(-1) ?? null));
    expect(pauses[0]).toBe(1_000);
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect(pauses.at(-1)).toBe(15_000);
  });
});
