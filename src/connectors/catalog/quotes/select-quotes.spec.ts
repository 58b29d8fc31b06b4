import type { SourcePassage } from '@bellwether/kernel';
import { selectQuotes } from './select-quotes';

const passage = (n: number | null, text: string, title = ''): SourcePassage => ({ n, title, text });

const BIOLOGY = passage(
  1,
  '# Photosynthesis\n\nPlants make sugar from light. Photosynthesis is the process that turns light into chemical energy. ' +
    'It takes place in the chloroplasts. It was described by Jan Ingenhousz in 1779.\n\n## Stages\n\n- The light reactions ' +
    'need water.\n- The Calvin cycle binds carbon dioxide.',
);
const HISTORY = passage(2, 'The library of Alexandria held about 400,000 scrolls. Dr. Smith counted them in ruins.');

const textsFor = (question: string, ...passages: readonly SourcePassage[]): readonly string[] =>
  selectQuotes(question, passages).quotes.map(({ text }) => text);

describe('the sentences that are quoted', () => {
  it('answer the question best, word for word, with the number of their source', () => {
    expect(selectQuotes('How many scrolls did the library hold?', [BIOLOGY, HISTORY]).quotes[0]).toEqual({
      text: 'The library of Alexandria held about 400,000 scrolls.',
      n: 2,
    });
  });

  it.each([
    ['What is photosynthesis?', 'Photosynthesis is the process that turns light into chemical energy.'],
    ['When was photosynthesis described?', '1779'],
    ['Who described photosynthesis?', 'Jan Ingenhousz'],
    ['Which stage binds carbon dioxide?', 'The Calvin cycle binds carbon dioxide.'],
  ])('%s', (question, expected) => {
    expect(textsFor(question, BIOLOGY, HISTORY)[0]).toContain(expected);
  });

  it('answer a question that stands among other sentences', () => {
    const asked =
      'I read the chapter twice, with care. When was photosynthesis described? Please keep {name} as it is.';
    expect(textsFor(asked, BIOLOGY, HISTORY)[0]).toContain('1779');
  });

  it('answer a question beside a request about the form, which the material cannot answer', () => {
    const asked =
      'When was photosynthesis described? Is that a good argument? Keep \\frac{a}{b} and {name} as they are.';
    const formulas = passage(3, 'The standard error is $\\frac{s}{n}$. Half of it is $\\frac{s}{2n}$.');
    const texts = textsFor(asked, BIOLOGY, formulas);
    expect(texts[0]).toContain('1779');
    expect(textsFor('Is that a good argument? Keep it short. Thanks.', BIOLOGY)).toEqual([]);
  });

  it('are found without accents and in other forms of a word', () => {
    const spanish = passage(1, 'La fotosíntesis ocurre en los cloroplastos. Las ballenas respiran aire.');
    expect(textsFor('¿Dónde ocurre la fotosintesis?', spanish)).toEqual([
      'La fotosíntesis ocurre en los cloroplastos.',
    ]);
  });

  it('are at most four, and a repeated sentence is quoted once', () => {
    const many = Array.from({ length: 9 }, (_, at) =>
      passage(at + 1, `Enzyme ${'abcdefghi'[at]}x speeds reactions up.`),
    );
    const same = [passage(1, 'Enzymes speed reactions up.'), passage(2, 'Enzymes speed reactions  up.')];
    expect(textsFor('Which enzyme speeds reactions up?', ...many).length).toBeLessThanOrEqual(4);
    expect(textsFor('What do enzymes speed up?', ...same)).toHaveLength(1);
  });

  it('stand together when they are neighbours', () => {
    const text = 'Mitosis has four phases. The phases of mitosis are prophase, metaphase, anaphase and telophase.';
    expect(textsFor('What are the phases of mitosis?', passage(1, text))).toEqual([text]);
  });

  it('end where sentences do, not at abbreviations', () => {
    expect(textsFor('Who counted the ruins?', HISTORY)).toEqual(['Dr. Smith counted them in ruins.']);
  });

  it('are none when the material has no answer, or the question no words', () => {
    expect(textsFor('zxqv blorf kwyjibo', BIOLOGY, HISTORY)).toEqual([]);
    expect(textsFor('How do I bake bread?', BIOLOGY, HISTORY)).toEqual([]);
    expect(textsFor('What is it?', BIOLOGY)).toEqual([]);
    expect(textsFor('', BIOLOGY)).toEqual([]);
  });

  it('take in the list or formula that they announce, and no code', () => {
    const text =
      'The essay has these parts:\n\n- a table of the essay data\n- a plot\n\n```python\nessay = parts(essay)\n```';
    expect(textsFor('Which parts does the essay have?', passage(1, text))).toEqual([
      'The essay has these parts: a table of the essay data; a plot',
    ]);
    const sentences = 'Do this in the essay:\n\n1. Cite the essay.\n2. Plot it.';
    expect(textsFor('What should the essay cite?', passage(1, sentences))).toEqual([
      'Do this in the essay: Cite the essay.',
    ]);
  });

  it('never hold headings, rules or frames of tables', () => {
    const table = passage(1, '# Osmosis\n\n---\n\n| osmosis | value |\n| --- | --- |\n| rate of osmosis | 7 |');
    expect(textsFor('osmosis rate value', table).join(' ')).not.toMatch(/^#|---/);
  });

  it.each([
    ['What does the course material say about “Photosynthesis”?', 'light'],
    ['¿Qué dice el material del curso sobre «Photosynthesis»?', 'light'],
    ['Què diu el material del curs sobre «Photosynthesis»?', 'light'],
    ['Zer dio ikastaroko materialak honi buruz: «Photosynthesis»?', 'light'],
  ])('answer a question that names the material: %s', (question, expected) => {
    const { quotes, isOpening } = selectQuotes(question, [BIOLOGY, HISTORY]);
    expect(isOpening).toBe(false);
    expect(quotes[0]?.text).toContain(expected);
  });

  it.each([
    'Ask me five questions about this chapter.',
    'Hazme cinco preguntas sobre este capítulo.',
    'Fes-me cinc preguntes sobre aquest capítol.',
    'Egidazu bost galdera kapitulu honi buruz.',
    'What does the assignment ask for, and how is it graded?',
    '¿Qué pide el enunciado y cómo se evalúa?',
    'Què demana l’enunciat i com s’avalua?',
    'Zer eskatzen du enuntziatuak eta nola ebaluatzen da?',
    'What are the main ideas of this course?',
  ])('are the beginning of each source for a question about the whole material: %s', (question) => {
    const { quotes, isOpening } = selectQuotes(question, [BIOLOGY, HISTORY]);
    expect(isOpening).toBe(true);
    expect(quotes.map(({ n }) => n)).toEqual(expect.arrayContaining([1, 2]));
    expect(quotes[0]?.text).toMatch(/^Plants make sugar from light\./);
    expect(quotes.length).toBeLessThanOrEqual(4);
  });
});
