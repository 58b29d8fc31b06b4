import { growthOf, LINEAR_GROWTH } from '../../../test/support/cpu-time';
import { isAllowed, rulesOf } from './source-fetcher';

const allows = (text: string, path: string): boolean => isAllowed(rulesOf(text), new URL(path, 'https://example.edu'));

describe('robots.txt', () => {
  it('allows everything without rules', () => {
    expect(allows('', '/a')).toBe(true);
    expect(allows('<html>not a robots file</html>', '/a')).toBe(true);
    expect(allows('User-agent: *\nDisallow:', '/a')).toBe(true);
  });

  it('gives the group of this service precedence over that of all', () => {
    const text = 'User-agent: *\nDisallow: /\n\nUser-agent: other\nUser-agent: Bellwether # us\nDisallow: /private\n';
    expect(allows(text, '/public')).toBe(true);
    expect(allows(text, '/private/page')).toBe(false);
  });

  it('lets the longest pattern decide, and allow where two are equally long', () => {
    const text = 'User-agent: *\nDisallow: /\nAllow: /course\nDisallow: /course/exam\nAllow: /course/exam';
    expect(allows(text, '/home')).toBe(false);
    expect(allows(text, '/course/1')).toBe(true);
    expect(allows(text, '/course/exam')).toBe(true);
  });

  it('reads * and $', () => {
    const text = 'User-agent: *\nDisallow: /*.pdf$\nDisallow: /a*/b\n';
    expect([allows(text, '/x.pdf'), allows(text, '/x.pdf?v=1'), allows(text, '/ac/b')]).toEqual([false, true, false]);
  });

  it('compares other alphabets as they are sent', () => {
    expect(allows('User-agent: *\nDisallow: /física', '/f%C3%ADsica/1')).toBe(false);
  });

  it('reads hostile patterns in linear time', () => {
    const rules = `User-agent: *\n${`Disallow: /${'*a'.repeat(200)}b\n`.repeat(50)}`;
    expect(allows(rules, `/${'a'.repeat(2_000)}`)).toBe(true);
    expect(growthOf((length) => allows(rules, `/${'a'.repeat(length)}`), 16_000)).toBeLessThan(LINEAR_GROWTH);
  });
});
