import { type ExtractedDocument, Extractor } from '../../src/extraction';
import { loadConfig } from '../../src/platform/config';
import { cjkFont, drawn, drawnPdf } from '../support/hostile-documents';

let extractor: Extractor;
beforeAll(() => void (extractor = new Extractor(loadConfig({ NODE_ENV: 'test' }, null))));
afterAll(() => extractor.onApplicationShutdown());

const read = (filename: string, bytes: Buffer): Promise<ExtractedDocument> => extractor.extract({ filename, bytes });

describe('a PDF whose fonts are not embedded', () => {
  const japanese = drawn('<8e8e8cb182cd985a8c8e8e4f93fa82c98d7382ed82ea82dc82b7>', 650, 'Ja');
  const fonts = {
    Ja: cjkFont('90ms-RKSJ-H', 'Japan1'),
    Zh: cjkFont('UniGB-UTF16-H', 'GB1'),
    Own: cjkFont('Map-of-one-office-H', 'Japan1'),
  };

  it('is read with the character maps that Japanese and Chinese fonts name', async () => {
    const pages = [
      drawn('Exam notice 2026', 700) + japanese,
      drawn('<80038bd55728516d>', 700, 'Zh') + drawn('<67084e0965e54e3e884c>', 688, 'Zh'),
    ];
    const { text, warnings } = await read('notice.pdf', drawnPdf({ pages, fonts }));
    expect(text).toBe('Exam notice 2026\n\n試験は六月三日に行われます\n\n考试在六月三日举行');
    expect(warnings).toEqual([]);
  });

  it('says from which page on text is missing when a font cannot be loaded', async () => {
    const pages = [drawn('Exam notice', 700), drawn('Rooms', 700) + japanese.replace('/Ja', '/Own')];
    const { text, warnings } = await read('notice.pdf', drawnPdf({ pages, fonts }));
    expect(text).toBe('Exam notice\n\nRooms');
    expect(warnings).toEqual([expect.stringMatching(/^Text is missing from page 2 on: a font cannot be read\./)]);
  });

  it('is not called scanned when its only font cannot be loaded', async () => {
    const refused = read('notice.pdf', drawnPdf({ pages: [japanese.replace('/Ja', '/Own')], fonts }));
    await expect(refused).rejects.toMatchObject({
      code: 'document.no_text',
      message: expect.stringContaining('fonts do not tell which letters they draw'),
    });
  });
});

describe('a PDF with a font that tells glyphs and no letters', () => {
  /** Numbers of the glyphs of a subset, as most programs count them. */
  const glyphs = (text: string): string =>
    `<${[...text].map((letter) => (letter.charCodeAt(0) - 29).toString(16).padStart(4, '0')).join('')}>`;
  const fonts = { G: cjkFont('Identity-H', 'Identity') };
  const sentence = 'Perceived usefulness and ease of use (Davis 1989) explain 40 % of it';
  const blind = [700, 688, 676].map((y) => drawn(glyphs(sentence), y, 'G')).join('');

  it('is read without these pages, and says so', async () => {
    const { text, warnings } = await read(
      'paper.pdf',
      drawnPdf({ pages: [drawn(sentence, 700).replace('(Davis 1989)', 'Davis'), blind, blind], fonts }),
    );
    expect(text).toMatch(/^Perceived usefulness[^\n]*$/);
    expect(warnings).toEqual([
      expect.stringMatching(/^Page 2–3 was left out: its fonts do not tell which letters they draw\./),
    ]);
  });

  it('is refused when no page can be read', async () => {
    await expect(read('paper.pdf', drawnPdf({ pages: [blind], fonts }))).rejects.toMatchObject({
      code: 'document.no_text',
    });
  });
});
