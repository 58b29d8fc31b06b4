import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blocksOf, marksOf } from './passage-text';

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

describe('the blocks of a passage', () => {
  it('are headings without their marks, and texts as they are written', () => {
    const passage = '# Membranes\n\nWater moves.\n\n- one\n- two #2\n\n## Example ##\n  | a |\n#tag\n';
    expect(blocksOf(passage)).toEqual([
      { isHeading: true, text: 'Membranes' },
      { isHeading: false, text: 'Water moves.\n\n- one\n- two #2' },
      { isHeading: true, text: 'Example' },
      { isHeading: false, text: '  | a |\n#tag' },
    ]);
    expect(blocksOf('\n\n')).toEqual([]);
  });

  it('keep the sign of a name, and lose the closing marks of Markdown', () => {
    expect(blocksOf('# C#\n## Stages ##\n## ##')).toEqual([
      { isHeading: true, text: 'C#' },
      { isHeading: true, text: 'Stages' },
      { isHeading: false, text: '## ##' },
    ]);
  });
});
