import { type DOCUMENT_FORMATS, type ExtractedDocument, Extractor } from '@bellwether/extraction';
import { loadConfig } from '../../src/infrastructure/config';
import { book, workbook } from '../support/archives';
import {
  cjkFont,
  drawn,
  drawnPdf,
  HELVETICA,
  wordBody,
  wordDocument,
  wordParagraph,
} from '../support/hostile-documents';
import * as slides from '../support/presentation';

let extractor: Extractor;
beforeAll(() => void (extractor = new Extractor(loadConfig({ NODE_ENV: 'test' }, null).extraction)));
afterAll(() => extractor.close());

const STEPS = '<w:p><w:pPr><w:pStyle w:val="Steps"/></w:pPr>';

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

describe('the numbers of lists in Word', () => {
  const main = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  const level = (format: string, start = 1, at = 0): string =>
    `<w:lvl w:ilvl="${at}"><w:start w:val="${start}"/><w:numFmt w:val="${format}"/></w:lvl>`;
  const definition = (id: number, levels: string): string =>
    `<w:abstractNum w:abstractNumId="${id}">${levels}</w:abstractNum>`;
  const numbering = (id: number, of: number, more = ''): string =>
    `<w:num w:numId="${id}"><w:abstractNumId w:val="${of}"/>${more}</w:num>`;
  const parts = {
    'word/numbering.xml': `<w:numbering ${main}>${[
      definition(1, level('decimal').replace('</w:lvl>', '<w:pStyle w:val="Steps"/></w:lvl>') + level('decimal', 1, 1)),
      definition(2, level('bullet')),
      definition(3, level('decimal', 7)),
      definition(5, level('decimal').replace('w:val="1"', 'w:val="1e99"')),
      numbering(1, 1),
      numbering(2, 2),
      numbering(3, 3),
      numbering(5, 5),
      numbering(4, 1, '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'),
    ].join('')}</w:numbering>`,
    'word/styles.xml': `<w:styles ${main}><w:style w:type="paragraph" w:styleId="Steps"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style></w:styles>`,
  };
  const item = (text: string, of: number, at = 0): string =>
    `<w:p><w:pPr><w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${of}"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
  const lines = async (inner: string): Promise<string[]> =>
    (await read('steps.docx', wordDocument(wordBody(inner), parts))).text
      .split('\n')
      .map((line) => line.trim().replace(/\s+/g, ' '))
      .filter((line) => line !== '');

  it.each([
    [
      'go on after a paragraph',
      item('Weigh', 1) + item('Mix', 1) + wordParagraph('Wait.') + item('Heat', 1) + item('Cool', 1),
      ['1. Weigh', '2. Mix', 'Wait.', '3. Heat', '4. Cool'],
    ],
    [
      'go on after bullets',
      item('Weigh', 1) + item('salt', 2) + item('sugar', 2) + item('Mix', 1),
      ['1. Weigh', '- salt', '- sugar', '2. Mix'],
    ],
    ['begin where the list says', item('Seven', 3) + item('Eight', 3), ['7. Seven', '8. Eight']],
    ['begin with one where the start is no number', item('One', 5) + item('Two', 5), ['1. One', '2. Two']],
    [
      'begin anew where the author says so',
      item('One', 1) + item('Two', 1) + wordParagraph('Then') + item('Again', 4) + item('More', 4),
      ['1. One', '2. Two', 'Then', '1. Again', '2. More'],
    ],
    [
      'begin anew below each item',
      item('A', 1) + item('a', 1, 1) + item('b', 1, 1) + item('B', 1) + item('c', 1, 1),
      ['1. A', '1. a', '2. b', '2. B', '1. c'],
    ],
    [
      'come from a style, too',
      ['One', 'Two'].map((text) => wordParagraph(text).replace('<w:p>', STEPS)).join(wordParagraph('Wait.')),
      ['1. One', 'Wait.', '2. Two'],
    ],
  ])('%s', async (_, inner, expected) => {
    expect(await lines(inner)).toEqual(expected);
  });
});

describe('hidden text of Word', () => {
  const run = (text: string, properties = ''): string =>
    `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
  const style = (id: string, inner: string, type = 'paragraph'): string =>
    `<w:style w:type="${type}" w:styleId="${id}">${inner}</w:style>`;
  const STYLES = `<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${[
    style('Solution', '<w:rPr><w:vanish/></w:rPr>'),
    style('Hint', '<w:basedOn w:val="Solution"/>'),
    style('Shown', '<w:basedOn w:val="Solution"/><w:rPr><w:vanish w:val="false"/></w:rPr>'),
    style('Secret', '<w:rPr><w:vanish w:val="1"/></w:rPr>', 'character'),
    style('Loop', '<w:basedOn w:val="Loop"/>'),
  ].join('')}</w:styles>`;
  const paragraph = (inner: string, name = ''): string =>
    `<w:p><w:pPr><w:pStyle w:val="${name}"/></w:pPr>${inner}</w:p>`;
  const word = (inner: string): Promise<ExtractedDocument> =>
    read('exam.docx', wordDocument(wordBody(inner), { 'word/styles.xml': STYLES }));

  it.each([
    ['by its own property', paragraph(run('gone', '<w:vanish/>'))],
    ['by its own property, with a value', paragraph(run('gone', '<w:vanish w:val="on"/>'))],
    ['by a style of letters', paragraph(run('gone', '<w:rStyle w:val="Secret"/>'))],
    ['by a style of paragraphs', paragraph(run('gone'), 'Solution')],
    ['by a style that another is based on', paragraph(run('gone'), 'Hint')],
    [
      'in a row of a table',
      `<w:tbl><w:tr><w:trPr><w:hidden/></w:trPr><w:tc>${wordParagraph('gone')}</w:tc></w:tr><w:tr><w:tc>${wordParagraph('kept')}</w:tc></w:tr></w:tbl>`,
    ],
    [
      'around a text box',
      `<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:pict><w:txbxContent>${wordParagraph('gone')}</w:txbxContent></w:pict></w:r></w:p>`,
    ],
  ])('%s is left out, and a warning says so', async (_, inner) => {
    const { text, warnings } = await word(wordParagraph('Question 1') + inner);
    expect(text).toMatch(/^Question 1/);
    expect(text).not.toContain('gone');
    expect(warnings).toEqual(['Hidden text is left out']);
  });

  it.each([
    ['a property that is off', paragraph(run('kept', '<w:vanish w:val="0"/>'))],
    ['a property that is off in a hidden style', paragraph(run('kept', '<w:vanish w:val="0"/>'), 'Solution')],
    ['a style that shows again what its base hides', paragraph(run('kept'), 'Shown')],
    ['two styles that toggle each other', paragraph(run('kept', '<w:rStyle w:val="Secret"/>'), 'Solution')],
    ['a hidden mark of a paragraph', `<w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr>${run('kept')}</w:p>`],
    ['a style that is based on itself', paragraph(run('kept'), 'Loop')],
    [
      'an entry of the index',
      paragraph(`${run('kept')}<w:r><w:rPr><w:vanish/></w:rPr><w:instrText>XE "kept"</w:instrText></w:r>`),
    ],
  ])('%s hides nothing', async (_, inner) => {
    const { text, warnings } = await word(inner);
    expect({ text, warnings }).toEqual({ text: 'kept', warnings: [] });
  });
});

it('a Word document is called by its title page, not by its first chapter', async () => {
  const style = (id: string, name: string): string =>
    `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/></w:style>`;
  const styles = `<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${style('T', 'Title')}${style('H', 'heading 1')}</w:styles>`;
  const paragraph = (id: string, text: string): string =>
    wordParagraph(text).replace('<w:p>', `<w:p><w:pPr><w:pStyle w:val="${id}"/></w:pPr>`);
  const chapters = paragraph('H', 'CHAPTER 1') + wordParagraph('salt') + paragraph('H', 'CHAPTER 2');
  const titleOf = async (inner: string): Promise<string | null> =>
    (await read('a.docx', wordDocument(wordBody(inner), { 'word/styles.xml': styles }))).title;
  expect(await titleOf(paragraph('T', 'Handbook') + chapters)).toBe('Handbook');
  expect(await titleOf(chapters)).toBeNull();
});

describe('an archive with bytes behind its end', () => {
  const sheet = '<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>salt</t></is></c></row></sheetData>';
  const files: Readonly<Record<string, Buffer>> = {
    'a.docx': wordDocument(wordBody(wordParagraph('salt'))),
    'a.pptx': slides.presentation([{ shapes: slides.textBox('salt') }]),
    'a.xlsx': workbook({ sheets: { 'name="A"': sheet } }),
    'a.epub': book({ 'a.xhtml': '<html><body><p>salt</p></body></html>' }),
  };
  /** Sets the length of the comment that the end record announces. */
  const withComment = (bytes: Buffer, length: number, comment: string): Buffer => {
    const end = Buffer.from(bytes);
    end.writeUInt16LE(length, end.length - 2);
    return Buffer.concat([end, Buffer.from(comment)]);
  };

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['a line feed', (bytes) => Buffer.concat([bytes, Buffer.from('\n')])],
    ['a page of a web form', (bytes) => Buffer.concat([bytes, Buffer.from('<html>saved</html>'.repeat(5_000))])],
    ['a comment shorter than announced', (bytes) => withComment(bytes, 9, 'five.')],
    ['a comment longer than announced', (bytes) => withComment(bytes, 2, 'five.')],
    ['a comment', (bytes) => withComment(bytes, 5, 'five.')],
  ])('is read: %s', async (_, change) => {
    for (const [name, bytes] of Object.entries(files)) {
      expect((await read(name, change(bytes))).text).toContain('salt');
    }
  });
});

describe('a PDF form', () => {
  const widget = (type: string, y: number, entries: string): string =>
    `<</Type/Annot/Subtype/Widget/FT/${type}/T(field ${y})/Rect[200 ${y} 400 ${y + 16}]${entries}>>`;
  const form = (annotations: readonly string[], page = ''): Promise<ExtractedDocument> =>
    read(
      'form.pdf',
      drawnPdf({
        pages: [
          drawn('Application form', 750) + drawn('Name:', 704) + drawn('Reasons:', 674) + drawn('Degree:', 634) + page,
        ],
        annotations: annotations.map((_, index) => `${100 + index} 0 R`),
        objects: Object.fromEntries(annotations.map((annotation, index) => [100 + index, annotation])),
        catalog: `/AcroForm<</Fields[${annotations.map((_, index) => `${100 + index} 0 R`).join(' ')}]>>`,
      }),
    );

  it('is read with its values behind their labels', async () => {
    const { text, warnings } = await form(
      [
        widget('Tx', 700, '/V(Ada Example)'),
        widget('Tx', 670, '/Ff 4096/V(I like ice.\\nI like snow.)'),
        widget('Ch', 630, '/Ff 131072/Opt[[(b)(Bachelor)][(m)(Master)]]/V(m)'),
        widget('Btn', 600, '/V/Yes/AS/Yes/AP<</N<</Yes 200 0 R/Off 200 0 R>>>>'),
        widget('Btn', 570, '/V/Off/AS/Off/AP<</N<</Yes 200 0 R/Off 200 0 R>>>>'),
      ],
      drawn('Full time', 604, 'F1', 230) + drawn('Evenings', 574, 'F1', 230),
    );
    expect(text.split(/\n+/)).toEqual([
      'Application form',
      'Name: Ada Example',
      'Reasons: I like ice. I like snow.',
      'Degree: Master',
      '☒ Full time',
      'Evenings',
    ]);
    expect(warnings).toEqual([]);
  });

  it('keeps passwords and hidden fields to itself', async () => {
    const { text } = await form([
      widget('Tx', 700, '/Ff 8192/V(secret)'),
      widget('Tx', 670, '/F 2/V(secret)'),
      widget('Tx', 640, '/F 32/V(secret)'),
    ]);
    expect(text).not.toContain('secret');
  });

  it('gives what was typed onto the page, and says that comments are left out', async () => {
    const at = '/Rect[200 700 400 716]';
    const { text, warnings } = await form([
      `<</Type/Annot/Subtype/FreeText${at}/DA(/Helv 10 Tf)/Contents(Ada Example)>>`,
      `<</Type/Annot/Subtype/Text${at}/Contents(please check this)>>`,
      `<</Type/Annot/Subtype/Link${at}/Contents(no remark)>>`,
    ]);
    expect(text).toContain('Name: Ada Example');
    expect(text).not.toContain('check');
    expect(warnings).toEqual(['Comments on page 1 are left out']);
  });
});

describe('an office file with words that no reader opens', () => {
  const A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"';
  const comments = `<w:comments xmlns:w="w"><w:comment w:id="1">${wordParagraph('please check')}</w:comment></w:comments>`;
  const shape = (text: string, hidden = ''): string =>
    `<xdr:sp><xdr:nvSpPr><xdr:cNvPr id="2" name="x"${hidden}/></xdr:nvSpPr><xdr:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></xdr:txBody></xdr:sp>`;
  const relation = (type: string, target: string): string =>
    `<Relationships><Relationship Id="r1" Type="x/${type}" Target="${target}"/></Relationships>`;
  const sheet = '<sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>salt</t></is></c></row></sheetData>';
  const sheets = { 'name="A"': sheet };

  it('gives the words of text boxes on a sheet, and says which shapes are hidden', async () => {
    const more = {
      'xl/worksheets/_rels/sheet1.xml.rels': relation('drawing', '../drawings/drawing1.xml'),
      'xl/drawings/drawing1.xml': `<xdr:wsDr xmlns:xdr="x" ${A}><xdr:twoCellAnchor>${shape('The exam moves to B7.')}<xdr:grpSp>${shape('Bring water.')}${shape('gone', ' hidden="1"')}</xdr:grpSp></xdr:twoCellAnchor></xdr:wsDr>`,
    };
    const { text, warnings } = await read('a.xlsx', workbook({ sheets, more }));
    expect(text).toBe('## A\n\nsalt\n\nThe exam moves to B7.\n\nBring water.');
    expect(warnings).toEqual(['Sheet “A”: hidden rows, columns or shapes are left out']);
    const only = await read('a.xlsx', workbook({ sheets: { 'name="A"': '<sheetData/>' }, more }));
    expect(only.text).toContain('The exam moves to B7.');
  });

  const word = (more: Record<string, string>): Buffer => wordDocument(wordBody(wordParagraph('salt')), more);
  it.each<[string, string, Buffer, string]>([
    ['comments of Word', 'a.docx', word({ 'word/comments.xml': comments }), 'Comments are left out'],
    ['charts of Word', 'a.docx', word({ 'word/charts/chart1.xml': '<c:chartSpace/>' }), 'Charts are not read'],
    [
      'diagrams of Word',
      'a.docx',
      word({ 'word/diagrams/data1.xml': `<x ${A}><a:t>Water cycle</a:t></x>` }),
      'Diagrams (SmartArt) are not read',
    ],
    [
      'files that Word inserts',
      'a.docx',
      word({ 'word/_rels/document.xml.rels': relation('aFChunk', 'chunk.html') }),
      'Other files that the document inserts are not read',
    ],
    [
      'a part that nobody knows',
      'a.docx',
      word({ 'word/annex.xml': `<x ${A}><a:t>Annex</a:t></x>` }),
      'Text in parts that are not read: word/annex.xml',
    ],
    [
      'comments of Excel',
      'a.xlsx',
      workbook({ sheets, more: { 'xl/comments1.xml': '<comments><text><t>check</t></text></comments>' } }),
      'Comments are left out',
    ],
    [
      'comments of PowerPoint',
      'a.pptx',
      slides.presentation([{ shapes: slides.textBox('salt') }], {
        more: { 'ppt/comments/comment1.xml': '<p:cmLst><p:cm><p:text>check</p:text></p:cm></p:cmLst>' },
      }),
      'Comments are left out',
    ],
    [
      'hidden shapes of PowerPoint',
      'a.pptx',
      slides.presentation([
        { shapes: slides.textBox('salt') + slides.textBox('gone').replace('name="x"', 'name="x" hidden="1"') },
      ]),
      'Slide 1: hidden shapes are left out',
    ],
  ])('says so: %s', async (_, name, bytes, warning) => {
    const { text, warnings } = await read(name, bytes);
    expect(text).toContain('salt');
    expect(text).not.toContain('gone');
    expect(warnings).toEqual([warning]);
  });

  it('says nothing about parts without words of the document', async () => {
    const bytes = word({
      'word/comments.xml': '<w:comments/>',
      'word/header1.xml': `<x ${A}><a:t>Faculty of Science</a:t></x>`,
      'word/theme/theme1.xml': `<x ${A}><a:t>Office</a:t></x>`,
      'word/annex.xml': '<x>',
    });
    expect((await read('a.docx', bytes)).warnings).toEqual([]);
  });
});

describe('hidden layers of a PDF', () => {
  const LAYERS = '/OCProperties<</OCGs[100 0 R 101 0 R]/D<</OFF[100 0 R]>>>>';
  const RESOURCES = '/Properties<</Off 100 0 R/On 101 0 R/Any 102 0 R>>/XObject<</Fm 103 0 R/Hidden 104 0 R>>';
  const form = (text: string, more = ''): string => {
    const content = drawn(text, 600);
    return `<</Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</Font<</F1 ${HELVETICA}>>>>${more}/Length ${content.length}>>stream\n${content}\nendstream`;
  };
  const objects = {
    100: '<</Type/OCG/Name(Solutions)>>',
    101: '<</Type/OCG/Name(Hints)>>',
    102: '<</Type/OCMD/OCGs[100 0 R]>>',
    103: form('of a form'),
    104: form('of a form', '/OC 100 0 R'),
  };
  const layer = (name: string, inner: string): string => `/OC /${name} BDC\n${inner}EMC\n`;
  const layered = (...parts: readonly string[]): Promise<ExtractedDocument> =>
    read(
      'exam.pdf',
      drawnPdf({
        pages: [drawn('Question 1', 700) + parts.join('') + drawn('Question 2', 500)],
        catalog: LAYERS,
        resources: RESOURCES,
        objects,
      }),
    );

  it.each([
    ['a layer', layer('Off', drawn('secret', 650))],
    ['a layer in another mark', `/P <</MCID 1>> BDC\n${layer('Off', drawn('secret', 650))}EMC\n`],
    ['a shown layer in a hidden one', layer('Off', layer('On', drawn('secret', 650)))],
    ['a layer by its membership', layer('Any', drawn('secret', 650))],
    ['a form in a layer', layer('Off', '/Fm Do\n')],
  ])('are left out, and a warning says so: %s', async (_, inner) => {
    const { text, warnings } = await layered(inner);
    expect(text).toBe('Question 1\n\nQuestion 2');
    expect(warnings).toEqual(['Text of hidden layers on page 1 is left out']);
  });

  it('leave the text of shown layers and of other marks', async () => {
    const { text, warnings } = await layered(layer('On', drawn('A hint', 650)), `/Span BMC\n/Fm Do\nEMC\n`);
    expect(text).toBe('Question 1\n\nA hint\n\nof a form\n\nQuestion 2');
    expect(warnings).toEqual([]);
  });

  it('are told where the text of a form cannot be told from others', async () => {
    expect((await layered('/Hidden Do\n')).warnings).toEqual(['Text of hidden layers may be among the text of page 1']);
  });
});

it('says that a form of a PDF is not read when only some programs can draw it', async () => {
  const pages = [drawn('Please wait. Your viewer cannot show this document.', 700)];
  const objects = { 100: '<</Length 5>>stream\n<xdp>\nendstream' };
  const xfa = drawnPdf({ pages, objects, catalog: '/AcroForm<</Fields[]/XFA 100 0 R>>' });
  expect((await read('form.pdf', xfa)).warnings).toEqual([
    'The form in this PDF (XFA) cannot be read. Print it to a new PDF and upload that',
  ]);
});

describe('every format gives its text and tells what it lacks', () => {
  type Format = (typeof DOCUMENT_FORMATS)[number];
  interface Lossy {
    readonly name: string;
    readonly bytes: Buffer;
    /** Words that must not be in the text, where something is left out. */
    readonly gone?: string;
    readonly warning: RegExp;
  }
  const row = '<row r="1"><c r="A1" t="inlineStr"><is><t>gone</t></is></c></row>';
  const kept = row.replace('gone', 'salt');
  const GUESSED = /read as Windows-1252$/;
  const latin = (name: string, text: string): Lossy => ({
    name,
    bytes: Buffer.from(`${text}\u00e9`.replaceAll('\n', '\r\n'), 'latin1'),
    warning: GUESSED,
  });
  const FORMATS = {
    pdf: {
      name: 'a.pdf',
      bytes: drawnPdf({ pages: [drawn('salt', 700)], annotations: ['<</Type/Annot/Subtype/Text/Contents(gone)>>'] }),
      gone: 'gone',
      warning: /^Comments on page 1 are left out$/,
    },
    docx: {
      name: 'a.docx',
      bytes: wordDocument(
        wordBody(wordParagraph('salt') + wordParagraph('gone').replace('<w:r>', '<w:r><w:rPr><w:vanish/></w:rPr>')),
      ),
      gone: 'gone',
      warning: /^Hidden text is left out$/,
    },
    pptx: {
      name: 'a.pptx',
      bytes: slides.presentation([
        { shapes: slides.textBox('salt') },
        { shapes: slides.textBox('gone'), hidden: true },
      ]),
      gone: 'gone',
      warning: /hidden/i,
    },
    xlsx: {
      name: 'a.xlsx',
      bytes: workbook({
        sheets: {
          'name="A"': `<sheetData>${kept}</sheetData>`,
          'name="B" state="hidden"': `<sheetData>${row}</sheetData>`,
        },
      }),
      gone: 'gone',
      warning: /hidden/i,
    },
    epub: {
      name: 'a.epub',
      bytes: book({ 'a.xhtml': '<html><body><p>salt</p><p hidden="hidden">gone</p></body></html>' }),
      gone: 'gone',
      warning: /^Hidden parts are left out$/,
    },
    notebook: {
      name: 'a.ipynb',
      bytes: Buffer.from(
        JSON.stringify({
          cells: [
            {
              cell_type: 'code',
              source: 'salt',
              outputs: [{ output_type: 'stream', text: `${'x'.repeat(2_000)}gone` }],
            },
          ],
        }),
      ),
      gone: 'gone',
      warning: /^Output of cell 1 is cut/,
    },
    html: {
      name: 'a.html',
      bytes: Buffer.from('<html><body><p>salt</p><iframe src="/gone"></iframe></body></html>'),
      gone: 'gone',
      warning: /^Other pages and files shown inside the page are not read$/,
    },
    markdown: latin('a.md', '# salt '),
    text: latin('a.txt', 'salt '),
    csv: latin('a.csv', 'what,how\nsalt,caf'),
    json: {
      name: 'a.json',
      bytes: Buffer.from(JSON.stringify({ what: 'salt', how: 'café' }), 'latin1'),
      warning: GUESSED,
    },
    vtt: latin('a.vtt', 'WEBVTT\n\n00:01.000 --> 00:02.000\nsalt in the caf'),
    srt: latin('a.srt', '1\n00:00:01,000 --> 00:00:02,000\nsalt in the caf'),
  } satisfies Record<Format, Lossy>;

  it.each(Object.entries(FORMATS) as [Format, Lossy][])('%s', async (format, { name, bytes, gone, warning }) => {
    const found = await read(name, bytes);
    expect(found).toMatchObject({ format, text: expect.stringContaining('salt') });
    if (gone !== undefined) expect(found.text).not.toContain(gone);
    expect(found.warnings).toEqual([expect.stringMatching(warning)]);
  });
});
