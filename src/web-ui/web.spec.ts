import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contentSecurityPolicy, readWebBuild } from './web.service';

describe('the policy of the page', () => {
  const sha = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

  it('names the inline script by its hash, to the byte, and nothing from elsewhere', () => {
    const script = '\n\t{ start("ü") }\n';
    const policy = contentSecurityPolicy(`<head><script src="/a.js"></script></head><script>${script}</script>`);
    expect(policy).toContain(`script-src 'self' ${sha(script)};`);
    expect(policy.replaceAll(/'sha256-[^']+'/g, '')).not.toMatch(/https?:|unsafe-eval|\*/);
    expect(policy).toMatch(/script-src[^;]*;/);
    expect(/script-src [^;]*/.exec(policy)?.[0]).not.toContain('unsafe-inline');
  });

  it('names several, and none where none is', () => {
    expect(contentSecurityPolicy('<script>a</script><SCRIPT type="module">b</SCRIPT>')).toContain(
      `script-src 'self' ${sha('a')} ${sha('b')};`,
    );
    expect(contentSecurityPolicy('<p>')).toContain(`script-src 'self';`);
  });
});

it('lets only the sites that were named frame a page', () => {
  expect(contentSecurityPolicy('<p>')).toMatch(/frame-ancestors 'self'$/);
  expect(contentSecurityPolicy('<p>', ['https://moodle.example.edu'])).toMatch(
    /frame-ancestors 'self' https:\/\/moodle\.example\.edu$/,
  );
});

describe('a build', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'bw-web-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('that is not there is none', () => {
    expect(readWebBuild(join(folder, 'missing'))).toBeNull();
    expect(readWebBuild(folder)).toBeNull();
  });

  it('is read whole, and stays as it was', () => {
    mkdirSync(join(folder, '_app', 'immutable'), { recursive: true });
    writeFileSync(join(folder, 'index.html'), '<p>one</p>');
    writeFileSync(join(folder, '_app', 'immutable', 'a.js'), 'let a;');
    const build = readWebBuild(folder);
    writeFileSync(join(folder, 'index.html'), '<p>two</p>');
    expect([...(build?.files.keys() ?? [])].sort()).toEqual(['/_app/immutable/a.js', '/index.html']);
    expect(build?.page.bytes.toString()).toBe('<p>one</p>');
  });
});
