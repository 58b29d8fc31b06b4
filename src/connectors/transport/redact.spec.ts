import { sanitiseReason } from './upstream-failure';
import { cpuTimeOf } from '../../../test/support/cpu-time';

describe('a vendor’s words, made fit for a client', () => {
  it('keeps what says what to change', () => {
    const reason =
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.";
    expect(sanitiseReason(reason, [])).toBe(reason);
  });

  it.each([
    'sk-CANARY1234567890',
    'sk-proj-abc***xyz',
    'Bearer abc.def',
    'AIzaSyD-1234567890abc',
    'eyJhbGciOi.eyJzdWIi.sig',
    'org-abcdef123456',
    'bw_live_abcdef_secret',
    'http://10.0.0.7:8080/internal?key=1',
    'f'.repeat(64),
  ])('drops what looks like %s', (secret) => {
    const said = sanitiseReason(`Bad value ${secret} here`, []);
    expect(said).not.toContain(secret);
    expect(said).toMatch(/^Bad value .*\[redacted\].*here$/);
  });

  it('drops the secret of the call whatever it looks like', () =>
    expect(sanitiseReason('key hunter2 refused', ['hunter2', null, ''])).toBe('key [redacted] refused'));

  it('is one line of bounded length, quickly', () => {
    let said = '';
    const took = cpuTimeOf(() => (said = sanitiseReason('line\r\n\u0000\u202E'.repeat(200_000), ['x'])));
    expect(said).toMatch(/^[\w ]{1,300}$/);
    expect(took).toBeLessThan(5_000);
  });
});
