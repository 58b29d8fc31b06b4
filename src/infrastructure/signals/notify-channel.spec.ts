import { NotifyChannel } from './signals';

describe('signals to other processes', () => {
  it('are sent without those that are too long for a notification', async () => {
    const sent: string[][] = [];
    const query = (_: string, [, messages]: [string, string[]]): Promise<void> => {
      sent.push(messages);
      return Promise.resolve();
    };
    const channel = new NotifyChannel('postgres://nowhere', () => undefined);
    Object.assign(channel, { client: { query, end: () => Promise.resolve() } });
    channel.send('mcp.cancel', 'x'.repeat(8_000));
    channel.send('organization.changed', 'id');
    await channel.close();
    expect(sent.flat().map((message) => (JSON.parse(message) as { topic: string }).topic)).toEqual([
      'organization.changed',
    ]);
  });
});
