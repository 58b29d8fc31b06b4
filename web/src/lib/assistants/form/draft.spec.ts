import { beforeEach, describe, expect, it } from 'vitest';
import { type Draft, draftKey, dropDraft, readDraft, writeDraft } from './draft';

const KEY = draftKey('u1', 'multi_tool', 7);
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
    expect(readDraft(draftKey('u2', 'multi_tool', 7))).toBeNull();
    expect(readDraft(draftKey('u1', 'multi_tool', null))).toBeNull();
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

  it('is refused quietly by a browser without room', () => {
    const full = {
      setItem: () => {
        throw new DOMException('full', 'QuotaExceededError');
      },
    } as unknown as Storage;
    expect(writeDraft(KEY, DRAFT, full)).toBe(false);
  });
});
