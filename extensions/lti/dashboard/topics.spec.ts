import { topicsOf } from './readable-conversations.service';

const asked = (...texts: string[]) => texts.map((text, index) => ({ userId: `student-${index}`, text }));
const found = (texts: string[], least = 2) => topicsOf(asked(...texts), { least, most: 10 });

describe('topics of questions', () => {
  it('are the words that several people used, in any of their forms', () => {
    expect(found(['What are mitochondria?', 'How do cells divide?', 'Does every cell have mitochondria?'])).toEqual([
      { words: 'cells', questions: 2, people: 2 },
      { words: 'mitochondria', questions: 2, people: 2 },
    ]);
  });

  it('are two words where these mostly come together', () => {
    const texts = ['the standard deviation?', 'Explain standard deviation', 'standard deviation of a sample'];
    expect(found(texts)).toEqual([{ words: 'standard deviation', questions: 3, people: 3 }]);
  });

  it('keep their accents, and leave out small words of four languages', () => {
    expect(found(['¿Qué es la fotosíntesis?', 'Què és la fotosíntesis?', 'Zer da fotosíntesis?'])).toEqual([
      { words: 'fotosíntesis', questions: 3, people: 3 },
    ]);
  });

  it('leave out what fewer people asked about, however often', () => {
    const questions = Array.from({ length: 9 }, () => ({ userId: 'one', text: 'My divorce and osmosis' }));
    expect(topicsOf([...questions, ...asked('osmosis')], { least: 2, most: 10 })).toEqual([
      { words: 'osmosis', questions: 10, people: 2 },
    ]);
  });

  it('are none for questions without words', () => expect(found(['???', '12', 'and why'])).toEqual([]));
});
