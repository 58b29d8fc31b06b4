import * as fc from 'fast-check';
import { decompose } from './decompose';
import { stagesOf } from './plan-builder';
import { cpuTimeOf, growthOf, LINEAR_GROWTH } from '../../../test/support/cpu-time';

/** CPU time of a search that backtracks. One that does not takes a tenth of it, also on a busy machine. */
const ENDLESS_MS = 2_000;

const partsOf = (question: string): string[] => decompose(question).sub_queries.map(({ text }) => text);

describe('taking a question apart', () => {
  it.each([
    ['What is photosynthesis?', 'simple'],
    ['Hello!', 'smalltalk'],
    ['gràcies', 'smalltalk'],
    ['mitosis vs meiosis', 'comparison'],
    ['¿Cuál es la diferencia entre mitosis y meiosis?', 'comparison'],
    ['Quina és la diferència entre mitosi i meiosi?', 'comparison'],
    ['What does "force majeure" mean?', 'exact'],
    ['Explain section 3.2', 'exact'],
    ['Make a study plan for the exam', 'list_building'],
    ['What is ATP? How is it made?', 'multi_hop'],
    ['What is ATP? Who was Darwin?', 'multi_part'],
  ])('%s is %s', (question, type) => {
    expect(decompose(question).type).toBe(type);
  });

  it.each([
    ['Qué es la ósmosis. Por qué ocurre', 'multi_part'],
    ['Qué es la ósmosis, después qué mide', 'multi_part'],
    ['Busca el autor. Qué escribió', 'multi_part'],
    ['Què és la mitosi. Què mesura', 'multi_part'],
    ['Explica la mitosi. Calcula això', 'multi_hop'],
    ['Calcula la media. Qué significa eso', 'multi_hop'],
    ['Explica el niñoit. Calcula la nota', 'multi_part'],
  ])('reads words with accented letters whole: %s is %s', (question, type) => {
    expect(decompose(question).type).toBe(type);
  });

  /** The four examples of specification 003. */
  it.each([
    ["What is a terminator's toughness?", 'simple', ["What is a terminator's toughness?"], [[]]],
    ['Terminator vs Dreadnought', 'comparison', ['Terminator', 'Dreadnought'], [[], []]],
    [
      'Can my terminators deep strike turn 1?',
      'multi_hop',
      ['terminators deep strike', 'Can my terminators deep strike turn 1?'],
      [[], ['q1']],
    ],
    ['Build 2000pt list', 'list_building', ['2000pt list', 'Build 2000pt list'], [[], ['q1']]],
  ])('%s is %s', (question, type, texts, dependencies) => {
    const { sub_queries: parts, ...found } = decompose(question);
    expect(found.type).toBe(type);
    expect(found.confidence).toBeGreaterThanOrEqual(0.6);
    expect(parts.map(({ text }) => text)).toEqual(texts);
    expect(parts.map((part) => part.dependencies)).toEqual(dependencies);
  });

  it.each([
    ['May we hand in the report after the deadline?', 'hand in the report'],
    ['¿Puedo entregar el trabajo después del plazo?', 'entregar el trabajo'],
    ['Make a study plan for the exam', 'exam'],
    ['Who founded the school in the town that burnt down in 1666?', 'town burnt down in 1666'],
  ])('looks first for what %s is about', (question, first) => {
    expect(partsOf(question)).toEqual([first, question]);
  });

  it.each(['Can you explain mitosis in chapter 3?', 'Can I eat here?', 'Could you help me before noon?'])(
    'takes no request for a condition: %s',
    (question) => {
      expect(partsOf(question)).toHaveLength(1);
    },
  );

  it('asks for each thing that is compared by itself', () => {
    expect(partsOf('What is the difference between mitosis and meiosis?')).toEqual(['mitosis', 'meiosis']);
    expect(partsOf('Compare Kant with Hume')).toEqual(['Kant', 'Hume']);
  });

  it('has a part wait for the one that it refers to, and no other', () => {
    const { sub_queries: parts } = decompose(
      'Calculate the best route from A to B. Find the lyrics of Yesterday. Then calculate the pace of the route.',
    );
    expect(parts.map(({ dependencies }) => dependencies)).toEqual([[], [], ['q1']]);
  });

  it('is unsure of what it cannot read', () => {
    expect(decompose('x '.repeat(5_000)).confidence).toBeLessThan(0.6);
  });

  it('gives parts of any text whose dependencies come before them, in little time', () => {
    const word = fc.constantFrom(
      'which',
      'better',
      'or',
      'and',
      'then',
      'compare',
      'difference between',
      'it',
      '?',
      '"',
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(word, { maxLength: 400 }).map((words) => words.join(' ')),
    );
    fc.assert(
      fc.property(text, (question) => {
        let decomposed = decompose('');
        const took = cpuTimeOf(() => (decomposed = decompose(question)));
        const { sub_queries: parts, confidence } = decomposed;
        expect(took).toBeLessThan(ENDLESS_MS);
        expect(parts.length).toBeGreaterThan(0);
        expect(confidence).toBeGreaterThan(0);
        expect(stagesOf(parts)).not.toBeNull();
      }),
    );
  });

  it('takes bounded time for a comparison that is announced again and again and never made', () => {
    const ask = (length: number): unknown =>
      Array.from({ length: 100 }, () => decompose('which '.repeat(length) + 'best '.repeat(length)));
    expect(growthOf(ask, 192)).toBeLessThan(LINEAR_GROWTH);
  });
});
