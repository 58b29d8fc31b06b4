import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerView, passageView } from './answer-view';
import { marksOf } from './passage-text';

const hits = (passage: string, question: string): string[] =>
  marksOf(passage, question).flatMap(({ text, hit }) => (hit ? [text] : []));

describe('words of the question in a passage', () => {
  it('are marked whatever their endings, accents and capitals', () => {
    expect(hits('La fotosíntesis: Fotosíntesis. Foto.', 'fotosintesi')).toEqual(['fotosíntesis', 'Fotosíntesis']);
    expect(hits('Samples of a sample', 'sampling samples')).toEqual(['Samples', 'sample']);
  });

  it('are not the short ones', () => {
    expect(hits('it is a cell', 'is it a cell')).toEqual(['cell']);
  });

  it('are neither words that every question has nor longer words that begin alike', () => {
    expect(hits('The examples and the exam are when?', 'When is the exam and what are exams?')).toEqual(['exam']);
    expect(hits('Los ejemplos y el examen', '¿Cuándo son los exámenes?')).toEqual(['examen']);
  });

  it('leave the passage as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (passage, question) => {
        expect(
          marksOf(passage, question)
            .map(({ text }) => text)
            .join(''),
        ).toBe(passage);
      }),
    );
  });
});

describe('a passage', () => {
  const drawn = (text: string, question = ''): HTMLElement => {
    const node = document.createElement('div');
    passageView(text, question)(node);
    return node;
  };

  it('is shown as what its Markdown says, with the words of the question marked', () => {
    const node = drawn(
      '# Spread\n\nThe **mean** adds all.\n\n| Level | Score |\n| --- | --- |\n| good | 3 |\n\n$$\\bar{x}$$',
      'mean score',
    );
    expect(node.textContent).not.toMatch(/[#*|]|\$\$/);
    expect(node.querySelectorAll('td')).toHaveLength(2);
    expect([...node.querySelectorAll('mark')].map(({ textContent }) => textContent)).toEqual(['mean', 'Score']);
    expect(node.querySelector('[data-tex]')?.getAttribute('data-tex')).toBe('\\bar{x}');
  });

  it('has no headings of the page, no buttons and nothing that runs', () => {
    const node = drawn('# Title\n\n## Part\n\nSee [1]. <script>alert(1)</script>\n\n```\ncode\n```');
    expect(node.querySelectorAll('h1, h2, h3, h4, h5, h6, button, script')).toHaveLength(0);
    expect(node.textContent).toContain('[1]');
  });

  it('is drawn anew, not a second time, when it changes', () => {
    const node = drawn('One.');
    passageView('Two.', '')(node);
    expect(node.textContent.trim()).toBe('Two.');
  });
});

it('keeps a full stop on the line of the mark before it', () => {
  const node = document.createElement('div');
  answerView(node, {
    text: 'Water moves [1]. More [2] here',
    numbers: new Set([1, 2]),
    labelOf: String,
    copyLabel: '',
  });
  const marks = [...node.querySelectorAll('button[data-cite]')];
  expect(marks.map(({ parentElement }) => parentElement?.textContent.trim())).toEqual([
    '1.',
    'Water moves 1. More 2 here',
  ]);
  expect(marks[0]?.parentElement?.style.whiteSpace).toBe('nowrap');
});
