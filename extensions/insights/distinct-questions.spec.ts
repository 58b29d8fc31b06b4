import { missedOf } from './insights.service';
import type { AskedQuestion } from './asked-questions.repository';
import { distinctQuestions, type MaskedQuestion } from './distinct-questions';

const asked = (text: string, userId: string, more: Partial<AskedQuestion> = {}): MaskedQuestion => ({
  text,
  words: text.toLowerCase().match(/\w+/g) ?? [],
  asked: {
    ...{ runId: 'run', userId, text, time: 0, firstTokenMs: null, answerMs: null },
    ...{ tokens: null, costMicros: null, finding: null, rating: null },
    ...more,
  },
});

const PEOPLE = ['a', 'b', 'c', 'd', 'e'];

describe('equal questions', () => {
  it('are one, in the newest wording, with the people of all; the most frequent come first', () => {
    const found = distinctQuestions([
      asked('Rare?', 'a'),
      asked('What is it?', 'a'),
      asked('what is it', 'b'),
      asked('?', 'c'),
    ]);
    expect(found.map(({ text, asked: { questions, people } }) => [text, questions, [...people]])).toEqual([
      ['What is it?', 2, ['a', 'b']],
      ['Rare?', 1, ['a']],
    ]);
  });
});

describe('questions that were missed', () => {
  const missed = (people: string[]) => people.map((each) => asked('When is the exam?', each, { finding: 'nothing' }));

  it('are told when five people are behind all of them', () => {
    expect(missedOf(distinctQuestions(missed(PEOPLE.slice(1))))).toEqual([]);
    const more = asked('Who wrote it?', 'a', { finding: 'weak' });
    expect(missedOf(distinctQuestions([more, ...missed(PEOPLE.slice(1))]))).toEqual([
      { question: 'When is the exam?', times: 4, found: 'nothing' },
      { question: 'Who wrote it?', times: 1, found: 'weak' },
    ]);
  });

  it('leave the list when a newer search finds something good', () => {
    const solved = asked('When is the exam?', 'a', { finding: 'good' });
    expect(missedOf(distinctQuestions([solved, ...missed(PEOPLE)]))).toEqual([]);
    expect(missedOf(distinctQuestions([...missed(PEOPLE), solved]))).toHaveLength(1);
  });
});
