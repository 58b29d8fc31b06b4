import { QuestionCount } from './mask-people';
import type { DistinctQuestion } from './distinct-questions';
import { tellableGroups } from './similar-questions';

const counted = (...people: string[]): QuestionCount => {
  const count = new QuestionCount();
  for (const each of people) count.add(each);
  return count;
};

const question = (text: string, people: string[], more: Partial<DistinctQuestion> = {}): DistinctQuestion => ({
  text,
  words: text.split(' '),
  asked: counted(...people),
  missed: counted(),
  up: counted(),
  down: counted(),
  found: null,
  ...more,
});

const told = (questions: DistinctQuestion[], groups: number[][]) =>
  tellableGroups({ questions, stems: questions.map(({ words }) => words), groups, formOf: (stem) => stem });

describe('groups that can be told', () => {
  it('have five people together, and figures of five people', () => {
    const questions = [
      question('osmosis', ['a', 'b', 'c'], { missed: counted('a', 'b', 'c') }),
      question('osmosis membrane', ['c', 'd', 'e'], { missed: counted('d', 'e'), down: counted('d') }),
    ];
    expect(told(questions, [[0, 1]]).groups).toEqual([
      {
        question: 'osmosis',
        words: ['osmosis', 'membrane'],
        questions: 6,
        people: 5,
        missed: 5,
        up: 0,
        down: null,
      },
    ]);
  });

  it('leave out those of four people, and count them only when they are of five people together', () => {
    const four = question('one', ['a', 'b', 'c', 'd']);
    expect(told([four], [[0]])).toEqual({ groups: [], hidden: { groups: null, questions: null } });
    const other = question('two', ['d', 'e']);
    expect(told([four, other], [[0], [1]])).toEqual({ groups: [], hidden: { groups: 2, questions: 6 } });
  });
});
