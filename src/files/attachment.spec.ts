import { attachment } from './attachment';

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
