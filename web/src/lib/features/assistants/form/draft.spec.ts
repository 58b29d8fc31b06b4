import { beforeEach, describe, expect, it } from 'vitest';
import { type Draft, draftKey, dropDraft, findDrafts, readDraft, writeDraft } from './draft';

const KEY = draftKey('u1', 'multi_tool', 7, 'a');
const DRAFT: Draft = {
  saved_at: new Date().toISOString(),
  version: 3,
  body: { name: 'A', description: '', system_prompt: '', prompt_template: '', metadata: {} },
};

describe('a draft', () => {
  beforeEach(() => localStorage.clear());

  it('comes back as it was, for its user and assistant only', () => {
    writeDraft(KEY, DRAFT);
    expect(readDraft(KEY)).toEqual(DRAFT);
    expect(readDraft(draftKey('u2', 'multi_tool', 7, 'a'))).toBeNull();
    expect(readDraft(draftKey('u1', 'multi_tool', null, 'a'))).toBeNull();
  });

  it('is not offered when it cannot be read or is a month old', () => {
    localStorage.setItem(KEY, '{"body":');
    expect(readDraft(KEY)).toBeNull();
    localStorage.setItem(KEY, '{"body":{}}');
    expect(readDraft(KEY)).toBeNull();
    writeDraft(KEY, { ...DRAFT, saved_at: '2020-01-01T00:00:00Z' });
    expect(readDraft(KEY)).toBeNull();
  });

  it('leaves nothing behind when dropped', () => {
    writeDraft(KEY, DRAFT);
    dropDraft(KEY);
    expect(localStorage.length).toBe(0);
  });

  it('of one tab is not overwritten by another tab with the same new form, and both are found later', () => {
    const written = (instance: string, name: string, saved_at: string): void => {
      writeDraft(draftKey('u1', 'multi_tool', null, instance), { ...DRAFT, saved_at, body: { ...DRAFT.body, name } });
    };
    const now = Date.now();
    written('tab-1', 'Of the first tab', new Date(now - 1000).toISOString());
    written('tab-2', 'Of the second tab', new Date(now).toISOString());
    const names = (instance: string): readonly string[] =>
      findDrafts('u1', 'multi_tool', null, instance).map(({ body }) => body.name);
    expect(names('later')).toEqual(['Of the second tab', 'Of the first tab']);
    expect(names('tab-1')).toEqual(['Of the second tab']);
    expect(findDrafts('u1', 'classic', null, 'later')).toEqual([]);
    writeDraft(draftKey('u1', 'multi_tool', 70, 'a'), DRAFT);
    expect(findDrafts('u1', 'multi_tool', 7, 'b')).toEqual([]);
  });

  it('is refused quietly by a browser without room', () => {
    const full = {
      setItem: () => {
        throw new DOMException('full', 'QuotaExceededError');
      },
    } as unknown as Storage;
    expect(writeDraft(KEY, DRAFT, full)).toBe(false);
  });
});
