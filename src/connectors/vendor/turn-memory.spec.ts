import { TurnMemory } from './vendor-connector';

const target = { baseUrl: 'https://vendor.test', apiKey: 'k', trusted: false };

describe('what a connector keeps of an answer', () => {
  it('is found again with the key and in the scope it was kept for, and nowhere else', () => {
    const memory = new TurnMemory<{ text: string }>();
    memory.keep({ target, scope: 'o/1/u/' }, 'call', { text: 'kept' });
    expect(memory.recall({ target, scope: 'o/1/u/' }, 'call')).toEqual({ text: 'kept' });
    expect(memory.recall({ target, scope: 'o/2/u/' }, 'call')).toBeUndefined();
    expect(memory.recall({ target, scope: undefined }, 'call')).toBeUndefined();
    expect(memory.recall({ target: { ...target, apiKey: 'other' }, scope: 'o/1/u/' }, 'call')).toBeUndefined();
  });
});
