import { attachment, shownOrAttached } from './attachment';

const savedAs = (name: string): string =>
  decodeURIComponent(/filename\*=UTF-8''(\S+)$/.exec(attachment(name))?.[1] ?? '');

describe('attachment', () => {
  it.each([
    ['notes.md', 'notes.md'],
    ["Übung «1» (a)'s*.md", "Übung «1» (a)'s*.md"],
    ['week 1/notes.md', 'notes.md'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\windows\\win.md', 'win.md'],
    ['..', 'file'],
    ['a/', 'file'],
    ['', 'file'],
  ])('%j is saved as %j', (name, saved) => expect(savedAs(name)).toBe(saved));

  it('has a plain name for old clients that cannot break the header', () =>
    expect(attachment('"a;b%\\c\r\nÜ".md')).toMatch(
      /^attachment; filename="[\x20-\x7e]+"; filename\*=UTF-8''[\w%.~-]+$/,
    ));
});

describe('a file that a reader opens', () => {
  const headers = (name: string, type: string, text = 'é') => shownOrAttached(name, type, Buffer.from(text));

  it.each([
    ['a.pdf', 'application/pdf', 'application/pdf'],
    ['a.txt', 'text/plain', 'text/plain; charset=utf-8'],
    ['a.md', 'text/markdown', 'text/plain; charset=utf-8'],
    ['a.csv', 'text/csv; charset=utf-16', 'text/plain; charset=utf-16'],
  ])('%s of the type %s is shown as %s', (name, type, shown) => {
    const { 'Content-Type': told, 'Content-Disposition': disposition } = headers(name, type);
    expect([told, disposition]).toEqual([shown, expect.stringMatching(/^inline; filename="a\./)]);
  });

  it.each(['text/html', 'image/svg+xml', 'application/xml', 'text/plainer', 'application/octet-stream'])(
    '%s is a download',
    (type) => expect(headers('a', type)['Content-Disposition']).toMatch(/^attachment/),
  );

  it('keeps the charset open where the bytes are not UTF-8', () =>
    expect(shownOrAttached('a.txt', 'text/plain', Buffer.from([0xe9]))['Content-Type']).toBe('text/plain'));
});
