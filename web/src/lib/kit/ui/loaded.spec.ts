import { describe, expect, it } from 'vitest';
import { Loaded } from './loaded.svelte';

describe('what is read for a page', () => {
  it('keeps the answer of the newest reading, whichever comes last', async () => {
    const answers: ((value: string) => void)[] = [];
    const loaded = new Loaded(() => new Promise<string>((resolve) => answers.push(resolve)));
    const readings = [loaded.load(), loaded.load()];
    answers[1]?.('new');
    answers[0]?.('old');
    await Promise.all(readings);
    expect(loaded.value).toBe('new');
  });

  it('says why it failed until it is read again', async () => {
    const refusal = new Error('gone');
    let fails = true;
    const loaded = new Loaded(() => (fails ? Promise.reject(refusal) : 'there'));
    await loaded.load();
    expect([loaded.value, loaded.error]).toEqual([null, refusal]);
    fails = false;
    await loaded.load();
    expect([loaded.value, loaded.error]).toEqual(['there', null]);
  });
});
