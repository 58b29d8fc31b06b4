import { Channels } from './shared-engine';

describe('channels', () => {
  it('fold names as SQL does', () => {
    const channels = new Channels<string>();
    channels.observe('one', ['LISTEN News; listen "No""ws"']);
    expect([channels.listeners('news'), channels.listeners('No"ws'), channels.listeners('News')]).toEqual([
      ['one'],
      ['one'],
      [],
    ]);
  });

  it('know who stopped', () => {
    const channels = new Channels<string>();
    for (const session of ['one', 'two', 'three']) channels.observe(session, ['LISTEN a; LISTEN b']);
    channels.observe('one', ['UNLISTEN a']);
    channels.observe('two', ['unlisten *']);
    expect([channels.forget('three'), channels.forget('three')]).toEqual([true, false]);
    expect([channels.listeners('a'), channels.listeners('b')]).toEqual([[], ['one']]);
  });

  it('tell the engine the union of what everybody listens to', () => {
    const channels = new Channels<string>();
    channels.observe('one', ['LISTEN a']);
    channels.observe('two', ['LISTEN a; LISTEN "b c"']);
    expect(channels.restore().toString('utf8', 5)).toBe('UNLISTEN *; LISTEN "a"; LISTEN "b c"\0');
  });
});
