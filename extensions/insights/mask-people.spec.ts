import { PeopleMask } from './mask-people';

const mask = new PeopleMask(
  new Map([
    ['ada', { name: 'Ada López-Byron', email: 'ada@example.edu' }],
    ['mark', { name: 'Mark Twain', email: 'mark@example.edu' }],
    ['li', { name: 'Bo Li', email: null }],
    ['mar', { name: 'María del Mar Ruiz', email: null }],
    ['nameless', { name: null, email: 'x@example.edu' }],
  ]),
);

describe('a question without people', () => {
  it.each([
    ['ada', 'I am Ada. What is osmosis?', 'I am …. What is osmosis?'],
    ['ada', 'ADA LOPEZ asks: what is osmosis?', '… asks: what is osmosis?'],
    ['ada', 'Write to ada@example.edu or tutor@lab.org', 'Write to … or …'],
    ['nameless', 'My mail is somebody.else+x@mail.example.com, thanks', 'My mail is …, thanks'],
    ['ada', 'Is Mark Twain an author?', 'Is … an author?'],
    ['ada', 'How do I mark a verb?', 'How do I mark a verb?'],
    ['mark', 'How do I mark a verb?', 'How do I … a verb?'],
    ['li', 'Is bo a word? I am Bo Li', 'Is bo a word? I am …'],
    ['mar', 'Soy Maria del Mar. El agua del mar', 'Soy … del …. El agua del …'],
    ['ada', 'Long ago I, Ada Lop...', 'Long ago I, …...'],
    ['li', 'Who is older than Mark Twa...', 'Who is older than …...'],
    ['li', 'Who likes Mark...', 'Who likes Mark...'],
    ['unknown', 'What is an adapter?', 'What is an adapter?'],
    ['ada', 'What is an adapter?', 'What is an adapter?'],
  ])('of %s: %s', (asker, question, masked) => {
    expect(mask.mask(question, asker)).toBe(masked);
  });
});
