import { describe, expect, it } from 'vitest';
import { addressOf, filtersOf, linkedId } from './filters';

const at = (address: string): URL => new URL(address, 'http://x.test');

describe('filters in the address', () => {
  it.each([
    ['/assistants', { type: null, q: '', mine: false }],
    ['/assistants?type=classic', { type: 'classic', q: '', mine: false }],
    ['/multi-tool-assistants?q=a+%26+b&owner=me', { type: 'multi_tool', q: 'a & b', mine: true }],
    ['/assistants?q=%C3%B1&owner=me', { type: null, q: 'ñ', mine: true }],
  ] as const)('%s there and back', (address, filters) => {
    expect(filtersOf(at(address))).toEqual(filters);
    expect(addressOf(filters)).toBe(address);
  });

  it('reads a type that does not exist as none', () => {
    expect(filtersOf(at('/assistants?type=other')).type).toBeNull();
  });

  it('knows old links and nothing like them', () => {
    expect(linkedId(at('/assistants?view=detail&id=7'))).toBe(7);
    for (const query of ['view=detail', 'id=7', 'view=detail&id=x', 'view=detail&id=-1', 'view=create&id=7']) {
      expect(linkedId(at(`/assistants?${query}`))).toBeNull();
    }
  });
});
