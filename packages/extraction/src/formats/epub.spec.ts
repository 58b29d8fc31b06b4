import { book } from '../../../../test/support/archives';
import { readEpub } from './epub';

const limits = { maxBytes: 1e8, maxPages: 9, maxCharacters: 10_000, maxExpansion: 50, timeoutMs: 1, memoryMb: 1 };
const read = (bytes: Buffer) => readEpub({ bytes, encoding: null, limits });
const page = (body: string, head = ''): string =>
  `<?xml version="1.0"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title/>${head}</head><body>${body}</body></html>`;

it('reads the pages of the spine as chapters, and no table of contents', async () => {
  const nav = page(
    '<nav epub:type="toc"><ol><li><a href="b.xhtml">The <i>salt</i></a></li><li><a href="a.xhtml#x">Water</a></li></ol></nav><p>Where to find it</p>',
  );
  const { text, title, pages } = await read(
    book(
      {
        'cover.xhtml': page('<p>A cover</p>'),
        'z.xhtml': page(
          '<h1>Water</h1><p>Moves.</p><h2>Where</h2><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>',
        ),
        'b.xhtml': page('<p>Stays.</p>', '<script/>'),
      },
      {
        items: '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>',
        guide: '<guide><reference type="cover" href="cover.xhtml"/></guide>',
        more: { 'OEBPS/nav.xhtml': nav },
      },
    ),
  );
  expect(text).toBe('# Water\n\nMoves.\n\n## Where\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n# The salt\n\nStays.');
  expect({ title, pages }).toEqual({ title: 'Water and salt', pages: [] });
});

it('takes titles from the contents of an EPUB 2, says what is missing, and reads scrambled fonts', async () => {
  const ncx =
    '<!DOCTYPE ncx><ncx><navMap><navPoint><navLabel><text>Part</text></navLabel><content src="x.html"/><navPoint><navLabel><text>Salt</text></navLabel><content src="b%20c.html"/></navPoint></navPoint></navMap></ncx>';
  const { text, warnings } = await read(
    book(
      { 'b%20c.html': page('<p>Stays.</p>') },
      {
        items:
          '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/><item id="nav" href="gone.html" media-type="application/xhtml+xml"/>',
        more: {
          'OEBPS/toc.ncx': ncx,
          'OEBPS/b c.html': page('<p>Stays.</p>'),
          'META-INF/encryption.xml': '<encryption><CipherReference URI="OEBPS/font.otf"/></encryption>',
        },
      },
    ),
  );
  expect(text).toBe('# Salt\n\nStays.');
  expect(warnings).toEqual(['Chapters that the file names but does not hold: 1']);
});

it('says how many chapters are pictures or other files', async () => {
  const { warnings } = await read(
    book({ 'a.xhtml': page('<p>Salt.</p>') }, { items: '<item id="nav" href="map.svg" media-type="image/svg+xml"/>' }),
  );
  expect(warnings).toEqual(['Chapters that are pictures or other files, not read: 1']);
});

it.each<[string, Buffer, string]>([
  [
    'under a key',
    book({ 'a.xhtml': 'x' }, { more: { 'META-INF/encryption.xml': '<e><CipherReference URI="OEBPS/a.xhtml"/></e>' } }),
    'document.encrypted',
  ],
  ['without a package', book({}, { more: { 'OEBPS/book.opf': '<x/>' } }), 'document.malformed'],
  ['of pictures', book({ 'a.xhtml': page('<img src="x.png" alt=""/>') }), 'document.no_text'],
  ['longer than the limit', book({ 'a.xhtml': page(`<p>${'word '.repeat(3_000)}</p>`) }), 'document.too_large'],
  [
    'with entities of its own in the package',
    book(
      {},
      { more: { 'OEBPS/book.opf': '<!DOCTYPE p [<!ENTITY a "aaaa">]><package><metadata>&a;</metadata></package>' } },
    ),
    'document.malformed',
  ],
])('refuses a book %s', async (_, bytes, code) => {
  await expect(read(bytes)).rejects.toMatchObject({ code });
});
