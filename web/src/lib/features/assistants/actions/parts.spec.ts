import { describe, expect, it } from 'vitest';
import { sideOf } from './parts';

describe('the sides of an import', () => {
  it('read documents and lists in either form, and leave out what stays', () => {
    const diff = [
      { path: 'name', from: '', to: 'Tutor' },
      { path: 'metadata', from: '', to: '{"assistant_type":"multi_tool"}' },
      { path: 'RAG_collections', from: 'a,b', to: '' },
    ];
    expect(sideOf(diff, 'from')).toEqual({ name: '', metadata: {}, RAG_collections: ['a', 'b'] });
    expect(sideOf(diff, 'to')).toEqual({
      name: 'Tutor',
      metadata: { assistant_type: 'multi_tool' },
      RAG_collections: [],
    });
  });

  it('show an unreadable document as an empty one', () => {
    expect(sideOf([{ path: 'metadata', from: '{broken', to: {} }], 'from')).toEqual({ metadata: {} });
  });
});
