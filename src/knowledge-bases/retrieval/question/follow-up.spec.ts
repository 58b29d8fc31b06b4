import type { ChatMessage } from '@bellwether/kernel';
import { dependsOnConversation, isFirstQuestion, withTopics } from './follow-up';

const talk = (...questions: readonly string[]): ChatMessage[] =>
  questions.flatMap((content): ChatMessage[] => [
    { role: 'user', content },
    { role: 'assistant', content: 'An answer.' },
  ]);

const asked = (...questions: readonly string[]): string => {
  const messages = talk(...questions).slice(0, -1);
  return withTopics(questions.at(-1) ?? '', messages);
};

describe('a question that lacks its topic', () => {
  it.each([
    ['What is the READ COMMITTED isolation level?', 'Is it the default?', 'READ COMMITTED isolation level'],
    ['What is osmosis?', 'And where does it happen?', 'osmosis'],
    ['What is osmosis?', 'Why?', 'osmosis'],
    ['¿Qué es el nivel de aislamiento?', '¿Y para qué sirve?', 'nivel aislamiento'],
    ['¿Qué es la fotosíntesis?', '¿Cómo funciona?', 'fotosíntesis'],
    ['Què és la fotosíntesi?', 'i per a què serveix?', 'fotosíntesi'],
    ['Què és la fotosíntesi?', 'On passa això?', 'fotosíntesi'],
    ['Zer da fotosintesia?', 'Eta zertarako balio du?', 'fotosintesia'],
    ['Zer da fotosintesia?', 'Nola funtzionatzen du horrek?', 'fotosintesia'],
  ])('after %j, %j takes it', (before, question, topics) => {
    expect(asked(before, question)).toBe(`${question} ${topics}`);
  });

  it('takes the topics of the question that its predecessor depended on', () => {
    expect(asked('What is osmosis?', 'Where does it happen in plants?', 'And why?')).toBe(
      'And why? happen plants osmosis',
    );
  });

  it('looks past thanks', () => {
    expect(asked('What is osmosis?', 'Thanks, that was great!', 'Is it fast?')).toBe('Is it fast? osmosis');
  });

  it('stays as it is without a question before', () => {
    expect(withTopics('Is it fast?', talk().concat({ role: 'user', content: 'Is it fast?' }))).toBe('Is it fast?');
  });
});

describe('a question of its own', () => {
  it.each([
    'What is photosynthesis?',
    'And what is photosynthesis?',
    '¿Qué es la ósmosis?',
    'Què és l’osmosi?',
    'Zer da osmosia?',
    'Explain the difference between osmosis and active transport in plant cells',
    'isolation levels',
  ])('is %j', (question) => expect(dependsOnConversation(question)).toBe(false));
});

it('tells the first question of a conversation from the others', () => {
  expect(isFirstQuestion([{ role: 'user', content: 'What is osmosis?' }])).toBe(true);
  expect(isFirstQuestion([...talk('Hello!'), { role: 'user', content: 'What is osmosis?' }])).toBe(true);
  expect(isFirstQuestion([...talk('What is osmosis?'), { role: 'user', content: 'Why?' }])).toBe(false);
});
