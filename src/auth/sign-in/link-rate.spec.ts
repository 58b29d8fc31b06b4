import { LinkRate } from './link-rate';

describe('links and invitations of one person', () => {
  it('are sixty a minute; others and the next minute are not affected', () => {
    let now = 0;
    const rate = new LinkRate(() => now);
    for (let made = 0; made < 60; made += 1) rate.count('ada');
    expect(() => rate.count('ada')).toThrow(expect.objectContaining({ code: 'too_many_requests', retryAfter: 60 }));
    rate.count('ben');
    now = 60_000;
    rate.count('ada');
  });
});
